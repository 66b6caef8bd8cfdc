// Programs: the quota of a day, spent at once with the test clock, or in real time.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import type { Check, Needs } from '../../engine/check/declare.ts'
import { allKeys, maxDayCalls } from '../../engine/check/spendable-keys.ts'
import type { AnsweredExchange } from '../../history/exchange.ts'
import { completes, Suspicion, Untested } from '../../history/outcome.ts'
import { isRefused, isServed, isShutOut, readWaitMs } from '../../history/rate-headers.ts'
import type { Plan } from '../../spec/plans.ts'
import { keyOfPlan, retryAsStated } from './experiments.ts'
import { callOrRefusal } from './isolation.ts'
import { program } from './program.ts'
import { unlessLost } from './sending.ts'
import { spendByClock, spendInRealTime } from './spend-day.ts'

const dayNeeds: Needs = {
  stage: 'days',
  keyed: 0,
  anonymous: 0,
  allow: ['exhaust', 'day'],
  looksAt: ['day'],
}

const dayKeyOf = (context: Context, plan: Plan): LimitKey => {
  const key = keyOfPlan(context, plan, 'perDay')
  const { perDay } = key.quota
  if (perDay <= maxDayCalls) return key
  const message = `${perDay} requests a day are too many: a run sends at most ${maxDayCalls}`
  throw new Untested('ambiguous', message)
}

const othersOf = ({ limits }: Context, { plan, label }: LimitKey): readonly LimitKey[] =>
  allKeys(limits).filter((other) => other.plan === plan && other.label !== label)

/** Unless other keys of the plan were served last, they call: no ban may outlast the day. */
const callOthers = async (context: Context, key: LimitKey): Promise<void> => {
  if (!context.limits.instant) return
  for (const other of othersOf(context, key)) {
    const last = context.limits.responsesTo(other.label).at(-1)
    if (last && isServed(last)) continue
    await completes(unlessLost(callOrRefusal(context, other)))
  }
}

/** The calls of a day that was spent; once. */
const spentDay = async (context: Context, key: LimitKey): Promise<readonly AnsweredExchange[]> => {
  const spend = context.limits.instant ? spendByClock : spendInRealTime
  await context.control('list')
  return context.once(`day spent: ${key.label}`, async () => {
    await callOthers(context, key)
    return unlessLost(spend(context, key))
  })
}

/** Twice, as another client may explain what is seen once, and once for a minute in between. */
const maxWaits = 3
/** In real time a run does not wait longer. */
const maxRealWaitMs = 150_000

const quota = (plan: Plan, keyed: number): Check =>
  program({
    id: plan === 'free' ? 'day-quota' : `day-quota-${plan}`,
    requirement: `limits.${plan}`,
    needs: { ...dayNeeds, keyed, plan, experiment: 'day' },
    laws: [
      'limit-not-late',
      'limit-not-below-quota',
      'limit-not-early',
      'quota-429-status',
      'retry-after-each-served',
    ],
    sends:
      'With the test clock: after a rest of two days, calls minute by minute until one more ' +
      'than the day has; the first minute may be one that other programs send too. In real ' +
      'time: the same at the pace of the minutes, within one run. Then a request after the wait ' +
      'that the refusal states, in real time if it is short; up to three times.',
    run: async (context) => {
      const key = dayKeyOf(context, plan)
      const responses = await spentDay(context, key)
      const refusal = responses.findLast(isRefused)
      const isLong =
        (readWaitMs(refusal ?? (responses[0] as AnsweredExchange)) ?? 0) > maxRealWaitMs
      if (refusal && (context.limits.instant || !isLong)) {
        await retryAsStated(context, key, refusal, maxWaits)
      }
      if (responses.every(isServed)) {
        throw new Suspicion('no request was refused for its day', responses.slice(-1))
      }
      return responses
    },
    again: async (context) => {
      if (context.limits.instant) await unlessLost(spendByClock(context, dayKeyOf(context, plan)))
    },
  })

/** Each key of a plan has a day of its own. */
const otherKeys = program({
  id: 'day-other-key-served',
  requirement: 'auth.per-key',
  needs: { ...dayNeeds, plan: 'free', keyed: 2, clock: true, secondKey: 'same-plan' },
  laws: ['limit-not-early', 'limit-not-below-quota'],
  sends:
    'With the test clock: one list with each other key of the plan, while the day of the first ' +
    'key is spent. One before that day, unless that key was served last.',
  run: async (context) => {
    const key = dayKeyOf(context, 'free')
    const day = await spentDay(context, key)
    if (!day.some(isShutOut)) throw new Suspicion('no request was refused for its day', [])
    const others = othersOf(context, key)
    if (others.length === 0)
      throw new Untested('key', `it needs another key of the plan ${key.plan}`)
    const responses: AnsweredExchange[] = []
    for (const other of others) responses.push(await unlessLost(callOrRefusal(context, other)))
    return responses
  },
})

export const day = {
  /** The other keys call while the day of the first one is spent, so before its wait is over. */
  free: [otherKeys, quota('free', 1_002)],
  /** Its cost is known only in a run. */
  enterprise: quota('enterprise', 0),
} as const
