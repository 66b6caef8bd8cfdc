// Faults in how many calls a minute has: one too many, one too few, another plan's, none at all.
import { type Plan, planNames, plans, type Quota } from '../../../spec/plans.ts'
import { clockWindow, type MakeMeter } from '../../limiter.ts'
import type { Mutant } from '../../mutant.ts'
import { enforcing, minutesBy } from './over.ts'

const perMinute = (change: (calls: number, plan: Plan) => number) =>
  enforcing((quota, plan) => ({ ...quota, perMinute: change(quota.perMinute, plan) }))

const onPlan = (plan: Plan, change: (quota: Quota) => Quota) =>
  enforcing((quota, asked) => (asked === plan ? change(quota) : quota))

/** A key of the plan beside those that every proof has. */
const keysOf = (plan: Plan): { keys?: readonly Plan[] } => (plan === 'free' ? {} : { keys: [plan] })

const byOne: readonly Mutant[] = planNames.flatMap((plan): Mutant[] => [
  {
    id: `${plan}-one-call-more`,
    breaks: `limits.${plan}`,
    caughtBy: `quota-${plan}-not-more`,
    fault: 'The count is compared before the call is counted: `used <= limit`.',
    ...keysOf(plan),
    ...onPlan(plan, (quota) => ({ ...quota, perMinute: quota.perMinute + 1 })),
  },
  {
    id: `${plan}-one-call-fewer`,
    breaks: `limits.${plan}`,
    caughtBy: `quota-${plan}-not-fewer`,
    fault: 'The call is counted first, and then has to be below the limit.',
    ...keysOf(plan),
    ...onPlan(plan, (quota) => ({ ...quota, perMinute: quota.perMinute - 1 })),
  },
])

const ofAnother: readonly Mutant[] = [
  {
    id: 'free-limited-as-pro',
    breaks: 'limits.free',
    caughtBy: 'quota-free-not-more',
    fault: 'Free keys of the trial weeks keep the numbers of Pro.',
    ...onPlan('free', (quota) => ({ ...quota, perMinute: plans.pro.perMinute })),
  },
  {
    id: 'pro-limited-as-free',
    breaks: 'limits.pro',
    caughtBy: 'quota-pro-not-fewer',
    fault: 'An upgrade changes what is shown, and not what is enforced.',
    keys: ['pro'],
    ...onPlan('pro', (quota) => ({ ...quota, perMinute: plans.free.perMinute })),
  },
  {
    id: 'business-limited-as-pro',
    breaks: 'limits.business',
    caughtBy: 'quota-business-not-fewer',
    fault: 'The table of enforced limits ends with Pro.',
    keys: ['business'],
    ...onPlan('business', (quota) => ({ ...quota, perMinute: plans.pro.perMinute })),
  },
  {
    id: 'enterprise-limited-by-default',
    breaks: 'limits.enterprise',
    caughtBy: 'quota-enterprise-not-fewer',
    fault: 'What was agreed is not in the table, so that a default holds.',
    keys: ['enterprise'],
    ...onPlan('enterprise', (quota) => ({ ...quota, perMinute: 60 })),
  },
  {
    id: 'enterprise-not-limited',
    breaks: 'limits.enterprise',
    caughtBy: 'quota-enterprise-not-more',
    fault: 'Who pays most is not limited at all.',
    keys: ['enterprise'],
    ...onPlan('enterprise', (quota) => ({ ...quota, perMinute: quota.perDay / 2 })),
  },
  {
    id: 'limit-default-of-library',
    breaks: 'limits.free',
    caughtBy: 'quota-free-not-more',
    fault: 'The library enforces its default, 100 a minute, for every key.',
    ...perMinute(() => 100),
  },
]

/** Every second has its own small window. */
const byTheSecond: MakeMeter = (limit, windowMs) => {
  const second = clockWindow(Math.ceil((limit * 1000) / windowMs), 1000)
  const minute = clockWindow(limit, windowMs)
  return {
    limit,
    look: (nowMs) => {
      const ofMinute = minute.look(nowMs)
      const nextAtMs = Math.max(ofMinute.nextAtMs, second.look(nowMs).nextAtMs)
      return { ...ofMinute, nextAtMs }
    },
    count: (nowMs) => {
      minute.count(nowMs)
      second.count(nowMs)
    },
  }
}

const others: readonly Mutant[] = [
  {
    id: 'limit-with-a-grace-of-a-fifth',
    breaks: 'limits.free',
    caughtBy: 'quota-free-not-more',
    fault: 'A fifth more is served, so that nobody complains.',
    ...perMinute((calls) => Math.ceil(calls * 1.2)),
  },
  {
    id: 'limit-not-enforced',
    breaks: 'limits.free',
    caughtBy: 'quota-free-not-more',
    fault: 'The limiter of the minute runs in the mode that only reports.',
    ...enforcing((quota) => ({ ...quota, perMinute: quota.perDay / 2 })),
  },
  {
    id: 'limit-of-the-day-alone',
    breaks: 'limits.429',
    caughtBy: 'quota-429-status',
    fault: 'There is a limiter for the day, and none for the minute.',
    ...enforcing((quota) => ({ ...quota, perMinute: quota.perDay + 1 })),
  },
  {
    id: 'limit-doubled-in-bursts',
    breaks: 'limits.free',
    caughtBy: 'quota-free-not-more',
    fault: 'A burst may hold two minutes.',
    ...perMinute((calls) => calls * 2),
  },
  {
    id: 'limit-keeps-a-reserve',
    breaks: 'limits.free',
    caughtBy: 'quota-free-not-fewer',
    fault: 'The last five calls are kept for the dashboard, and announced all the same.',
    ...perMinute((calls) => calls - 5),
  },
  {
    id: 'limit-spread-over-seconds',
    breaks: 'limits.not-early',
    caughtBy: 'limit-not-early',
    fault: 'Sixty a minute is enforced as one a second.',
    ...minutesBy(byTheSecond),
  },
]

export const quotaMutants: readonly Mutant[] = [...byOne, ...ofAnother, ...others]
