// How curl is told to reach a target in the same way: for the lines that repeat a request.
import { relative, resolve } from 'node:path'
import type { FoundConfig } from './config-file.ts'
import { variableOf } from './keys.ts'
import type { ReachFlags } from './run-flags.ts'

/** A word for a shell, as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A secret is named by its variable, which the shell reads. */
const named = (text: string): string => {
  const variable = variableOf(text)
  return variable === undefined ? quoted(text) : `"$${variable}"`
}

/** Of which files, from which folder, whoever names them. */
const certificateOf = (flags: ReachFlags, { config, folder }: FoundConfig) => {
  if (flags.cert === undefined) return { from: folder, ...config.clientCertificate }
  const { cert, 'cert-key': key, 'cert-passphrase': passphrase } = flags
  return { from: '.', cert, key, passphrase }
}

type File = (from: string, path: string) => string

const identityWords = (flags: ReachFlags, found: FoundConfig, file: File): readonly string[] => {
  const { from, cert, key, passphrase } = certificateOf(flags, found)
  if (cert === undefined) return []
  return [
    `--cert ${file(from, cert)}`,
    ...(/\.(?:p12|pfx)$/i.test(cert) ? ['--cert-type P12'] : []),
    ...(key === undefined ? [] : [`--key ${file(from, key)}`]),
    ...(passphrase === undefined ? [] : [`--pass ${named(passphrase)}`]),
  ]
}

const proxyWords = (proxy: string | false | undefined): readonly string[] => {
  if (proxy === undefined) return []
  return [proxy === false ? "--noproxy '*'" : `--proxy ${named(proxy)}`]
}

/**
 * The options of curl in its own words, each as a shell takes it. A proxy of the environment is not
 * among them: curl reads it there as well.
 * @param folder what the paths of flags start from, and those of the words
 */
export const curlReachOf = (
  flags: ReachFlags,
  found: FoundConfig,
  folder: string,
  isSecure: boolean,
): readonly string[] => {
  const { config } = found
  const proxy = proxyWords(flags.proxy ?? config.proxy)
  if (!isSecure) return proxy
  const file: File = (from, path) => quoted(relative(folder, resolve(folder, from, path)))
  const ca = flags.ca ?? config.ca
  return [
    ...proxy,
    ...(ca === undefined ? [] : [`--cacert ${file(flags.ca ? '.' : found.folder, ca)}`]),
    ...((flags.insecure ?? config.insecure) ? ['--insecure'] : []),
    ...identityWords(flags, found, file),
    ...((flags.http1 ?? config.http !== undefined) ? ['--http1.1'] : []),
  ]
}
