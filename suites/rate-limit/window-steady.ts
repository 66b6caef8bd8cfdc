// Windows end whatever is sent: steady calls below the limit are served, and so is a key that
// called an hour or a day ago.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { type Check, check } from '../../engine/check/declare.ts'
import type { AnsweredExchange } from '../../engine/check/exchange.ts'
import { describeResponse, violateAs, violateStatus } from '../../engine/check/expect.ts'
import { Suspicion, Untested } from '../../engine/check/outcome.ts'
import { steadySteps } from '../../engine/quota/planned-experiments.ts'
import {
  dayMs,
  fromMs,
  isServed,
  isShutOut,
  minuteMs,
  minuteSaid,
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

const steady = check({
  id: 'window-steady-served',
  requirement: 'limits.window-ends',
  needs: { ...limitNeeds, keyed: 76, clock: true, experiment: 'steady' },
  sends:
    'With the test clock, after a rest and across midnight: a part of the quota every 50 s, ' +
    "including errors, until more than a minute's quota was sent; never that many within two " +
    'minutes.',
  fails: 'A list is refused, twice: a window that each call extends does not end.',
  inconclusive: 'a list was refused only once, or another client may have used the key (ambiguous)',
  run: async (context) => {
    await context.control('list')
    const key = cheapest(context.limits)
    const { perMinute } = key.quota
    if (steadySteps(key.quota).lists < 1) {
      throw new Untested('ambiguous', `a quota of ${perMinute} requests a minute is too small`)
    }
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

/** A server may store a count by its minute of the hour, or of the day, and reuse it. */
const idleMs = [hourMs, dayMs]
/** How many calls are sent in the minute that must be forgotten. */
const callsBeforeIdle = 20
/** How many calls may be missing later: one of this run, and few of another client. */
const maxMissing = 3

/** If less remains than expected, spends it and one call more; returns the refusal, if any. */
const spendRemaining = async (context: Context, key: LimitKey, first: AnsweredExchange) => {
  if (!isServed(first)) return first
  const left = minuteSaid(first)?.remaining ?? key.quota.perMinute
  if (left >= key.quota.perMinute - maxMissing) return undefined
  return (await spendCalls(context, key, left + 1)).find((one) => !isServed(one))
}

/** Begins after a rest, so that no earlier call counts. */
const expectFullMinute = async (context: Context, key: LimitKey, ms: number): Promise<void> => {
  await context.limits.rest(key.label)
  const spent = await spendCalls(context, key, Math.min(callsBeforeIdle, key.quota.perMinute))
  expectAllServed(spent)
  await context.limits.pass(ms)
  const first = await callAnyway(context, key)
  const refused = await spendRemaining(context, key, first)
  if (!refused) return
  const evidence = [...spent.slice(-1), first, refused]
  await unlessOthers(context, key, refused, evidence)
  const expected = `the whole quota ${ms / hourMs} h after the last call`
  violateStatus(expected, ...evidence)
}

const later = check({
  id: 'window-hour-later-served',
  requirement: 'limits.window-ends',
  needs: { ...limitNeeds, keyed: (callsBeforeIdle + 1) * idleMs.length, clock: true },
  sends:
    'With the test clock, twice after a rest: 20 lists at once, and one an hour, or a day, later.',
  fails:
    'Remaining is lower than a whole quota then, and no more are served: an old count is reused.',
  inconclusive:
    'the test clock is near the removal date (clock), or another client may have used the ' +
    'key (ambiguous)',
  run: async (context) => {
    await context.control('list')
    if ((await context.clock.now()) + 2 * dayMs > maxClockMs) throw tooNearRemoval()
    const key = cheapest(context.limits)
    for (const ms of idleMs) await expectFullMinute(context, key, ms)
  },
})

export const steadyCalls: readonly Check[] = [later, steady]
