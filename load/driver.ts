// The driver of a crowd: bursts and throughput, one request at a time on each connection. Every
// request that is put on the wire is accounted for.
import { Untested } from '../suites/kit/outcome.ts'
import { localFaultOf } from '../suites/kit/wire/wire-faults.ts'
import { Connection, connectorOf } from './connection.ts'
import type { Driven, DriveTarget, Load, Sample } from './load-form.ts'

/** Characters of all bodies that are kept of one load; those of a sound server are few. */
const keptMost = 16 * 1024 * 1024
/** What is under way when a run is interrupted may still be answered within this. */
const lastAnswersMs = 300
/** Connections that are not open by then are not waited for. */
const gateMs = 1_000

/** What comes of a load, as it comes. @param cut ends the load, where there is a fault */
const createTally = ({ keep }: Load, heard: (sample: Sample) => void, cut: () => void) => {
  const samples: Sample[] = []
  const state = { answered: 0, lost: 0, samples, fault: undefined as unknown }
  let keptLength = 0
  const enter = (sample: Sample) => {
    if (samples.length < keep) {
      samples.push(sample)
      keptLength += sample.body?.length ?? 0
    }
    heard(sample)
    if (keptLength <= keptMost) return
    throw new Untested('ambiguous', 'its answers are too large to be kept and judged')
  }
  const sample = (given: Sample) => {
    if (given.lost === null) state.answered += 1
    else state.lost += 1
    try {
      enter(given)
    } catch (error) {
      if (state.fault === undefined) setImmediate(cut)
      state.fault ??= error
    }
  }
  return { state, sample, keepsBody: () => samples.length < keep }
}

/** Those that wait here go on together, when as many have come as are awaited, or in time. */
const createGate = (awaited: number) => {
  let waiting: (() => void)[] = []
  let isOpen = awaited === 0
  const open = () => {
    isOpen = true
    for (const goOn of waiting.splice(0)) goOn()
  }
  const timer = setTimeout(open, gateMs)
  const pass = (goOn: () => void) => {
    if (isOpen) return goOn()
    waiting = [...waiting, goOn]
    if (waiting.length >= awaited) open()
  }
  const close = () => {
    clearTimeout(timer)
    open()
  }
  return { pass, close }
}

/** How many requests may leave, and how many have left. */
const createSupply = ({ amount, most }: Load) => {
  const state = { reserved: 0, isSpent: false }
  const isLeft = (limit: number | null | undefined) => limit == null || state.reserved < limit
  const reserve = () => {
    if (!isLeft(amount)) return false
    if (isLeft(most)) state.reserved += 1
    else state.isSpent = true
    return !state.isSpent
  }
  const giveBack = () => {
    state.reserved -= 1
  }
  return { state, reserve, giveBack }
}

/** What ends a load early, or in time. @returns what takes it back */
const createEnds = (
  { durationMs, overallMs }: Load,
  { signal }: DriveTarget,
  drain: () => void,
  end: (ended: Driven['ended']) => void,
): (() => void) => {
  const interrupted = () => end('interrupted')
  const timers = [setTimeout(() => end('overall-timeout'), overallMs)]
  if (durationMs !== null) timers.push(setTimeout(drain, durationMs))
  signal.addEventListener('abort', interrupted, { once: true })
  return () => {
    for (const timer of timers) clearTimeout(timer)
    signal.removeEventListener('abort', interrupted)
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
  const startMs = performance.now()
  const whys: string[] = []
  let ended: Driven['ended'] = 'done'
  const drain = () => crowd.forEach((each) => void each.drain())
  const cut = () => crowd.forEach((each) => void each.cut())
  const tally = createTally(load, heard, cut)
  const supply = createSupply(load)
  const count = Math.min(load.connections, load.amount ?? load.connections)
  const gate = createGate(load.atOnce ? count : 0)
  const over = new AbortController()
  const connect = connectorOf(target, load, gate.pass, over.signal)
  const gaveUp = (why: string) => whys.push(why)
  const parts = { target, load, connect, gaveUp, ...supply, ...tally }
  const crowd = Array.from({ length: count }, () => new Connection(parts))
  const release = createEnds(load, target, drain, (why) => {
    ended = why
    drain()
    setTimeout(cut, lastAnswersMs).unref()
  })
  for (const each of crowd) each.next()
  await Promise.all(crowd.map((each) => each.over))
  release()
  gate.close()
  over.abort()
  if (tally.state.fault !== undefined) throw tally.state.fault
  const why = whys.at(-1) ?? null
  const local = localFaultOf(why ?? undefined)
  if (local) throw local
  const { answered, lost, samples } = tally.state
  return {
    sent: answered + lost,
    isSpent: supply.state.isSpent,
    answered,
    lost,
    neverSent: load.amount === null ? 0 : load.amount - answered - lost,
    durationMs: performance.now() - startMs,
    ended: whys.length === count ? 'unreachable' : ended,
    why,
    samples,
  }
}
