// How a target is reached: certificates, proxy, and the same as options of curl.
import { relative, resolve } from 'node:path'
import type { Reach } from '../engine/http/connection-options.ts'
import type { RunOptions } from '../engine/run/run-options.ts'
import { type GivenCertificate, readClientCertificate, readTrusted } from './certificates.ts'
import type { FoundConfig } from './config-file.ts'
import { type Environment, variableName } from './given-keys.ts'
import { environmentProxy, type FoundProxy, namedProxy } from './proxy.ts'
import { UsageError } from './usage-error.ts'

export interface ReachFlags {
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly 'cert-key'?: string | undefined
  readonly 'cert-passphrase'?: string | undefined
  readonly insecure?: boolean | undefined
  /** False: none. */
  readonly proxy?: string | false | undefined
}

/** From the flags and the configuration; files as absolute paths. */
interface GivenReach {
  readonly ca: string | undefined
  readonly certificate: GivenCertificate | undefined
  readonly insecure: boolean
  /** False: none. */
  readonly proxy: string | false | undefined
}

/**
 * @param folder that relative paths of flags start from
 * @param addresses of the target, and then of its description
 */
export const readReach = (
  flags: ReachFlags,
  found: FoundConfig,
  environment: Environment,
  folder: string,
  addresses: readonly URL[],
): { readonly reach: Reach; readonly secrets: RunOptions['secrets'] } => {
  const { config } = found
  const given: GivenReach = {
    ca: flags.ca ? resolve(folder, flags.ca) : config.ca && resolve(found.folder, config.ca),
    certificate: certificateOf(flags, found, folder),
    insecure: flags.insecure ?? config.insecure ?? false,
    proxy: flags.proxy ?? config.proxy,
  }
  const { ca, certificate, insecure, proxy } = given
  const proxyOf = proxiesOf(proxy, flags.proxy === undefined ? 'the proxy' : '--proxy', environment)
  return {
    reach: {
      ca: ca === undefined ? null : readTrusted(ca),
      identity: certificate === undefined ? null : readClientCertificate(certificate, environment),
      insecure,
      proxyOf,
      curl: curlOptions(given, folder, addresses[0]?.protocol === 'https:'),
    },
    // A named proxy is the same for all addresses.
    secrets: (proxy === undefined ? addresses : addresses.slice(0, 1)).flatMap(
      (address) => proxyOf(address)?.secrets ?? [],
    ),
  }
}

const certificateOf = (
  { cert, 'cert-key': key, 'cert-passphrase': passphrase }: ReachFlags,
  { config, folder: configFolder }: FoundConfig,
  folder: string,
): GivenCertificate | undefined => {
  const at = (base: string, file: string | undefined) => file && resolve(base, file)
  if (cert !== undefined) return { cert: resolve(folder, cert), key: at(folder, key), passphrase }
  const alone = key === undefined ? passphrase && '--cert-passphrase' : '--cert-key'
  if (alone) throw new UsageError(`${alone} needs --cert FILE, the certificate that it belongs to`)
  const given = config.clientCertificate
  if (given === undefined) return undefined
  return {
    cert: resolve(configFolder, given.cert),
    key: at(configFolder, given.key),
    passphrase: given.passphrase,
  }
}

/** A named proxy serves every address; the environment may name one for each scheme. */
const proxiesOf = (
  named: GivenReach['proxy'],
  place: string,
  environment: Environment,
): ((address: URL) => FoundProxy | null) => {
  if (named === undefined) return (address) => environmentProxy(address, environment)
  const proxy = named === false ? null : namedProxy(place, named, environment)
  return () => proxy
}

/** A word for a shell, unchanged. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A secret is named by its variable, which the shell reads. */
const withVariable = (text: string): string => {
  const variable = variableName(text)
  return variable === undefined ? quoted(text) : `"$${variable}"`
}

/** Each as a shell takes it; curl itself reads a proxy of the environment. */
const curlOptions = (given: GivenReach, folder: string, isSecure: boolean): readonly string[] => {
  const { proxy } = given
  if (proxy === undefined) return isSecure ? curlTlsOptions(given, folder) : []
  const proxyOption = proxy === false ? "--noproxy '*'" : `--proxy ${withVariable(proxy)}`
  return [proxyOption, ...(isSecure ? curlTlsOptions(given, folder) : [])]
}

const curlTlsOptions = ({ ca, insecure, certificate }: GivenReach, folder: string): string[] => {
  const file = (path: string) => quoted(relative(folder, path))
  const { cert = '', key, passphrase } = certificate ?? {}
  return [
    ...(ca ? [`--cacert ${file(ca)}`] : []),
    ...(insecure ? ['--insecure'] : []),
    ...(cert ? [`--cert ${file(cert)}`] : []),
    ...(/\.(?:p12|pfx)$/i.test(cert) ? ['--cert-type P12'] : []),
    ...(key ? [`--key ${file(key)}`] : []),
    ...(passphrase ? [`--pass ${withVariable(passphrase)}`] : []),
    '--http1.1',
  ]
}

/** Printed before a run: what is between petvet and the target, and what is not verified. */
export const reachLines = ({ reach, baseUrl }: Pick<RunOptions, 'reach' | 'baseUrl'>): string[] => {
  const proxy = reach.proxyOf(new URL(baseUrl))
  const isSecure = baseUrl.startsWith('https:')
  return [
    ...(proxy ? [`through the proxy ${proxy.origin} (${proxy.name})`] : []),
    ...(proxy && !isSecure ? ['the target is plain http, so that proxy reads the keys'] : []),
    ...(reach.insecure && isSecure
      ? ["the target's certificate is not verified (--insecure)"]
      : []),
    ...(reach.notes ?? []),
  ]
}
