// The quota of a minute, plan by plan: after a rest exactly so many requests are served.
import type { Plan } from '../../spec/plans.ts'
import { planNames, plans } from '../../spec/plans.ts'
import type { Check, Needs } from '../kit/check.ts'
import { check } from '../kit/check.ts'
import type { Context } from '../kit/context.ts'
import { told, violate } from '../kit/expect.ts'
import { Suspicion, Untested, Violation } from '../kit/outcome.ts'
import type { LimitKey } from '../kit/quota/limits.ts'
import type { Judgement } from '../kit/quota/quota-judgements.ts'
import {
  cutIn,
  judgeFewerBeside,
  judgeMore,
  judgeMoreBeside,
  missingIn,
} from '../kit/quota/quota-judgements.ts'
import type { Round } from '../kit/quota/round.ts'
import { isAlone, mayBeOthersBan, wasFelt } from './alone.ts'
import { exhausted, exhaustedAgain, refusalsIn } from './exhausted.ts'
import { isRefused, isServed, isShutOut, minuteMs, spanMs } from './reading.ts'
import { cheapest } from './round.ts'

/** All of a minute, the one that is refused, and a probe of the minute before. */
const roundCost = (requests: number) => requests + 2

/** An enterprise quota is agreed case by case: only a run knows its cost. */
const perMinuteOf = (plan: Plan): number => (plan === 'enterprise' ? 0 : plans[plan].perMinute)

/** Looks at what another check has caused, and sends nothing itself. */
export const hindsight: Needs = { stage: 'limits', keyed: 0, anonymous: 0, allow: ['exhaust'] }
export const onBurst: Needs = { ...hindsight, looksAt: ['burst'] }
export const onRetry: Needs = { ...hindsight, looksAt: ['burst', 'retry'] }

const keyOf = ({ limits }: Context, plan: Plan): LimitKey => {
  const key = limits.keys.find((each) => each.plan === plan)
  if (key) return key
  throw new Untested(
    'key',
    `its only key of the plan ${plan} is the one for bans (--key ${plan}=KEY again)`,
  )
}

const fail = ({ expected, actual, evidence }: Judgement & { kind: 'breach' | 'weak' }): never => {
  throw new Violation(expected, actual, evidence)
}

const suspect = (why: string, { evidence }: Judgement & { kind: 'breach' | 'weak' }): never => {
  throw new Suspicion(why, evidence)
}

/**
 * Where the first round has a legal explanation that a second one would not have, it is held.
 * @param isDecidedBy whether that other round leaves no explanation
 */
const judgeTwice = async (
  context: Context,
  key: LimitKey,
  judge: (round: Round) => Judgement,
  isDecidedBy: (second: Round, found: Judgement) => boolean | Promise<boolean>,
): Promise<void> => {
  const first = judge(await exhausted(context, key))
  if (first.kind === 'unclear') throw new Suspicion(first.why, first.evidence)
  if (first.kind === 'breach') fail(first)
  if (first.kind !== 'weak') return
  const round = await exhaustedAgain(context, key)
  const second = judge(round)
  if (second.kind === 'holds' || second.kind === 'unclear') {
    suspect(`${first.actual} once, and not again: a run without other clients decides`, first)
  } else if (await isDecidedBy(round, second)) fail(second)
  else suspect(`${first.actual}, which another client explains: a second key decides`, first)
}

/** What was served beyond the announced was another client's, unless nobody else is there. */
const moreOf = async (context: Context, round: Round) => {
  const isAsked = context.limits.instant && judgeMore(round).kind !== 'holds'
  return isAsked && (await isAlone(context, round.key, round)) ? judgeMore : judgeMoreBeside
}

const notMore = (plan: Plan): Check =>
  check(
    `quota-${plan}-not-more`,
    `limits.${plan}`,
    { ...hindsight, keyed: roundCost(perMinuteOf(plan)), plan, holds: 'burst' },
    async (context) => {
      const key = keyOf(context, plan)
      const judge = await moreOf(context, await exhausted(context, key))
      await judgeTwice(context, key, judge, (_round, { kind }) => kind === 'breach')
    },
  )

/** What nobody else can have spent: at the pace of the test clock nobody else calls. */
const notFewer = (plan: Plan): Check =>
  check(`quota-${plan}-not-fewer`, `limits.${plan}`, { ...onBurst, plan }, async (context) => {
    const { limits } = context
    const key = keyOf(context, plan)
    const round = await exhausted(context, key)
    if (limits.shared) {
      const why = 'others use the key (shared: true), so what they spent is not known'
      throw new Suspicion(why, round.probes)
    }
    if (round.lost === 0 && [...round.probes, ...round.burst].every(isServed)) {
      throw new Suspicion('nothing was refused, so no limit was met', round.burst.slice(-1))
    }
    const isDecidedBy = (second: Round, { kind }: Judgement) => {
      const missing = missingIn(round)
      if (kind === 'breach') return true
      // A probe before a reset is one call more.
      if (Math.abs(missingIn(second) - missing) > 1) return false
      if (second.key.label !== key.label) return true
      const isCut = [round, second].every((each) => cutIn(each) > 1)
      if (isCut && !limits.instant) return !wasFelt(context, key)
      return limits.instant && isAlone(context, key, second)
    }
    await judgeTwice(context, key, judgeFewerBeside, isDecidedBy)
  })

const excess = check('quota-excess-429', 'errors.429', onBurst, async (context) => {
  const round = await exhausted(context, cheapest(context.limits))
  const refused = [...round.probes, ...round.burst].filter((one) => !isServed(one))
  // Beside a 429 of the same burst, 401 and 403 may be a ban.
  const isLegal = refused.some(isRefused) ? isShutOut : isRefused
  const other = refused.find((one) => !isLegal(one))
  if (other && (await mayBeOthersBan(context, round.key, other))) {
    throw new Suspicion('another client may have drawn a ban upon the key', [other])
  }
  if (other) violate('429 to a request over the limit', told(other), ...round.probes, other)
  if (refused.length > 0) return
  throw new Untested('blocked', 'no request was refused', round.burst.slice(-1))
})

const status = check('quota-429-status', 'limits.429', onBurst, async (context) => {
  const round = await exhausted(context, cheapest(context.limits))
  if (refusalsIn(round).length > 0) return
  const { perMinute } = round.key.quota
  const last = round.burst.findLast((one) => !isServed(one)) ?? round.burst.at(-1)
  const all = round.probes.length + round.burst.length
  if (!last || all <= perMinute || round.lost > 0) {
    throw new Suspicion('the limit was not reached in one burst', round.probes)
  }
  const granted = [...round.probes, ...round.burst].filter(isServed)
  const isTooMuch = granted.length > 2 * perMinute && spanMs(granted) < minuteMs
  if (isServed(last) && !isTooMuch && (await moreOf(context, round))(round).kind !== 'breach') {
    throw new Suspicion('calls came back while the burst went on', [last])
  }
  if (context.limits.instant && (await mayBeOthersBan(context, round.key, last))) {
    throw new Suspicion('another client may have drawn a ban upon the key', [last])
  }
  violate('a 429 once the limit is exceeded', `none in ${all}, but ${told(last)}`, last)
})

export const quotaOf = (plan: Plan): readonly Check[] => [notMore(plan), notFewer(plan)]

export const excessChecks: readonly Check[] = [excess, status]

export const otherPlans: readonly Plan[] = planNames.filter((plan) => plan !== 'free')
