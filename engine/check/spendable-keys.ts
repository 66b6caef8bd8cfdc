// Which keys a run may exhaust or get banned, and how much of a quota it spends.
import { type Plan, plans, type Quota } from '../../spec/plans.ts'
import type { LimitKey, Limits, Permission } from './context.ts'

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
}

/** What a run with a test clock spends on walks by default. */
export const usualWalk = 400

/** What it spends of the minute of each key at most without one, where nothing else needs it. */
export const walkPerKey = 60

/** Fewer show nothing. */
export const shortestWalk = 10

/** Every key that a check may use, including the one that may be banned. */
export const allKeys = ({ keys, banKey }: Pick<Limits, 'keys' | 'banKey'>): readonly LimitKey[] =>
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

/** All but the first key of each plan, which the checks of the plan use. */
export const furtherKeys = <K extends KeyOption>(keys: readonly K[]): K[] => {
  const banKey = chooseBanKey(keys)
  const isFirst = (key: K) => key === keys.find((each) => each !== banKey && each.plan === key.plan)
  return keys.filter((key) => !isFirst(key))
}

/** In real time no larger minute is spent on each key: it would be most of a run's cost. */
const smallMinute = 100

/** Those of them that are exhausted: where that costs little, and the key that is banned anyway. */
export const furtherExhausted = <K extends KeyOption>(
  keys: readonly K[],
  { allow, clockUrl }: PlanOptions,
): K[] => {
  const most = clockUrl === null ? smallMinute : maxBurst
  const banned = allow.includes('ban') ? chooseBanKey(keys) : undefined
  return furtherKeys(keys).filter((key) => key === banned || key.quota.perMinute <= most)
}

/**
 * Whether requests are plentiful: with a test clock, or with a key of a larger plan than Free. Then
 * a check sends everything of which it otherwise sends a sample.
 */
export const isAmple = ({ clockUrl, keys }: Pick<PlanOptions, 'clockUrl' | 'keys'>): boolean =>
  clockUrl !== null ||
  keys.some(
    ({ quota }) => quota.perMinute >= plans.pro.perMinute && quota.perDay >= plans.pro.perDay,
  )

/** A larger minute takes a load test, not a burst. */
export const maxBurst = 2_000

/** What a check may send, including the search for a minimal failing input; a day fits in. */
export const maxRequestsPerCheck = 2_500

/** What one check may send: two bursts on each key, of two minutes at most, are in it. */
export const maxByCheckFor = (keys: readonly { readonly quota: Quota }[]): number =>
  maxRequestsPerCheck +
  keys.reduce((sum, { quota }) => sum + 4 * Math.min(quota.perMinute, maxBurst), 0)

/** A larger day is not spent: a check has a limit, and may need the calls of two days. */
export const maxDayCalls = 1_200

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

/** Of several such keys the last: other checks need it least. */
export const lastSmallest = <K extends OfPlan>(
  keys: readonly K[],
  window: keyof Quota,
  plan?: Plan,
): K | undefined => firstSmallest(keys.toReversed(), window, plan)

/** The key of a plan whose day is spent: where possible one of which a minute is spent before. */
export const dayKeyIn = <K extends OfPlan>(keys: readonly K[], plan: Plan): K | undefined =>
  firstSmallest(keys, 'perMinute')?.plan === plan
    ? lastSmallest(keys, 'perDay', plan)
    : firstSmallest(keys, 'perDay', plan)

const spendable = <K extends KeyOption>(keys: readonly K[]): readonly K[] => {
  const banKey = chooseBanKey(keys)
  return keys.filter((key) => key !== banKey)
}

/** The key whose minute is spent; never the one for bans. */
export const chooseCheapest = <K extends KeyOption>(keys: readonly K[], plan?: Plan) =>
  firstSmallest(spendable(keys), 'perMinute', plan)
