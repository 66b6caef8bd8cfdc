// How a target is to be reached, from the flags, the configuration and the environment.
import { X509Certificate } from 'node:crypto'
import { resolve } from 'node:path'
import type { Reach } from '../engine/wire/reach.ts'
import { readBytesOf, readClientCertificate } from './client-certificate.ts'
import type { FoundConfig } from './config-file.ts'
import { curlReachOf, type GivenReach } from './curl-reach.ts'
import type { Environment } from './keys.ts'
import { environmentProxy, type FoundProxy, namedProxy } from './proxy.ts'
import type { ReachFlags } from './run-flags.ts'
import { UsageError } from './usage-error.ts'

export interface FoundReach {
  readonly reach: Reach
  readonly secrets: FoundProxy['secrets']
}

interface FoundProxies {
  readonly proxyOf: (address: URL) => FoundProxy | null
  readonly secrets: FoundProxy['secrets']
}

/**
 * @param folder what the paths of flags start from
 * @param addresses of the target, and then of its description
 */
export const readReach = (
  flags: ReachFlags,
  found: FoundConfig,
  environment: Environment,
  folder: string,
  addresses: readonly URL[],
): FoundReach => {
  const given = givenIn(flags, found, folder)
  const proxies = proxiesOf(given.proxy, flags.proxy !== undefined, environment, addresses)
  const { ca, certificate, insecure } = given
  return {
    reach: {
      ca: ca === undefined ? null : readCertificates(ca),
      identity: certificate === undefined ? null : readClientCertificate(certificate, environment),
      insecure,
      proxyOf: proxies.proxyOf,
      curl: curlReachOf(given, folder, addresses[0]?.protocol === 'https:'),
    },
    secrets: proxies.secrets,
  }
}

/** What is said, a flag before a member of the configuration. */
const givenIn = (flags: ReachFlags, found: FoundConfig, folder: string): GivenReach => {
  const { config } = found
  return {
    ca: pathOf(flags.ca, folder, config.ca, found.folder),
    certificate: certificateOf(flags, found, folder),
    insecure: flags.insecure ?? config.insecure ?? false,
    proxy: flags.proxy ?? config.proxy,
  }
}

const pathOf = (
  flag: string | undefined,
  folder: string,
  member: string | undefined,
  configFolder: string,
): string | undefined =>
  flag === undefined ? member && resolve(configFolder, member) : resolve(folder, flag)

const certificateOf = (
  flags: ReachFlags,
  { config, folder: configFolder }: FoundConfig,
  folder: string,
): GivenReach['certificate'] => {
  const { cert, 'cert-key': key, 'cert-passphrase': passphrase } = flags
  if (cert !== undefined) {
    const at = (file: string) => resolve(folder, file)
    return { cert: at(cert), key: key === undefined ? undefined : at(key), passphrase }
  }
  const alone = key === undefined ? passphrase && '--cert-passphrase' : '--cert-key'
  if (alone) throw new UsageError(`${alone} needs --cert FILE, the certificate that it belongs to`)
  if (config.clientCertificate === undefined) return undefined
  const given = config.clientCertificate
  return {
    cert: resolve(configFolder, given.cert),
    key: given.key === undefined ? undefined : resolve(configFolder, given.key),
    passphrase: given.passphrase,
  }
}

/** One that is named is for every address; else the environment has one for each. */
const proxiesOf = (
  named: GivenReach['proxy'],
  isFlag: boolean,
  environment: Environment,
  addresses: readonly URL[],
): FoundProxies => {
  if (named === false) return { proxyOf: () => null, secrets: [] }
  if (named !== undefined) {
    const place = isFlag ? '--proxy' : 'the proxy'
    const proxy = namedProxy(place, named, environment)
    return { proxyOf: () => proxy, secrets: proxy.secrets }
  }
  const proxyOf = (address: URL) => environmentProxy(address, environment)
  return { proxyOf, secrets: addresses.flatMap((each) => proxyOf(each)?.secrets ?? []) }
}

const certificates = /-----BEGIN CERTIFICATE-----[^-]*(?:-----END CERTIFICATE-----)?/g

/** Held to be sound here: TLS passes over one that is not. */
const readCertificates = (file: string): string => {
  const text = readBytesOf('the ca', file).toString('utf8')
  const found = text.match(certificates) ?? []
  if (found.length === 0) throw new UsageError(`the ca ${file} holds no certificate in PEM`)
  try {
    for (const each of found) new X509Certificate(each)
  } catch {
    throw new UsageError(`the ca ${file} holds a certificate that cannot be read: is it cut off?`)
  }
  return text
}
