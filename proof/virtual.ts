// The reference in virtual time, without sockets: waits of minutes and days take no time; and the
// chance, with a seed, of what happens in it.

import type { Pace, TargetClock } from '../engine/check/context.ts'
import type { Client, ClientResult } from '../engine/http/client.ts'
import { maxConnections, type WireRequest } from '../engine/http/http1.ts'
import type { Wires } from '../engine/http/target-clock.ts'
import { decoded } from '../history/body.ts'
import type { Header } from '../history/exchange.ts'
import { compose } from '../reference/api.ts'
import { createKeys, type IssuedKey } from '../reference/issued-keys.ts'
import { clockWindow, createLimiter, usualBan, withBans } from '../reference/limiter.ts'
import {
  type ApiRequest,
  type ApiResponse,
  ConnectionLost,
  type Handle,
} from '../reference/message.ts'
import { memoryStore } from '../reference/store.ts'
import type { Variant } from '../reference/variant.ts'

/** Numbers from 0 up to, and without, 1 (mulberry32). */
export const chances = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export interface VirtualTime {
  /** Milliseconds since it began. */
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** Drops all sleepers. */
  readonly stop: () => void
}

interface Sleeper {
  readonly atMs: number
  readonly wake: () => void
}

/** A run that takes longer is stuck. */
const maxMs = 40 * 86_400_000

export const createTime = (): VirtualTime => {
  let nowMs = 0
  let isLeaping = false
  let sleepers: Sleeper[] = []

  /** Once nobody has anything left to do at this moment, the next moment comes. */
  const leap = () => {
    const next = sleepers.shift()
    if (!next) {
      isLeaping = false
      return
    }
    nowMs = next.atMs
    if (nowMs > maxMs) throw new Error('virtual time ran for more than forty days')
    next.wake()
    setImmediate(leap)
  }

  const sleep = (ms: number): Promise<void> =>
    new Promise((wake) => {
      const atMs = nowMs + Math.max(0, ms)
      const place = sleepers.findLastIndex((other) => other.atMs <= atMs) + 1
      sleepers.splice(place, 0, { atMs, wake })
      if (isLeaping) return
      isLeaping = true
      setImmediate(leap)
    })

  return {
    now: () => nowMs,
    sleep,
    stop: () => {
      sleepers = []
    },
  }
}

export interface VirtualTarget {
  readonly handle: Handle
  /** Unix milliseconds by its own clock. */
  readonly now: () => number
  readonly move: (ms: number) => void
}

export const createTarget = (
  variant: Variant,
  keys: readonly IssuedKey[],
  startMs: number,
  time: VirtualTime,
): VirtualTarget => {
  let movedMs = 0
  const now = () => Math.floor(startMs + time.now() + movedMs)
  const honest = {
    clock: { now },
    keys: createKeys(keys),
    limiter: withBans(createLimiter(clockWindow), usualBan),
    store: memoryStore(),
  }
  return {
    handle: compose(honest, variant).handle,
    now,
    move: (ms) => {
      movedMs += ms
    },
  }
}

/** Hands out connections; a request waits if none is left. */
const createPool = (size: number) => {
  const free: object[] = Array.from({ length: size }, () => ({}))
  const waiting: ((connection: object) => void)[] = []
  return {
    take: (): Promise<object> | object =>
      free.shift() ?? new Promise<object>((resolve) => waiting.push(resolve)),
    give: (connection: object) => {
      const next = waiting.shift()
      if (next) next(connection)
      else free.push(connection)
    },
  }
}

/** A request as the reference takes it from its socket. */
const toRequest = (
  method: string,
  target: string,
  headers: readonly Header[],
  body: WireRequest['body'],
  connection: object,
): ApiRequest => ({
  method,
  target,
  header: (name) => {
    const values = headers.filter(([given]) => given.toLowerCase() === name)
    return values.length === 0 ? undefined : values.map(([, value]) => value).join(', ')
  },
  head: headers.map((field) => field.join(': ')).join('\n'),
  body: body instanceof Buffer ? body : Buffer.from((body ?? '') as string),
  connection,
})

/** A handler that throws is answered as by the server over sockets; null: not at all. */
const handled = async (handle: Handle, request: ApiRequest): Promise<ApiResponse | null> => {
  try {
    return await handle(request)
  } catch (fault) {
    if (fault instanceof ConnectionLost) return null
    const body = '{"code":"internal","message":"The service failed.","status":500}'
    return { status: 500, headers: { 'Content-Type': 'application/json' }, body }
  }
}

const exchangeWith = async (handle: Handle, wire: WireRequest, connection: object) => {
  const { method, path, headers, body } = wire
  const response = await handled(handle, toRequest(method, path, headers, body, connection))
  if (response === null) return null
  return decoded({
    status: response.status,
    headers: Object.entries(response.headers),
    bytes: Buffer.from(response.body, response.encoding),
    cut: false,
  })
}

/** @param latencyMs how long a message takes, one way */
const createVirtualClient = (
  target: VirtualTarget,
  time: VirtualTime,
  latencyMs: () => number,
): Client => {
  const pools = {
    shared: createPool(1),
    separate: createPool(maxConnections),
  }
  const poolFor = ({ connection }: WireRequest) =>
    connection === 'fresh' ? createPool(1) : pools[connection]
  const opened = new WeakSet<object>()
  const send = async (wire: WireRequest): Promise<ClientResult> => {
    const sentMs = time.now()
    const pool = poolFor(wire)
    const connection = await pool.take()
    try {
      wire.leaving?.()
      await time.sleep(latencyMs())
      const received = await exchangeWith(target.handle, wire, connection)
      await time.sleep(latencyMs())
      const isOpened = !opened.has(connection)
      opened.add(connection)
      const response = received && { ...received, ...(isOpened && { opened: isOpened }) }
      return { response, noResponse: response ? null : 'reset', sentMs, receivedMs: time.now() }
    } finally {
      pool.give(connection)
    }
  }
  return { send, close: () => Promise.resolve() }
}

interface Surroundings {
  /** When virtual time began, by the clock of the target. */
  readonly startMs: number
  readonly latencyMs: () => number
  /** Our clock on the wall less that of the target. */
  readonly skewMs: number
  /** Whether the target's clock may be moved. */
  readonly hasClock: boolean
}

export const createVirtualWires = (
  target: VirtualTarget,
  time: VirtualTime,
  { startMs, latencyMs, skewMs, hasClock }: Surroundings,
): Wires => {
  let movedMs = 0
  const advance = async (ms: number) => {
    await time.sleep(latencyMs())
    target.move(ms)
    await time.sleep(latencyMs())
    pace.moved(ms)
    return target.now()
  }
  const clock: TargetClock = {
    now: () => Promise.resolve(target.now()),
    advance,
  }
  const pace: Pace = {
    now: () => time.now() + movedMs,
    pass: async (ms) => {
      if (hasClock) await advance(Math.ceil(ms))
      else await time.sleep(ms)
    },
    sleep: time.sleep,
    instant: hasClock,
    moved: (ms) => {
      movedMs += ms
    },
    movedMs: () => movedMs,
  }
  return {
    client: createVirtualClient(target, time, latencyMs),
    clock: hasClock ? clock : null,
    pace,
    wallMs: () => startMs + skewMs + time.now(),
    close: () => Promise.resolve(),
  }
}
