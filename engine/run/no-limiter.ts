// Finds out early that a target limits nothing, so that a run does not wait for its windows.

import {
  type AnsweredExchange,
  controlId,
  get,
  headerValues,
  statusCode,
} from '../../history/exchange.ts'
import { NoResponseError, Untested } from '../../history/outcome.ts'
import { fromMs, isServed, isShutOut, minuteMs } from '../../history/rate-headers.ts'
import type { Needs, SendingCheck, Stage } from '../check/declare.ts'
import {
  chooseCheapest,
  type KeyOption,
  maxBurst,
  missingPrerequisite,
} from '../check/spendable-keys.ts'
import { addNote, type RunState } from './run-state.ts'

const limitHeaders = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
]

const hasLimitHeader = (exchange: AnsweredExchange): boolean =>
  limitHeaders.some((name) => headerValues(exchange, name).length > 0)

/** Whether a response speaks of a limit, in whatever form. */
const showsLimit = (exchange: AnsweredExchange): boolean =>
  isShutOut(exchange) || hasLimitHeader(exchange)

/** Whether a response may be a 401 or 403 to that request alone. */
const isAlone = (exchange: AnsweredExchange): boolean =>
  [401, 403].includes(statusCode(exchange)) && !hasLimitHeader(exchange)

/** A wrong 401 or 403, such as of a scheme in lower case: the next one is none. */
const isOfOneRequest = (exchange: AnsweredExchange, later: readonly AnsweredExchange[]): boolean =>
  isAlone(exchange) && later.some((one) => one.key === exchange.key && !isShutOut(one))

/** The span in which requests are counted is shorter than any window. */
const spanMs = minuteMs - 5_000

/** What most checks send at most, their control requests included; others spend whole minutes. */
const usualCalls = 15
const stagesOfMinutes: readonly Stage[] = ['limits', 'bans', 'days', 'time', 'removal']

const callsOf = ({ stage, pets = 0 }: Needs, { quota }: KeyOption): number => {
  if (stagesOfMinutes.includes(stage)) return quota.perMinute
  return stage === 'creations' ? Math.max(usualCalls, pets) : usualCalls
}

/**
 * Called before a check. Where it would have to wait for a quota of which no response has ever
 * spoken, short lists are sent one by one: until one is refused, or until more were served within a
 * minute than any limiter of the plan grants. The first refusal ends it, so none is repeated.
 * @returns whether it need not be called again
 */
export const findNoLimiter = async (state: RunState, { needs }: SendingCheck): Promise<boolean> => {
  const { governor, pace, trace, options, keys } = state.session
  const key = chooseCheapest(keys)
  const mayWait = !pace.instant && needs.stage !== 'rest'
  const mayTry = options.allow.includes('exhaust') && !options.shared && mayWait
  if (!mayTry || !key || key.quota.perMinute > maxBurst) return true
  const keyed = trace.filter((exchange) => exchange.key !== null)
  const speaking = keyed.filter(
    (one, at) => showsLimit(one) && !isOfOneRequest(one, keyed.slice(at + 1)),
  )
  // After a 401 the next request with the key shows whether it was of that request alone.
  const isUndecided = (one: AnsweredExchange) => isAlone(one) && one === keyed.at(-1)
  if (speaking.length > 0) return !speaking.every(isUndecided)
  if (governor.left() >= callsOf(needs, key) || missingPrerequisite(needs, options)) return false
  try {
    // No design grants more within a window (ruling 17).
    const max = 2 * key.quota.perMinute
    const served = await servedInARow(state, key.label, max)
    if (served <= max) return true
    governor.assumeNoLimiter()
    const what = `${served} requests with key ${key.label} were served within a minute`
    addNote(state, `the target limits nothing: ${what}, so the run does not wait for its windows`)
  } catch (error) {
    // It costs what a wait would have cost; the checks say what is wrong.
    if (!(error instanceof Untested) && !(error instanceof NoResponseError)) throw error
  }
  return true
}

/** @returns how many requests with the key were served within the span, `max` and one at most */
const servedInARow = async ({ session }: RunState, label: string, max: number): Promise<number> => {
  const { pace, trace } = session
  const startMs = pace.now()
  const count = (): number =>
    trace.filter((one) => one.key === label && isServed(one) && fromMs(one) >= pace.now() - spanMs)
      .length
  for (let sent = 0; sent <= max && pace.now() - startMs < spanMs; sent += 1) {
    if (count() > max) break
    const request = { ...get('/pets?limit=1'), key: label, insists: true } as const
    const response = await session.ask(controlId, request, false)
    if (showsLimit(response) || statusCode(response) >= 500) return 0
  }
  return count()
}
