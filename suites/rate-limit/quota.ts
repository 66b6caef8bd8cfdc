// The quota of a minute, plan by plan: after a rest exactly so many requests are served.

import type { Context, LimitKey } from '../../engine/context.ts'
import { type Check, check, type Needs } from '../../engine/declare.ts'
import { type Answered, statusOf } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { isOverLimit, type Round } from '../../engine/quota/round.ts'
import { type Plan, plans } from '../../spec/plans.ts'
import { isAlone, mayBeOthersBan } from './alone.ts'
import { exhausted, exhaustedAgain, refusalsIn } from './exhausted.ts'
import { answered } from './flood.ts'
import { expectNotFewer, expectNotMore, moreOf } from './key-quota.ts'
import { isRefused, isServed, minuteMs, spanMs } from './reading.ts'
import { cheapest, spend } from './round.ts'

/** All of a minute, the one that is refused, and a probe of the minute before. */
const roundCost = (requests: number) => requests + 2

/** An enterprise quota is agreed case by case: only a run knows its cost. */
const perMinuteOf = (plan: Plan): number => (plan === 'enterprise' ? 0 : plans[plan].perMinute)

/** Looks at what another check has caused, and sends nothing itself. */
export const hindsight: Needs = { stage: 'limits', keyed: 0, anonymous: 0, allow: ['exhaust'] }
export const onBurst: Needs = { ...hindsight, looksAt: ['burst'] }
export const onRetry: Needs = { ...hindsight, looksAt: ['burst', 'retry'] }

export const keyOf = ({ limits }: Context, plan: Plan): LimitKey => {
  const key = limits.keys
    .filter((each) => each.plan === plan)
    .toSorted((a, b) => a.quota.perMinute - b.quota.perMinute)[0]
  if (key) return key
  throw new Untested(
    'key',
    `its only key of the plan ${plan} is the one for bans (--key ${plan}=KEY again)`,
  )
}

const notMore = (plan: Plan): Check =>
  check({
    id: `quota-${plan}-not-more`,
    requirement: `limits.${plan}`,
    needs: { ...hindsight, keyed: roundCost(perMinuteOf(plan)), plan, holds: 'burst' },
    sends:
      'After a rest of two windows two probes show what is left, and a burst requests all of it ' +
      `and one call more, with a key of the plan ${plan}; if all is served it continues.`,
    fails:
      'More served in one declared window than the plan has, or more than was announced and a ' +
      'bucket gives back meanwhile. If a window may have ended in between, two bursts must show ' +
      'it.',
    inconclusive:
      'it was seen once and not again, calls came back as fast as they were sent (ambiguous), or ' +
      'another client may have used the key (ambiguous)',
    run: (context) => expectNotMore(context, keyOf(context, plan), exhaustedAgain),
  })

const notFewer = (plan: Plan): Check =>
  check({
    id: `quota-${plan}-not-fewer`,
    requirement: `limits.${plan}`,
    needs: { ...onBurst, plan },
    sends: `Nothing of its own: the burst of \`quota-${plan}-not-more\`.`,
    fails:
      'Fewer served than were announced, or than the plan has after a rest. What one call, or a ' +
      'crowd of another client at once, would explain must be seen in a second burst.',
    inconclusive:
      'others use the key (shared: true), Remaining skipped numbers, responses were lost or ' +
      'failed and may have counted, or nothing was refused (ambiguous)',
    run: (context) => expectNotFewer(context, keyOf(context, plan), exhaustedAgain),
  })

/** Of a larger plan so many show whether a minute came back, or that of a Free key alone. */
const restedMost = 2 * plans.free.perMinute + 10

const askRested = async ({ limits }: Context, key: LimitKey): Promise<readonly Answered[]> => {
  await limits.rest(key.label)
  return spend(limits, key.label, Math.min(restedMost, key.quota.perMinute))
}

/** What a key is served of its minute after a burst and a rest. */
export const spentRested = async (
  context: Context,
  key: LimitKey,
): Promise<readonly Answered[]> => {
  if (refusalsIn(await exhausted(context, key)).length === 0) {
    throw new Suspicion('the key could not be exhausted', [])
  }
  return context.once(`spent after a rest: ${key.label}`, () => answered(askRested(context, key)))
}

/** Right after its burst the key rests, and is then served as many again. */
const restedServed = (plan: Plan): Check =>
  check({
    id: `window-${plan}-rested-served`,
    requirement: 'limits.window-ends',
    needs: { ...onBurst, keyed: restedMost, plan, clock: true },
    sends:
      `By the test clock, after the burst of \`quota-${plan}-not-more\`: the key rests for two ` +
      'minutes, and sends 130 requests, or its whole minute if that is less.',
    fails: 'One of them is refused, twice: the minute came back at another pace.',
    inconclusive:
      'the key could not be exhausted, or another client may have used the key (ambiguous)',
    run: async (context) => {
      const key = keyOf(context, plan)
      const refused = (await spentRested(context, key)).find((one) => !isServed(one))
      if (!refused) return
      const again = (await answered(askRested(context, key))).find((one) => !isServed(one))
      if (!again || !isRefused(again) || !(await isAlone(context, key, undefined))) {
        throw new Suspicion('another client may have spent the minute meanwhile', [refused])
      }
      violate('a whole minute served after a rest of two', told(again), refused, again)
    },
  })

const excess = check({
  id: 'quota-excess-429',
  requirement: 'errors.429',
  needs: onBurst,
  sends: 'Nothing of its own: the burst on the cheapest key.',
  fails:
    'No 429 in it, and a request that came after a response with Remaining 0 is answered 503, ' +
    '403 or anything else.',
  inconclusive:
    'nothing was refused (blocked); by Remaining the request was not over the limit, or a ' +
    'response of the burst was lost (ambiguous)',
  run: async (context) => {
    const round = await exhausted(context, cheapest(context.limits))
    if (refusalsIn(round).length > 0) return
    const other = [...round.probes, ...round.burst].findLast((one) => !isServed(one))
    if (!other) throw new Untested('blocked', 'no request was refused', round.burst.slice(-1))
    if (!isOverLimit(round, other)) throw notOver(round, other)
    if (await mayBeOthersBan(context, round.key, other)) {
      throw new Suspicion('another client may have drawn a ban upon the key', [other])
    }
    violate('429 to a request over the limit', told(other), ...round.probes, other)
  },
})

/** Another status says nothing of the limit where calls remained, or may have remained. */
const notOver = ({ lost }: Round, other: Answered): Suspicion => {
  const status = statusOf(other)
  const why =
    lost > 0
      ? `${lost} requests of the burst got no answer, so whether the limit was met is not known`
      : `a request was answered ${status}, and by Remaining it was not over the limit`
  return new Suspicion(why, [other])
}

const status = check({
  id: 'quota-429-status',
  requirement: 'limits.429',
  needs: onBurst,
  sends: 'Nothing of its own: the burst on the cheapest key.',
  fails:
    'No 429 in it, although more was sent than the plan has and more was served than any design ' +
    'would, or another status refused it.',
  inconclusive: 'the limit was not reached in one burst, or calls came back as fast (ambiguous)',
  run: async (context) => {
    const round = await exhausted(context, cheapest(context.limits))
    if (refusalsIn(round).length > 0) return
    const { perMinute } = round.key.quota
    const other = round.burst.findLast((one) => !isServed(one) && isOverLimit(round, one))
    const last = other ?? round.burst.at(-1)
    const all = round.probes.length + round.burst.length
    if (!last || all <= perMinute || round.lost > 0) {
      throw new Suspicion('the limit was not reached in one burst', round.probes)
    }
    if (!isServed(last) && !other) throw notOver(round, last)
    const granted = [...round.probes, ...round.burst].filter(isServed)
    const isTooMuch = granted.length > 2 * perMinute && spanMs(granted) < minuteMs
    if (isServed(last) && !isTooMuch && (await moreOf(context, round))(round).kind !== 'breach') {
      throw new Suspicion('calls came back while the burst went on', [last])
    }
    if (context.limits.instant && (await mayBeOthersBan(context, round.key, last))) {
      throw new Suspicion('another client may have drawn a ban upon the key', [last])
    }
    violate('a 429 once the limit is exceeded', `none in ${all}, but ${told(last)}`, last)
  },
})

export const quotaOf = (plan: Plan): readonly Check[] => [notMore(plan), notFewer(plan)]

/** Of a plan beside Free; the rest of a Free key is looked at by itself. */
export const quotaOfOther = (plan: Plan): readonly Check[] => [
  notMore(plan),
  notFewer(plan),
  restedServed(plan),
]

export const excessChecks: readonly Check[] = [excess, status]
