// Faults that only some keys of a plan have: the checks of a plan look at the first one alone.
import { type Plan, plans, type Quota } from '../../../spec/plans.ts'
import type { Variant } from '../../compose.ts'
import type { KeyRecord } from '../../keys.ts'
import type { Mutant } from '../../mutant.ts'
import { shownFor } from './over.ts'

/** Enforces other numbers for some keys; `before` are the keys that were issued before it. */
const enforcingOn = (change: (key: KeyRecord, before: readonly KeyRecord[]) => Quota): Variant => ({
  parts: ({ limiter, keys }) => ({
    charge: (key, _request, nowMs) => {
      const own = keys.all.findIndex((each) => each.key === key.key)
      const enforced = change(key, keys.all.slice(0, own))
      return shownFor(limiter.take(key.key, enforced, nowMs), enforced, key.quota)
    },
  }),
})

const isSecond = ({ plan }: KeyRecord, before: readonly KeyRecord[]): boolean =>
  before.filter((each) => each.plan === plan).length === 1

const onSecond = (of: Plan, change: (quota: Quota) => Quota): Variant =>
  enforcingOn((key, before) =>
    key.plan === of && isSecond(key, before) ? change(key.quota) : key.quota,
  )

const unlimited = (quota: Quota): Quota => ({ ...quota, perMinute: quota.perDay / 2 })

/** The numbers of the first key that calls hold for all others. */
const asFirstCaller: Variant = {
  parts: ({ limiter }) => {
    let first: Quota | undefined
    return {
      charge: ({ key, quota }, _request, nowMs) => {
        first ??= quota
        return shownFor(limiter.take(key, first, nowMs), first, quota)
      },
    }
  },
}

export const secondKeyMutants: readonly Mutant[] = [
  {
    id: 'key-for-bans-not-limited',
    breaks: 'auth.per-key',
    caughtBy: 'quota-each-key-not-more',
    fault: 'Only the first key that was issued is registered with the limiter.',
    ...enforcingOn((key, before) => (before.length > 0 ? unlimited(key.quota) : key.quota)),
  },
  {
    id: 'second-key-not-limited',
    breaks: 'auth.per-key',
    caughtBy: 'quota-each-key-not-more',
    fault: 'A key that was issued later for the same account is taken for an internal one.',
    keys: ['free'],
    ...onSecond('free', unlimited),
  },
  {
    id: 'second-key-limited-as-pro',
    breaks: 'auth.per-key',
    caughtBy: 'quota-each-key-not-more',
    fault: 'A further key of an account gets the numbers of the next plan.',
    keys: ['free'],
    ...onSecond('free', (quota) => ({ ...quota, perMinute: plans.pro.perMinute })),
  },
  {
    id: 'second-key-limited-as-free',
    breaks: 'auth.per-key',
    caughtBy: 'quota-each-key-not-fewer',
    fault: 'The plan is stored with the first key of an account alone; others are Free.',
    keys: ['pro', 'pro', 'pro'],
    ...onSecond('pro', (quota) => ({ ...quota, perMinute: plans.free.perMinute })),
  },
  {
    id: 'all-keys-limited-as-first-caller',
    breaks: 'limits.pro',
    caughtBy: 'quota-pro-not-fewer',
    fault: 'The limiter is created on the first call, with the numbers of its key, for all keys.',
    keys: ['pro'],
    ...asFirstCaller,
  },
]
