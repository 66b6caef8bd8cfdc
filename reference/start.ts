// Starts the reference server: the API on one port, and its test clock, if wanted, on another.
import { refuseMalformed } from './api.ts'
import { type BanRule, usualBan, withBans } from './bans.ts'
import { type Clock, realClock, testClock } from './clock.ts'
import { clockDoor, clockPath } from './clock-door.ts'
import { compose, type Variant } from './compose.ts'
import { descriptionPath, withDescription } from './description.ts'
import { createKeys, type IssuedKey } from './keys.ts'
import { clockWindow, createLimiter, type SharedCounters } from './limiter.ts'
import type { Handle } from './message.ts'
import { basePath } from './routes.ts'
import { type Served, serve, usualLimits } from './serve.ts'
import { sharedSqliteStore, sqliteStore } from './sqlite-store.ts'
import { memoryStore, type Store } from './store.ts'

export interface ReferenceOptions {
  keys: readonly IssuedKey[]
  /** `memory`, or the path of a file. */
  store: string
  /** 0 lets the system choose. */
  port: number
  /** The port of the test clock; without it the server goes by real time. */
  clockPort?: number
  ban?: BanRule
  /** Where calls are counted, if not in memory: an address, and its mark where it is known. */
  counters?: { url: string; sinceMs?: number }
  /** Given to one of several replicas: the clock of them all. Its file is then shared as well. */
  replica?: { clock: Clock }
  variant?: Variant
  onFault: (fault: unknown) => void
}

export interface Reference {
  /** The base address, `/v1` included. */
  url: string
  clockUrl?: string
  /** Where the description is published. */
  descriptionUrl: string
  /** How many requests have come to the API: a load is checked by it. Not told by replicas. */
  received?: () => number
  /** Answers what is in flight, and then lets go of the ports and the store. */
  close: () => Promise<void>
}

/** Never reachable from another machine: its keys and its clock are for tests. */
export const host = '127.0.0.1'

export const startReference = async (options: ReferenceOptions): Promise<Reference> => {
  const variant = options.variant ?? {}
  const movable = testClock(Date.now(), () => performance.now())
  const clock = options.replica?.clock ?? (options.clockPort === undefined ? realClock : movable)
  const ban = options.ban ?? usualBan
  const store = openStore(options)
  const counters = await openCounters(options.counters, ban, clock).catch((fault) => {
    store.close()
    throw fault
  })
  const { handle, parts } = compose(
    {
      clock,
      keys: createKeys(options.keys),
      limiter: withBans(createLimiter(clockWindow), ban),
      ...(counters && { counters }),
      store,
    },
    variant,
  )
  const open = (door: Handle, port: number): Promise<Served> =>
    serve({
      handle: door,
      refuse: (status, code, message) => refuseMalformed(status, code, message, parts),
      onFault: options.onFault,
      host,
      port,
      limits: usualLimits,
    })
  const doors: Served[] = []
  const close = async () => {
    await Promise.all(doors.map((door) => door.close()))
    counters?.close()
    store.close()
  }
  try {
    const api = await open(withDescription(handle, variant), options.port)
    doors.push(api)
    const { clockPort } = options
    const mover = clockPort === undefined ? undefined : await open(clockDoor(movable), clockPort)
    if (mover) doors.push(mover)
    return {
      url: `${api.url}${variant.basePath ?? basePath}`,
      descriptionUrl: `${api.url}${descriptionPath}`,
      ...(mover && { clockUrl: `${mover.url}${clockPath}` }),
      received: api.received,
      close,
    }
  } catch (fault) {
    await close()
    throw fault
  }
}

const openStore = ({ store, replica }: ReferenceOptions): Store => {
  if (store === 'memory') return memoryStore()
  return replica ? sharedSqliteStore(store) : sqliteStore(store)
}

/** Their client is loaded only where it is used. */
const openCounters = async (
  counters: ReferenceOptions['counters'],
  ban: BanRule,
  clock: Clock,
): Promise<SharedCounters | undefined> => {
  if (counters === undefined) return undefined
  const { beginCounting, redisCounters } = await import('./redis-counters.ts')
  const sinceMs = counters.sinceMs ?? (await beginCounting(counters.url, clock.now()))
  return redisCounters({ url: counters.url, sinceMs, ban })
}
