// Windows end whatever is sent: steady calls below the limit are served, and so is a key that
// called an hour or a day ago.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { check } from '../../engine/check/declare.ts'
import type { AnsweredExchange } from '../../engine/check/exchange.ts'
import { describeResponse, violateAs, violateStatus } from '../../engine/check/expect.ts'
import { completes, Suspicion, Untested } from '../../engine/check/outcome.ts'
import { steadySteps } from '../../engine/quota/planned-experiments.ts'
import {
  dayMs,
  fromMs,
  isServed,
  isShutOut,
  minuteMs,
  minuteSaid,
  toMs,
} from '../../engine/quota/rate-headers.ts'
import { createPet, getPet } from '../pets/requests.ts'
import { cheapest, limitNeeds } from './experiments.ts'
import { unlessOthers } from './other-clients.ts'
import { callAnyway, expectAllServed, spendCalls, tooNearRemoval } from './sending.ts'

/** Less than a minute, so that a window that each call extends never ends. */
const stepMs = 50_000
/** Two steps are before midnight, when windows of an hour or a day end too, and two after. */
const beforeMidnightMs = 75_000
/** After this date, which is near the removal date, the clock is not moved by a day. */
const maxClockMs = Date.UTC(2030, 11, 2)
const hourMs = 3_600_000

/** Begins after a rest, shortly before midnight. */
const beginSteady = async ({ clock, limits }: Context, { label }: LimitKey) => {
  await limits.rest(label)
  const now = await clock.now()
  const next = (Math.floor((now + beforeMidnightMs) / dayMs) + 1) * dayMs - beforeMidnightMs
  if (next < maxClockMs) await limits.pass(next - now)
}

/** The errors of a step, since a server may extend a window by errors only. */
const errorsOf = (context: Context, count: number) => {
  const body = context.allow.includes('write') ? createPet({}) : getPet('no-id')
  return [body, getPet('8999999999999999937')].slice(0, count)
}

/** One step: its errors if calls remain, and then lists, one of which may be refused. */
const sendStep = async (context: Context, key: LimitKey) => {
  const { lists, errors } = steadySteps(key.quota)
  const first = await callAnyway(context, key)
  if (!isServed(first)) return [first]
  const left = minuteSaid(first)?.remaining ?? key.quota.perMinute
  const before = left > errors ? errors : 0
  for (const request of errorsOf(context, before)) {
    const response = await callAnyway(context, key, request)
    if (isShutOut(response)) return [first, response]
  }
  const room = Math.min(lists - 1, left - before + 1)
  return [first, ...(await spendCalls(context, key, room))]
}

/** @returns the responses up to a refused call; [] if none was refused */
const refusedWhileSteady = async (context: Context, key: LimitKey) => {
  const { steps } = steadySteps(key.quota)
  await beginSteady(context, key)
  const sent: AnsweredExchange[] = []
  for (let step = 0; step < steps; step += 1) {
    if (step > 0) await context.limits.pass(stepMs)
    sent.push(...(await sendStep(context, key)))
    if (sent.some((one) => !isServed(one))) return sent
  }
  return []
}

/** With the test clock, before a row of calls: so that rows one after another are steady calls. */
export const takeStep = async (context: Context, { label }: LimitKey): Promise<void> => {
  if (!context.limits.instant) return
  await context.limits.pass(stepMs)
  const [request] = errorsOf(context, 1)
  if (request) await completes(context.call({ ...request, key: label }))
}

/** Longer gaps, with the time that a row takes, let a window end. */
const maxGapMs = stepMs + 5_000

/** Whether the latest calls of a key were steady, and more than a minute's number was served. */
const wereSteady = ({ limits }: Context, { label, quota }: LimitKey): boolean => {
  let [served, nextMs] = [0, limits.nowMs()]
  for (const one of limits.responsesTo(label).toReversed()) {
    if (isShutOut(one) || nextMs - toMs(one) > maxGapMs) return false
    if (isServed(one)) served += 1
    if (served > quota.perMinute) return true
    nextMs = fromMs(one)
  }
  return false
}

export const servedSteadily = check({
  id: 'window-steady-served',
  requirement: 'limits.window-ends',
  needs: { ...limitNeeds, keyed: 76, clock: true, experiment: 'steady' },
  sends:
    'With the test clock: a part of the quota every 50 s, including errors, until more than a ' +
    "minute's quota was sent; never that many within two minutes. The rows of `count-*` are " +
    'such calls; if not enough of them were served, the same after a rest and across midnight.',
  fails: 'A list is refused, twice: a window that each call extends does not end.',
  inconclusive: 'a list was refused only once, or another client may have used the key (ambiguous)',
  run: async (context) => {
    await context.control('list')
    const key = cheapest(context.limits)
    const { perMinute } = key.quota
    if (steadySteps(key.quota).lists < 1) {
      throw new Untested('ambiguous', `a quota of ${perMinute} requests a minute is too small`)
    }
    if (wereSteady(context, key)) return
    const sent = await refusedWhileSteady(context, key)
    // The cost of later checks is declared for a full minute.
    await context.limits.rest(key.label)
    const refused = sent.find((one) => !isServed(one))
    if (!refused) return
    const evidence = [...sent.slice(0, 1), refused]
    await unlessOthers(context, key, refused, evidence)
    const again = await refusedWhileSteady(context, key)
    if (again.length === 0) throw new Suspicion('it was refused once, but not again', evidence)
    const recent = sent.filter((one) => fromMs(one) > fromMs(refused) - 2 * minuteMs).length - 1
    const expected = `a request served, with fewer than ${perMinute} in two minutes`
    const actual = `${describeResponse(refused)} after ${recent} in two minutes`
    violateAs({ aspect: 'status' }, expected, actual, ...evidence)
  },
})

/**
 * A server may store a count by its minute of the hour, or of the day, and reuse it: so many calls
 * are missed then.
 */
const minSpent = 10
/** Calls within this time are in one minute, nearly always. */
const nearMs = 3_000
/** How many calls may be missing later: one of this run, and few of another client. */
const maxMissing = 3

/** If less remains than expected, spends it and one call more; returns the refusal, if any. */
const spendRemaining = async (context: Context, key: LimitKey, first: AnsweredExchange) => {
  if (!isServed(first)) return first
  const left = minuteSaid(first)?.remaining ?? key.quota.perMinute
  if (left >= key.quota.perMinute - maxMissing) return undefined
  return (await spendCalls(context, key, left + 1)).find((one) => !isServed(one))
}

/** The latest call that came with enough others to be missed, but not with all of a minute. */
const latestSpent = ({ limits }: Context, { label, quota }: LimitKey) => {
  const served = limits.responsesTo(label).filter(isServed)
  return served.findLast((last) => {
    const near = served.filter((one) => Math.abs(fromMs(one) - fromMs(last)) <= nearMs).length
    return near >= minSpent && near < quota.perMinute - maxMissing
  })
}

const spendSome = async (context: Context, key: LimitKey) => {
  const spent = await spendCalls(context, key, Math.min(minSpent, key.quota.perMinute - 1))
  expectAllServed(spent)
  return spent.at(-1)
}

const spendRested = async (context: Context, key: LimitKey) => {
  await context.limits.rest(key.label)
  return spendSome(context, key)
}

/** @param spent the last call of the minute that must be forgotten */
const expectFullMinute = async (
  context: Context,
  key: LimitKey,
  spent: AnsweredExchange,
  ms: number,
): Promise<void> => {
  const { limits } = context
  await limits.pass(fromMs(spent) + ms - limits.nowMs())
  const first = await callAnyway(context, key)
  const refused = await spendRemaining(context, key, first)
  if (!refused) return
  const evidence = [spent, first, refused]
  await unlessOthers(context, key, refused, evidence)
  const expected = `the whole quota ${ms / hourMs} h after calls of an earlier minute`
  violateStatus(expected, ...evidence)
}

export const servedMuchLater = check({
  id: 'window-hour-later-served',
  requirement: 'limits.window-ends',
  needs: { ...limitNeeds, keyed: 2 * minSpent + 2, clock: true },
  sends:
    'With the test clock: 11 lists an hour after at least 10 calls in one minute, such as those ' +
    'of a row, and one a day after them.',
  fails:
    'Remaining is lower than a whole quota then, and no more are served: an old count is reused.',
  inconclusive:
    'the test clock is near the removal date (clock), or another client may have used the ' +
    'key (ambiguous)',
  run: async (context) => {
    await context.control('list')
    if ((await context.clock.now()) + 2 * dayMs > maxClockMs) throw tooNearRemoval()
    const key = cheapest(context.limits)
    const spent = latestSpent(context, key) ?? (await spendRested(context, key))
    if (!spent) return
    await expectFullMinute(context, key, spent, hourMs)
    const later = await spendSome(context, key)
    if (later) await expectFullMinute(context, key, later, dayMs)
  },
})
