// The driver of bursts and throughput: autocannon decides which connection sends when, the gate
// carries. Every request that is sent is accounted for.
import autocannon from 'autocannon'
import { readLocalFault } from '../engine/http/network-faults.ts'
import { isSuccess } from '../history/exchange.ts'
import {
  Connection,
  createConnector,
  type Driven,
  type DriveTarget,
  type Load,
  type Sample,
} from './connection.ts'
import { openGate, type Reply } from './gate.ts'

/** The bodies of a valid server are much smaller in all. */
const maxKeptBytes = 16 * 1024 * 1024
/** Requests in flight when a run is interrupted have this time to complete. */
const lastResponsesMs = 300
/** Connections that are not open by then are not waited for. */
const gateMs = 1_000
/** How often autocannon looks whether it is done. */
const sampleMs = 50

/** Counts what became of the requests that were sent. @param cut ends the load on a fault */
const createTally = (
  { keep, whileServed }: Load,
  onSample: (sample: Sample) => void,
  cut: () => void,
  end: (why: 'refused') => void,
) => {
  const state = { sent: 0, firstMs: Number.NaN, lastMs: Number.NaN, fault: undefined as unknown }
  let kept = 0
  return {
    state,
    keepsBody: () => state.sent < keep && kept < maxKeptBytes,
    sample: (sample: Sample) => {
      const { sentMs, receivedMs, response } = sample
      if (state.sent === 0 || sentMs < state.firstMs) state.firstMs = sentMs
      state.lastMs = receivedMs
      state.sent += 1
      kept += response?.bytes.length ?? 0
      if (whileServed && !isSuccess(sample)) setImmediate(end, 'refused')
      try {
        onSample(sample)
      } catch (error) {
        if (state.fault === undefined) setImmediate(cut)
        state.fault ??= error
      }
    },
  }
}

/** What autocannon knows of a load: neither the key nor the target. */
const optionsOf = ({ connections, amount, durationMs, overallMs }: Load): autocannon.Options => ({
  // Required, and not used: the gate has the target.
  url: 'http://localhost/',
  connections: Math.min(connections, amount),
  sampleInt: sampleMs,
  // The gate replies to each request in its own time.
  timeout: Math.ceil(overallMs / 1_000) + 60,
  ...(durationMs === null
    ? { amount }
    : { duration: durationMs / 1_000, maxOverallRequests: amount }),
})

/**
 * The connections of a load to its target.
 * @param over ends their attempts
 * @param unreachable called when all of them have given up
 */
const createPool = (
  target: DriveTarget,
  load: Load,
  tally: ReturnType<typeof createTally>,
  over: AbortSignal,
  unreachable: () => void,
) => {
  const whys: string[] = []
  const count = Math.min(load.connections, load.amount)
  const open = Promise.withResolvers<void>()
  const timer = setTimeout(open.resolve, gateMs)
  over.addEventListener('abort', () => clearTimeout(timer), { once: true })
  let awaited = load.durationMs === null ? count : 0
  /** Connections that are to send together wait until all of them are open. */
  const ready = () => {
    awaited -= 1
    if (awaited <= 0) open.resolve()
    return open.promise
  }
  const connect = createConnector(target, load, ready, over)
  const waiting: Reply[] = []
  const idling: Connection[] = []
  /** The connection that has been idle longest carries the request that has waited longest. */
  const match = () => {
    while (idling.length > 0) {
      const reply = waiting.shift()
      if (!reply) return
      idling.shift()?.carry(reply)
    }
    if (waiting.length > 0 && whys.length === count) unreachable()
  }
  const idle = (connection: Connection) => {
    idling.push(connection)
    match()
  }
  const gaveUp = (why: string, left: Reply | undefined) => {
    whys.push(why)
    if (left) waiting.unshift(left)
    match()
  }
  const connections = Array.from({ length: count }, () => {
    return new Connection({ target, load, connect, idle, gaveUp, ...tally })
  })
  idling.push(...connections)
  const carry = (reply: Reply) => {
    waiting.push(reply)
    match()
  }
  return { connections, carry, why: () => whys.at(-1) ?? null }
}

/**
 * Puts a load on a target.
 * @param onSample called for every request that was sent, when it ends
 */
export const drive = async (
  target: DriveTarget,
  load: Load,
  onSample: (sample: Sample) => void,
): Promise<Driven> => {
  const { amount, durationMs, overallMs } = load
  const startMs = performance.now()
  const over = new AbortController()
  let ended = 'done' as Driven['ended']
  const cut = () => {
    sending.stop()
    for (const each of pool.connections) each.cut()
  }
  const drain = () => pool.connections.forEach((each) => void each.drain())
  const end = (why: Driven['ended']) => {
    if (ended === 'done') ended = why
    sending.stop()
    drain()
    if (why !== 'refused') timers.push(setTimeout(cut, lastResponsesMs))
  }
  const tally = createTally(load, onSample, cut, (why) => end(why))
  const pool = createPool(target, load, tally, over.signal, () => end('unreachable'))
  const gate = await openGate(pool.connections.length, pool.carry)
  const { promise: allSent, resolve, reject } = Promise.withResolvers<void>()
  const options = { ...optionsOf(load), socketPath: gate.socketPath }
  const sending = autocannon(options, (error) => (error ? reject(error) : resolve()))
  const timers = [setTimeout(() => end('overall-timeout'), overallMs)]
  const once = { once: true, signal: over.signal }
  target.signal.addEventListener('abort', () => end('interrupted'), once)
  try {
    await allSent
    drain()
    await Promise.all(pool.connections.map((each) => each.over))
  } finally {
    for (const timer of timers) clearTimeout(timer)
    over.abort()
    gate.close()
  }
  const { state } = tally
  const { sent, firstMs, lastMs, fault } = state
  const why = pool.why()
  const failure = fault ?? readLocalFault(why ?? undefined)
  if (failure !== undefined) throw failure
  return {
    sent,
    why,
    ended,
    neverSent: durationMs === null && ended !== 'refused' ? amount - sent : 0,
    durationMs: sent === 0 ? performance.now() - startMs : lastMs - firstMs,
  }
}
