// How the connections of a crowd are opened, when they go on, and what each of them asks.
import { connect as connectPlain } from 'node:net'
import { connect as connectSecure } from 'node:tls'
import { withPlainCoding } from '../suites/kit/request.ts'
import { tlsOptionsOf } from '../suites/kit/wire/reach.ts'
import type { DriveTarget, Load } from './load-form.ts'

/** Connections that do not stand by then are not waited for. */
const gateMs = 1_000

export const openerOf = (
  { baseUrl, reach, addresses: all }: DriveTarget,
  { newConnections }: Load,
) => {
  const addresses = newConnections ? all : []
  const { protocol, hostname, port } = new URL(baseUrl)
  const bare = hostname.replace(/^\[|\]$/g, '')
  const isSecure = protocol === 'https:'
  const at = Number(port || (isSecure ? 443 : 80))
  const trusted = tlsOptionsOf(reach)
  let opened = 0
  return (stands: () => void) => {
    const host = addresses[opened % addresses.length] ?? bare
    opened += 1
    if (!isSecure) return connectPlain({ host, port: at, noDelay: true }, stands)
    // Nothing is written before the certificate was found to be good.
    const servername = /^[\d.]+$|:/.test(bare) ? {} : { servername: bare }
    return connectSecure({ host, port: at, ...servername, ...trusted }, stands)
  }
}

/** Those that wait here go on together, when as many have come as are awaited, or in time. */
export const createGate = (awaited: number) => {
  let waiting: (() => void)[] = []
  let isOpen = false
  const openUp = () => {
    isOpen = true
    for (const goOn of waiting.splice(0)) goOn()
  }
  const timer = setTimeout(openUp, gateMs)
  return {
    close: () => clearTimeout(timer),
    pass: (goOn: () => void) => {
      if (isOpen) return goOn()
      waiting = [...waiting, goOn]
      if (waiting.length >= awaited) openUp()
    },
  }
}

/** What every connection sends, again and again. */
export const requestOf = ({ baseUrl, path, keyOf, headers }: DriveTarget, label: string) => {
  const { pathname } = new URL(baseUrl)
  return {
    method: 'GET' as const,
    path: `${pathname.replace(/\/+$/, '')}${path}`,
    headers: Object.fromEntries(
      withPlainCoding([['Authorization', `Bearer ${keyOf(label)}`], ...headers]),
    ),
  }
}

export const connectionsOf = ({ connections, amount }: Load): number =>
  Math.min(connections, amount ?? connections)
