// The driver of bursts and throughput: one request at a time on each of several connections. Every
// request that is sent is accounted for.

import { localFaultOf } from '../engine/client/faults.ts'
import { Untested } from '../engine/outcome.ts'
import { Connection, connectorOf, type Driven, type DriveTarget, type Load } from './connection.ts'
import type { Sample } from './sample.ts'

/** The bodies of a valid server are much smaller in all. */
const maxKeptCharacters = 16 * 1024 * 1024
/** Requests in flight when a run is interrupted have this time to complete. */
const lastResponsesMs = 300
/** Connections that are not open by then are not waited for. */
const gateMs = 1_000

const tooLarge = () =>
  new Untested('ambiguous', 'the responses are too large to be kept and judged')

/** Counts what may be sent and what became of it. @param cut ends the load on a fault */
const createTally = (
  { amount, keep }: Load,
  onSample: (sample: Sample) => void,
  cut: () => void,
) => {
  const samples: Sample[] = []
  const whys: string[] = []
  const state = { reserved: 0, sent: 0, fault: undefined as unknown }
  let kept = 0
  return {
    state,
    samples,
    whys,
    reserve: () => {
      if (state.reserved >= amount) return false
      state.reserved += 1
      return true
    },
    giveBack: () => {
      state.reserved -= 1
    },
    keepsBody: () => samples.length < keep,
    gaveUp: (why: string) => {
      whys.push(why)
    },
    sample: (sample: Sample) => {
      state.sent += 1
      if (samples.length < keep) {
        samples.push(sample)
        kept += sample.body?.length ?? 0
      }
      try {
        onSample(sample)
        if (kept > maxKeptCharacters) throw tooLarge()
      } catch (error) {
        if (state.fault === undefined) setImmediate(cut)
        state.fault ??= error
      }
    },
  }
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
  const gate = Promise.withResolvers<void>()
  let ended: Driven['ended'] = 'done'
  const drain = () => connections.forEach((each) => void each.drain())
  const cut = () => connections.forEach((each) => void each.cut())
  const end = (why: Driven['ended']) => {
    ended = why
    drain()
    timers.push(setTimeout(cut, lastResponsesMs))
  }
  const tally = createTally(load, onSample, cut)
  const count = Math.min(load.connections, amount)
  let awaited = load.atOnce ? count : 0
  /** Connections that are to send together wait until all of them are open. */
  const ready = () => {
    awaited -= 1
    if (awaited <= 0) gate.resolve()
    return gate.promise
  }
  const connect = connectorOf(target, load, ready, over.signal)
  const connections = Array.from({ length: count }, () => {
    return new Connection({ target, load, connect, ...tally })
  })
  const timers = [
    setTimeout(gate.resolve, gateMs),
    setTimeout(() => end('overall-timeout'), overallMs),
    ...(durationMs === null ? [] : [setTimeout(drain, durationMs)]),
  ]
  const once = { once: true, signal: over.signal }
  target.signal.addEventListener('abort', () => end('interrupted'), once)
  for (const each of connections) each.next()
  await Promise.all(connections.map((each) => each.over))
  for (const timer of timers) clearTimeout(timer)
  over.abort()
  const { samples, whys } = tally
  const { sent, fault } = tally.state
  const why = whys.at(-1) ?? null
  const failure = fault ?? localFaultOf(why ?? undefined)
  if (failure !== undefined) throw failure
  return {
    ...{ sent, why, samples },
    neverSent: durationMs === null ? amount - sent : 0,
    durationMs: performance.now() - startMs,
    ended: whys.length === count ? 'unreachable' : ended,
  }
}
