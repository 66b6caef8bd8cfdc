// Whether the target is still the one that the run began with: where it does not respond for a
// moment it may have been restarted, without its pets or with another time.

import {
  type ApiRequest,
  controlId,
  type Exchange,
  get,
  isSuccess,
  statusCode,
} from '../../history/exchange.ts'
import { type Creation, petsIn, sentObject } from '../../history/known-pets.ts'
import { EndOfRun, NoResponseError, Untested } from '../../history/outcome.ts'
import { removalDay } from '../../model/due.ts'
import { fetchKnown, withKnowingKey } from '../check/requests.ts'
import { ClockError } from '../http/target-clock.ts'
import { ask } from './send.ts'
import type { Session } from './session.ts'

/** The target's time: that of its test clock, or our own if it has none. */
export const readClockMs = async ({ clock, wallMs }: Session): Promise<number> =>
  clock ? clock.now() : wallMs()

/** Thrown when the target no longer responds, even to a valid request: the run ends. */
export class TargetGone extends EndOfRun {
  /** The first request without a response. */
  readonly lost: Exchange

  constructor(why: string, lost: Exchange) {
    super(why)
    this.lost = lost
  }
}

/** Where the run may not ask again after a silence, the target has not come back. */
const goneIfSpent = (error: unknown, silence: string | undefined, lost: Exchange): unknown =>
  error instanceof Untested && error.because === 'budget' && silence !== undefined
    ? new TargetGone(silence, lost)
    : error

const mostlyLost = 'most of the latest control requests got no response'

/** Half a minute in all. */
const usualPausesMs = [1_000, 2_000, 4_000, 8_000, 15_000]

/**
 * Waits until the target responds again after a request was lost: requests a list, as the smoke
 * call did, until it gets a response, with pauses in between.
 * @returns how many pauses it took
 * @throws TargetGone where there is none in the end, or while the run may still ask, or hardly
 *   ever; Untested (budget, blocked, interrupted)
 */
export const stillThere = async (session: Session, lost: Exchange): Promise<number> => {
  const { pausesMs = usualPausesMs } = session.options
  let silence: string | undefined
  for (let pauses = 0; ; pauses += 1) {
    try {
      await ask(session, controlId, get('/pets?limit=1'))
      session.connections.countControl(false)
      return pauses
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw goneIfSpent(error, silence, lost)
      silence = error.message
      const isMostlyLost = session.connections.countControl(true)
      const pauseMs = pausesMs[pauses]
      if (pauseMs === undefined) throw new TargetGone(silence, lost)
      if (isMostlyLost) throw new TargetGone(`${mostlyLost}: ${silence}`, lost)
      session.waiting(pauseMs, `for the target: it does not respond (${silence})`)
      await session.pace.sleep(pauseMs)
    }
  }
}

/** Whether a name is that of another creation of this run: an id may be given out twice. */
const isAnother = ({ trace }: Session, name: unknown, own: unknown): boolean => {
  if (typeof name !== 'string' || name === own) return false
  return trace.some((one) => one.request.method === 'POST' && sentObject(one)?.name === name)
}

/** A refused or lost request shows nothing. @throws any other error */
const isNothingShown = (error: unknown): boolean => {
  if (error instanceof Untested || error instanceof NoResponseError) return true
  throw error
}

/** Whether a pet of this run is gone on a connection, or its id is that of another one. */
const isMissingOn = async (
  session: Session,
  { id, pet }: Creation,
  connection: Pick<ApiRequest, 'fresh'>,
): Promise<boolean> => {
  const { knownPets, trace } = session
  const wasGiven = trace.some(
    (one) => one.apiRequest.path === `/pets/${id}` && one.key !== null && statusCode(one) === 200,
  )
  const call = (request: ApiRequest) => ask(session, controlId, { ...request, ...connection })
  const fetched = await fetchKnown({ call, knownPets }, id)
  if (statusCode(fetched) === 200) return isAnother(session, petsIn(fetched)[0]?.name, pet.name)
  if (statusCode(fetched) !== 404) return false
  if (wasGiven) return true
  // A server whose GET by id fails may still list the pet, to a key that was shown it.
  const pets = petsIn(await call(withKnowingKey(session, id, get('/pets?limit=100'))))
  const isOther = knownPets.creations.some(({ id: own, pet }) =>
    pets.some((one) => one.id === own && isAnother(session, one.name, pet.name)),
  )
  return isOther || !pets.some((one) => typeof one.id === 'bigint' && knownPets.seen.has(one.id))
}

/** Replicas that do not share their pets have a pet on some connections and not on others. */
const maxNewConnections = 6

/** Whether a pet is gone, wherever a connection leads, as far as the run may ask. */
const isForgotten = async (session: Session, creation: Creation): Promise<boolean> => {
  if (!(await isMissingOn(session, creation, {}))) return false
  for (let opened = 0; opened < maxNewConnections; opened += 1) {
    const missing = isMissingOn(session, creation, { fresh: true })
    if (!(await missing.catch((error) => isNothingShown(error)))) return false
  }
  return true
}

/** Moves of the clock below this prove nothing. */
const minMovedMs = 60_000

/**
 * Whether the clock is where the run moved it before an exchange; undefined: it was not moved far
 * enough to tell. What was moved since then a restarted target has too.
 */
const keepsClock = async (session: Session, fromSeq: number): Promise<boolean | undefined> => {
  const { pace, clock, clockAheadMs = 0, trace, wallMs } = session
  const before = trace.findLast(({ seq }) => seq <= fromSeq)?.movedMs ?? pace.movedMs()
  if (clock === null || before < minMovedMs) return undefined
  const behindMs = wallMs() + pace.movedMs() + clockAheadMs - (await clock.now())
  return behindMs <= before / 2
}

/** Whether the target served a method for a pet that it must not have: DELETE, or PUT. */
const wasChanged = ({ trace }: Session, id: bigint): boolean =>
  trace.some(
    (one) =>
      one.apiRequest.method !== 'GET' && one.apiRequest.path === `/pets/${id}` && isSuccess(one),
  )

/** Whether a pet that was created before an exchange was shown after another one. */
const wasShownSince = (
  { trace, knownPets }: Session,
  fromSeq: number,
  lastSeq: number,
): boolean => {
  const before = knownPets.creations.filter(({ exchange }) => exchange.seq < fromSeq)
  const names = new Map(before.map(({ id, pet }) => [id, pet.name]))
  return trace.some(
    (one) =>
      one.seq > lastSeq &&
      petsIn(one).some(({ id, name }) => typeof id === 'bigint' && names.get(id) === name),
  )
}

const lostBy = async (
  session: Session,
  fromSeq: number,
  lastSeq: number,
): Promise<string | undefined> => {
  const seqs = [...new Set([fromSeq, lastSeq])]
  const keeps = await Promise.all(seqs.map((seq) => keepsClock(session, seq)))
  if (keeps.includes(false)) return 'clock'
  // What is missing now was not lost then.
  if (keeps.includes(true) || wasShownSince(session, fromSeq, lastSeq)) return undefined
  const last = session.knownPets.creations.findLast(
    ({ id, exchange }) => exchange.seq < fromSeq && !wasChanged(session, id),
  )
  if (!last || (await readClockMs(session)) >= removalDay.firstMs) return undefined
  return (await isForgotten(session, last)) ? 'pets' : undefined
}

/**
 * To be called when the target responds again.
 * @param fromSeq the first exchange that it may not have had before a restart
 * @param lastSeq the last of those at which it may have been restarted
 * @throws EndOfRun where its pets are gone, or its test clock is where it was at first
 */
export const expectSameTarget = async (
  session: Session,
  fromSeq: number,
  lastSeq = fromSeq,
): Promise<void> => {
  const lost = await lostBy(session, fromSeq, lastSeq).catch((error) => {
    if (error instanceof ClockError && error.isBehind) return 'clock'
    isNothingShown(error)
    return undefined
  })
  if (lost === undefined) return
  session.history.voidFrom(fromSeq)
  throw new EndOfRun(`the target was restarted and has lost its ${lost}: begin a new run`)
}

/** After a loss the target may be away, or another one. @throws TargetGone, EndOfRun */
export const lookAtTarget = async (session: Session, { exchange }: NoResponseError) => {
  await stillThere(session, exchange)
  await expectSameTarget(session, exchange.seq)
}

/**
 * Looks for a restart where a connection was opened again: before a violation is recorded, or where
 * the test clock fails.
 */
export const expectNoRestart = async (
  session: Session,
  isViolated: () => boolean = () => true,
): Promise<void> => {
  const reopened = session.connections.takeReopened()
  if (reopened && isViolated()) await expectSameTarget(session, ...reopened)
}
