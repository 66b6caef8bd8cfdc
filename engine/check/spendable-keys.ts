// Which keys a run may exhaust or get banned, how much of a quota it spends, and what it lacks for
// a check: a permission, a key, a clock, a description.

import { NotGiven, Untested } from '../../history/outcome.ts'
import { type Plan, plans, type Quota } from '../../spec/plans.ts'
import { type Limits, type Permission, permissions } from './context.ts'
import type { AnyCheck, Needs } from './declare.ts'

export interface KeyOption {
  readonly plan: Plan
  readonly key: string
  readonly quota: Quota
  /** The key that may be banned; by default the last of two or more of one plan. */
  readonly use?: 'ban'
  /** The environment variable that it was read from. */
  readonly variable?: string | undefined
}

/** Decides which checks a run can do, and what they cost. */
export interface PlanOptions {
  readonly allow: readonly Permission[]
  readonly clockUrl: string | null
  /** Address of the published OpenAPI document. */
  readonly descriptionUrl: string | null
  readonly keys: readonly KeyOption[]
  /** How many requests a run with a test clock spends on walks. */
  readonly walk?: number
  /** Whether other clients use the keys too. */
  readonly shared?: boolean
  /** What was given in place of the usual budget of rows. */
  readonly budget?: { readonly maxRequests?: number; readonly maxTimeMs?: number }
  /** Where checks are selected: those that a run of all has. */
  readonly whole?: readonly AnyCheck[]
}

/** What a run with a test clock spends on walks by default. */
export const usualWalk = 256

/** Every key that a check may use, including the one that may be banned. */
export const allKeys = ({ keys, banKey }: Pick<Limits, 'keys' | 'banKey'>): Limits['keys'] =>
  banKey ? [...keys, banKey] : keys

/**
 * The key configured for bans, or the last of two or more of one plan: of the plan with the
 * smallest minute, as all of it is spent. Never the only key of a plan, which its checks need.
 */
export const chooseBanKey = <K extends KeyOption>(keys: readonly K[]): K | undefined =>
  keys.find(({ use }) => use === 'ban') ??
  keys
    .filter(({ plan }, at) => keys.findLastIndex((key) => key.plan === plan) === at)
    .filter(({ plan }) => keys.filter((key) => key.plan === plan).length > 1)
    .toSorted((a, b) => a.quota.perMinute - b.quota.perMinute)[0]

/** The one key that is sent where access logs keep it: that for bans, else the cheapest. */
export const exposedKey = ({ keys, banKey }: Pick<Limits, 'keys' | 'banKey'>) =>
  banKey ?? firstSmallest(keys, 'perMinute')

/** Whether there is more than the minute of one Free key. */
export const hasAmpleQuota = ({ clockUrl, keys }: Pick<PlanOptions, 'clockUrl' | 'keys'>) =>
  clockUrl !== null ||
  keys.length > 1 ||
  keys.some(({ quota }) => quota.perMinute > plans.free.perMinute)

type OfPlan = Pick<KeyOption, 'plan' | 'quota'>

/** Of the keys with the smallest quota, of a plan or of any, the first. */
export const firstSmallest = <K extends OfPlan>(
  keys: readonly K[],
  window: keyof Quota,
  plan?: Plan,
): K | undefined =>
  keys
    .filter((key) => plan === undefined || key.plan === plan)
    .toSorted((a, b) => a.quota[window] - b.quota[window])[0]

/**
 * The key whose day is spent, of a plan: where a minute is spent of its first one, the last of
 * several such keys.
 */
export const dayKeyIn = <K extends OfPlan>(keys: readonly K[], plan: Plan): K | undefined => {
  const isSpent = firstSmallest(keys, 'perMinute')?.plan === plan
  return firstSmallest(isSpent ? keys.toReversed() : keys, 'perDay', plan)
}

/** Why a check cannot run. */
type Lack = Untested | NotGiven

const uses: Record<Permission, string> = {
  write: 'write',
  exhaust: 'exhaust a quota',
  ban: 'get a key banned',
  day: "spend a day's quota",
  expose: 'send a valid key outside `Authorization`',
}

/** Names what is not allowed and the complete flag, as `--allow` replaces earlier permissions. */
export const missingPermission = (
  wanted: readonly Permission[],
  allow: readonly Permission[],
): Untested | undefined => {
  const refused = permissions.filter((word) => wanted.includes(word) && !allow.includes(word))
  if (refused.length === 0) return undefined
  const whole = permissions.filter((word) => allow.includes(word) || refused.includes(word))
  const words = `it needs the permission to ${refused.map((word) => uses[word]).join(' and ')}`
  return new Untested('permission', `${words} (--allow ${whole.join(',')})`)
}

export const missingBanKey = new Untested(
  'key',
  'it needs a key that petvet may get banned: give two keys of one plan (--key free=A --key ' +
    'free=B), or mark a key with `use: ban` in the configuration file',
)

const enterpriseKey =
  'only a configuration file takes one: { plan: enterprise, key: $NAME, perMinute: N, perDay: N }'

const missingKey = (needs: Needs, keys: PlanOptions['keys']): Lack | undefined => {
  const { plan } = needs
  if (plan !== undefined && !keys.some((key) => key.plan === plan)) {
    // An enterprise key comes with its numbers, which no flag takes.
    const how = plan === 'enterprise' ? enterpriseKey : `--key ${plan}=KEY`
    return new NotGiven(`no key of the plan ${plan} is configured (${how})`)
  }
  if (needs.allow?.includes('ban') && !chooseBanKey(keys)) return missingBanKey
  if (needs.keys !== 'another' || keys.length > 1) return undefined
  return new Untested('key', 'it needs another key, of any plan (--key PLAN=OTHER)')
}

/** Why a check cannot run with these options; undefined: it can. */
export const missingPrerequisite = (needs: Needs, options: PlanOptions): Lack | undefined => {
  if (needs.description && options.descriptionUrl === null) {
    return new NotGiven('no published description is given (--description URL)')
  }
  const refused = missingPermission(needs.allow ?? [], options.allow)
  if (refused) return refused
  if (needs.clock && options.clockUrl === null) {
    return new Untested('clock', "it needs the target's test clock (--clock URL)")
  }
  return missingKey(needs, options.keys)
}
