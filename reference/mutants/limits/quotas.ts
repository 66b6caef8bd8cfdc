// Faults in how many calls a minute has: one too many, one too few, those of another plan, or all.
import { type Plan, planNames, plans, type Quota } from '../../../spec/plans.ts'
import type { KeyRecord } from '../../issued-keys.ts'
import { clockWindow, type MakeMeter } from '../../limiter.ts'
import { caughtBy, each, type Mutant, perServer, type Variant } from '../../variant.ts'
import { enforcing, minutesBy } from '../../wrappers/rate-limiting.ts'

/** Enforces another number of calls per minute, which the headers do not show. */
const perMinute = (change: (quota: Quota) => number): Variant =>
  enforcing(({ quota }) => ({ perMinute: change(quota) }))

/** A key of the plan, in addition to those that every proof has. */
const addKey = (plan: Plan): Pick<Mutant, 'keys'> => (plan === 'free' ? {} : { keys: [plan] })

const onPlan = (plan: Plan, change: (quota: Quota) => number): Variant & Pick<Mutant, 'keys'> => ({
  ...addKey(plan),
  ...enforcing(({ plan: own, quota }) => (own === plan ? { perMinute: change(quota) } : {})),
})

const underLoad = (plan: Plan, ...loadVerdicts: readonly string[]): Pick<Mutant, 'loadVerdicts'> =>
  plan === 'free' ? { loadVerdicts } : {}

const byOne: readonly Mutant[] = planNames.flatMap((plan): Mutant[] => [
  {
    id: `${plan}-one-call-more`,
    caughtBy: `quota-${plan}`,
    fault: 'One call too many per minute: the comparison is `used <= limit`.',
    ...underLoad(plan, 'load-fleet-not-more'),
    ...onPlan(plan, (quota) => quota.perMinute + 1),
  },
  {
    id: `${plan}-one-call-fewer`,
    caughtBy: `quota-${plan}`,
    fault: 'One call too few per minute: the call is counted before the comparison.',
    ...underLoad(plan, 'load-burst-not-fewer', 'load-fleet-not-fewer'),
    ...onPlan(plan, (quota) => quota.perMinute - 1),
  },
])

/** Each second has a small window of its own. */
const byTheSecond: MakeMeter = (limit, windowMs) => {
  const second = clockWindow(Math.ceil((limit * 1000) / windowMs), 1000)
  const minute = clockWindow(limit, windowMs)
  return {
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

/** Enforces another number for some keys; `before` are the keys issued earlier. */
const onKeys = (change: (key: KeyRecord, before: readonly KeyRecord[]) => number): Variant =>
  enforcing((key, { keys }) => {
    const own = keys.all.findIndex((each) => each.key === key.key)
    return { perMinute: change(key, keys.all.slice(0, own)) }
  })

const onSecond = (plan: Plan, change: (quota: Quota) => number): Variant =>
  onKeys(({ plan: own, quota }, before) => {
    const isSecond = own === plan && before.filter((each) => each.plan === plan).length === 1
    return isSecond ? change(quota) : quota.perMinute
  })

const unlimited = (quota: Quota): number => quota.perDay / 2

/** The quota of the first key that calls applies to all keys. */
const asFirstCaller = perServer(() => {
  let first: Quota | undefined
  return enforcing(({ quota }) => {
    first ??= quota
    return first
  })
})

/** A plan whose number changes on the day of the removal; the headers do not show it. */
const changedAtRemoval = (plan: Plan, words: string, change: (quota: Quota) => number): Mutant => ({
  id: `${plan}-quota-changed-at-removal`,
  caughtBy: `quota-${plan}-after-removal`,
  fault: `The quota of one plan is ${words} from the day on which GET /pets/{petId} is removed.`,
  suite: 'both',
  ...addKey(plan),
  ...enforcing(({ plan: own, quota }, { removalAtMs }, nowMs) =>
    own === plan && nowMs >= removalAtMs ? { perMinute: change(quota) } : {},
  ),
})

export const quotaMutants: readonly Mutant[] = [
  ...byOne,
  changedAtRemoval('free', 'halved', (quota) => quota.perMinute / 2),
  changedAtRemoval('pro', 'that of Free', () => plans.free.perMinute),
  changedAtRemoval('enterprise', 'unlimited', () => 1_000_000),
  ...caughtBy('quota-free', {
    'limit-default-of-library': [
      "The library's default of 100 calls per minute is enforced for every key.",
      perMinute(() => 100),
    ],
    'limit-doubled-in-bursts': [
      "A burst may use two minutes' quota.",
      perMinute((quota) => quota.perMinute * 2),
      { loadVerdicts: ['load-edge-not-more'] },
    ],
  }),
  ...each({
    'pro-limited-as-free': [
      'quota-pro',
      'Pro keys are limited like Free keys, although the headers say otherwise.',
      onPlan('pro', () => plans.free.perMinute),
    ],
    'all-keys-limited-as-first-caller': [
      'quota-pro',
      'All keys get the limits of the first key that calls.',
      asFirstCaller,
      { keys: ['pro'] },
    ],
    'limit-of-the-day-alone': [
      'quota-free',
      'There is no limit per minute, only one per day.',
      perMinute((quota) => quota.perDay + 1),
    ],
    'limit-keeps-a-reserve': [
      'quota-free',
      'The last five calls of a minute are reserved, although they are announced.',
      perMinute((quota) => quota.perMinute - 5),
      { loadVerdicts: ['load-edge-not-fewer'] },
    ],
    'limit-spread-over-seconds': [
      'limit-not-early',
      '60 calls per minute are enforced as one per second.',
      minutesBy(byTheSecond),
    ],
  }),
  ...caughtBy('limit-not-late', {
    'key-for-bans-not-limited': [
      'Only the first key is registered with the limiter.',
      onKeys(({ quota }, before) => (before.length > 0 ? unlimited(quota) : quota.perMinute)),
    ],
    'second-key-not-limited': [
      'Further Free keys are not limited.',
      onSecond('free', unlimited),
      { keys: ['free'] },
    ],
  }),
  ...caughtBy('limit-not-early', {
    'second-key-limited-as-free': [
      'Further Pro keys are limited like Free keys.',
      onSecond('pro', () => plans.free.perMinute),
      { keys: ['pro', 'pro', 'pro'] },
    ],
  }),
]
