// A window lasts a minute: the quota comes back neither at an early Reset nor at a clock minute.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { type Check, check } from '../../engine/check/declare.ts'
import type { AnsweredExchange } from '../../engine/check/exchange.ts'
import { violate, violateAs } from '../../engine/check/expect.ts'
import { Suspicion, Untested } from '../../engine/check/outcome.ts'
import { maxBurst } from '../../engine/check/spendable-keys.ts'
import {
  areBefore,
  isServed,
  maxRefill,
  minuteMs,
  minuteSaid,
  spanMs,
  waitForResetMs,
} from '../../engine/quota/rate-headers.ts'
import { servedTooMany } from '../../engine/quota/round.ts'
import type { Plan } from '../../spec/plans.ts'
import {
  burstNeeds,
  cheapest,
  firstBurst,
  firstRetry,
  keyOfPlan,
  limitNeeds,
  retryNeeds,
} from './experiments.ts'
import { callAnyway, expectAllServed, spendAnnounced, spendCalls } from './sending.ts'
import { spentAfterRest } from './window-ends.ts'

/** Two Resets, each rounded up or down to a second. */
const graceMs = 3_000
const secondMs = 1_000
/** Calls that take longer come back over as long a time, in which a bucket becomes full too. */
const maxSpentSpanMs = 10_000
/** A bucket is full again this soon after one call, so shorter distances are ignored. */
const minApartMs = 10_000

/** Calls that spent a part of a minute, and one call after the announced Reset. */
interface Refill {
  readonly key: LimitKey
  readonly spent: readonly AnsweredExchange[]
  /** Announces the Reset. */
  readonly before: AnsweredExchange
  readonly first: AnsweredExchange
}

/** The headers of a response, if they show a full minute except for it and `earlier` calls. */
const fullMinuteIn = (response: AnsweredExchange, earlier: number, { quota }: LimitKey) => {
  const said = isServed(response) ? minuteSaid(response) : undefined
  return said?.remaining === quota.perMinute - 1 - earlier ? said : undefined
}

/** Calls again after as much time as the calls took, since a log refills at that pace. */
const callLater = async (context: Context, { key, spent }: Refill) => {
  const tookMs = spanMs(spent)
  if (tookMs > maxSpentSpanMs) return undefined
  return context.once(`called later: ${key.label}`, async () => {
    await context.limits.pass(tookMs + secondMs)
    return callAnyway(context, key)
  })
}

/** The first response that shows a full minute, if any: the last of `responses`. */
const findFullMinute = async (context: Context, refill: Refill) => {
  const { key, first } = refill
  if (!isServed(first)) return undefined
  if (!minuteSaid(first)) {
    throw new Suspicion('the response after the wait has no Remaining of the minute', [first])
  }
  const atOnce = fullMinuteIn(first, 0, key)
  if (atOnce) return { said: atOnce, responses: [first] }
  const later = await callLater(context, refill)
  const said = later && fullMinuteIn(later, 1, key)
  return said && { said, responses: [first, later] }
}

type FullMinute = NonNullable<Awaited<ReturnType<typeof findFullMinute>>>

/**
 * Spends what came back, and calls after the announced Reset. This is done only if everything came
 * back at once, and the next Reset is less than a minute later.
 */
const spendAndCallAfterReset = (context: Context, key: LimitKey, { said, responses }: FullMinute) =>
  context.once(`spent within the minute: ${key.label}`, async () => {
    const spent = await spendAnnounced(context, key, said.remaining)
    await context.limits.pass(waitForResetMs(said) + spanMs([...responses, ...spent]))
    return callAnyway(context, key)
  })

/** Expects two full refills at announced Resets a minute apart; ignores any less than `minMs`. */
const expectMinute = async (context: Context, refill: Refill, minMs: number): Promise<void> => {
  const { key, before } = refill
  const announced = minuteSaid(before)
  if (!announced) throw new Suspicion('no Reset of the minute is announced', [before])
  const full = await findFullMinute(context, refill)
  if (!full) return
  const apartS = full.said.reset - announced.reset
  if (apartS * 1000 >= minuteMs - graceMs || apartS * 1000 < minMs) return
  const last = await spendAndCallAfterReset(context, key, full)
  // After a whole minute a bucket is full as well.
  const betweenMs = spanMs([...full.responses.slice(-1), last])
  if (!fullMinuteIn(last, 0, key) || betweenMs >= minuteMs - graceMs) return
  const expected = `full refills at announced resets ${minuteMs / 1000} s apart`
  violate(expected, `two full refills ${apartS} s apart`, before, ...full.responses, last)
}

export const windowLength = check({
  id: 'window-not-shorter',
  requirement: 'limits.window-ends',
  needs: retryNeeds,
  sends:
    'Only if the call after the wait, or one a little later, finds the whole quota back and ' +
    'announces the next Reset less than a minute after the previous one: the quota is spent ' +
    'again, and one call follows that Reset.',
  fails:
    'The whole quota is back a second time, less than a minute (minus 3 s of tolerance) ' +
    'after the first.',
  inconclusive:
    'the refusal, or the response after the wait, has no headers of the minute (ambiguous)',
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

/** The window of a larger plan, with the test clock. */
export const windowOfPlan = (plan: Plan): Check =>
  check({
    id: `window-${plan}-not-shorter`,
    requirement: 'limits.window-ends',
    needs: { ...burstNeeds, keyed: 1, plan, clock: true },
    sends:
      `With the test clock, after \`window-${plan}-rested-served\`: one request after the ` +
      'Reset that its last response announced. Only if the whole quota is back, and the next ' +
      'Reset is 10 s to 57 s later: the quota is spent, and one request follows that Reset.',
    fails: 'The whole quota is back both times, at announced Resets less than 57 s apart.',
    inconclusive:
      'the quota was not served after a rest (blocked), or no Reset is announced (ambiguous)',
    run: async (context) => {
      const key = keyOfPlan(context, plan)
      const spent = await spentAfterRest(context, key)
      const before = spent.at(-1)
      const said = before && minuteSaid(before)
      if (!spent.every(isServed)) {
        throw new Untested('blocked', 'the quota was not served after a rest', spent.slice(-1))
      }
      if (!said) throw new Suspicion('no Reset of the minute is announced', spent.slice(-1))
      await context.limits.pass(waitForResetMs(said))
      const first = await callAnyway(context, key)
      await expectMinute(context, { key, spent, before, first }, minApartMs)
    },
  })

/** How long before the end of a clock minute the quota is spent. */
const beforeEdgeMs = 10_000
/** Then it waits until after that end, but not for a whole minute. */
const waitMs = 50_000
/** A Reset nearer than this may be past by then. */
const nearResetMs = waitMs + 2_000
/** Calls that may come back while others are in flight. */
const maxBack = 2
/** How many calls are sent beyond those that any design allows. */
const callsBeyond = 6

/** Spends the quota shortly before the end of a clock minute; returns [] if a Reset is near. */
const spendBeforeEdge = async (context: Context, key: LimitKey) => {
  const { clock, limits } = context
  await limits.rest(key.label)
  const intoMs = (await clock.now()) % minuteMs
  await limits.pass((2 * minuteMs - beforeEdgeMs - intoMs) % minuteMs)
  const first = await callAnyway(context, key)
  const said = minuteSaid(first)
  if (!said) throw new Untested('ambiguous', 'Remaining of the minute is not given', [first])
  // A Reset this far ahead is from another clock than Date.
  if (said.resetInMs > 2 * minuteMs) {
    throw new Untested('ambiguous', 'Reset and Date contradict each other', [first])
  }
  if (said.resetInMs <= nearResetMs) return []
  const all = [first, ...(await spendCalls(context, key, key.quota.perMinute - 1))]
  expectAllServed(all)
  return all
}

/** One call, which most designs refuse; if served, those that a bucket refilled, and a few more. */
const callAfterEdge = async (
  context: Context,
  key: LimitKey,
  before: readonly AnsweredExchange[],
) => {
  const first = await callAnyway(context, key)
  if (!isServed(first)) return [first]
  const back = maxRefill(key.quota.perMinute, minuteMs, spanMs([...before, first]))
  const all = [first, ...(await spendCalls(context, key, Math.max(0, back - 2)))]
  for (let calls = 0; calls < maxBack + callsBeyond && all.every(isServed); calls += 1) {
    all.push(await callAnyway(context, key))
  }
  return all
}

export const acrossMinute = check({
  id: 'window-across-minute-not-more',
  requirement: 'limits.not-late',
  needs: { ...limitNeeds, keyed: 118, clock: true },
  sends:
    'With the test clock, after a rest: the quota is spent 10 s before the end of a clock ' +
    'minute. 50 s later follow as many requests as a bucket refills, and a few more. It ' +
    'stops if Reset is less than 52 s ahead.',
  fails: 'More are served before the first announced Reset than the plan and a bucket allow.',
  inconclusive:
    'Remaining of the minute is not given, or another client may have used the key (ambiguous)',
  run: async (context) => {
    await context.control('list')
    const key = cheapest(context.limits)
    const { perMinute } = key.quota
    if (perMinute > maxBurst) throw new Untested('ambiguous', 'the quota of a minute is too large')
    const before = await spendBeforeEdge(context, key)
    const [first] = before
    if (!first) return
    await context.limits.pass(waitMs)
    const after = await callAfterEdge(context, key, before)
    const all = [...before, ...after]
    const max = perMinute + maxRefill(perMinute, minuteMs, spanMs(all)) + maxBack
    const served = all.filter(isServed)
    const said = minuteSaid(first)
    if (served.length <= max || !said || !areBefore(all, said.reset)) return
    const expected = `at most ${max} served until the first stated reset`
    violateAs(servedTooMany, expected, `${served.length} served`, first, ...served.slice(-1))
  },
})
