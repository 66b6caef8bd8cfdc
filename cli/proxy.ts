// The proxy of an address: the one that is named, or the one of the environment.
import { BlockList, isIP } from 'node:net'
import type { HttpProxy } from '../engine/wire/reach.ts'
import { isLoopback } from './addresses.ts'
import { type Environment, readSecret } from './keys.ts'
import { UsageError } from './usage-error.ts'

/** A proxy, with what of it is a secret. */
export interface FoundProxy extends HttpProxy {
  readonly secrets: readonly { readonly text: string; readonly name: string }[]
}

/** A shorter text is no secret, and taking it out of a report takes out all else. */
const leastSecret = 4

/** Not repeated in a message, because it may hold a password. */
const proxyOf = (name: string, text: string): FoundProxy => {
  const address = text.includes('://') ? text : `http://${text}`
  if (!URL.canParse(address) || !/^https?:\/\/[^/]/.test(address)) {
    throw new UsageError(
      `${name} is no address of an HTTP proxy: such as http://proxy.example:3128, or --no-proxy`,
    )
  }
  const url = new URL(address)
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (user === '' && password === '') {
    return { origin: url.origin, authorization: null, name, secrets: [] }
  }
  const token = Buffer.from(`${user}:${password}`).toString('base64')
  const secrets = [token, password].filter(({ length }) => length >= leastSecret)
  return {
    origin: url.origin,
    authorization: `Basic ${token}`,
    name,
    secrets: secrets.map((each) => ({ text: each, name: 'PETVET_PROXY' })),
  }
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** @param place `--proxy`, or the member of the configuration; credentials come by `$NAME` alone */
export const namedProxy = (place: string, text: string, environment: Environment): FoundProxy => {
  const value = readSecret(place, text, environment)
  const proxy = proxyOf(place, value)
  if (value !== text || proxy.authorization === null) return proxy
  throw new UsageError(
    `${place} must hold no password: put it into a variable, and name that $NAME`,
  )
}

const read = (environment: Environment, name: string) => {
  // The small one wins, as with other programs.
  const found = [name.toLowerCase(), name].find((each) => environment[each])
  return found === undefined ? undefined : { name: found, text: environment[found] ?? '' }
}

/** The proxy that the environment names for an address, by what all programs read there. */
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
