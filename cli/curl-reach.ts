// How curl is told to reach a target in the same way: for the lines that repeat a request.
import { relative } from 'node:path'
import type { GivenCertificate } from './client-certificate.ts'
import { variableOf } from './keys.ts'

/** What was settled of the flags and the configuration; files as paths that can be opened. */
export interface GivenReach {
  readonly ca: string | undefined
  readonly certificate: GivenCertificate | undefined
  readonly insecure: boolean
  /** False: none. */
  readonly proxy: string | false | undefined
}

/** A word for a shell, as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A secret is named by its variable, which the shell reads. */
const named = (text: string): string => {
  const variable = variableOf(text)
  return variable === undefined ? quoted(text) : `"$${variable}"`
}

type File = (path: string) => string

const identityWords = (given: GivenCertificate | undefined, file: File): readonly string[] => {
  if (given === undefined) return []
  const { cert, key, passphrase } = given
  return [
    `--cert ${file(cert)}`,
    ...(/\.(?:p12|pfx)$/i.test(cert) ? ['--cert-type P12'] : []),
    ...(key === undefined ? [] : [`--key ${file(key)}`]),
    ...(passphrase === undefined ? [] : [`--pass ${named(passphrase)}`]),
  ]
}

const proxyWords = (proxy: GivenReach['proxy']): readonly string[] => {
  if (proxy === undefined) return []
  return [proxy === false ? "--noproxy '*'" : `--proxy ${named(proxy)}`]
}

/**
 * The options of curl in its own words, each as a shell takes it. A proxy of the environment is not
 * among them: curl reads it there as well.
 * @param folder what the paths of the words start from
 */
export const curlReachOf = (
  { ca, certificate, insecure, proxy }: GivenReach,
  folder: string,
  isSecure: boolean,
): readonly string[] => {
  if (!isSecure) return proxyWords(proxy)
  const file: File = (path) => quoted(relative(folder, path))
  return [
    ...proxyWords(proxy),
    ...(ca === undefined ? [] : [`--cacert ${file(ca)}`]),
    ...(insecure ? ['--insecure'] : []),
    ...identityWords(certificate, file),
    '--http1.1',
  ]
}
