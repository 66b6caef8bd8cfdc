// Resumes a run: takes over what was recorded, and finds out whether the target is still the same.
import { createHash, randomBytes } from 'node:crypto'
import { controlId, isAnswered } from '../../history/exchange.ts'
import { interrupted, Untested } from '../../history/outcome.ts'
import { count } from '../../history/quote.ts'
import { fromMs, toMs } from '../../history/rate-headers.ts'
import { type AnyCheck, sendsRequests } from '../check/declare.ts'
import { restoredExchange } from '../http/recorder.ts'
import type { Head, Past } from './journal.ts'
import { hasPet, readClockMs, removalMs } from './restart.ts'
import { type RunOptions, version } from './run-options.ts'
import { addNote, type RunState } from './run-state.ts'
import type { Session } from './session.ts'
import { explainFailure, type Smoke, smoke, smokeId } from './smoke.ts'

/** Recognises a key or the further headers without storing them. */
export const computeDigest = (salt: string, value: string | RunOptions['headers']): string =>
  createHash('sha256')
    .update(`${salt}\0${JSON.stringify(value)}`)
    .digest('hex')

export const makeHead = (
  { options, keys, runId }: Session,
  startedAt: Date,
  checks: readonly AnyCheck[],
): Head => {
  const { seed, baseUrl, clockUrl, descriptionUrl, allow, shared, strict, command } = options
  const { maxRequests, responseTimeoutMs } = options
  const salt = randomBytes(16).toString('hex')
  return {
    kind: 'head',
    petvet: version,
    runId,
    seed,
    salt,
    startedAt: startedAt.toISOString(),
    baseUrl,
    clockUrl,
    descriptionUrl,
    categories: options.categories.map(String),
    allow,
    shared,
    strict,
    maxRequests,
    responseTimeoutMs,
    keys: keys.map(({ label, plan, quota, use = null, key }) => {
      return { label, plan, quota, use, digest: computeDigest(salt, key) }
    }),
    headers: computeDigest(salt, options.headers),
    checks: checks.map(({ id }) => id),
    ...(command && { command }),
  }
}

const restarted = 'the target was restarted, so begin a new run'

/** What the clocks of two machines, or of one at two times, may be apart. */
const graceMs = 2_000

const noteInterruption = (state: RunState, past: Past): void => {
  const { session } = state
  const resumedAt = new Date(session.wallMs()).toISOString()
  const interruptedAt = new Date(past.endedMs).toISOString()
  const interruption = { interruptedAt, resumedAt, lost: past.lostInLastAttempt }
  state.interruptions = [...past.interruptions, interruption]
  state.notes.push(...past.notes)
  session.journal({ kind: 'resumed', at: resumedAt })
  const lost = count(past.lostInLastAttempt, 'request', 'requests')
  const when = `the run was interrupted at ${interruptedAt} and resumed at ${resumedAt}`
  addNote(state, `${when}; ${lost} got no response`)
}

/** How much time has passed at the target since the interruption, by its test clock. */
const sinceByClock = async ({ clock }: Session, past: Past): Promise<number | undefined> => {
  if (!clock || !past.clock) return undefined
  const { at, clockMs, movedMs } = past.clock
  const interruptedMs = clockMs + (past.movedMs - movedMs) + (past.endedMs - Date.parse(at))
  return (await clock.now()) - interruptedMs
}

interface Away {
  readonly realMs: number
  /** The test clock was moved, and nothing was sent after it. */
  readonly movedMs: number
}

/** What counts is the time at the target: our own clock may have been set in between. */
const awayFor = (awayMs: number, sinceMs: number | undefined): Away => {
  if (sinceMs === undefined || Math.abs(sinceMs - awayMs) <= graceMs) {
    return { realMs: awayMs, movedMs: 0 }
  }
  const realMs = Math.max(0, Math.min(awayMs, sinceMs))
  return { realMs, movedMs: Math.max(0, sinceMs) - realMs }
}

/** Feeds the recorded exchanges to everything that learns from live ones. */
const restore = (session: Session, past: Past, away: Away): void => {
  const { budget, governor, pace, keys, options } = session
  pace.moved(past.movedMs + away.movedMs)
  const offsetMs = pace.now() - pace.movedMs() - away.realMs - past.endedMs
  const restoring = {
    baseUrl: new URL(options.baseUrl),
    keys,
    furtherHeaders: options.headers.map(([name]) => name),
    redactor: session.redactor,
  }
  for (const recorded of past.exchanges) {
    const sentMs = recorded.sentMs + offsetMs
    const exchange = session.dated(restoredExchange({ ...recorded, sentMs }, restoring))
    const { key } = exchange
    budget.count(exchange.check)
    if (key !== null) {
      governor.take(key, fromMs(exchange))
      if (isAnswered(exchange)) governor.learn(key, exchange, toMs(exchange))
      else governor.release(key)
    }
    session.learn(exchange)
  }
  for (const { check, key } of past.lost) {
    budget.count(check)
    if (key !== null) governor.presume(key)
  }
  if (past.categories) {
    const { free, accepted } = past.categories
    session.contextOf(controlId).categories.decide(free, accepted.map(BigInt))
  }
}

/**
 * Whether a pet that this run created is gone, which nothing in the interface removes. A test clock
 * that is where the run moved it shows that there was no restart; after the removal of GET by id
 * nothing shows it.
 */
const lostPet = async (session: Session, past: Past): Promise<Smoke | undefined> => {
  const newest = session.knownPets.creations.at(-1)
  if (!newest || (session.clock !== null && past.movedMs > graceMs)) return undefined
  if ((await readClockMs(session)) >= removalMs || (await hasPet(session, newest.id)))
    return undefined
  const why = `pet ${newest.id}, which this run created, is gone: ${restarted}`
  return { kind: 'impossible', why }
}

/** The smoke call again, with each key that need not rest; then whether the target is the same. */
const lookAtTarget = async (session: Session, past: Past): Promise<Smoke> => {
  const ready = session.keys.filter(({ label }) => session.governor.isAtWork(label))
  const found = await smoke(session, ready.length > 0 ? ready : undefined)
  if (found.kind !== 'held') return found
  try {
    return (await lostPet(session, past)) ?? found
  } catch (error) {
    // A request that was refused shows nothing.
    if (error instanceof Untested && error.because !== 'interrupted') return found
    return explainFailure(error, session)
  }
}

/** The smoke call as it was recorded, where no further request can be sent or need be. */
const recordedSmoke = ({ trace }: Session): Smoke | undefined => {
  const first = trace.find(({ check }) => check === smokeId)
  return first && { kind: 'held', first, notes: [] }
}

/** @returns what the smoke call found, or why the run cannot be resumed */
export const resume = async (
  state: RunState,
  checks: readonly AnyCheck[],
  past: Past,
): Promise<Smoke> => {
  const { session, results } = state
  const awayMs = Math.max(0, session.wallMs() - past.endedMs)
  noteInterruption(state, past)
  results.push(...past.results)
  const kept = new Set(results.map(({ id }) => id))
  const isDone = checks.filter(sendsRequests).every(({ id }) => kept.has(id))
  let sinceMs: number | undefined
  let failure: Smoke | undefined
  try {
    if (!isDone) sinceMs = await sinceByClock(session, past)
  } catch (error) {
    failure = explainFailure(error, session)
  }
  restore(session, past, awayFor(awayMs, sinceMs))
  if (session.options.signal.aborted) throw interrupted()
  if (failure) return failure
  if (sinceMs !== undefined && sinceMs < -graceMs) {
    const why = `the clock of the target is behind where it was: ${restarted}`
    return { kind: 'impossible', why }
  }
  const known = isDone || session.budget.left() <= 0 ? recordedSmoke(session) : undefined
  return known ?? lookAtTarget(session, past)
}
