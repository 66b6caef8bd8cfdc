// Faults in how many calls a minute has: one too many, one too few, those of another plan, or all.
import { type Plan, planNames, plans, type Quota } from '../../../spec/plans.ts'
import type { KeyRecord } from '../../keys.ts'
import { clockWindow, type MakeMeter } from '../../limiter.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import { perServer, replacing, type Variant } from '../../variant.ts'
import { enforcing, minutesBy, shownFor } from '../../wrappers/rate-limits.ts'

const perMinute = (change: (calls: number, plan: Plan) => number) =>
  enforcing((quota, plan) => ({ ...quota, perMinute: change(quota.perMinute, plan) }))

const onPlan = (plan: Plan, change: (quota: Quota) => Quota) =>
  enforcing((quota, own) => (own === plan ? change(quota) : quota))

/** A key of the plan, in addition to those that every proof has. */
const keysOf = (plan: Plan): Pick<Mutant, 'keys'> => (plan === 'free' ? {} : { keys: [plan] })

const underLoad = (plan: Plan, ...loadVerdicts: readonly string[]): Pick<Mutant, 'loadVerdicts'> =>
  plan === 'free' ? { loadVerdicts } : {}

const byOne: readonly Mutant[] = planNames.flatMap((plan): Mutant[] => [
  {
    id: `${plan}-one-call-more`,
    caughtBy: `quota-${plan}-not-more`,
    fault: 'One call too many per minute: the comparison is `used <= limit`.',
    ...keysOf(plan),
    ...underLoad(plan, 'load-fleet-not-more'),
    ...onPlan(plan, (quota) => ({ ...quota, perMinute: quota.perMinute + 1 })),
  },
  {
    id: `${plan}-one-call-fewer`,
    caughtBy: `quota-${plan}-not-fewer`,
    fault: 'One call too few per minute: the call is counted before the comparison.',
    ...keysOf(plan),
    ...underLoad(plan, 'load-burst-not-fewer', 'load-fleet-not-fewer'),
    ...onPlan(plan, (quota) => ({ ...quota, perMinute: quota.perMinute - 1 })),
  },
])

/** Each second has a small window of its own. */
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

/** Enforces other numbers for some keys; `before` are the keys issued earlier. */
const enforcingOn = (change: (key: KeyRecord, before: readonly KeyRecord[]) => Quota): Variant =>
  replacing('charge', ({ limiter, keys }, key, _request, nowMs) => {
    const own = keys.all.findIndex((each) => each.key === key.key)
    const enforced = change(key, keys.all.slice(0, own))
    return shownFor(limiter.take(key.key, enforced, nowMs), enforced, key.quota)
  })

const isSecond = ({ plan }: KeyRecord, before: readonly KeyRecord[]): boolean =>
  before.filter((each) => each.plan === plan).length === 1

const onSecond = (of: Plan, change: (quota: Quota) => Quota): Variant =>
  enforcingOn((key, before) =>
    key.plan === of && isSecond(key, before) ? change(key.quota) : key.quota,
  )

const unlimited = (quota: Quota): Quota => ({ ...quota, perMinute: quota.perDay / 2 })

/** The quota of the first key that calls applies to all keys. */
const asFirstCaller = perServer(() => {
  let first: Quota | undefined
  return enforcing((quota) => {
    first ??= quota
    return first
  })
})

/** A plan whose number changes on the day of the removal; the headers do not show it. */
const lostAtRemoval = (change: (calls: number) => number) => (plan: Plan) => ({
  ...keysOf(plan),
  ...replacing('charge', ({ limiter, removalAtMs }, { key, plan: own, quota }, _request, nowMs) => {
    if (own !== plan || nowMs < removalAtMs) return limiter.take(key, quota, nowMs)
    const enforced = { ...quota, perMinute: change(quota.perMinute) }
    return shownFor(limiter.take(`${key} since the removal`, enforced, nowMs), enforced, quota)
  }),
})

export const removalQuotaMutants: readonly Mutant[] = (
  [
    ['free', 'halved', (calls) => calls / 2],
    ['pro', 'that of Free', () => plans.free.perMinute],
    ['enterprise', 'unlimited', () => 1_000_000],
  ] as const satisfies readonly [Plan, string, (calls: number) => number][]
).map(([plan, words, change]) => ({
  id: `${plan}-quota-changed-at-removal`,
  caughtBy: `quota-${plan}-after-removal`,
  fault: `The quota of one plan is ${words} from the day on which GET /pets/{petId} is removed.`,
  ...lostAtRemoval(change)(plan),
}))

export const quotaMutants: readonly Mutant[] = [
  ...byOne,
  ...caughtBy('quota-free-not-more', {
    'free-limited-as-pro': [
      'Free keys are limited like Pro keys.',
      onPlan('free', (quota) => ({ ...quota, perMinute: plans.pro.perMinute })),
    ],
    'limit-default-of-library': [
      "The library's default of 100 calls per minute is enforced for every key.",
      perMinute(() => 100),
    ],
    'limit-with-a-grace-of-a-fifth': [
      'A fifth more calls than the limit are served.',
      perMinute((calls) => Math.ceil(calls * 1.2)),
    ],
    'limit-not-enforced': [
      'The limit per minute is not enforced: the limiter only reports.',
      enforcing((quota) => ({ ...quota, perMinute: quota.perDay / 2 })),
    ],
    'limit-doubled-in-bursts': [
      "A burst may use two minutes' quota.",
      perMinute((calls) => calls * 2),
      { loadVerdicts: ['load-edge-double-not-more'] },
    ],
  }),
  ...caughtBy('quota-pro-not-fewer', {
    'pro-limited-as-free': [
      'Pro keys are limited like Free keys, although the headers say otherwise.',
      onPlan('pro', (quota) => ({ ...quota, perMinute: plans.free.perMinute })),
      { keys: ['pro'] },
    ],
    'all-keys-limited-as-first-caller': [
      'All keys get the limits of the first key that calls.',
      asFirstCaller,
      { keys: ['pro'] },
    ],
  }),
  ...caughtBy('quota-business-not-fewer', {
    'business-limited-as-pro': [
      'Business keys are limited like Pro keys.',
      onPlan('business', (quota) => ({ ...quota, perMinute: plans.pro.perMinute })),
      { keys: ['business'] },
    ],
  }),
  ...caughtBy('quota-enterprise-not-fewer', {
    'enterprise-limited-by-default': [
      'An Enterprise key is limited to a default instead of what was agreed.',
      onPlan('enterprise', (quota) => ({ ...quota, perMinute: 60 })),
      { keys: ['enterprise'] },
    ],
  }),
  ...caughtBy('quota-enterprise-not-more', {
    'enterprise-not-limited': [
      'An Enterprise key is not limited.',
      onPlan('enterprise', (quota) => ({ ...quota, perMinute: quota.perDay / 2 })),
      { keys: ['enterprise'] },
    ],
  }),
  ...caughtBy('quota-429-status', {
    'limit-of-the-day-alone': [
      'There is no limit per minute, only one per day.',
      enforcing((quota) => ({ ...quota, perMinute: quota.perDay + 1 })),
    ],
  }),
  ...caughtBy('quota-free-not-fewer', {
    'limit-keeps-a-reserve': [
      'The last five calls of a minute are reserved, although they are announced.',
      perMinute((calls) => calls - 5),
      { loadVerdicts: ['load-edge-not-fewer'] },
    ],
  }),
  ...caughtBy('limit-not-early', {
    'limit-spread-over-seconds': [
      '60 calls per minute are enforced as one per second.',
      minutesBy(byTheSecond),
    ],
  }),
  ...caughtBy('quota-each-key-not-more', {
    'key-for-bans-not-limited': [
      'Only the first key is registered with the limiter.',
      enforcingOn((key, before) => (before.length > 0 ? unlimited(key.quota) : key.quota)),
    ],
    'second-key-not-limited': [
      'Further Free keys are not limited.',
      onSecond('free', unlimited),
      { keys: ['free'] },
    ],
    'second-key-limited-as-pro': [
      'Further Free keys are limited like Pro keys.',
      onSecond('free', (quota) => ({ ...quota, perMinute: plans.pro.perMinute })),
      { keys: ['free'] },
    ],
  }),
  ...caughtBy('quota-each-key-not-fewer', {
    'second-key-limited-as-free': [
      'Further Pro keys are limited like Free keys.',
      onSecond('pro', (quota) => ({ ...quota, perMinute: plans.free.perMinute })),
      { keys: ['pro', 'pro', 'pro'] },
    ],
  }),
]
