// The quota of a minute: after a rest exactly the plan's number of requests is served.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { type Check, check, type Needs } from '../../engine/check/declare.ts'
import { maxAfterRemoval } from '../../engine/quota/planned-experiments.ts'
import {
  cutIn,
  isOverLimit,
  type Judgement,
  judgeFewerShared,
  judgeMore,
  judgeMoreShared,
  missingIn,
  type Round,
  servedTooMany,
} from '../../engine/quota/round.ts'
import { Suspicion, Untested, Violation, type Wrong } from '../../history/outcome.ts'
import { isRefused, isServed } from '../../history/rate-headers.ts'
import { violateStatus } from '../../model/expect.ts'
import { type Plan, plans } from '../../spec/plans.ts'
import { beginDayWith } from './begin-day.ts'
import {
  burstNeeds,
  extraBurst,
  firstBurst,
  keyOfPlan,
  limitNeeds,
  secondBurst,
  secondBurstOnKey,
} from './experiments.ts'
import { isOnlyClient, sawOtherClient, whyNotServed } from './other-clients.ts'
import { callRested, spendCalls } from './sending.ts'

/** What is wrong with a count of served calls, by what was expected of it. */
const kindOfCount = (expected: string): Wrong => {
  if (!expected.includes('served')) return { aspect: 'behaviour' }
  return /^at most/.test(expected) ? servedTooMany : { aspect: 'behaviour', kind: 'too few served' }
}

/** Throws a Violation for a violation, and a Suspicion if the judgement is unclear. */
export const conclude = (found: Judgement): void => {
  if (found.kind === 'holds') return
  if (found.kind === 'unclear') throw new Suspicion(found.why, found.evidence)
  throw new Violation(found.expected, found.actual, found.evidence, kindOfCount(found.expected))
}

type Burst = (context: Context, key: LimitKey) => Promise<Round>

/** The burst that is judged, and another one, if the first has a legal explanation. */
interface Bursts {
  readonly first: Burst
  readonly again: Burst
}

const onPlan: Bursts = { first: firstBurst, again: secondBurst }

/** The burst is the first minute of the day that is spent next. */
const onDay: Bursts = {
  first: async (context, key) => {
    await beginDayWith(context, key)
    return firstBurst(context, key)
  },
  again: secondBurst,
}

const burstsOf = (plan: Plan): Bursts => (plan === 'enterprise' ? onDay : onPlan)

/**
 * Judges a burst. If it has a legal explanation that is unlikely twice, judges a second one.
 * @param isDecidedBy whether the second burst rules the explanation out
 */
const judgeTwice = async (
  context: Context,
  key: LimitKey,
  { first: burst, again }: Bursts,
  judge: (round: Round) => Judgement,
  isDecidedBy: (second: Round, found: Judgement) => boolean | Promise<boolean>,
): Promise<void> => {
  const first = judge(await burst(context, key))
  if (first.kind !== 'weak') return conclude(first)
  const round = await again(context, key)
  const second = judge(round)
  if (second.kind === 'holds' || second.kind === 'unclear') {
    const why = `${first.actual}, but not in a second burst: repeat the run without other clients`
    throw new Suspicion(why, first.evidence)
  }
  if (await isDecidedBy(round, second)) return conclude(second)
  const why = `${first.actual}, which another client may explain: repeat the run with a second key`
  throw new Suspicion(why, first.evidence)
}

/** How to judge a burst in which another client may have used the key. */
export const chooseJudge = async (context: Context, round: Round) => {
  const isInQuestion = context.limits.instant && judgeMore(round).kind !== 'holds'
  const isOnly = isInQuestion && (await isOnlyClient(context, round.key, round))
  return isOnly ? judgeMore : judgeMoreShared
}

/** Whether the server enforced a limit: by a 429, or by another response instead. */
const isLimited = (round: Round): boolean =>
  [...round.probes, ...round.burst].some(
    (one) => isRefused(one) || (!isServed(one) && isOverLimit(round, one)),
  )

/** Expects that no more than the quota of a key is served. */
const expectNotMore = async (context: Context, key: LimitKey, bursts: Bursts): Promise<void> => {
  const round = await bursts.first(context, key)
  const judge = await chooseJudge(context, round)
  await judgeTwice(context, key, bursts, judge, (_round, { kind }) => kind === 'violation')
  if (isLimited(round)) return
  const why = 'nothing was refused: calls came back as fast as they were sent, or some failed'
  throw new Suspicion(`${why}; repeat the run over a faster network`, round.burst.slice(-1))
}

/** Expects that no fewer than the quota of a key is served, if no other client used the key. */
const expectNotFewer = async (context: Context, key: LimitKey, bursts: Bursts): Promise<void> => {
  const { limits } = context
  const round = await bursts.first(context, key)
  if (limits.shared) throw new Suspicion('other clients use the key (shared: true)', round.probes)
  if (round.lost === 0 && [...round.probes, ...round.burst].every(isServed)) {
    throw new Suspicion('nothing was refused, so no limit was reached', round.burst.slice(-1))
  }
  const isDecidedBy = (second: Round, { kind }: Judgement) => {
    const missing = missingIn(round)
    if (kind === 'violation') return true
    // A probe before a reset adds one call.
    if (Math.abs(missingIn(second) - missing) > 1) return false
    if (second.key.label !== key.label) return true
    const isCut = [round, second].every((each) => cutIn(each) > 1)
    if (isCut && !limits.instant) return !sawOtherClient(context, key)
    return limits.instant && isOnlyClient(context, key, second)
  }
  await judgeTwice(context, key, bursts, judgeFewerShared, isDecidedBy)
}

/** The whole minute (of enterprise known only in a run), the refused request, and a first probe. */
const burstCost = (plan: Plan) => (plan === 'enterprise' ? 0 : plans[plan].perMinute) + 2

/** The two checks of a plan's quota, on its cheapest key. */
export const checkQuota = (plan: Plan) => ({
  notMore: check({
    id: `quota-${plan}-not-more`,
    requirement: `limits.${plan}`,
    needs: { ...limitNeeds, keyed: burstCost(plan), plan, experiment: 'burst' },
    sends:
      `With a key of the plan ${plan}, after a rest of two windows: two probes, which show ` +
      'how many calls remain, and a burst of one call more. If all are served it continues.',
    fails:
      'More are served in one declared window than the plan has, or more than were announced ' +
      'plus what a token bucket refills meanwhile. If a window may have ended in between, ' +
      'two bursts must show it.',
    inconclusive:
      'it was seen once and not again, calls came back as fast as they were sent, or another ' +
      'client may have used the key (ambiguous)',
    run: (context) => expectNotMore(context, keyOfPlan(context, plan), burstsOf(plan)),
  }),
  notFewer: check({
    id: `quota-${plan}-not-fewer`,
    requirement: `limits.${plan}`,
    needs: { ...burstNeeds, plan },
    sends: `No requests of its own: it judges the burst of \`quota-${plan}-not-more\`.`,
    fails:
      'Fewer are served than were announced, or than the plan has after a rest. If one call, ' +
      'or many calls of another client, could explain it, a second burst must show it.',
    inconclusive:
      'other clients use the key (shared: true), Remaining skipped numbers, responses were ' +
      'lost or failed and may have counted, or nothing was refused (ambiguous)',
    run: (context) => expectNotFewer(context, keyOfPlan(context, plan), burstsOf(plan)),
  }),
})

const burstNamed =
  (name: string): Burst =>
  (context, key) =>
    context.once(`${name}: ${key.label}`, () => extraBurst(context, key))

const afterRemoval: Bursts = {
  first: burstNamed('exhausted after the removal'),
  again: burstNamed('exhausted again after the removal'),
}

/** Twice where one is refused, since another client may have called. */
const expectServed = async (context: Context, key: LimitKey): Promise<void> => {
  const call = async () => (await callMoreThanFree(context, key)).find((one) => !isServed(one))
  const refused = await call()
  if (!refused) return
  const second = await call()
  if (!second) throw new Suspicion('it was refused once, but not again', [refused])
  if (!isRefused(second) || !(await isOnlyClient(context, key))) {
    throw new Suspicion(whyNotServed(context, key, second), [refused, second])
  }
  violateStatus('a whole minute served after a rest of two', refused, second)
}

/** A larger minute is not exhausted a second time: one call more than a Free key has is enough. */
const callMoreThanFree = async (context: Context, key: LimitKey) => [
  await callRested(context, key),
  ...(await spendCalls(context, key, plans.free.perMinute)),
]

/** @param move moves the clock past the removal */
export const quotaAfterRemoval = (plan: Plan, move: (context: Context) => Promise<void>): Check =>
  check({
    id: `quota-${plan}-after-removal`,
    requirement: `limits.${plan}`,
    needs: {
      ...limitNeeds,
      stage: 'removal',
      keyed: burstCost(plan),
      plan,
      clock: true,
      experiment: 'burst after removal',
    },
    sends:
      'With the test clock one second into 6 December 2030: the burst of ' +
      `\`quota-${plan}-not-more\`; with more than ${maxAfterRemoval} requests a minute one ` +
      'request more than a Free key has, after a rest.',
    fails: `As for \`quota-${plan}-not-more\` and \`quota-${plan}-not-fewer\`.`,
    inconclusive: 'another client may have used the key (ambiguous)',
    run: async (context) => {
      const key = keyOfPlan(context, plan)
      await context.control('list')
      await move(context)
      if (key.quota.perMinute > maxAfterRemoval) {
        return expectServed(context, key)
      }
      await expectNotMore(context, key, afterRemoval)
      await expectNotFewer(context, key, afterRemoval)
    },
  })

/** Adds the key to the message of an error. */
const ofKey = (error: unknown, { label }: LimitKey): unknown => {
  if (error instanceof Violation) {
    return new Violation(
      error.expected,
      `key ${label}: ${error.actual}`,
      error.evidence,
      error.wrong,
    )
  }
  if (!(error instanceof Untested)) return error
  return new Untested(error.because, `key ${label}: ${error.message}`, error.evidence)
}

/** Whether the next key can still be judged after this error. */
const isOfKey = (error: unknown): error is Untested =>
  error instanceof Untested && ['ambiguous', 'blocked', 'permission'].includes(error.because)

const judgeEach = async (context: Context, judge: typeof expectNotMore): Promise<void> => {
  const { all, exhausted } = context.limits.further
  const doubts: Untested[] = []
  for (const key of exhausted) {
    try {
      await judge(context, key, { first: firstBurst, again: secondBurstOnKey })
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
  const why = `real time is too slow for them: ${left.join(', ')}; use a test clock`
  throw new Untested('clock', `some keys were not exhausted, since ${why} (--clock)`)
}

const eachKeyNeeds: Needs = { ...limitNeeds, stage: 'bans', furtherKeys: true }
const inconclusiveEachKey =
  'a key was not exhausted (clock), or another client may have used a key (ambiguous)'

/** The quotas of the keys that the checks per plan do not use. */
export const eachKey: readonly Check[] = [
  check({
    id: 'quota-each-key-not-more',
    requirement: 'auth.per-key',
    needs: { ...eachKeyNeeds, keyed: 62, experiment: 'burst' },
    sends:
      'The burst on each key except the first of its plan, and on the key for bans. Without ' +
      'a test clock only on keys of at most 100 requests a minute.',
    fails: 'As for `quota-PLAN-not-more`, with the numbers of that key.',
    inconclusive: inconclusiveEachKey,
    run: (context) => judgeEach(context, expectNotMore),
  }),
  check({
    id: 'quota-each-key-not-fewer',
    requirement: 'auth.per-key',
    needs: { ...eachKeyNeeds, looksAt: ['burst'] },
    sends: 'No requests of its own: it judges the bursts of `quota-each-key-not-more`.',
    fails: 'As for `quota-PLAN-not-fewer`, with the numbers of that key.',
    inconclusive: inconclusiveEachKey,
    run: (context) => judgeEach(context, expectNotFewer),
  }),
]
