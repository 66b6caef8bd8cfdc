// Wires in virtual time: a client, a clock and a pace that reach a target without any socket.

import type { Client, WireAnswer } from '../../engine/client/client.ts'
import type { WireRequest } from '../../engine/client/http1.ts'
import type { Pace, TargetClock } from '../../engine/client/target-clock.ts'
import type { Wires } from '../../engine/client/wires.ts'
import type { Header } from '../../engine/request.ts'
import type { ApiRequest, Handle } from '../../reference/message.ts'
import type { VirtualTarget } from './target.ts'
import type { VirtualTime } from './time.ts'

/** As many as the real client opens for requests that are sent at the same time. */
const connectionsMost = 64

/** Hands out connections; who comes when none is left waits for one. */
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
export const toRequest = (
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
  body: body === null ? Buffer.alloc(0) : Buffer.from(body as string),
  connection,
})

const exchangeWith = async (handle: Handle, wire: WireRequest, connection: object) => {
  const { method, path, headers, body } = wire
  const answer = await handle(toRequest(method, path, headers, body, connection))
  return {
    status: answer.status,
    headers: Object.entries(answer.headers),
    bytes: Buffer.from(answer.body, answer.encoding),
    cut: false,
  }
}

/** @param latencyMs how long a message takes, one way */
const createVirtualClient = (
  target: VirtualTarget,
  time: VirtualTime,
  latencyMs: () => number,
): Client => {
  const pools = { one: createPool(1), own: createPool(connectionsMost) }
  const send = async (wire: WireRequest): Promise<WireAnswer> => {
    const sentMs = time.now()
    const pool = wire.fresh ? createPool(1) : pools[wire.connection]
    const connection = await pool.take()
    wire.leaving?.()
    await time.sleep(latencyMs())
    const response = await exchangeWith(target.handle, wire, connection)
    await time.sleep(latencyMs())
    pool.give(connection)
    return { response, noAnswer: null, sentMs, receivedMs: time.now() }
  }
  return { send, close: () => Promise.resolve() }
}

export interface Surroundings {
  readonly latencyMs: () => number
  /** Our clock on the wall less that of the target. */
  readonly skewMs: number
  /** Whether the target's clock may be moved. */
  readonly hasClock: boolean
}

export const createVirtualWires = (
  target: VirtualTarget,
  time: VirtualTime,
  { latencyMs, skewMs, hasClock }: Surroundings,
): Wires => {
  const startMs = target.now()
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
    set: (iso) => advance(Date.parse(iso) - target.now()),
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
