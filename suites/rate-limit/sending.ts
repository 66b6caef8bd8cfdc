// Sends calls whatever is left of a quota: one, many at once, or as many as remain.
import type { Context, LimitKey } from '../../engine/check/context.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  statusCode,
  withKey,
} from '../../history/exchange.ts'
import { NoResponseError, Untested } from '../../history/outcome.ts'
import { isRefused, isServed, minuteSaid, waitForResetMs } from '../../history/rate-headers.ts'
import { listPets } from '../pets/requests.ts'

/** The number of connections for requests that are sent at the same time. */
const maxTogether = 64
const secondMs = 1_000

export const shortList = listPets({ limit: 1 })

/** An id that no pet has. */
export const unknownId = '8999999999999999937'

export const lists = (count: number): ApiRequest[] => Array<ApiRequest>(count).fill(shortList)

/**
 * Waits for the requests of an experiment.
 * @throws Untested if one got no response, since it may have counted
 */
export const unlessLost = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error
    const message = `one of its requests got no response: ${error.message}`
    throw new Untested('ambiguous', message, [error.exchange])
  }
}

/** Later checks need the deprecated operation, so the clock must not move further. */
export const tooNearRemoval = (): Untested =>
  new Untested('clock', 'the test clock is too near the removal date: restart the target')

/** Sends a list with a key, or another request, once its quota allows it. */
export const callerOf =
  ({ call }: Context, { label }: LimitKey) =>
  (request = shortList) =>
    call(withKey(request, label))

/** Sends requests whose order does not matter, until one is blocked. */
export const callEach = async (context: Context, requests: readonly ApiRequest[]) => {
  const ahead = await context.ahead(requests.map((request) => () => request))
  for (const [at, request] of requests.entries()) {
    if (!ahead[at]) await context.call(request)
  }
}

/** Sends a list with a key, or another request, whatever is left of its quota. */
export const callAnyway = ({ limits }: Context, { label }: LimitKey, request = shortList) =>
  unlessLost(limits.sendAnyway(label, request))

/**
 * Sends requests as fast as connections become free; nothing is sent after a refusal.
 * @returns the responses, and how many requests got none
 */
export const sendAll = async (context: Context, key: LimitKey, requests: readonly ApiRequest[]) => {
  const sent: Promise<readonly AnsweredExchange[]>[] = []
  let isOver = false
  const sendNext = async (): Promise<void> => {
    const request = requests[sent.length]
    if (!request || isOver) return
    const sending = context.limits.flood(key.label, [request])
    sent.push(sending)
    const [response] = await sending.catch(() => [])
    isOver ||= response !== undefined && isRefused(response)
    await sendNext()
  }
  await Promise.all(Array.from({ length: maxTogether }, sendNext))
  const settled = await Promise.allSettled(sent)
  const failed = settled.filter((each) => each.status === 'rejected').map(({ reason }) => reason)
  const other = failed.find((error) => !(error instanceof NoResponseError))
  if (other !== undefined) throw other
  const responses = settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  return { responses, lost: failed.length }
}

/** Milliseconds into a second of the target: for calls that begin a window, and for the burst. */
export const phases = { begin: 50, burst: 550 } as const

/**
 * Waits `ms`; with the test clock up to a second more, until `phaseMs` into a second. A Retry-After
 * that is rounded down is too short by a fraction of a second, which the phase makes large enough
 * to be detected.
 */
export const passUntil = async ({ clock, limits }: Context, ms: number, phaseMs: number) => {
  const nowMs = limits.instant ? await clock.now() : 0
  const moreMs = limits.instant ? (phaseMs - nowMs - ms) % secondMs : 0
  const allMs = ms + (moreMs < 0 ? moreMs + secondMs : moreMs)
  if (allMs > 0) await limits.pass(allMs)
}

/** The first call after a rest, which begins a window. */
export const callRested = async (context: Context, key: LimitKey) => {
  await context.limits.rest(key.label)
  await passUntil(context, 0, phases.begin)
  return callAnyway(context, key)
}

/** Sends a list; if it leaves fewer calls than `room`, another one after the next reset. */
export const listWithRoom = async (context: Context, key: LimitKey, room: number) => {
  const call = callerOf(context, key)
  const first = await call()
  const said = minuteSaid(first)
  if (!said || said.remaining >= room) return first
  await context.limits.pass(waitForResetMs(said))
  return call()
}

/** Requests within the announced Remaining must be served, or the experiment proves nothing. */
export const expectAllServed = (responses: readonly AnsweredExchange[]): void => {
  const refused = responses.find((one) => !isServed(one))
  if (!refused) return
  const message = `a request within the announced Remaining got ${statusCode(refused)}`
  throw new Untested('ambiguous', message, [refused])
}

/** Sends `count` lists, which Remaining announced, and expects all to be served. */
export const spendAnnounced = async (context: Context, key: LimitKey, count: number) => {
  const { responses } = await sendAll(context, key, lists(count))
  expectAllServed(responses)
  return responses
}

const maxAtOnce = 8

/** Sends `count` lists, at most 8 at once, and stops when one is not served. */
export const spendCalls = async ({ limits }: Context, { label }: LimitKey, count: number) => {
  const all: AnsweredExchange[] = []
  while (all.length < count && all.every(isServed)) {
    const some = lists(Math.min(maxAtOnce, count - all.length))
    all.push(...(await unlessLost(limits.flood(label, some))))
  }
  return all
}
