// A window lasts a minute: neither an early Reset nor the next minute of the clock refills it.

import type { Context, LimitKey } from '../../engine/context.ts'
import { type Check, check } from '../../engine/declare.ts'
import type { Answered } from '../../engine/exchange.ts'
import { violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { maxBurst } from '../../engine/quota/limits.ts'
import type { RateHeaders } from '../../engine/quota/rate-headers.ts'
import type { Plan } from '../../spec/plans.ts'
import { shortList, unlessLost } from './burst.ts'
import {
  burstNeeds,
  cheapest,
  expectAllServed,
  firstBurst,
  firstRetry,
  keyOfPlan,
  limitNeeds,
  retryNeeds,
  spendAnnounced,
  spendCalls,
} from './experiments.ts'
import {
  areBefore,
  isServed,
  minuteMs,
  minuteSaid,
  refillOf,
  spanMs,
  waitForResetMs,
} from './reading.ts'
import { spentAfterRest } from './window-ends.ts'

/** Two Resets are whole seconds, each rounded up or down. */
const graceMs = 3_000
const secondMs = 1_000
/** Calls that were spread over more time come back over as much, and then a bucket is full too. */
const maxSpentSpanMs = 10_000
/** A bucket is full again this soon after one call; no window is that short. */
const minApartMs = 10_000

/** Calls that spent a part of a minute, and one after the Reset that they announced. */
interface Refill {
  readonly key: LimitKey
  readonly spent: readonly Answered[]
  /** Announces the Reset. */
  readonly before: Answered
  readonly first: Answered
}

/** The headers of a response that shows a full minute, apart from it and `earlier` calls. */
const fullMinuteIn = (
  response: Answered,
  earlier: number,
  { quota }: LimitKey,
): RateHeaders | undefined => {
  const said = isServed(response) ? minuteSaid(response, quota) : undefined
  return said?.remaining === quota.perMinute - 1 - earlier ? said : undefined
}

/** Calls again once as much time has passed as the calls took: a log refills as it was spent. */
const callLater = async (
  { limits, once }: Context,
  { key: { label }, spent }: Refill,
): Promise<Answered | undefined> => {
  const tookMs = spanMs(spent)
  if (tookMs > maxSpentSpanMs) return undefined
  return unlessLost(
    once(`called later: ${label}`, async () => {
      await limits.pass(tookMs + secondMs)
      return limits.sendAnyway(label, shortList)
    }),
  )
}

interface FullMinute {
  readonly said: RateHeaders
  /** The response that shows it is the last of them. */
  readonly responses: readonly Answered[]
}

/** The first response that shows a full minute, if any. */
const findFullMinute = async (
  context: Context,
  refill: Refill,
): Promise<FullMinute | undefined> => {
  const { key, first } = refill
  if (!isServed(first)) return undefined
  if (!minuteSaid(first, key.quota)) {
    throw new Suspicion('the response after the wait gives no Remaining of the minute', [first])
  }
  const atOnce = fullMinuteIn(first, 0, key)
  if (atOnce) return { said: atOnce, responses: [first] }
  const later = await callLater(context, refill)
  const said = later && fullMinuteIn(later, 1, key)
  return said && { said, responses: [first, later] }
}

/**
 * Spends what came back, and calls after the announced Reset. Only servers get here that give
 * everything back at once and announced to do so again within the minute.
 */
const spendAndCallAfterReset = (
  context: Context,
  key: LimitKey,
  { said, responses }: FullMinute,
): Promise<Answered> => {
  const { limits, once } = context
  return unlessLost(
    once(`spent within the minute: ${key.label}`, async () => {
      const spent = await spendAnnounced(context, key, said.remaining)
      await limits.pass(waitForResetMs(said) + spanMs([...responses, ...spent]))
      return limits.sendAnyway(key.label, shortList)
    }),
  )
}

/** Two refills at announced Resets are a minute apart; ignores those less than `minMs` apart. */
const expectMinute = async (context: Context, refill: Refill, minMs: number): Promise<void> => {
  const { key, before } = refill
  const announced = minuteSaid(before, key.quota)
  if (!announced) throw new Suspicion('no Reset of the minute is announced', [before])
  const full = await findFullMinute(context, refill)
  if (!full) return
  const apartS = full.said.reset - announced.reset
  if (apartS * 1000 >= minuteMs - graceMs || apartS * 1000 < minMs) return
  const last = await spendAndCallAfterReset(context, key, full)
  // After a whole minute a bucket is full again, too.
  const betweenMs = spanMs([...full.responses.slice(-1), last])
  if (!fullMinuteIn(last, 0, key) || betweenMs >= minuteMs - graceMs) return
  const expected = `two refills at announced resets ${minuteMs / 1000} s apart`
  const evidence = [before, ...full.responses, last]
  violate(expected, `all came back twice, ${apartS} s apart`, ...evidence)
}

export const windowLength = check({
  id: 'window-not-shorter',
  requirement: 'limits.window-ends',
  needs: retryNeeds,
  sends:
    'If the call after the wait, or one as much later as the burst took, finds the whole ' +
    'minute back, and announces the next Reset less than a minute after the one before: that ' +
    'minute is spent, and one call follows that Reset.',
  fails: 'All came back a second time, less than a minute (minus 3 s of grace) apart.',
  inconclusive:
    'the refusal, or the response after the wait, says nothing of the minute (ambiguous)',
  run: async (context) => {
    const key = cheapest(context.limits)
    const { refusal, tries } = await firstRetry(context)
    const { probes, burst } = await firstBurst(context, key)
    const [first] = tries
    if (!first) return
    const refill = { key, spent: [...probes, ...burst], before: refusal, first }
    await expectMinute(context, refill, Number.NEGATIVE_INFINITY)
  },
})

/** With the test clock the same of a larger plan, part of whose minute is spent. */
export const windowOfPlan = (plan: Plan): Check =>
  check({
    id: `window-${plan}-not-shorter`,
    requirement: 'limits.window-ends',
    needs: { ...burstNeeds, keyed: 1, plan, clock: true },
    sends:
      `By the test clock, after \`window-${plan}-rested-served\`: one request after the Reset ` +
      'that its last response announced. Only if that gives the whole minute back, and announces ' +
      'the next Reset 10 s to 57 s later: the minute is spent, and one request follows that ' +
      'Reset.',
    fails: 'The whole minute is back both times, at announced Resets less than 57 s apart.',
    inconclusive:
      'no whole minute was served after a rest (blocked), or no Reset is announced (ambiguous)',
    run: async (context) => {
      const { limits } = context
      const key = keyOfPlan(context, plan)
      const spent = await spentAfterRest(context, key)
      const before = spent.at(-1)
      const said = before && minuteSaid(before, key.quota)
      if (!spent.every(isServed)) {
        throw new Untested('blocked', 'no whole minute was served after a rest', spent.slice(-1))
      }
      if (!said) throw new Suspicion('no Reset of the minute is announced', spent.slice(-1))
      await limits.pass(waitForResetMs(said))
      const first = await unlessLost(limits.sendAnyway(key.label, shortList))
      await expectMinute(context, { key, spent, before, first }, minApartMs)
    },
  })

/** How long before a minute of the clock ends a whole one is spent. */
const beforeEdgeMs = 10_000
/** So much later it goes on: after that end, and before a window of a minute is over. */
const waitMs = 50_000
/** A Reset up to here may be past by then. */
const nearResetMs = waitMs + 2_000
/** Calls that may come back while others are in flight. */
const maxBack = 2
/** So many more are sent than any design would grant. */
const callsBeyond = 6

/** Spends a whole minute shortly before a minute of the clock ends; [] if a Reset is near. */
const spendBeforeEdge = async (
  { clock, limits }: Context,
  { label, quota }: LimitKey,
): Promise<readonly Answered[]> => {
  await limits.rest(label)
  const intoMs = (await clock.now()) % minuteMs
  await limits.pass((2 * minuteMs - beforeEdgeMs - intoMs) % minuteMs)
  const first = await limits.sendAnyway(label, shortList)
  const said = minuteSaid(first, quota)
  if (!said) throw new Untested('ambiguous', 'Remaining of the minute is not given', [first])
  // A Reset this far ahead comes from another clock than Date.
  if (said.resetInMs > 2 * minuteMs) {
    throw new Untested('ambiguous', 'Reset and Date contradict each other', [first])
  }
  if (said.resetInMs <= nearResetMs) return []
  const all = [first, ...(await spendCalls(limits, label, quota.perMinute - 1))]
  expectAllServed(all)
  return all
}

/** One call alone, as most designs refuse it; then what a bucket has back, and a few one by one. */
const callAfterEdge = async (
  { limits }: Context,
  { label, quota }: LimitKey,
  before: readonly Answered[],
): Promise<readonly Answered[]> => {
  const first = await limits.sendAnyway(label, shortList)
  if (!isServed(first)) return [first]
  const back = refillOf(quota.perMinute, minuteMs, spanMs([...before, first]))
  const all = [first, ...(await spendCalls(limits, label, Math.max(0, back - 2)))]
  for (let calls = 0; calls < maxBack + callsBeyond && all.every(isServed); calls += 1) {
    all.push(await limits.sendAnyway(label, shortList))
  }
  return all
}

export const acrossMinute = check({
  id: 'window-across-minute-not-more',
  requirement: 'limits.not-late',
  needs: { ...limitNeeds, keyed: 118, clock: true },
  sends:
    'By the test clock, after a rest: the whole minute is spent 10 s before a minute of the ' +
    'clock ends, and 50 s later as many requests follow as a bucket has back, and a few more. ' +
    'Nothing follows if a Reset within 52 s was stated.',
  fails: 'More are served before the first stated Reset than the plan and that bucket allow.',
  inconclusive:
    'Remaining of the minute is not given, or another client may have used the key (ambiguous)',
  run: async (context) => {
    await context.control('list')
    const key = cheapest(context.limits)
    const { perMinute } = key.quota
    if (perMinute > maxBurst) {
      throw new Untested('ambiguous', 'a whole minute is too many requests')
    }
    const before = await unlessLost(spendBeforeEdge(context, key))
    const [first] = before
    if (!first) return
    await context.limits.pass(waitMs)
    const after = await unlessLost(callAfterEdge(context, key, before))
    const all = [...before, ...after]
    const max = perMinute + refillOf(perMinute, minuteMs, spanMs(all)) + maxBack
    const served = all.filter(isServed)
    const said = minuteSaid(first, key.quota)
    if (served.length <= max || !said || !areBefore(all, said.reset)) return
    const expected = `at most ${max} served until the first stated reset`
    violate(expected, `${served.length} served`, first, ...served.slice(-1))
  },
})
