// How a target is reached: certificates, validated before anything is sent; the proxy, configured
// or of the environment; and the same as options of curl.

import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { relative, resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import type { HttpProxy, Reach } from '../engine/http/connection-options.ts'
import { quoted } from '../engine/http/curl.ts'
import type { RunOptions } from '../engine/run/run-options.ts'
import { percentDecoded } from '../history/quote.ts'
import { type Config, readSmall, type Settings } from './config-file.ts'
import { type Environment, expanded, minSecretLength, variableName } from './given-keys.ts'
import { isLoopback, orRefuse, UsageError } from './values.ts'

/** Files as absolute paths. */
type GivenCertificate = NonNullable<Config['clientCertificate']>

type Identity = NonNullable<Reach['identity']>

const certificates = /-----BEGIN CERTIFICATE-----[^-]*(?:-----END CERTIFICATE-----)?/g

/** TLS silently ignores an invalid certificate, so each is parsed here. @throws UsageError */
export const readTrusted = (file: string): string => {
  const text = readSmall('the ca', file).toString()
  const found = text.match(certificates) ?? []
  if (found.length === 0) throw new UsageError(`the ca ${file} holds no certificate in PEM`)
  orRefuse(
    () => found.map((each) => new X509Certificate(each)),
    () => `the ca ${file} holds a certificate that cannot be read: is it cut off?`,
  )
  return text
}

/** @throws UsageError with one line that contains no secret */
const readClientCertificate = (given: GivenCertificate, environment: Environment): Identity => {
  const { passphrase: text } = given
  if (text !== undefined && variableName(text) === undefined) {
    throw new UsageError('the passphrase of the client certificate must be a variable: $NAME')
  }
  const passphrase = text === undefined ? undefined : expanded('the passphrase', text, environment)
  const identity = { ...identityOf(given), ...(passphrase !== undefined && { passphrase }) }
  orRefuse(
    () => createSecureContext(identity),
    ({ message }) => `the client certificate ${given.cert} cannot be used with its key: ${message}`,
  )
  return identity
}

const keyBegins = /-----BEGIN (?:\w+ )*PRIVATE KEY-----/

const identityOf = ({ cert, key }: GivenCertificate): Identity => {
  const what = 'the client certificate'
  const bytes = readSmall(what, cert)
  // PKCS#12 is binary, and contains the key too.
  if (!bytes.includes('-----BEGIN ')) return { pfx: bytes }
  const text = bytes.toString()
  const keyText = key === undefined ? text : readSmall(`the key of ${what}`, key).toString()
  if (keyBegins.test(keyText)) return { cert: text, key: keyText }
  throw new UsageError(`${what} ${cert} has no private key in PEM: name its key as well`)
}

/** @param addresses of the target, and then of its description */
export const readReach = (
  { config, current, folderOf }: Settings,
  environment: Environment,
  addresses: readonly URL[],
): { readonly reach: Reach; readonly secrets: RunOptions['secrets'] } => {
  const { insecure = false, proxy, clientCertificate } = config
  const at = (member: keyof Config, name: string, file: string) =>
    resolve(folderOf(member), expanded(name, file, environment))
  const ca = config.ca && at('ca', 'the ca', config.ca)
  const file = (name: string, path: string) => at('clientCertificate', name, path)
  const certificate = clientCertificate && {
    cert: file('the client certificate', clientCertificate.cert),
    key: clientCertificate.key && file('the key of the client certificate', clientCertificate.key),
    passphrase: clientCertificate.passphrase,
  }
  const isSecure = addresses[0]?.protocol === 'https:'
  // A named proxy serves every address; the environment may name one for each scheme.
  const named = proxy ? namedProxy(proxy, environment) : null
  const proxyOf = (address: URL) =>
    proxy === undefined ? environmentProxy(address, environment) : named
  return {
    reach: {
      ca: ca ? readTrusted(ca) : null,
      identity: certificate ? readClientCertificate(certificate, environment) : null,
      insecure,
      proxyOf,
      curl: [
        // curl itself reads a proxy of the environment.
        ...(proxy === false ? ["--noproxy '*'"] : proxy ? [`--proxy ${withVariables(proxy)}`] : []),
        ...(!isSecure && addresses[0] && proxyOf(addresses[0]) ? ['--proxytunnel'] : []),
        ...(isSecure ? curlTlsOptions(ca, insecure, certificate, current) : []),
      ],
    },
    // A named proxy is the same for all addresses.
    secrets: (proxy === undefined ? addresses : addresses.slice(0, 1)).flatMap(
      (address) => proxyOf(address)?.secrets ?? [],
    ),
  }
}

/** A text with variables, which the shell reads: it may hold a secret. */
const withVariables = (text: string): string =>
  text.includes('$')
    ? `"${text.replace(/["\\`]/g, (sign) => `\\${sign}`).replaceAll('$$', '\\$')}"`
    : quoted(text)

/** Each as a shell takes it. */
const curlTlsOptions = (
  ca: string | undefined,
  insecure: boolean,
  certificate: GivenCertificate | undefined,
  folder: string,
): string[] => {
  const file = (path: string) => quoted(relative(folder, path))
  const { cert = '', key, passphrase } = certificate ?? {}
  return [
    ...(ca ? [`--cacert ${file(ca)}`] : []),
    ...(insecure ? ['--insecure'] : []),
    ...(cert ? [`--cert ${file(cert)}`] : []),
    ...(/\.(?:p12|pfx)$/i.test(cert) ? ['--cert-type P12'] : []),
    ...(key ? [`--key ${file(key)}`] : []),
    ...(passphrase ? [`--pass ${withVariables(passphrase)}`] : []),
    '--http1.1',
  ]
}

interface FoundProxy extends HttpProxy {
  readonly secrets: readonly { readonly text: string; readonly name: string }[]
}

/** Messages never repeat the address: it may contain a password. */
const proxyOf = (name: string, text: string): FoundProxy => {
  const address = text.includes('://') ? text : `http://${text}`
  if (!URL.canParse(address) || !/^https?:\/\/[^/]/.test(address)) {
    throw new UsageError(
      `invalid proxy in ${name}; expected for example http://proxy.example:3128, or --no-proxy`,
    )
  }
  const url = new URL(address)
  const [user = url.username, password = url.password] = [url.username, url.password].map(
    percentDecoded,
  )
  if (user === '' && password === '') {
    return { origin: url.origin, authorization: null, name, secrets: [] }
  }
  const token = Buffer.from(`${user}:${password}`).toString('base64')
  const secrets = [token, password].filter(({ length }) => length >= minSecretLength)
  return {
    origin: url.origin,
    authorization: `Basic ${token}`,
    name,
    secrets: secrets.map((each) => ({ text: each, name: 'PETVET_PROXY' })),
  }
}

/** Credentials are accepted only from a `$NAME`. */
const namedProxy = (text: string, environment: Environment): FoundProxy => {
  const proxy = proxyOf('--proxy', expanded('--proxy', text, environment))
  const isRead = text.replaceAll('$$', '').includes('$') && !/:[^/:@$]+@/.test(text)
  if (isRead || proxy.authorization === null) return proxy
  throw new UsageError(`--proxy must not contain a password: set a variable, and give its $NAME`)
}

const read = (environment: Environment, name: string) => {
  // The lower-case one wins, as in other programs.
  const found = [name.toLowerCase(), name].find((each) => environment[each])
  return found === undefined ? undefined : { name: found, text: environment[found] ?? '' }
}

/** By HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as most programs read them. */
const environmentProxy = (address: URL, environment: Environment): FoundProxy | null => {
  const found = read(environment, address.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
  if (!found || isLoopback(address.hostname)) return null
  if (isExcepted(address, read(environment, 'NO_PROXY')?.text ?? '')) return null
  return proxyOf(`$${found.name}`, found.text)
}

const isExcepted = (address: URL, list: string): boolean => {
  const host = bare(address.hostname).replace(/\.$/, '')
  const port = address.port || (address.protocol === 'https:' ? '443' : '80')
  return list
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => matches(entry.toLowerCase(), host, port))
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, '')

/** `*`; `example.com`, `.example.com`, `*.example.com` with all below it; with a port or not. */
const matches = (entry: string, host: string, port: string): boolean => {
  const [, name = '', only = port] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [entry, entry]
  const suffix = bare(name).replace(/^\*?\./, '')
  const isBelow = isIP(host) === 0 && host.endsWith(`.${suffix}`)
  return only === port && (name === '*' || host === suffix || isBelow)
}
