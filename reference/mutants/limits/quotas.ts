// Faults in how many calls a minute or a day has: one too many, one too few, those of another plan,
// or all; and a day that is refused like the minute.
import { type Plan, planNames, plans, type Quota } from '../../../spec/plans.ts'
import type { KeyRecord } from '../../issued-keys.ts'
import { clockWindow, type Decision, dayMs, type Meter, minuteMs } from '../../limiter.ts'
import type { ApiResponse } from '../../message.ts'
import { each, type Mutant, perServer, type Variant } from '../../variant.ts'
import { replacedBy, where, without } from '../../wrappers/middleware.ts'
import { deciding, decidingFor, enforcing, minutesBy } from '../../wrappers/rate-limiting.ts'

/** Enforces another number of calls per minute, which the headers do not show. */
const perMinute = (change: (quota: Quota) => number): Variant =>
  enforcing(({ quota }) => ({ perMinute: change(quota) }))

/** Enforces other numbers for one plan. */
const onPlan = (
  plan: Plan,
  change: (quota: Quota, isAfterRemoval: boolean) => Partial<Quota>,
): Variant & Pick<Mutant, 'keys'> => ({
  ...(plan !== 'free' && { keys: [plan] }),
  ...enforcing(({ plan: own, quota }, { removalAtMs }, nowMs) =>
    own === plan ? change(quota, nowMs >= removalAtMs) : {},
  ),
})

const underLoad = (plan: Plan, ...loadVerdicts: readonly string[]): Pick<Mutant, 'loadVerdicts'> =>
  plan === 'free' ? { loadVerdicts } : {}

const byOne = planNames.flatMap((plan): Mutant[] => [
  {
    id: `${plan}-one-call-more`,
    caughtBy: `quota-${plan}`,
    fault: 'One call too many per minute: the comparison is `used <= limit`.',
    ...underLoad(plan, 'load-fleet-not-more'),
    ...onPlan(plan, ({ perMinute }) => ({ perMinute: perMinute + 1 })),
  },
  {
    id: `${plan}-one-call-fewer`,
    caughtBy: `quota-${plan}`,
    fault: 'One call too few per minute: the call is counted before the comparison.',
    ...underLoad(plan, 'load-burst-not-fewer', 'load-fleet-not-fewer'),
    ...onPlan(plan, ({ perMinute }) => ({ perMinute: perMinute - 1 })),
  },
])

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

/** A plan whose number changes on the day of the removal; the headers do not show it. */
const changedAtRemoval = (plan: Plan, words: string, change: (quota: Quota) => number): Mutant => ({
  id: `${plan}-quota-changed-at-removal`,
  caughtBy: `quota-${plan}-after-removal`,
  fault: `The quota of one plan is ${words} from the day on which GET /pets/{petId} is removed.`,
  suite: 'both',
  ...onPlan(plan, (quota, isAfterRemoval) => (isAfterRemoval ? { perMinute: change(quota) } : {})),
})

export const quotaMutants = [
  ...byOne,
  changedAtRemoval('free', 'halved', (quota) => quota.perMinute / 2),
  changedAtRemoval('pro', 'that of Free', () => plans.free.perMinute),
  changedAtRemoval('enterprise', 'unlimited', () => 1_000_000),
  ...each({
    'limit-default-of-library @ quota-free': [
      "The library's default of 100 calls per minute is enforced for every key.",
      perMinute(() => 100),
    ],
    'limit-doubled-in-bursts @ quota-free': [
      "A burst may use two minutes' quota.",
      perMinute((quota) => quota.perMinute * 2),
      { loadVerdicts: ['load-edge-not-more'] },
    ],
    'limit-of-the-day-alone @ quota-free': ['There is only a limit per day.', perMinute(unlimited)],
    'limit-keeps-a-reserve @ quota-free': [
      'The last five calls of a minute are reserved, although they are announced.',
      perMinute((quota) => quota.perMinute - 5),
      { loadVerdicts: ['load-edge-not-fewer'] },
    ],
    'pro-limited-as-free @ quota-pro': [
      'Pro keys are limited like Free keys, although the headers say otherwise.',
      onPlan('pro', () => ({ perMinute: plans.free.perMinute })),
    ],
    'all-keys-limited-as-first-caller @ quota-pro': [
      'All keys get the limits of the first key that calls.',
      perServer(() => {
        let first: Quota | undefined
        return enforcing(({ quota }) => {
          first ??= quota
          return first
        })
      }),
      { keys: ['pro'] },
    ],
    'limit-spread-over-seconds @ limit-not-early': [
      '60 calls per minute are enforced as one per second.',
      minutesBy((limit, windowMs) => {
        const second = clockWindow(Math.ceil((limit * 1000) / windowMs), 1000)
        const minute = clockWindow(limit, windowMs)
        return {
          look: (nowMs) => {
            const seen = minute.look(nowMs)
            return { ...seen, nextAtMs: Math.max(seen.nextAtMs, second.look(nowMs).nextAtMs) }
          },
          count: (nowMs) => {
            minute.count(nowMs)
            second.count(nowMs)
          },
        }
      }),
    ],
    'second-key-limited-to-half @ limit-not-early': [
      'Further Free keys get half of the calls of the first.',
      onSecond('free', ({ perMinute }) => perMinute / 2),
    ],
    'key-for-bans-not-limited @ limit-not-late': [
      'Only the first key is registered with the limiter.',
      onKeys(({ quota }, before) => (before.length > 0 ? unlimited(quota) : quota.perMinute)),
    ],
    'second-key-not-limited @ limit-not-late': [
      'Further Free keys are not limited.',
      onSecond('free', unlimited),
      { suite: 'days', keys: ['free'] },
    ],
  }),
]

const perDay = (change: (calls: number) => number) =>
  enforcing(({ quota }) => ({ perDay: change(quota.perDay) }))

/** Changes the refusals of the day, not those of the minute. */
const refusedDays = (change: (refusal: Decision, nowMs: number) => Decision): Variant =>
  deciding((decision, nowMs, { quota }) =>
    decision.granted || decision.limit !== quota.perDay ? decision : change(decision, nowMs),
  )

/** Shows some numbers of the day in place of those of the minute. */
const mixed = (show: (day: Decision) => Partial<Decision>): Variant =>
  decidingFor(
    (): { day?: Meter } => ({}),
    (decision, nowMs, own, { quota }) => {
      own.day ??= clockWindow(quota.perDay, dayMs)
      if (decision.granted) own.day.count(nowMs)
      if (decision.limit !== quota.perMinute) return decision
      return { ...decision, ...show({ ...decision, ...own.day.look(nowMs), limit: quota.perDay }) }
    },
  )

const nextMinuteMs = (nowMs: number) => (Math.floor(nowMs / minuteMs) + 1) * minuteMs

const isDayRefusal = ({ status, headers }: ApiResponse): boolean =>
  status === 429 && headers['X-RateLimit-Limit'] === `${plans.free.perDay}`

export const dayMutants = each({
  'day-not-enforced @ day-quota': ['The daily quota is not enforced.', perDay(() => 10_000_000)],
  'day-one-call-more @ day-quota': [
    'One call too many per day: the call is compared before it is counted.',
    perDay((calls) => calls + 1),
  ],
  'day-one-call-fewer @ day-quota': [
    'One call too few per day: the call is counted before the comparison.',
    perDay((calls) => calls - 1),
  ],
  'day-refused-as-minute @ retry-after-each-served': [
    'A refusal of the day has the headers of the minute.',
    refusedDays((refusal, nowMs) => ({
      ...refusal,
      limit: 60,
      resetAtMs: nextMinuteMs(nowMs),
      retryAfterMs: nextMinuteMs(nowMs) - nowMs,
    })),
  ],
  'day-refused-for-thirty-seconds @ retry-after-each-served': [
    'Retry-After is always 30 seconds, even when the day is used up.',
    refusedDays((refusal) => ({ ...refusal, retryAfterMs: 30_000 })),
  ],
  'day-refused-with-calls-of-minute @ header-limit-of-plan': [
    'A refusal of the day shows what is left of the minute.',
    refusedDays((refusal, nowMs) => ({
      ...refusal,
      limit: 60,
      remaining: 41,
      resetAtMs: nextMinuteMs(nowMs),
    })),
    { keys: ['enterprise'] },
  ],
  'header-limit-of-the-day @ limit-not-below-quota': [
    'X-RateLimit-Limit is of the day, the other two headers are of the minute.',
    mixed(({ limit }) => ({ limit })),
  ],
  'header-limit-and-remaining-of-the-day @ limit-not-below-quota': [
    'X-RateLimit-Reset is of the minute, the other two headers are of the day.',
    mixed(({ limit, remaining }) => ({ limit, remaining })),
  ],
  'day-excess-answered-402 @ quota-429-status': [
    'Beyond the daily quota the response is 402 instead of 429.',
    where(isDayRefusal, replacedBy(402, 'payment_required', 'The day is spent.')),
  ],
  'enterprise-day-not-enforced @ day-quota-enterprise': [
    'The agreed daily quota of an Enterprise key is not enforced.',
    onPlan('enterprise', () => ({ perDay: 10_000_000 })),
  ],
  'enterprise-day-a-tenth-short @ day-quota-enterprise': [
    'The agreed daily quota of an Enterprise key is a tenth short.',
    onPlan('enterprise', ({ perDay: calls }) => ({ perDay: Math.floor(calls * 0.9) })),
  ],
  'day-refused-without-retry-after @ ban-retry-after': [
    'A refusal of the day has no Retry-After.',
    where(isDayRefusal, without('Retry-After')),
  ],
})
