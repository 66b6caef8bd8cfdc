// The driver of bursts and throughput: autocannon decides which connection sends when, a pool of
// undici carries. Every request that is sent is accounted for.
import autocannon from 'autocannon'
import { readLocalFault } from '../engine/http/network-faults.ts'
import { isSuccess } from '../history/exchange.ts'
import {
  type Driven,
  type DriveTarget,
  type Load,
  openPool,
  type Sample,
  transfer,
} from './connection.ts'
import { lostStatus, openGate, type Reply } from './gate.ts'

/** The bodies of a valid server are much smaller in all. */
const maxKeptBytes = 16 * 1024 * 1024
/** Requests in flight when a run is interrupted have this time to complete. */
const lastResponsesMs = 300
/** How often autocannon looks whether it is done. */
const sampleMs = 50

/** Before each attempt after one without a response. */
const retryPausesMs = [0, 0, 80, 160, 320, 640]

/** What autocannon knows of a load: neither the key nor the target. */
const optionsOf = ({ connections, amount, durationMs, overallMs }: Load): autocannon.Options => ({
  // Required, and not used: the gate has the target.
  url: 'http://localhost/',
  connections,
  sampleInt: sampleMs,
  // The gate replies to each request in its own time.
  timeout: Math.ceil(overallMs / 1_000) + 60,
  ...(durationMs === null
    ? { amount }
    : { duration: durationMs / 1_000, maxOverallRequests: amount }),
})

/** Counts what became of the requests that were sent. @param end called on a fault, or a refusal */
const createTally = (
  { keep, whileServed }: Load,
  onSample: (sample: Sample) => void,
  end: (why: Driven['ended']) => void,
) => {
  const state = { sent: 0, firstMs: Number.NaN, lastMs: Number.NaN, fault: undefined as unknown }
  let kept = 0
  return {
    state,
    keepsBody: () => state.sent < keep && kept < maxKeptBytes,
    take: (sample: Sample) => {
      const { sentMs, receivedMs, response } = sample
      if (state.sent === 0 || sentMs < state.firstMs) state.firstMs = sentMs
      state.lastMs = receivedMs
      state.sent += 1
      kept += response?.bytes.length ?? 0
      if (whileServed && !isSuccess(sample)) setImmediate(end, 'refused')
      try {
        onSample(sample)
      } catch (error) {
        if (state.fault === undefined) setImmediate(end, 'done')
        state.fault ??= error
      }
    },
  }
}

/**
 * Carries requests to the target.
 * @param over ends attempts to connect
 * @param unreachable called when attempt after attempt gets no response
 */
const createCarrier = (
  target: DriveTarget,
  load: Load,
  { keepsBody, take }: ReturnType<typeof createTally>,
  over: AbortSignal,
  unreachable: () => void,
) => {
  const { key, connections } = load
  const pool = openPool(target, load, over)
  const closed = Promise.withResolvers<void>()
  let why: string | null = null
  /** Since the latest response: requests that got none. */
  let lost = 0
  let [responses, inFlight] = [0, 0]
  let isDraining = false
  /** Requests in flight are lost, and counted before `closed` resolves. */
  const cut = () => {
    isDraining = true
    void pool.close().then(closed.resolve)
  }
  /** Nothing more is sent; requests in flight are waited for. */
  const drain = () => {
    isDraining = true
    if (inFlight === 0) cut()
  }
  const pause = (failures: number, goOn: () => void) =>
    setTimeout(goOn, retryPausesMs[failures] ?? retryPausesMs.at(-1))
  /** @param before how many responses there were when it was carried first */
  const attempt = (reply: Reply, failures = 0, before = responses) => {
    if (isDraining) return
    const handler = transfer({
      responseTimeoutMs: target.responseTimeoutMs,
      keepsBody,
      mayStart: () => {
        if (!isDraining) inFlight += 1
        return !isDraining
      },
      sent: (result) => {
        inFlight -= 1
        take({ ...result, key })
        if (isDraining && inFlight === 0) cut()
        if (result.response) {
          responses += 1
          lost = 0
          return reply(result.response.status)
        }
        pause(Math.floor(lost / connections), () => reply(lostStatus))
        lost += 1
        if (lost > retryPausesMs.length * connections) unreachable()
      },
      failed: ({ code, message }) => {
        if (isDraining) return
        if (failures >= retryPausesMs.length) {
          why = code ?? message
          // A server that others wait for may take no more connections.
          if (inFlight === 0 && responses === before) unreachable()
        }
        pause(failures, () => attempt(reply, failures + 1, before))
      },
    })
    pool.send(handler)
  }
  return {
    cut,
    drain,
    carry: (reply: Reply) => attempt(reply),
    closed: closed.promise,
    why: () => why,
  }
}

/**
 * Puts a load on a target.
 * @param onSample called for every request that was sent, when it ends
 */
export const drive = async (
  target: DriveTarget,
  given: Load,
  onSample: (sample: Sample) => void,
): Promise<Driven> => {
  const { amount, durationMs, overallMs } = given
  const load = { ...given, connections: Math.min(given.connections, amount) }
  const startMs = performance.now()
  const over = new AbortController()
  let ended = 'done' as Driven['ended']
  const end = (why: Driven['ended']) => {
    if (ended === 'done') ended = why
    sending.stop()
    carrier.drain()
    if (why !== 'refused') timers.push(setTimeout(carrier.cut, lastResponsesMs))
  }
  const tally = createTally(load, onSample, end)
  const carrier = createCarrier(target, load, tally, over.signal, () => end('unreachable'))
  const gate = await openGate(load.connections, carrier.carry)
  const { promise: allSent, resolve, reject } = Promise.withResolvers<void>()
  const options = { ...optionsOf(load), socketPath: gate.socketPath }
  const sending = autocannon(options, (error) => (error ? reject(error) : resolve()))
  const timers = [setTimeout(() => end('overall-timeout'), overallMs)]
  const once = { once: true, signal: over.signal }
  target.signal.addEventListener('abort', () => end('interrupted'), once)
  try {
    await allSent
    carrier.drain()
    await carrier.closed
  } finally {
    for (const timer of timers) clearTimeout(timer)
    over.abort()
    gate.close()
  }
  const { sent, firstMs, lastMs, fault } = tally.state
  const why = carrier.why()
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
