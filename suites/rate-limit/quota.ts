// Programs: the quota of a minute. After a rest a key sends what remains and one request more; the
// laws of the limiter judge whether as many are served as its plan has.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import type { Check } from '../../engine/check/declare.ts'
import type { AnsweredExchange } from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { isServed } from '../../history/rate-headers.ts'
import { planNames, plans } from '../../spec/plans.ts'
import { moveTo } from '../pets/rows.ts'
import { beginDayWith } from './begin-day.ts'
import { extraBurst, firstBurst, keyOfPlan, limitNeeds, secondBurst } from './experiments.ts'
import { ofEachPlan, program } from './program.ts'
import type { Round } from './run-burst.ts'
import { callRested, spendCalls } from './sending.ts'

const laws = ['limit-not-late', 'limit-not-below-quota', 'limit-not-early'] as const

/** Larger minutes are exhausted before the removal alone; after it they send a Free key's. */
const maxAfterRemoval = 100

/** @throws Untested if a burst did not reach the limit */
const expectLimit = ({ key, probes, burst }: Round): void => {
  const responses = [...probes, ...burst]
  if (responses.length <= key.quota.perMinute) {
    const why = `only ${responses.length} requests were sent: Remaining announced no more`
    throw new Untested('ambiguous', why, responses.slice(-1))
  }
  if (!responses.every(isServed)) return
  const why = 'nothing was refused: calls came back as fast as they were sent'
  throw new Untested(
    'ambiguous',
    `${why}; repeat the run over a faster network`,
    responses.slice(-1),
  )
}

/** The quota of a plan, on its cheapest key. */
export const quotas = ofEachPlan(planNames, (plan) =>
  program({
    id: `quota-${plan}`,
    requirement: `limits.${plan}`,
    needs: { ...limitNeeds, plan },
    laws,
    sends:
      `With a key of the plan ${plan}, after a rest of two windows: two probes, which show ` +
      'how many calls remain, and a burst of one call more. If all are served it continues. ' +
      'Once more if a law is in doubt.',
    run: async (context, earlier) => {
      const key = keyOfPlan(context, plan)
      // By the test clock its minute is the first of the day that is spent next.
      if (plan === 'enterprise') await beginDayWith(context, key)
      const round = await firstBurst(context, key)
      earlier.push(...round.probes, ...round.burst)
      expectLimit(round)
    },
    again: (context) => secondBurst(context, keyOfPlan(context, plan)),
  }),
)

/** A larger minute is not exhausted a second time: one call more than a Free key has is enough. */
const callMoreThanFree = async (context: Context, key: LimitKey): Promise<void> => {
  await callRested(context, key)
  await spendCalls(context, key, plans.free.perMinute)
}

const afterRemoval = Date.UTC(2030, 11, 6, 0, 0, 1)
/** The minute of a Business key takes too many requests for a second time. */
const keptPlans = ['free', 'pro', 'enterprise'] as const

export const quotasAfterRemoval = ofEachPlan(keptPlans, (plan) =>
  program({
    id: `quota-${plan}-after-removal`,
    requirement: `limits.${plan}`,
    needs: { ...limitNeeds, stage: 'removal', plan, clock: true },
    laws,
    sends:
      `With the test clock one second into 6 December 2030: the burst of \`quota-${plan}\`; ` +
      `with more than ${maxAfterRemoval} requests a minute one request more than a Free key has, ` +
      'after a rest. Once more if a law is in doubt.',
    run: async (context) => {
      const key = keyOfPlan(context, plan)
      await context.control('list')
      await moveTo(context, afterRemoval)
      if (key.quota.perMinute > maxAfterRemoval) return callMoreThanFree(context, key)
      expectLimit(await extraBurst(context, key))
    },
    again: (context) => {
      const key = keyOfPlan(context, plan)
      const isLarge = key.quota.perMinute > maxAfterRemoval
      return isLarge ? callMoreThanFree(context, key) : extraBurst(context, key)
    },
  }),
)

/** Whether the next key can still be judged after this error. */
const isOfKey = (error: unknown): error is Untested =>
  error instanceof Untested && ['ambiguous', 'blocked', 'permission'].includes(error.because)

const exhaustEach = async (context: Context, earlier: AnsweredExchange[]): Promise<void> => {
  const { all, exhausted } = context.limits.further
  const doubts: Untested[] = []
  for (const key of exhausted) {
    try {
      const round = await firstBurst(context, key)
      earlier.push(...round.probes, ...round.burst)
      expectLimit(round)
    } catch (error) {
      if (!isOfKey(error)) throw error
      doubts.push(new Untested(error.because, `key ${key.label}: ${error.message}`, error.evidence))
    }
  }
  if (doubts[0]) throw doubts[0]
  const left = all.filter((key) => !exhausted.includes(key)).map(({ label }) => label)
  if (left.length === 0) return
  const why = `real time is too slow for them: ${left.join(', ')}; use a test clock`
  throw new Untested('clock', `some keys were not exhausted, since ${why} (--clock)`)
}

/** The quotas of the keys that the programs per plan do not use. */
export const quotaOfEachKey: Check = program({
  id: 'quota-each-key',
  requirement: 'auth.per-key',
  needs: { ...limitNeeds, stage: 'bans', keys: 'further' },
  laws,
  sends:
    'The burst on each key except the first of its plan, and on the key for bans. Without a test ' +
    'clock only on keys of at most 100 requests a minute. Once more if a law is in doubt.',
  run: exhaustEach,
  again: async (context) => {
    for (const key of context.limits.further.exhausted) await secondBurst(context, key)
  },
})
