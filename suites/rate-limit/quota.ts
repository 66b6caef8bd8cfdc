// The quota of a minute: after a rest exactly as many requests are served as the plan has.

import type { Context, LimitKey } from '../../engine/context.ts'
import { type Check, check, type Needs } from '../../engine/declare.ts'
import { Suspicion, Untested, Violation } from '../../engine/outcome.ts'
import {
  type Judgement,
  judgeFewerShared,
  judgeMore,
  judgeMoreShared,
} from '../../engine/quota/judgements.ts'
import { cutIn, isOverLimit, missingIn, type Round } from '../../engine/quota/round.ts'
import { type Plan, plans } from '../../spec/plans.ts'
import {
  burstNeeds,
  firstBurst,
  keyOfPlan,
  limitNeeds,
  secondBurst,
  secondBurstOnKey,
} from './experiments.ts'
import { isOnlyClient, sawOtherClient } from './other-clients.ts'
import { isRefused, isServed } from './reading.ts'

/** Throws what a judgement found: a breach, or what leaves it unclear. */
export const conclude = (found: Judgement): void => {
  if (found.kind === 'holds') return
  if (found.kind === 'unclear') throw new Suspicion(found.why, found.evidence)
  throw new Violation(found.expected, found.actual, found.evidence)
}

/** Runs the second burst, where the first one has a legal explanation. */
type BurstAgain = (context: Context, key: LimitKey) => Promise<Round>

/**
 * Judges a burst; where it has a legal explanation that a second one would not have, another one.
 * @param isDecidedBy whether that other burst leaves no explanation
 */
const judgeTwice = async (
  context: Context,
  key: LimitKey,
  again: BurstAgain,
  judge: (round: Round) => Judgement,
  isDecidedBy: (second: Round, found: Judgement) => boolean | Promise<boolean>,
): Promise<void> => {
  const first = judge(await firstBurst(context, key))
  if (first.kind !== 'weak') return conclude(first)
  const round = await again(context, key)
  const second = judge(round)
  if (second.kind === 'holds' || second.kind === 'unclear') {
    const why = `${first.actual} once, and not again: repeat the run without other clients`
    throw new Suspicion(why, first.evidence)
  }
  if (await isDecidedBy(round, second)) return conclude(second)
  const why = `${first.actual}, which another client explains: repeat the run with a second key`
  throw new Suspicion(why, first.evidence)
}

/** How to judge what was served beyond the announced, which may be calls of another client. */
export const judgeMoreOf = async (
  context: Context,
  round: Round,
): Promise<(round: Round) => Judgement> => {
  const isInQuestion = context.limits.instant && judgeMore(round).kind !== 'holds'
  const isOnly = isInQuestion && (await isOnlyClient(context, round.key, round))
  return isOnly ? judgeMore : judgeMoreShared
}

/** Whether the server has limited anything: by a 429, or by something else in its place. */
const isLimited = (round: Round): boolean =>
  [...round.probes, ...round.burst].some(
    (one) => isRefused(one) || (!isServed(one) && isOverLimit(round, one)),
  )

/** Not more than the quota of a key is served. */
const expectNotMore = async (context: Context, key: LimitKey, again: BurstAgain): Promise<void> => {
  const round = await firstBurst(context, key)
  const judge = await judgeMoreOf(context, round)
  await judgeTwice(context, key, again, judge, (_round, { kind }) => kind === 'breach')
  if (isLimited(round)) return
  const why = 'nothing was refused: calls come back as fast as they are sent, or some failed'
  throw new Suspicion(`${why}; repeat the run over a faster network`, round.burst.slice(-1))
}

/** Not fewer than the quota of a key are served, where no other client can have spent the rest. */
const expectNotFewer = async (
  context: Context,
  key: LimitKey,
  again: BurstAgain,
): Promise<void> => {
  const { limits } = context
  const round = await firstBurst(context, key)
  if (limits.shared) {
    const why = 'others use the key (shared: true), so what they spent is unknown'
    throw new Suspicion(why, round.probes)
  }
  if (round.lost === 0 && [...round.probes, ...round.burst].every(isServed)) {
    throw new Suspicion('nothing was refused, so no limit was reached', round.burst.slice(-1))
  }
  const isDecidedBy = (second: Round, { kind }: Judgement) => {
    const missing = missingIn(round)
    if (kind === 'breach') return true
    // A probe before a reset is one call more.
    if (Math.abs(missingIn(second) - missing) > 1) return false
    if (second.key.label !== key.label) return true
    const isCut = [round, second].every((each) => cutIn(each) > 1)
    if (isCut && !limits.instant) return !sawOtherClient(context, key)
    return limits.instant && isOnlyClient(context, key, second)
  }
  await judgeTwice(context, key, again, judgeFewerShared, isDecidedBy)
}

/** An enterprise quota is agreed case by case: only a run knows its cost. */
const perMinuteOf = (plan: Plan): number => (plan === 'enterprise' ? 0 : plans[plan].perMinute)

/** All of a minute, the one that is refused, and a probe of the minute before. */
const burstCost = (requests: number) => requests + 2

/** The two checks of a plan's quota, on its cheapest key. */
export const quotaOf = (plan: Plan): { readonly notMore: Check; readonly notFewer: Check } => ({
  notMore: check({
    id: `quota-${plan}-not-more`,
    requirement: `limits.${plan}`,
    needs: { ...limitNeeds, keyed: burstCost(perMinuteOf(plan)), plan, holds: 'burst' },
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
    run: (context) => expectNotMore(context, keyOfPlan(context, plan), secondBurst),
  }),
  notFewer: check({
    id: `quota-${plan}-not-fewer`,
    requirement: `limits.${plan}`,
    needs: { ...burstNeeds, plan },
    sends: `Nothing of its own: the burst of \`quota-${plan}-not-more\`.`,
    fails:
      'Fewer served than were announced, or than the plan has after a rest. What one call, or ' +
      'many calls of another client at once, would explain must be seen in a second burst.',
    inconclusive:
      'others use the key (shared: true), Remaining skipped numbers, responses were lost or ' +
      'failed and may have counted, or nothing was refused (ambiguous)',
    run: (context) => expectNotFewer(context, keyOfPlan(context, plan), secondBurst),
  }),
})

/** The same error, with the key that it is about. */
const ofKey = (error: unknown, { label }: LimitKey): unknown => {
  if (error instanceof Violation) {
    return new Violation(error.expected, `key ${label}: ${error.actual}`, error.evidence)
  }
  if (!(error instanceof Untested)) return error
  return new Untested(error.because, `key ${label}: ${error.message}`, error.evidence)
}

/** After these the next key can still be judged. */
const isOfKey = (error: unknown): error is Untested =>
  error instanceof Untested && ['ambiguous', 'blocked', 'permission'].includes(error.because)

const judgeEach = async (context: Context, judge: typeof expectNotMore): Promise<void> => {
  const { all, exhausted } = context.limits.further
  const doubts: Untested[] = []
  for (const key of exhausted) {
    try {
      await judge(context, key, secondBurstOnKey)
    } catch (thrown) {
      const error = ofKey(thrown, key)
      if (!isOfKey(error)) throw error
      doubts.push(error)
    }
  }
  const [doubt] = doubts
  if (doubt) throw doubt
  const left = all.filter((key) => !exhausted.includes(key)).map(({ label }) => label)
  if (left.length === 0) return
  const why = `their minutes take too long in real time: ${left.join(', ')}; use a test clock`
  throw new Untested('clock', `keys not exhausted, as ${why} (--clock)`)
}

const eachKeyNeeds: Needs = { ...limitNeeds, stage: 'bans', eachKey: true }
const inconclusiveEachKey =
  'some key was not exhausted, and they are named (clock), or another client may have used ' +
  'the key (ambiguous)'

/** The quotas of the keys that the checks of their plan do not use. */
export const eachKey: readonly Check[] = [
  check({
    id: 'quota-each-key-not-more',
    requirement: 'auth.per-key',
    needs: { ...eachKeyNeeds, keyed: 62, holds: 'burst' },
    sends:
      'The burst on each key but the first of its plan; that on the key for bans is sent in any ' +
      'case. Without a test clock only on keys of at most 100 requests a minute.',
    fails: 'What `quota-PLAN-not-more` fails, by the numbers of that key.',
    inconclusive: inconclusiveEachKey,
    run: (context) => judgeEach(context, expectNotMore),
  }),
  check({
    id: 'quota-each-key-not-fewer',
    requirement: 'auth.per-key',
    needs: { ...eachKeyNeeds, looksAt: ['burst'] },
    sends: 'Nothing of its own: the bursts of `quota-each-key-not-more`.',
    fails: 'What `quota-PLAN-not-fewer` fails, by the numbers of that key.',
    inconclusive: inconclusiveEachKey,
    run: (context) => judgeEach(context, expectNotFewer),
  }),
]
