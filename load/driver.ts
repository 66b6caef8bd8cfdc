// The driver of a crowd, and the door of autocannon: bursts and throughput without pipelining,
// where every request that is put on the wire is accounted for.
import autocannon from 'autocannon'
import { Untested } from '../suites/kit/outcome.ts'
import { localFaultOf } from '../suites/kit/wire/wire-faults.ts'
import type { Client } from './autocannon-client.ts'
import { type Connection, type ConnectionParts, takeOver } from './connection.ts'
import { connectionsOf, createGate, openerOf, requestOf } from './dial.ts'
import type { Driven, DriveTarget, Load, Sample } from './load-form.ts'

/** Characters of all bodies that are kept of one load; those of a sound server are few. */
const keptMost = 16 * 1024 * 1024
/** What is under way when a run is interrupted may still be answered within this. */
const lastAnswersMs = 300
/** How often it is looked whether all are done, or one was waited for too long. */
const lookMs = 20

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
  const take = (sample: Sample) => {
    if (sample.lost === null) state.answered += 1
    else state.lost += 1
    try {
      enter(sample)
    } catch (error) {
      if (state.fault === undefined) setImmediate(cut)
      state.fault ??= error
    }
  }
  return { state, take, keepsBody: () => samples.length < keep }
}

/** The connections of a load, and how they come to an end. */
const createCrowd = (
  target: DriveTarget,
  load: Load,
  parts: Pick<ConnectionParts, 'keepsBody' | 'sample'>,
) => {
  const all: Connection[] = []
  const state = {
    ended: 'done' as Driven['ended'],
    why: null as string | null,
    gaveUp: 0,
    begun: 0,
    isSpent: false,
  }
  const dial = openerOf(target, load)
  const gate = createGate(load.atOnce ? connectionsOf(load) : 0)
  const open = (stands: () => void) => dial(load.atOnce ? () => gate.pass(stands) : stands)
  const gaveUp = (why: string) => {
    state.why = why
    state.gaveUp += 1
  }
  const mayBegin = () => {
    state.isSpent = state.begun >= (load.most ?? Number.POSITIVE_INFINITY)
    if (!state.isSpent) state.begun += 1
    return !state.isSpent
  }
  const drain = () => {
    for (const each of all) each.drain()
  }
  const cut = () => {
    for (const each of all) each.cut()
  }
  const look = () => {
    for (const each of all) each.look()
  }
  return {
    state,
    drain,
    cut,
    look,
    close: gate.close,
    take: (given: autocannon.Client) => {
      const client = given as unknown as Client
      const { key } = load
      client.setRequests([requestOf(target, key)])
      const timeoutMs = target.answerTimeoutMs
      const isRenewed = load.newConnections
      all.push(takeOver(client, { ...parts, key, timeoutMs, open, isRenewed, gaveUp, mayBegin }))
    },
    end: (ended: Driven['ended']) => {
      state.ended = ended
      drain()
      setTimeout(cut, lastAnswersMs).unref()
    },
    isUnreachable: () => state.gaveUp === all.length,
  }
}

/** What ends a load early, or in time. @returns what takes it back */
const createEnds = (
  load: Load,
  { signal }: DriveTarget,
  { end, drain, look }: Pick<ReturnType<typeof createCrowd>, 'end' | 'drain' | 'look'>,
): (() => void) => {
  const interrupted = () => end('interrupted')
  const looking = setInterval(look, lookMs)
  const timers = [setTimeout(() => end('overall-timeout'), load.overallMs)]
  if (load.durationMs !== null) timers.push(setTimeout(drain, load.durationMs))
  signal.addEventListener('abort', interrupted, { once: true })
  return () => {
    clearInterval(looking)
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
  const tally = createTally(load, heard, () => crowd.cut())
  const crowd = createCrowd(target, load, { keepsBody: tally.keepsBody, sample: tally.take })
  const release = createEnds(load, target, crowd)
  try {
    // Its own clock is set so far that ours comes first.
    const duration = Math.ceil(load.overallMs / 1000) + 60
    await autocannon({
      url: target.baseUrl,
      connections: connectionsOf(load),
      ...(load.amount === null ? { duration } : { amount: load.amount }),
      sampleInt: lookMs,
      excludeErrorStats: true,
      skipAggregateResult: true,
      setupClient: crowd.take,
    })
  } finally {
    release()
    crowd.close()
  }
  if (tally.state.fault !== undefined) throw tally.state.fault
  const local = localFaultOf(crowd.state.why ?? undefined)
  if (local) throw local
  const { answered, lost, samples } = tally.state
  return {
    sent: answered + lost,
    isSpent: crowd.state.isSpent,
    answered,
    lost,
    neverSent: load.amount === null ? 0 : load.amount - answered - lost,
    durationMs: performance.now() - startMs,
    ended: crowd.isUnreachable() ? 'unreachable' : crowd.state.ended,
    why: crowd.state.why,
    samples,
  }
}
