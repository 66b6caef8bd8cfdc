// Keys are counted apart: what one key spent, or an invalid one asked, is taken from no other.

import type { Context, LimitKey, Limits } from '../../engine/context.ts'
import { check, type Question } from '../../engine/declare.ts'
import type { Answered } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { Inapplicable, Suspicion, Untested } from '../../engine/outcome.ts'
import { allKeys } from '../../engine/quota/limits.ts'
import type { Round } from '../../engine/quota/round.ts'
import { isAlone, mayBeOthersBan } from './alone.ts'
import { refusalsIn, refusedRound } from './exhausted.ts'
import { answered } from './flood.ts'
import { onBurst } from './quota.ts'
import {
  fromMs,
  isServed,
  isShutOut,
  minuteMs,
  minuteSaid,
  refillOf,
  spanMs,
  toMs,
  waitOf,
} from './reading.ts'
import { lastToEnd } from './retry.ts'
import { cheapest, holdRound, short } from './round.ts'

/** Calls of a key in the two windows before one of them: no design counts others. */
const ownBefore = (limits: Limits, label: string, asked: Answered): number =>
  limits
    .heard(label)
    .filter((one) => one.seq < asked.seq && fromMs(one) > fromMs(asked) - 2 * minuteMs).length

/** Whether a refused key may have been refused for what itself, or another client, had spent. */
export const mayBeSpent = async (
  context: Context,
  key: LimitKey,
  refused: Answered,
  round: Round | undefined,
): Promise<boolean> => {
  const { limits } = context
  if (!(await isAlone(context, key, round))) return true
  if (ownBefore(limits, key.label, refused) < key.quota.perMinute) return false
  const before = limits.heard(key.label).findLast((one) => one.seq < refused.seq)
  const said = before && minuteSaid(before, key.quota)
  return said === undefined || said.remaining === 0
}

/** Asks with a key whose quota allows it; a refusal is an answer. */
export const askedWith = async (context: Context, key: LimitKey): Promise<Answered> => {
  try {
    return await context.call({ ...short, key: key.label })
  } catch (error) {
    const [refusal] = error instanceof Untested ? error.evidence : []
    const isNew = refusal?.response && refusal.key === key.label && isShutOut(refusal)
    if (!isNew) throw error
    return refusal as Answered
  }
}

/** Of what the one key spent, at least so much has to be missing on another. */
const harmShare = 0.6
/** Whoever took as much of a key in that moment takes more of it within this real time. */
const listenMs = 1_000

/** All of the burst, but for what a bucket may have given back since it began. */
const harmfulFrom = (key: LimitKey, { probes, burst }: Round, answer: Answered): number => {
  const back = refillOf(key.quota.perMinute, minuteMs, spanMs([...burst, answer]))
  const share = harmShare * (probes.length + burst.length)
  return Math.max(share, burst.filter(isServed).length - back - 1)
}

interface Harm {
  readonly expected: string
  readonly actual: string
  readonly evidence: readonly Answered[]
}

/** What a key lost while another one is exhausted, where it lost anything. */
const harmOf = async (
  context: Context,
  key: LimitKey,
  round: Round,
  refusal: Answered,
): Promise<Harm | undefined> => {
  const answer = await askedWith(context, key)
  const evidence = [refusal, answer]
  const wait = waitOf(refusal)
  const untilMs = toMs(refusal) + ('ms' in wait ? wait.ms : minuteMs)
  if (fromMs(answer) > untilMs && isServed(answer)) {
    throw new Suspicion('the exhausted key was whole again by then', evidence)
  }
  const own = ownBefore(context.limits, key.label, answer)
  if (!isServed(answer)) {
    if (!isShutOut(answer)) throw new Suspicion(`key ${key.label} got ${told(answer)}`, evidence)
    const isOthers = await mayBeOthersBan(context, key, answer)
    if (isOthers || (await mayBeSpent(context, key, answer, undefined))) {
      throw new Suspicion(`key ${key.label} may itself be spent`, evidence)
    }
    const expected = `key ${key.label} served while ${refusal.key} is exhausted`
    return { expected, actual: told(answer), evidence }
  }
  const said = minuteSaid(answer, key.quota)
  const left = key.quota.perMinute - 1 - own
  const missing = said ? left - said.remaining : 0
  if (missing < harmfulFrom(key, round, answer)) return undefined
  await context.limits.linger(listenMs)
  const later = minuteSaid(await askedWith(context, key), key.quota)
  const isQuiet = said !== undefined && later !== undefined && said.remaining - later.remaining <= 1
  if (!isQuiet || !(await isAlone(context, key, undefined))) {
    throw new Suspicion(`another client may use key ${key.label}`, evidence)
  }
  const expected = `about ${left} requests left to key ${key.label}`
  return { expected, actual: `${said?.remaining} left`, evidence }
}

const lastRefusal = (round: Round): Answered => {
  const refusal = lastToEnd(refusalsIn(round))
  if (refusal) return refusal
  throw new Untested('ambiguous', 'the key could not be exhausted once more', round.probes)
}

/**
 * Judged only while the exhausted key would still be refused. Another client may have been there
 * and gone, so that it takes the same twice.
 */
const expectApart = async (context: Context, key: LimitKey): Promise<void> => {
  const { limits } = context
  const round = await refusedRound(context)
  const once = await harmOf(context, key, round, lastRefusal(round))
  if (!once) return
  const fail = ({ expected, actual, evidence }: Harm) => violate(expected, actual, ...evidence)
  const again = await context.once('exhausted beside the other keys', () =>
    answered(holdRound(context, cheapest(limits), undefined, 'lists')),
  )
  const twice = await harmOf(context, key, again, lastRefusal(again))
  if (twice) fail(twice)
  throw new Suspicion(`${once.actual} once, and not again`, once.evidence)
}

const otherPlan = check({
  id: 'isolation-other-plan-served',
  requirement: 'auth.per-key',
  needs: { ...onBurst, keyed: 1, beside: 'other-plan' },
  sends: 'While the cheapest key is exhausted, one call with a key of another plan.',
  fails:
    'It is refused although it has calls left, or it lost most of what the burst took; seen ' +
    'after two bursts.',
  inconclusive:
    'the exhausted key had recovered by then, or another client may have used the key (ambiguous)',
  run: async (context) => {
    const { plan } = cheapest(context.limits)
    const key = allKeys(context.limits).find((each) => each.plan !== plan)
    if (!key) throw new Inapplicable('no key of a second plan is configured (--key PLAN=KEY)')
    await expectApart(context, key)
  },
})

const samePlan = check({
  id: 'isolation-same-plan-served',
  requirement: 'auth.per-key',
  needs: { ...onBurst, keyed: 1, beside: 'same-plan' },
  sends: 'While the cheapest key is exhausted, one call with another key of the same plan.',
  fails:
    'It is refused although it has calls left, or it lost most of what the burst took; seen ' +
    'after two bursts.',
  inconclusive:
    'the exhausted key had recovered by then, or another client may have used the key (ambiguous)',
  run: async (context) => {
    const { plan, label } = cheapest(context.limits)
    const key = allKeys(context.limits).find((each) => each.plan === plan && each.label !== label)
    if (!key) throw new Untested('key', `it needs a second key of the plan ${plan}`)
    await expectApart(context, key)
  },
})

export const isolation: readonly Question[] = [otherPlan, samePlan]
