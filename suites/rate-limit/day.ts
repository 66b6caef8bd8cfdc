// The quota of a day: spent with the test clock at once, or in real time over minutes.

import type { Context, LimitKey } from '../../engine/context.ts'
import { type Check, check, type Needs, type Question } from '../../engine/declare.ts'
import type { Answered } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { allKeys, dayCallsMost } from '../../engine/quota/limits.ts'
import type { Plan } from '../../spec/plans.ts'
import { mayBeOthersBan, wasFelt } from './alone.ts'
import { spendByClock } from './day-by-clock.ts'
import { expectOwnWindow, spendInRealTime } from './day-in-real-time.ts'
import { decide, type SpentDay } from './day-spent.ts'
import { answered } from './flood.ts'
import { askedWith } from './isolation.ts'
import { dayMs, daySaid, fromMs, isRefused, isServed, toMs } from './reading.ts'
import { passTold } from './retry.ts'
import { short } from './round.ts'

const needs: Needs = {
  stage: 'days',
  keyed: 0,
  anonymous: 0,
  allow: ['exhaust', 'day'],
  looksAt: ['day'],
}

const keyOf = ({ limits }: Context, plan: Plan): LimitKey => {
  const key = limits.keys
    .filter((each) => each.plan === plan)
    .toSorted((a, b) => a.quota.perDay - b.quota.perDay)[0]
  if (!key)
    throw new Untested(
      'key',
      `its only key of the plan ${plan} is the one for bans (--key ${plan}=KEY again)`,
    )
  const { perDay } = key.quota
  if (perDay <= dayCallsMost) return key
  const message = `${perDay} requests a day are too many for a run, which spends ${dayCallsMost}`
  throw new Untested('ambiguous', message)
}

const onceSpent = async <T>(
  context: Context,
  { label }: LimitKey,
  spend: () => Promise<T>,
): Promise<T> => {
  await context.control('list')
  return context.once(`day spent: ${label}`, () => answered(spend()))
}

const byClock = (context: Context, key: LimitKey): Promise<SpentDay> =>
  onceSpent(context, key, () => spendByClock(context, key))

const inRealTime = (context: Context, key: LimitKey) =>
  onceSpent(context, key, () => spendInRealTime(context, key))

const spent = (context: Context, key: LimitKey): Promise<SpentDay> =>
  context.limits.instant ? byClock(context, key) : inRealTime(context, key)

const idOf = (plan: Plan): string => (plan === 'free' ? 'day-quota' : `day-quota-${plan}`)

const notMore = (plan: Plan, keyed: number): Check =>
  check({
    id: `${idOf(plan)}-not-more`,
    requirement: `limits.${plan}`,
    needs: { ...needs, keyed, plan, holds: 'day' },
    sends:
      'With the test clock: after a rest of two days, calls minute by minute up to one beyond ' +
      'the day. In real time: the same at the pace of the minutes, within one run.',
    fails:
      'More served than the plan has in a day (with what a bucket gives back), or than a ' +
      'response of the same declared day said would remain. In real time: in the 24 hours ' +
      'before a Reset, or twice the number in 24 hours.',
    inconclusive:
      'no more than that was sent, or a day that ended in between, another client or another run ' +
      'explains it (ambiguous)',
    run: async (context) => decide((await spent(context, keyOf(context, plan))).more),
  })

const notFewer = (plan: Plan): Check =>
  check({
    id: `${idOf(plan)}-not-fewer`,
    requirement: `limits.${plan}`,
    needs: { ...needs, plan },
    sends: `Nothing of its own: the day of \`${idOf(plan)}-not-more\`.`,
    fails:
      'A call is refused for its day, although fewer were served than the plan has, every value ' +
      'of Remaining was seen, and none of them is missing.',
    inconclusive:
      'it was refused for its minute, a ban or a failure came first, numbers were skipped, or ' +
      'others use the key (ambiguous)',
    run: async (context) => {
      const key = keyOf(context, plan)
      const { fewer } = await spent(context, key)
      const isOthers = context.limits.shared || wasFelt(context, key)
      if (fewer.kind === 'breach' && isOthers) {
        throw new Suspicion('others use the key, or may do so', fewer.evidence)
      }
      decide(fewer)
    },
  })

/** Of a key that others may use too, so many waits in a row are kept before one is called false. */
const waitsMost = 3

/** Asks after the wait that each refusal tells, until it is served. */
const retryAfterDay = async (context: Context, key: LimitKey, refusal: Answered, most: number) => {
  const { limits } = context
  let latest = refusal
  for (let waits = 0; waits < most && isRefused(latest); waits += 1) {
    await passTold(limits, latest)
    latest = await answered(limits.insist(key.label, short))
  }
  return latest
}

const expectByClock = async (context: Context, key: LimitKey): Promise<void> => {
  const { limits } = context
  const { refusal, isWhole } = await byClock(context, key)
  if (!refusal) throw new Suspicion('no request was refused for its day', [])
  const answer = await retryAfterDay(context, key, refusal, isWhole ? 1 : waitsMost)
  const isOver = isServed(answer)
  if (isOver && isWhole) return
  if (!isWhole && (isOver || !daySaid(answer, key.quota))) {
    throw new Suspicion('it was refused before its day was spent', [refusal])
  }
  if (limits.shared) throw new Suspicion('others use the key', [refusal, answer])
  if (!isRefused(answer)) {
    throw new Suspicion(`after the wait that was told it got ${told(answer)}`, [refusal, answer])
  }
  const expected = 'a refusal for the day that is over when it says'
  violate(expected, `waited as told, and got ${told(answer)}`, refusal, answer)
}

/** A refusal for the day that tells the wait of a minute sends its caller into the next one. */
const ownWindow = (plan: Plan): Check =>
  check({
    id: plan === 'free' ? 'day-refusal-own-window' : `day-refusal-${plan}-own-window`,
    requirement: 'headers.agree',
    needs: { ...needs, plan, keyed: 1 },
    sends: `One call after the wait that the refusal of \`${idOf(plan)}-not-more\` states.`,
    fails:
      'It is refused: the refusal stated the wait of a minute, or one that is not true. In real ' +
      'time: refused after two such waits.',
    inconclusive:
      'it was refused before its day was spent (ambiguous), or the wait ends after this run ' +
      '(clock)',
    run: async (context) => {
      const key = keyOf(context, plan)
      if (context.limits.instant) return expectByClock(context, key)
      await expectOwnWindow(context, key, await inRealTime(context, key))
    },
  })

/** The days of two keys of a plan are two: while the one is spent the other is served. */
const otherKey = check({
  id: 'day-other-key-served',
  requirement: 'auth.per-key',
  needs: { ...needs, plan: 'free', keyed: 1, clock: true, beside: 'same-plan' },
  sends: 'By the test clock: one list with another key of the plan, while the day of one is spent.',
  fails: 'It is refused with 429, although that key has not spent half of a minute since.',
  inconclusive:
    'nothing was refused for its day, the other key may itself be spent, or another client may ' +
    'have used the key (ambiguous)',
  run: async (context) => {
    const { limits } = context
    const key = keyOf(context, 'free')
    const { refusal, isWhole } = await byClock(context, key)
    if (!refusal || !isWhole) throw new Suspicion('no request was refused for its day', [])
    const isOther = ({ plan, label }: LimitKey) => plan === key.plan && label !== key.label
    const other = allKeys(limits).find(isOther)
    if (!other) throw new Untested('key', `it needs a second key of the plan ${key.plan}`)
    const answer = await answered(askedWith(context, other))
    if (isServed(answer)) return
    const since = limits.heard(other.label).filter((one) => fromMs(one) > toMs(refusal) - dayMs)
    const isSpent = since.length > other.quota.perMinute / 2
    if (!isRefused(answer) || isSpent || limits.shared || wasFelt(context, other)) {
      throw new Suspicion(`key ${other.label} may itself be spent`, [refusal, answer])
    }
    const expected = `key ${other.label} served while the day of ${key.label} is spent`
    violate(expected, told(answer), refusal, answer)
  },
})

/** The request beyond the day is answered 429, as the one beyond the minute is. */
const excess = check({
  id: 'day-excess-429',
  requirement: 'errors.429',
  needs: { ...needs, plan: 'free', clock: true },
  sends: 'Nothing of its own: the day of `day-quota-not-more`, by the test clock.',
  fails: 'The request after the last one of the day is answered 503, 403 or anything but 429.',
  inconclusive:
    'nothing was refused for its day (ambiguous), or another client may have used the key ' +
    '(ambiguous)',
  run: async (context) => {
    const key = keyOf(context, 'free')
    const { refusal, instead } = await byClock(context, key)
    if (refusal) return
    if (!instead) throw new Suspicion('no request was refused for its day', [])
    if (await mayBeOthersBan(context, key, instead)) {
      throw new Suspicion('another client may have drawn a ban upon the key', [instead])
    }
    violate('429 to a request beyond the day', told(instead), instead)
  },
})

export const day: readonly Question[] = [
  notMore('free', 1_001),
  notFewer('free'),
  otherKey, // While the one key is spent.
  ownWindow('free'),
  excess,
  notMore('enterprise', 0), // Agreed case by case: only a run knows its cost.
  notFewer('enterprise'),
  ownWindow('enterprise'),
]
