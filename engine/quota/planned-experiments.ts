// The experiments that checks share: which ones a run does, with which key, and what they cost.

import { minuteMs } from '../../history/rate-headers.ts'
import { plans, type Quota } from '../../spec/plans.ts'
import type { Experiment, Needs, SendingCheck } from '../check/declare.ts'
import {
  chooseBanKey,
  chooseCheapest,
  chooseDayKey,
  chooseLateKey,
  furtherExhausted,
  type KeyOption,
  maxBurst,
  maxDayCalls,
  type PlanOptions,
  usualWalk,
} from '../check/spendable-keys.ts'

/** An experiment on a key, which a run does once. */
interface PlannedExperiment {
  readonly experiment: Experiment
  readonly key: KeyOption
  readonly requests: number
  /** Real time that it waits, in addition to the windows that its requests need. */
  readonly waitMs: number
}

/** Requests beyond the minute itself: the refused one, and a probe before a near reset. */
const beyondBurst = 2
/** The first probes of the minute, and the request after the silence. */
const beyondSilence = 4
/** Servers ban after 3 to 30 refusals: so many requests follow the first one. */
export const maxRequestsAfter429 = 40
/** The lists, errors and creation of the experiment with errors. */
const errorRow = 24
/** So many calls distinguish a new count from ticks of a tenth, and from calls not yet counted. */
const minSeen = 20
const tickShare = 0.1

export const spentBeforeErrors = ({ perMinute }: Quota): number =>
  Math.ceil(tickShare * perMinute) + minSeen

/**
 * How a minute's number and one more is sent in steps of 50 s: any three of them, which is what
 * lies within two minutes, are fewer than half that number.
 */
export const steadySteps = ({ perMinute }: Quota) => {
  const calls = Math.floor((perMinute / 2 - 1) / 3)
  const errors = Math.max(0, Math.min(2, calls - 1))
  const lists = calls - errors
  return { steps: lists < 1 ? 0 : Math.ceil((perMinute + 1) / lists), lists, errors }
}

/** Larger minutes are exhausted before the removal alone; after it they send a Free key's. */
export const maxAfterRemoval = 100

interface Terms {
  readonly requests: (quota: Quota) => number
  /** The key that it is done with, if not the cheapest. */
  readonly on?: 'ban key' | 'day key' | 'late key'
  /** The largest minute with which it is done, if it is not that of a burst. */
  readonly maxMinute?: number
  /** Real time that it waits, in addition to the windows that its requests need. */
  readonly waitMs?: number
}

const requestsAfter429 = ({ perMinute }: Quota): number =>
  perMinute + beyondBurst + maxRequestsAfter429

const stepRequests = (quota: Quota): number => {
  const { steps, lists, errors } = steadySteps(quota)
  return steps * (lists + errors)
}

/** The waits for three windows, and a ban as long as that of the reference. */
const banMs = 3 * minuteMs + 90_000

const terms: Readonly<Record<Experiment, Terms>> = {
  silence: {
    requests: ({ perMinute }) => perMinute + beyondSilence,
    maxMinute: Number.POSITIVE_INFINITY,
    waitMs: minuteMs,
  },
  burst: { requests: ({ perMinute }) => perMinute + beyondBurst, waitMs: 2 * minuteMs },
  requestsAfter429: { requests: requestsAfter429, on: 'ban key', waitMs: banMs },
  'requestsAfter429 again': { requests: (quota) => 2 * requestsAfter429(quota), on: 'ban key' },
  late: { requests: ({ perMinute }) => perMinute + 1, on: 'late key' },
  retry: { requests: () => 1 },
  steady: { requests: stepRequests },
  errors: {
    requests: (quota) => spentBeforeErrors(quota) + errorRow,
    maxMinute: Number.POSITIVE_INFINITY,
  },
  /** With one request beyond it, one after its wait, and two with each of two other keys. */
  day: { requests: ({ perDay }) => perDay + 6, on: 'day key' },
  'burst after removal': {
    requests: ({ perMinute }) =>
      (perMinute > maxAfterRemoval ? plans.free.perMinute : perMinute) + beyondBurst,
  },
}

/** A larger day is not spent. */
const isTooMuch = (experiment: Experiment, { quota }: KeyOption): boolean =>
  experiment === 'day'
    ? quota.perDay > maxDayCalls
    : quota.perMinute > (terms[experiment].maxMinute ?? maxBurst)

const keyOn = (on: Terms['on'], keys: readonly KeyOption[], { plan }: Needs) => {
  if (on === 'ban key') return chooseBanKey(keys)
  if (on === 'late key') return chooseLateKey(keys)
  return on === 'day key' && plan ? chooseDayKey(keys, plan) : chooseCheapest(keys, plan)
}

const keysOf = (
  experiment: Experiment,
  { needs }: SendingCheck,
  options: PlanOptions,
): readonly KeyOption[] => {
  const { keys } = options
  if (needs.furtherKeys) return furtherExhausted(keys, options)
  const key = keyOn(terms[experiment].on, keys, needs)
  return key ? [key] : []
}

const experimentsOf = ({ needs }: SendingCheck): readonly Experiment[] => [
  ...(needs.experiment ? [needs.experiment] : []),
  ...(needs.looksAt ?? []),
]

/** The experiments that these checks need, each once, with its key. */
export const plannedExperiments = (
  checks: readonly SendingCheck[],
  options: PlanOptions,
): PlannedExperiment[] => {
  const held: Pick<PlannedExperiment, 'experiment' | 'key'>[] = []
  const has = (experiment: Experiment, key: KeyOption) =>
    held.some((each) => each.experiment === experiment && each.key === key)
  for (const check of checks) {
    for (const experiment of experimentsOf(check)) {
      for (const key of keysOf(experiment, check, options)) {
        if (!isTooMuch(experiment, key) && !has(experiment, key)) held.push({ experiment, key })
      }
    }
  }
  const cheapest = chooseCheapest(options.keys)
  // The key for bans is exhausted by the experiment on bans, another one in its last second.
  const isExhausted = (key: KeyOption) =>
    has('requestsAfter429', key) || (key !== cheapest && has('late', key))
  /** By the test clock such a minute is the first of the day. */
  const isBegun = (key: KeyOption) =>
    options.clockUrl !== null &&
    (has('late', key) || (key.plan === 'enterprise' && has('burst', key)))
  return held
    .filter(({ experiment, key }) => experiment !== 'burst' || !isExhausted(key))
    .map(({ experiment, key }) => {
      const { requests, waitMs = 0 } = terms[experiment]
      const isPart = experiment === 'day' && isBegun(key)
      // The silence has rested the key for the burst.
      const isRested = experiment === 'burst' && has('silence', key)
      return {
        ...{ experiment, key, waitMs: isRested ? 0 : waitMs },
        requests: requests(key.quota) - (isPart ? key.quota.perMinute : 0),
      }
    })
}

/** Whether a check does an experiment; others only look at it. */
const isHolder = (
  check: SendingCheck,
  { experiment, key }: PlannedExperiment,
  options: PlanOptions,
) => check.needs.experiment === experiment && keysOf(experiment, check, options).includes(key)

const sumOf = (held: readonly PlannedExperiment[]): number =>
  held.reduce((total, { requests }) => total + requests, 0)

/** The requests of a check that count on keys. */
export const keyedCost = (
  check: SendingCheck,
  held: readonly PlannedExperiment[],
  options: PlanOptions,
): number => {
  const { experiment, keyed } = check.needs
  if (!experiment || keysOf(experiment, check, options).length === 0) return keyed
  return sumOf(held.filter((each) => isHolder(check, each, options)))
}

/** The cost of experiments that these checks look at, and none of them does. */
export const unheldCost = (checks: readonly SendingCheck[], options: PlanOptions): number =>
  sumOf(
    plannedExperiments(checks, options).filter(
      (held) => !checks.some((check) => isHolder(check, held, options)),
    ),
  )

/**
 * Whether requests are plentiful: with a test clock, or with a key of a larger plan than Free. Then
 * a check sends everything of which it otherwise sends a sample, and may declare another cost.
 */
export const isAmple = ({ clockUrl, keys }: Pick<PlanOptions, 'clockUrl' | 'keys'>): boolean =>
  clockUrl !== null ||
  keys.some(
    ({ quota }) => quota.perMinute >= plans.pro.perMinute && quota.perDay >= plans.pro.perDay,
  )

/** Without a test clock a walk takes what nothing else needs, so it costs nothing. */
const walkNeeds = (
  { keyed, anonymous, clock }: Needs,
  { clockUrl, walk = usualWalk }: PlanOptions,
): Partial<Needs> => {
  if (clockUrl === null && !clock) return { stage: 'rest', keyed: 0, anonymous: 0, allow: [] }
  const times = (number: number) => Math.ceil((number * walk) / usualWalk)
  return { keyed: times(keyed), anonymous: times(anonymous) }
}

/** A check with what it needs, and costs, in a run with these options. */
export const priced = (check: SendingCheck, options: PlanOptions): SendingCheck => {
  const { ample, walk, stageByClock } = check.needs
  if (stageByClock && options.clockUrl !== null) {
    return { ...check, needs: { ...check.needs, stage: stageByClock } }
  }
  if (walk) return { ...check, needs: { ...check.needs, ...walkNeeds(check.needs, options) } }
  if (ample === undefined || !isAmple(options)) return check
  return { ...check, needs: { ...check.needs, keyed: ample } }
}
