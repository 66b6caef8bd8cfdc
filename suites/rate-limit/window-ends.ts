// A window ends: after a rest the whole quota of the minute is back.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { type Check, check } from '../../engine/check/declare.ts'
import type { AnsweredExchange } from '../../engine/check/exchange.ts'
import { violateStatus } from '../../engine/check/expect.ts'
import { orIfUntested, Suspicion } from '../../engine/check/outcome.ts'
import { isRefused, isServed, minuteSaid, waitForResetMs } from '../../engine/quota/rate-headers.ts'
import { type Plan, plans } from '../../spec/plans.ts'
import {
  burstNeeds,
  cheapest,
  firstBurst,
  keyOfPlan,
  limitNeeds,
  refusalsIn,
  rememberAfterRest,
} from './experiments.ts'
import { isOnlyClient, unlessOthers, whyNotServed } from './other-clients.ts'
import {
  callAnyway,
  callRested,
  expectAllServed,
  passUntil,
  phases,
  shortList,
  spendAnnounced,
  spendCalls,
  unlessLost,
} from './sending.ts'

/** Whatever the design, a key that is not banned is served after this rest (ruling 17). */
const silenceMs = 75_000
/** A window that has just begun has almost all of its minute left. */
const freshMs = 50_000
/** With the test clock a run waits for a Reset up to this far ahead. */
const maxResetWaitMs = 600_000

/** Sends a list in a window that has just begun, waiting for the next window if necessary. */
const listInFreshWindow = async (context: Context, key: LimitKey): Promise<AnsweredExchange> => {
  const { limits } = context
  const call = () => context.call({ ...shortList, key: key.label })
  const first = await call()
  const said = minuteSaid(first)
  if (!said) {
    await limits.rest(key.label)
    return call()
  }
  // With the test clock waiting is free, so it always waits for the next window.
  const isFresh = said.resetInMs >= freshMs && !limits.instant
  if (isFresh || !isServed(first)) return first
  // A window that is longer than a minute must have just begun as well.
  const waitMs = limits.instant ? Math.min(said.resetInMs, maxResetWaitMs) + 1_000 : 0
  await limits.pass(Math.max(waitMs, waitForResetMs(said)))
  return call()
}

const remainingAfter = (response: AnsweredExchange, { quota }: LimitKey): number =>
  Math.min(minuteSaid(response)?.remaining ?? quota.perMinute - 1, quota.perMinute)

/** Spends a minute without a refusal; `first` is the response after the silence that follows. */
const spendAndRest = async (context: Context, key: LimitKey) => {
  const last = await listInFreshWindow(context, key)
  expectAllServed([last])
  const spent = [last, ...(await spendAnnounced(context, key, remainingAfter(last, key)))]
  await passUntil(context, silenceMs, phases.begin)
  const first = await callAnyway(context, key)
  rememberAfterRest(context, key, first)
  return { spent, first }
}

/** Of requests that were sent at the same time, the one that the target counted last. */
const lowestRemaining = (spent: readonly AnsweredExchange[]) => {
  const remainingOf = (one: AnsweredExchange) => minuteSaid(one)?.remaining ?? Infinity
  return spent.reduce((low, one) => (remainingOf(one) <= remainingOf(low) ? one : low))
}

const spentAndRested = (context: Context) => {
  const key = cheapest(context.limits)
  return context.once(`spent and rested: ${key.label}`, () =>
    unlessLost(spendAndRest(context, key)),
  )
}

/** Whether a key was served after 75 s of silence; false also if that was not tested. */
export const isServedAfterSilence = (context: Context): Promise<boolean> =>
  orIfUntested(
    spentAndRested(context).then(({ first }) => isServed(first)),
    false,
  )

/** Repeats it: another client that used the key the first time may be gone. */
const isServedAgain = (context: Context, key: LimitKey): Promise<boolean> =>
  orIfUntested(
    unlessLost(spendAndRest(context, key)).then(({ first }) => isServed(first)),
    // With the test clock only the server can be the reason that the key is not served.
    !context.limits.instant,
  )

export const servedAfterSilence = check({
  id: 'window-rested-served',
  requirement: 'limits.window-ends',
  needs: { ...limitNeeds, keyed: plans.free.perMinute + 4, experiment: 'silence' },
  sends:
    'A fresh minute is spent without a refusal. Then the key sends nothing for 75 s (by the ' +
    'test clock, if there is one), and one request.',
  fails: 'The request is refused, twice.',
  inconclusive:
    'a request was refused although calls remained, or another client may have used the key ' +
    '(ambiguous)',
  run: async (context) => {
    await context.control('list')
    // The request after the silence begins the next burst, so its control request comes before.
    if (context.allow.includes('write')) await context.control('create')
    const { spent, first } = await spentAndRested(context)
    if (isServed(first)) return
    const key = cheapest(context.limits)
    const evidence = [lowestRemaining(spent), first]
    await unlessOthers(context, key, first, evidence)
    if (await isServedAgain(context, key)) {
      throw new Suspicion('it was refused once, but not again', evidence)
    }
    const spending = `the ${spent.length} requests that spent the minute`
    const before = `before it: the last one counted of ${spending}`
    const expected = `a request served after ${silenceMs / 1000} s of silence (${before})`
    violateStatus(expected, ...evidence)
  },
})

/** Enough calls to tell the quota of a larger plan from that of a Free key. */
const maxAfterRest = 2 * plans.free.perMinute + 10

/** One call after a rest; only if it does not announce so many, as many calls as are expected. */
const callAfterRest = async (context: Context, key: LimitKey) => {
  const first = await callRested(context, key)
  const most = Math.min(maxAfterRest, key.quota.perMinute)
  if (!isServed(first) || (minuteSaid(first)?.remaining ?? 0) >= most - 1) return [first]
  return [first, ...(await spendCalls(context, key, most - 1))]
}

/** @param again sends the same after another rest, since another client may have called */
export const expectServed = async (
  context: Context,
  key: LimitKey,
  responses: readonly AnsweredExchange[],
  again: () => Promise<readonly AnsweredExchange[]>,
): Promise<void> => {
  const refused = responses.find((one) => !isServed(one))
  if (!refused) return
  const second = (await again()).find((one) => !isServed(one))
  if (!second) throw new Suspicion('it was refused once, but not again', [refused])
  if (!isRefused(second) || !(await isOnlyClient(context, key))) {
    throw new Suspicion(whyNotServed(context, key, second), [refused, second])
  }
  violateStatus('a whole minute served after a rest of two', refused, second)
}

/** The responses to a key that, after a burst and a rest, sends again. */
export const spentAfterRest = async (context: Context, key: LimitKey) => {
  if (refusalsIn(await firstBurst(context, key)).length === 0) {
    throw new Suspicion('the key could not be exhausted', [])
  }
  return context.once(`spent after a rest: ${key.label}`, () => callAfterRest(context, key))
}

/** A key of a larger plan rests after its burst and sends again. */
export const servedAfterRest = (plan: Plan): Check =>
  check({
    id: `window-${plan}-rested-served`,
    requirement: 'limits.window-ends',
    needs: { ...burstNeeds, keyed: 1, plan, clock: true },
    sends:
      `With the test clock, after the burst of \`quota-${plan}-not-more\`: the key rests for ` +
      'two minutes, and sends one request. Unless that announces 129 more, or the rest of ' +
      'its minute if that is less, so many are sent.',
    fails: 'One of them is refused, twice: the quota did not come back.',
    inconclusive:
      'the key could not be exhausted, or another client may have used the key (ambiguous)',
    run: async (context) => {
      const key = keyOfPlan(context, plan)
      const again = () => callAfterRest(context, key)
      await expectServed(context, key, await spentAfterRest(context, key), again)
    },
  })
