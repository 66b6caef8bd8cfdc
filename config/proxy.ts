// The proxy for an address: the configured one, or the one of the environment.
import { BlockList, isIP } from 'node:net'
import type { HttpProxy } from '../engine/http/connection-options.ts'
import { percentDecoded } from '../history/quote.ts'
import { type Environment, expanded, minSecretLength } from './given-keys.ts'
import { isLoopback, UsageError } from './values.ts'

/** A proxy and its secrets. */
export interface FoundProxy extends HttpProxy {
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

/** @param place what messages call it; credentials are accepted only from a `$NAME` */
export const namedProxy = (place: string, text: string, environment: Environment): FoundProxy => {
  const proxy = proxyOf(place, expanded(place, text, environment))
  const isRead = text.replaceAll('$$', '').includes('$') && !/:[^/:@$]+@/.test(text)
  if (isRead || proxy.authorization === null) return proxy
  throw new UsageError(`${place} must not contain a password: set a variable, and give its $NAME`)
}

const read = (environment: Environment, name: string) => {
  // The lower-case one wins, as in other programs.
  const found = [name.toLowerCase(), name].find((each) => environment[each])
  return found === undefined ? undefined : { name: found, text: environment[found] ?? '' }
}

/** By HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as most programs read them. */
export const environmentProxy = (address: URL, environment: Environment): FoundProxy | null => {
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

/** `*`, `example.com` and all below it, `.example.com`, `*.example.com`, with a port, a network. */
const matches = (entry: string, host: string, port: string): boolean => {
  if (entry.includes('/')) return isWithin(entry, host)
  const [, name = '', only] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [entry, entry]
  if (only !== undefined && only !== port) return false
  if (name === '*') return true
  const suffix = bare(name)
    .replace(/^\*?\./, '')
    .replace(/\.$/, '')
  if (isIP(host) !== 0) return host === suffix
  return (host === suffix && !name.startsWith('*.')) || host.endsWith(`.${suffix}`)
}

const isWithin = (network: string, host: string): boolean => {
  const [address = '', bits = ''] = network.split('/')
  const family = isIP(address)
  if (family === 0 || family !== isIP(host) || !/^\d{1,3}$/.test(bits)) return false
  if (Number(bits) > (family === 4 ? 32 : 128)) return false
  const kind = family === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(address, Number(bits), kind)
  return list.check(host, kind)
}
