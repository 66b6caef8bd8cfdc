// The driver of a crowd: bursts and throughput, one request at a time on each connection. Every
// request that is put on the wire is accounted for.
import { Untested } from '../engine/outcome.ts'
import { localFaultOf } from '../engine/wire/wire-faults.ts'
import { Connection, connectorOf } from './connection.ts'
import type { Driven, DriveTarget, Load, Sample } from './load-form.ts'

/** Characters of all bodies that are kept of one load; those of a valid server are few. */
const maxKept = 16 * 1024 * 1024
/** What is in flight when a run is interrupted may still be answered within this. */
const lastAnswersMs = 300
/** Connections that are not open by then are not waited for. */
const gateMs = 1_000

/** How many requests may leave, and what came of them. @param cut ends the load on a fault */
const createTally = (
  { amount, most = Number.POSITIVE_INFINITY, keep }: Load,
  heard: (sample: Sample) => void,
  cut: () => void,
) => {
  const samples: Sample[] = []
  const whys: string[] = []
  const state = { reserved: 0, answered: 0, lost: 0, isSpent: false, fault: undefined as unknown }
  let kept = 0
  const enter = (sample: Sample) => {
    if (samples.length < keep) {
      samples.push(sample)
      kept += sample.body?.length ?? 0
    }
    heard(sample)
    if (kept <= maxKept) return
    throw new Untested('ambiguous', 'its answers are too large to be kept and judged')
  }
  return {
    state,
    samples,
    whys,
    reserve: () => {
      if (amount !== null && state.reserved >= amount) return false
      state.isSpent ||= state.reserved >= most
      if (!state.isSpent) state.reserved += 1
      return !state.isSpent
    },
    giveBack: () => {
      state.reserved -= 1
    },
    keepsBody: () => samples.length < keep,
    gaveUp: (why: string) => {
      whys.push(why)
    },
    sample: (sample: Sample) => {
      state[sample.lost === null ? 'answered' : 'lost'] += 1
      try {
        enter(sample)
      } catch (error) {
        if (state.fault === undefined) setImmediate(cut)
        state.fault ??= error
      }
    },
  }
}

/**
 * Puts a load on a target.
 * @param heard told of every request that was put on the wire, when it ends
 */
export const drive = async (
  target: DriveTarget,
  load: Load,
  heard: (sample: Sample) => void,
): Promise<Driven> => {
  const { amount, durationMs, overallMs } = load
  const startMs = performance.now()
  const over = new AbortController()
  const gate = Promise.withResolvers<void>()
  let ended: Driven['ended'] = 'done'
  const drain = () => crowd.forEach((each) => void each.drain())
  const cut = () => crowd.forEach((each) => void each.cut())
  const end = (why: Driven['ended']) => {
    ended = why
    drain()
    timers.push(setTimeout(cut, lastAnswersMs))
  }
  const tally = createTally(load, heard, cut)
  const count = Math.min(load.connections, amount ?? load.connections)
  let awaited = load.atOnce ? count : 0
  /** Connections that are to send at once wait here until all of them are open. */
  const ready = () => {
    awaited -= 1
    if (awaited <= 0) gate.resolve()
    return gate.promise
  }
  const connect = connectorOf(target, load, ready, over.signal)
  const crowd = Array.from({ length: count }, () => {
    return new Connection({ target, load, connect, ...tally })
  })
  const timers = [
    setTimeout(gate.resolve, gateMs),
    setTimeout(() => end('overall-timeout'), overallMs),
    ...(durationMs === null ? [] : [setTimeout(drain, durationMs)]),
  ]
  const once = { once: true, signal: over.signal }
  target.signal.addEventListener('abort', () => end('interrupted'), once)
  for (const each of crowd) each.next()
  await Promise.all(crowd.map((each) => each.over))
  for (const timer of timers) clearTimeout(timer)
  over.abort()
  const { samples, whys } = tally
  const { answered, lost, isSpent, fault } = tally.state
  const why = whys.at(-1) ?? null
  const broken = fault ?? localFaultOf(why ?? undefined)
  if (broken !== undefined) throw broken
  return {
    ...{ sent: answered + lost, isSpent, answered, lost, why, samples },
    neverSent: amount === null ? 0 : amount - answered - lost,
    durationMs: performance.now() - startMs,
    ended: whys.length === count ? 'unreachable' : ended,
  }
}
