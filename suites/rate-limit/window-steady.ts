// Windows end whatever is sent: steady calls below the limit are served, and so is a key whose
// minute was spent an hour or a day ago.

import type { Context, LimitKey } from '../../engine/context.ts'
import { type Check, check } from '../../engine/declare.ts'
import type { Answered } from '../../engine/exchange.ts'
import { describeResponse, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { steadySteps } from '../../engine/quota/experiments.ts'
import { createPet, getPet } from '../requests.ts'
import { shortList, unlessLost } from './burst.ts'
import { cheapest, expectAllServed, limitNeeds, spendCalls } from './experiments.ts'
import { mayBeOthers } from './other-clients.ts'
import { dayMs, fromMs, isServed, isShutOut, minuteMs, minuteSaid } from './reading.ts'

/** Less than a minute, so that a window that each call renews never ends. */
const stepMs = 50_000
/** Two steps come before a midnight, where counts of an hour or a day end too, and two after. */
const beforeMidnightMs = 75_000
/** A clock later than this is near the removal date, and is not moved by a day. */
const maxClockMs = Date.UTC(2030, 11, 2)
const hourMs = 3_600_000

/** Begins after a rest, shortly before a midnight. */
const beginSteady = async ({ clock, limits }: Context, { label }: LimitKey): Promise<void> => {
  await limits.rest(label)
  const now = await clock.now()
  const next = (Math.floor((now + beforeMidnightMs) / dayMs) + 1) * dayMs - beforeMidnightMs
  if (next < maxClockMs) await limits.pass(next - now)
}

/** The errors of a step: a window may be renewed by errors alone. */
const errorsOf = (context: Context, count: number) => {
  const body = context.allow.includes('write') ? createPet({}) : getPet('no-id')
  return [body, getPet('8999999999999999937')].slice(0, count)
}

/** One step: its errors if calls are left, and then lists, one of which may be refused. */
const sendStep = async (
  context: Context,
  { label, quota }: LimitKey,
): Promise<readonly Answered[]> => {
  const { limits } = context
  const { lists, errors } = steadySteps(quota)
  const first = await limits.sendAnyway(label, shortList)
  const left = minuteSaid(first, quota)?.remaining ?? quota.perMinute
  if (!isServed(first)) return [first]
  const before = left > errors ? errors : 0
  for (const request of errorsOf(context, before)) {
    const response = await limits.sendAnyway(label, request)
    if (isShutOut(response)) return [first, response]
  }
  const room = Math.min(lists - 1, left - before + 1)
  return [first, ...(await spendCalls(limits, label, room))]
}

/** @returns the responses up to a call that was refused; [] if none was */
const refusedWhileSteady = async (
  context: Context,
  key: LimitKey,
): Promise<readonly Answered[]> => {
  const { steps } = steadySteps(key.quota)
  await beginSteady(context, key)
  const sent: Answered[] = []
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
  needs: { ...limitNeeds, keyed: 76, clock: true, holds: 'steady' },
  sends:
    'By the test clock, after a rest and across a midnight: a part of the minute every 50 s, ' +
    'errors among it, until more than a minute was sent; never that many within two minutes.',
  fails: 'A list is refused, twice: a window that each call renews does not end.',
  inconclusive: 'the key was refused once, or another client may have used the key (ambiguous)',
  run: async (context) => {
    await context.control('list')
    const key = cheapest(context.limits)
    if (steadySteps(key.quota).lists < 1) {
      throw new Untested('ambiguous', `${key.quota.perMinute} requests a minute are too few`)
    }
    const sent = await unlessLost(refusedWhileSteady(context, key))
    // The checks that follow declare their cost for a full minute.
    await context.limits.rest(key.label)
    const refused = sent.find((one) => !isServed(one))
    if (!refused) return
    const evidence = [...sent.slice(0, 1), refused]
    if (await mayBeOthers(context, key, refused)) {
      throw new Suspicion('another client may have used the key meanwhile', evidence)
    }
    const again = await unlessLost(refusedWhileSteady(context, key))
    if (again.length === 0) throw new Suspicion('it was refused once, and not again', evidence)
    const recent = sent.filter((one) => fromMs(one) > fromMs(refused) - 2 * minuteMs).length - 1
    const expected = `a request served, as fewer than ${key.quota.perMinute} came in two minutes`
    violate(expected, `${describeResponse(refused)} after ${recent} in two minutes`, ...evidence)
  },
})

/** A server may name a count by its minute of the hour, or of the day, and find it again. */
const idleMs = [hourMs, dayMs]
/** So many calls are sent in the minute that has to be forgotten. */
const callsBeforeIdle = 20
/** One call of ours is missing by then; another client may be as quick as the network. */
const maxMissing = 3

/** Spends what is left and one more, if less is left than should be. */
const spendRemaining = async (
  { limits }: Context,
  { label, quota }: LimitKey,
  first: Answered,
): Promise<Answered | undefined> => {
  if (!isServed(first)) return first
  const left = minuteSaid(first, quota)?.remaining ?? quota.perMinute
  if (left >= quota.perMinute - maxMissing) return undefined
  return (await spendCalls(limits, label, left + 1)).find((one) => !isServed(one))
}

/** Begins after a rest, so that no other call is missing from the numbers. */
const expectFullMinute = async (context: Context, key: LimitKey, ms: number): Promise<void> => {
  const { limits } = context
  const { label, quota } = key
  await limits.rest(label)
  const spent = await spendCalls(limits, label, Math.min(callsBeforeIdle, quota.perMinute))
  expectAllServed(spent)
  await limits.pass(ms)
  const first = await limits.sendAnyway(label, shortList)
  const refused = await spendRemaining(context, key, first)
  if (!refused) return
  const evidence = [...spent.slice(-1), first, refused]
  if (await mayBeOthers(context, key, refused)) {
    throw new Suspicion('another client may have used the key meanwhile', evidence)
  }
  violate(
    `a whole minute ${ms / hourMs} h after the last call`,
    describeResponse(refused),
    ...evidence,
  )
}

const later = check({
  id: 'window-hour-later-served',
  requirement: 'limits.window-ends',
  needs: { ...limitNeeds, keyed: (callsBeforeIdle + 1) * idleMs.length, clock: true },
  sends:
    'By the test clock, twice after a rest: 20 lists at once, and one an hour, or a day, later.',
  fails:
    'Fewer are left then than a whole minute, and no more are served: a count is found again by ' +
    'its minute of the hour or of the day.',
  inconclusive:
    'the clock is near the removal date (clock), or another client may have used the key ' +
    '(ambiguous)',
  run: async (context) => {
    await context.control('list')
    if ((await context.clock.now()) + 2 * dayMs > maxClockMs) {
      throw new Untested('clock', 'its clock is too near to the removal date: restart the target')
    }
    const key = cheapest(context.limits)
    for (const ms of idleMs) await unlessLost(expectFullMinute(context, key, ms))
  },
})

export const steadyCalls: readonly Check[] = [later, steady]
