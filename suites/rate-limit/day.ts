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

/** Two other keys of the plan: a refusal of one alone may be due to another client. */
const othersOf = ({ limits }: Context, { plan, label }: LimitKey): readonly LimitKey[] =>
  allKeys(limits)
    .filter((other) => other.plan === plan && other.label !== label)
    .slice(0, 2)

/** With the test clock other keys call: each has a day of its own. */
const callOthers = async (context: Context, key: LimitKey): Promise<void> => {
  if (!context.limits.instant) return
  for (const other of othersOf(context, key)) {
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
      'time: the same at the pace of the minutes, within one run. While it is spent, with the ' +
      'test clock, a call with up to two other keys of the plan, and one before it. Then a ' +
      'request after the wait that the refusal states, in real time if that is short; up to ' +
      'three times.',
    run: async (context, earlier) => {
      const key = dayKeyOf(context, plan)
      const responses = await spentDay(context, key)
      earlier.push(...responses)
      const refusal = responses.findLast(isRefused)
      if (responses.some(isShutOut)) await callOthers(context, key)
      const isShort = refusal && (readWaitMs(refusal) ?? 0) <= maxRealWaitMs
      if (refusal && (context.limits.instant || isShort)) {
        await completes(retryAsStated(context, key, refusal, maxWaits))
      }
      const { instant, responsesTo } = context.limits
      const sent = instant ? responses.length : responsesTo(key.label).length
      if (responses.every(isServed) || sent <= key.quota.perDay) {
        const why = `no request was refused for its day (${sent} were sent)`
        throw new Suspicion(why, responses.slice(-1))
      }
    },
    again: async (context) => {
      if (context.limits.instant) await unlessLost(spendByClock(context, dayKeyOf(context, plan)))
    },
  })

/** The programs of the day; what an enterprise day costs is known only in a run. */
export const day = { free: quota('free', 1_006), enterprise: quota('enterprise', 0) } as const
