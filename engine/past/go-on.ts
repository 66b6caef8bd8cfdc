// A run goes on: time does, and it is found out whether the target is still the one that it was.
import { controlId } from '../control.ts'
import type { Course } from '../course.ts'
import { note } from '../course.ts'
import type { Answered } from '../exchange.ts'
import { statusOf } from '../exchange.ts'
import { told } from '../expect.ts'
import { fetchKnown } from '../fetch-known.ts'
import { petsRead } from '../herd.ts'
import type { JsonObject } from '../json.ts'
import { NoAnswerError } from '../no-answer.ts'
import { Untested } from '../outcome.ts'
import { clockMsOf, removalMs } from '../removal.ts'
import type { ApiRequest } from '../request.ts'
import { get, withKey } from '../request.ts'
import type { Interruption } from '../run-file.ts'
import type { Session } from '../session.ts'
import { ClockError } from '../wire/target-clock.ts'
import { KeyWithdrawn } from '../withdrawn.ts'
import type { Past } from './past.ts'

const restarted = 'the target was restarted, so begin a new run'

/** What the clocks of two machines, or of one at two times, may be apart. */
const graceMs = 2_000

/** How far the target's clock has come since the last thing that is known, if it has one. */
const sinceClock = async (session: Session, past: Past): Promise<number | undefined> => {
  const { clock } = past
  if (!session.clock || !clock) return undefined
  return (await session.clock.now()) - clock.clockMs - (past.nowMs - clock.nowMs)
}

/** @returns how long the run was away, by our own clock */
const beginSitting = (session: Session, past: Past): number => {
  const { time, journal, retelling } = session
  const awayMs = Math.max(0, time.wallNowMs() - past.wallMs)
  const nowMs = past.nowMs + awayMs
  retelling.goOn()
  time.goOn(nowMs, past.movedMs)
  journal.add({ kind: 'sitting', at: new Date(session.wallMs()).toISOString(), nowMs })
  return awayMs
}

/**
 * What counts is the time at the target: a move may have been under way, or our own clock is not
 * true.
 * @returns why the run cannot go on, where it cannot
 */
const followClock = async (
  session: Session,
  past: Past,
  awayMs: number,
): Promise<string | undefined> => {
  const targetMs = await sinceClock(session, past)
  if (targetMs === undefined || Math.abs(targetMs - awayMs) <= graceMs) return undefined
  if (targetMs < -graceMs)
    return `the clock of the target stands behind where it stood: ${restarted}`
  const realMs = Math.max(0, Math.min(awayMs, targetMs))
  session.time.goOn(past.nowMs + realMs, past.movedMs + Math.max(0, targetMs) - realMs)
  return undefined
}

const lostBy = ({ segments }: Past, label: string): number =>
  segments.flatMap(({ lost }) => lost).filter(({ key }) => key === label).length

const refusals = [401, 403]

/** One call with each key that is not resting. @returns which one is not taken any more */
const refusedKey = async ({ session, keys }: Course): Promise<string | undefined> => {
  for (const { label } of keys.filter(({ label }) => session.governor.isAtWork(label))) {
    try {
      const answer = await session.ask(controlId, { ...get('/pets?limit=1'), key: label }, false)
      if (refusals.includes(statusOf(answer))) return `key ${label} is refused: ${told(answer)}`
    } catch (error) {
      if (error instanceof KeyWithdrawn) return error.message
      // A key that is refused for its quota is one that is known.
      if (!(error instanceof Untested) || error.because !== 'blocked') throw error
    }
  }
  return undefined
}

const hasAnimal = async (session: Session, id: bigint, was: boolean): Promise<boolean> => {
  const { herd } = session
  const call = (request: ApiRequest) => session.ask(controlId, request, false)
  const answer = await fetchKnown({ call, herd }, id)
  if (statusOf(answer) !== 404) return true
  if (was) return false
  // Who never gives an animal by its id may yet have it.
  return petsRead(await ownList(session)).some(isKnownTo(session))
}

const listMost = 100

/** With a key that was shown what this run knows, where keys have animals of their own. */
const ownList = (session: Session): Promise<Answered> => {
  const key = session.herd.lists.chosen(session.herd.matching(undefined))
  return session.ask(controlId, withKey(get(`/pets?limit=${listMost}`), key), false)
}

const isKnownTo =
  ({ herd }: Session) =>
  ({ id }: JsonObject): boolean =>
    typeof id === 'bigint' && herd.seen.has(id)

/** Where no animal is given by its id any more; a list that is cut may leave it out. */
const listsAnimal = async (session: Session): Promise<boolean> => {
  const list = await ownList(session)
  const pets = petsRead(list)
  return statusOf(list) !== 200 || pets.length >= listMost || pets.some(isKnownTo(session))
}

/**
 * Whether an animal that this run made is there no more, which nothing in the interface removes. A
 * clock that stands where it was moved to tells of no restart; there the checks find out.
 */
const lostAnimal = async ({ session }: Course, past: Past): Promise<string | undefined> => {
  const newest = session.herd.creations.at(-1)
  if (!newest || (session.clock !== null && past.movedMs > graceMs)) return undefined
  const wasGiven = (one: Answered) =>
    one.asked.path === `/pets/${newest.id}` && one.key !== null && statusOf(one) === 200
  const isThere =
    (await clockMsOf(session)) < removalMs
      ? await hasAnimal(session, newest.id, session.trace.some(wasGiven))
      : await listsAnimal(session)
  if (isThere) return undefined
  return `animal ${newest.id}, which this run made, is there no more: ${restarted}`
}

const interruptionOf = (session: Session, past: Past): Interruption => ({
  brokenAt: new Date(past.wallMs).toISOString(),
  resumedAt: new Date(session.wallMs()).toISOString(),
  lost: past.lost,
})

const noteOf = ({ brokenAt, resumedAt, lost }: Interruption): string => {
  const unanswered = `${lost} ${lost === 1 ? 'request' : 'requests'} got no answer`
  return `the run was broken off at ${brokenAt} and went on at ${resumedAt}; ${unanswered}`
}

/**
 * The run goes on from here.
 * @param isDone whether all is decided, so that nothing need be asked
 * @returns why it cannot, where it cannot
 */
export const goOn = async (
  course: Course,
  past: Past,
  isDone: boolean,
): Promise<string | undefined> => {
  const { session, keys, options } = course
  const awayMs = beginSitting(session, past)
  const interruptions = [...past.interruptions, interruptionOf(session, past)]
  for (const interruption of interruptions) note(course, noteOf(interruption))
  course.interruptions = interruptions
  if (isDone) return undefined
  try {
    const behind = await followClock(session, past, awayMs)
    if (behind !== undefined) return behind
    for (const { label } of keys) session.governor.presume(label, lostBy(past, label))
    return (await refusedKey(course)) ?? (await lostAnimal(course, past))
  } catch (error) {
    // Where nothing more may be asked, the checks say so.
    if (options.signal.aborted) return undefined
    if (error instanceof NoAnswerError) {
      return `${new URL(options.baseUrl).origin} gave no answer: ${error.message}`
    }
    if (error instanceof ClockError) return error.message
    if (error instanceof Untested) return undefined
    throw error
  }
}
