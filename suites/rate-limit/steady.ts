// Windows end whatever is sent, and not before they are over: steady calls below the limit are
// served, and so is a key whose minute was spent an hour or a day ago; the end of a minute of the
// clock gives nothing back, where it was not announced.

import type { Context, LimitKey } from '../../engine/context.ts'
import { check, type Question } from '../../engine/declare.ts'
import type { Answered } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { steadySteps } from '../../engine/quota/experiments.ts'
import { burstMost } from '../../engine/quota/limits.ts'
import { createPet, getPet } from '../requests.ts'
import { isAlone, mayBeOthersBan } from './alone.ts'
import { answered } from './flood.ts'
import { hindsight } from './quota.ts'
import {
  areBefore,
  dayMs,
  fromMs,
  isServed,
  isShutOut,
  minuteMs,
  minuteSaid,
  refillOf,
  spanMs,
} from './reading.ts'
import { cheapest, short, spend } from './round.ts'

/** Less than a minute, so that a window which each call renews never ends. */
const stepMs = 50_000
/** Two steps come before a midnight, where counts of an hour or a day end too, and two after. */
const beforeMidnightMs = 75_000
/** A clock this near to the removal is not moved by a day. */
const lastMs = Date.UTC(2030, 11, 2)
const hourMs = 3_600_000

/** Begins at rest, shortly before a midnight. */
const beginSteady = async ({ clock, limits }: Context, { label }: LimitKey): Promise<void> => {
  await limits.rest(label)
  const now = await clock.now()
  const next = (Math.floor((now + beforeMidnightMs) / dayMs) + 1) * dayMs - beforeMidnightMs
  if (next < lastMs) await limits.pass(next - now)
}

/** What a step sends beside its lists: a window may be renewed by errors alone. */
const errorsOf = (context: Context, count: number) => {
  const body = context.allow.includes('write') ? createPet({}) : getPet('no-id')
  return [body, getPet('8999999999999999937')].slice(0, count)
}

/** One step: its errors as far as calls are left, and then lists, of which one may be refused. */
const sendStep = async (
  context: Context,
  { label, quota }: LimitKey,
): Promise<readonly Answered[]> => {
  const { limits } = context
  const { lists, errors } = steadySteps(quota)
  const first = await limits.insist(label, short)
  const left = minuteSaid(first, quota)?.remaining ?? quota.perMinute
  if (!isServed(first)) return [first]
  const before = left > errors ? errors : 0
  for (const request of errorsOf(context, before)) {
    const response = await limits.insist(label, request)
    if (isShutOut(response)) return [first, response]
  }
  const room = Math.min(lists - 1, left - before + 1)
  return [first, ...(await spend(limits, label, room))]
}

/** @returns a call that was refused though the minutes before it were not spent */
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
  needs: { ...hindsight, keyed: 76, clock: true, holds: 'steady' },
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
    const sent = await answered(refusedWhileSteady(context, key))
    // What follows declares its cost for a minute that is whole.
    await context.limits.rest(key.label)
    const refused = sent.find((one) => !isServed(one))
    if (!refused) return
    const evidence = [...sent.slice(0, 1), refused]
    const isOthers = !isShutOut(refused) || (await mayBeOthersBan(context, key, refused))
    if (isOthers || !(await isAlone(context, key, undefined))) {
      throw new Suspicion('another client may have used the key meanwhile', evidence)
    }
    const again = await answered(refusedWhileSteady(context, key))
    if (again.length === 0) throw new Suspicion('it was refused once, and not again', evidence)
    const recent = sent.filter((one) => fromMs(one) > fromMs(refused) - 2 * minuteMs).length - 1
    const expected = `a request served, as fewer than ${key.quota.perMinute} came in two minutes`
    violate(expected, `${told(refused)} after ${recent} in two minutes`, ...evidence)
  },
})

/** Where a count is found again by its minute of the hour, or of the day. */
const laterMs = [hourMs, dayMs]
/** So much is spent of the minute that has to be forgotten. */
const spentBefore = 20
/** One call of ours is missing by then; another client may be as quick as the wire. */
const missingMost = 3

/** Spends what is left and asks once more, where less is left than may be. */
const spendRest = async (
  { limits }: Context,
  { label, quota }: LimitKey,
  first: Answered,
): Promise<Answered | undefined> => {
  if (!isServed(first)) return first
  const left = minuteSaid(first, quota)?.remaining ?? quota.perMinute
  if (left >= quota.perMinute - missingMost) return undefined
  return (await spend(limits, label, left + 1)).find((one) => !isServed(one))
}

/** Each begins at rest, so that no number is told from which a call is missing. */
const expectWhole = async (context: Context, key: LimitKey, ms: number): Promise<void> => {
  const { limits } = context
  const { label, quota } = key
  await limits.rest(label)
  const answers = await spend(limits, label, Math.min(spentBefore, quota.perMinute))
  if (!answers.every(isServed)) {
    throw new Suspicion('it was refused before its minute was spent', answers.slice(-1))
  }
  await limits.pass(ms)
  const first = await limits.insist(label, short)
  const refused = await spendRest(context, key, first)
  if (!refused) return
  const evidence = [...answers.slice(-1), first, refused]
  const isOthers = !isShutOut(refused) || (await mayBeOthersBan(context, key, refused))
  if (isOthers || !(await isAlone(context, key, undefined))) {
    throw new Suspicion('another client may have used the key meanwhile', evidence)
  }
  violate(`a whole minute ${ms / hourMs} h after the last call`, told(refused), ...evidence)
}

const later = check({
  id: 'window-hour-later-served',
  requirement: 'limits.window-ends',
  needs: { ...hindsight, keyed: (spentBefore + 1) * laterMs.length, clock: true },
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
    if ((await context.clock.now()) + 2 * dayMs > lastMs) {
      throw new Untested('clock', 'its clock is too near to the removal date: restart the target')
    }
    const key = cheapest(context.limits)
    for (const ms of laterMs) await answered(expectWhole(context, key, ms))
  },
})

/** So long before a minute of the clock ends a whole one is spent. */
const beforeEdgeMs = 10_000
/** So much later it is asked on: behind that end, and before a window of a minute is over. */
const laterOnMs = 50_000
/** A Reset up to here may be past by then. */
const nearMs = laterOnMs + 2_000
/** A call may come back while others are under way. */
const beyond = 2
/** So many more are asked for than any design would grant. */
const askedBeyond = 6

/** Spends a whole minute shortly before a minute of the clock ends; nothing where it is told to. */
const spendBeforeEdge = async (
  context: Context,
  { label, quota }: LimitKey,
): Promise<readonly Answered[]> => {
  const { clock, limits } = context
  await limits.rest(label)
  const intoMs = (await clock.now()) % minuteMs
  await limits.pass((2 * minuteMs - beforeEdgeMs - intoMs) % minuteMs)
  const first = await limits.insist(label, short)
  const said = minuteSaid(first, quota)
  if (!said) throw new Untested('ambiguous', 'Remaining of the minute is not given', [first])
  // A reset this far ahead is told by another clock than that of Date.
  if (said.resetInMs > 2 * minuteMs) {
    throw new Untested('ambiguous', 'Reset and Date contradict each other', [first])
  }
  if (said.resetInMs <= nearMs) return []
  const all = [first, ...(await spend(limits, label, quota.perMinute - 1))]
  if (all.every(isServed)) return all
  throw new Suspicion('it was refused before its minute was spent', all.slice(-1))
}

/** First one alone, as most designs refuse it; what no bucket has back goes one by one, too. */
const askOnLater = async (
  { limits }: Context,
  { label, quota }: LimitKey,
  before: readonly Answered[],
): Promise<readonly Answered[]> => {
  const first = await limits.insist(label, short)
  if (!isServed(first)) return [first]
  const back = refillOf(quota.perMinute, minuteMs, spanMs([...before, first]))
  const all = [first, ...(await spend(limits, label, Math.max(0, back - 2)))]
  for (let more = 0; more < beyond + askedBeyond && all.every(isServed); more += 1) {
    all.push(await limits.insist(label, short))
  }
  return all
}

const edge = check({
  id: 'window-across-minute-not-more',
  requirement: 'limits.not-late',
  needs: { ...hindsight, keyed: 118, clock: true },
  sends:
    'By the test clock, after a rest: the whole minute is spent 10 s before a minute of the ' +
    'clock ends, and 50 s later as many requests follow as a bucket has back, and a few more. ' +
    'Nothing follows if a Reset within 52 s was stated.',
  fails: 'More are served before the first stated Reset than the plan and that bucket allow.',
  inconclusive:
    'Remaining of the minute is not given, or another client may have used the key (ambiguous)',
  run: async (context) => {
    await context.control('list')
    const { limits } = context
    const key = cheapest(limits)
    const { perMinute } = key.quota
    if (perMinute > burstMost)
      throw new Untested('ambiguous', 'a whole minute is too many requests')
    const before = await answered(spendBeforeEdge(context, key))
    const [first] = before
    if (!first) return
    await limits.pass(laterOnMs)
    const after = await answered(askOnLater(context, key, before))
    const all = [...before, ...after]
    const most = perMinute + refillOf(perMinute, minuteMs, spanMs(all)) + beyond
    const served = all.filter(isServed)
    const said = minuteSaid(first, key.quota)
    if (served.length <= most || !said || !areBefore(all, said.reset)) return
    const expected = `at most ${most} served until the first stated reset`
    violate(expected, `${served.length} served`, first, ...served.slice(-1))
  },
})

export const steadily: readonly Question[] = [later, steady]

export const acrossMinute: readonly Question[] = [edge]
