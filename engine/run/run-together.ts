// Several checks in flight together, where the target takes long for each response.
//
// It only saves time. A check that is met here is done; any other one runs again, alone, as it
// would have run without this, and only what it finds then is a finding. Clauses judge all
// exchanges by when they were sent and received, so that they know which of them overlapped.

import { controlId, get } from '../../history/exchange.ts'
import { type Ending, Inapplicable, NoResponseError, Violation } from '../../history/outcome.ts'
import type { SendingCheck, Stage } from '../check/declare.ts'
import { maxLanes } from '../check/lane.ts'
import { createAhead, isSlow, lookAtTarget, workTogether } from './lanes.ts'
import { lackFor, runOnce } from './run-once.ts'
import { addNote, type RunState } from './run-state.ts'
import type { Session } from './session.ts'

/** What a check may send before the run knows how much quota it has left. */
const roomPerLane = 8

const freeStages: readonly Stage[] = ['refusals', 'creations', 'reads']

/**
 * Whether nothing else has to come before or after it: rows, and what sends no valid key; but not
 * the rows that share requests, as what fails of those is halved.
 */
const isOrderFree = ({ needs, values, sentBy, pack }: SendingCheck): boolean => {
  if (sentBy !== undefined || pack !== undefined) return false
  if (needs.stage === 'unauthenticated') return true
  return freeStages.includes(needs.stage) && values !== undefined
}

/** Those of a lane that got no response, were blocked, or found something, run again alone. */
const runInLane = async (
  check: SendingCheck,
  state: RunState,
  startMs: number,
): Promise<Ending | { readonly kind: 'again'; readonly error: unknown }> => {
  const lack = lackFor(check, state, startMs)
  if (lack) return { kind: 'threw', error: lack }
  try {
    return await runOnce(check, state.session)
  } catch (error) {
    return error instanceof Inapplicable ? { kind: 'threw', error } : { kind: 'again', error }
  }
}

/** Sends a key on each connection, which a connection is to lend to no request without a key. */
const carryKeys = async (session: Session): Promise<void> => {
  const list = () => get('/pets?limit=1')
  await createAhead(session, session.contextOf(controlId))(Array(maxLanes).fill(list))
}

/**
 * @param startMs the target's time when this run, or its resumption, ran its first check
 * @param begin called when a check begins
 * @param settle called with how it ended, unless it runs again
 */
export const createTogether = (
  state: RunState,
  startMs: number,
  begin: (check: SendingCheck) => void,
  settle: (check: SendingCheck, ending: Ending, begunMs: number) => void,
) => {
  const { session } = state
  const { governor, options } = session
  /** What each check that was begun runs again for, if it does. */
  const begun = new Map<string, unknown>()

  const isNext = (check: SendingCheck | undefined, running: number): check is SendingCheck => {
    if (!check || options.signal.aborted || state.cut) return false
    const isFree = isOrderFree(check) && !begun.has(check.id)
    return isFree && governor.left() >= roomPerLane * (running + 1)
  }

  /**
   * Tries checks in their order, up to the first that has to run alone, or until a key has hardly
   * any requests left. No check waits for a quota, or moves the clock, while others are in flight.
   * @throws TargetGone, TargetRestarted
   */
  const tryTogether = async (checks: readonly SendingCheck[]): Promise<void> => {
    if (!isNext(checks[0], 0) || !isNext(checks[1], 1) || !isSlow(session)) return
    if (begun.size === 0) await carryKeys(session)
    let next = 0
    let running = 0
    let lost: NoResponseError | undefined
    const work = async (): Promise<void> => {
      for (let check = checks[next]; isNext(check, running); check = checks[next]) {
        next += 1
        running += 1
        begin(check)
        begun.set(check.id, undefined)
        const begunMs = performance.now()
        const ending = await runInLane(check, state, startMs)
        running -= 1
        if (ending.kind !== 'again') {
          settle(check, ending, begunMs)
          continue
        }
        begun.set(check.id, ending.error)
        if (!(ending.error instanceof NoResponseError)) continue
        lost ??= ending.error
        // The target may be gone.
        return
      }
    }
    await workTogether(session, work)
    await lookAtTarget(session, lost)
  }

  /** Notes what was wrong with a check in flight with others, and is not wrong alone. */
  const noteDifference = ({ id }: SendingCheck): void => {
    const error = begun.get(id)
    const isMet = ['pass', 'observed'].includes(state.results.at(-1)?.outcome ?? '')
    if (!(error instanceof Violation) || !isMet) return
    const { expected, actual } = error
    const found = `expected ${expected}; got ${actual}`
    addNote(state, `${id}, in flight together with others: ${found}. Not so when sent alone`)
  }

  const isSettled = ({ id }: SendingCheck): boolean => begun.has(id) && begun.get(id) === undefined

  return { tryTogether, isSettled, noteDifference }
}
