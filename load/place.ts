// A server that takes a load: its keys, its clients, and the session that a run holds with it.
import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { RunOptions, RunSink } from '../engine/run-options.ts'
import { type LabelledKey, labelKeys, openSession, type Session } from '../engine/session.ts'
import type { Client } from '../engine/wire/client.ts'
import { openWires } from '../engine/wire/wires.ts'
import { createDays, type Days } from './day.ts'
import type { Lane } from './lane.ts'

/** The target, or a server that the same load is put on in addition. */
export interface LoadServer {
  readonly column: Lane['column']
  readonly options: RunOptions
  /** A server that counts nothing: no key has to rest there. */
  readonly isStateless: boolean
  /** How many requests have reached it, where it can be asked. */
  readonly received: (() => number) | null
}

export interface Place extends LoadServer {
  readonly keys: readonly LabelledKey[]
  readonly session: Session
  /** The suites' own client. */
  readonly client: Client
  /** Addresses of the host; none: as the system finds them. */
  readonly addresses: readonly string[]
  readonly days: Days
}

/** A scenario may send what the whole run may. */
export const openPlace = (
  given: LoadServer,
  addresses: readonly string[],
  sink: RunSink,
): Place => {
  const options = { ...given.options, maxRequestsByCheck: given.options.maxRequests }
  const wires = openWires(options)
  const keys = labelKeys(options.keys)
  const session = openSession(options, keys, randomBytes(4).toString('hex'), sink, wires)
  const days = createDays(session)
  return { ...given, options, keys, session, client: wires.client, addresses, days }
}

/** More addresses of a host are not used. */
const addressesMost = 16

/** @returns those of a name that has several, and else none: the system then finds its one */
export const addressesOf = async (baseUrl: string): Promise<readonly string[]> => {
  const { hostname } = new URL(baseUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return []
  try {
    const found = await lookup(hostname, { all: true, family: 4 })
    return found.length > 1 ? found.slice(0, addressesMost).map(({ address }) => address) : []
  } catch {
    // Whether there is such a host at all, the first request tells.
    return []
  }
}
