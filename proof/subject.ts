// The servers that the checks are proven on: each with its checks, its keys, and what must fail.
import { type Permission, permissions } from '../engine/check/context.ts'
import type { AnyCheck, Stage } from '../engine/check/declare.ts'
import type { KeyOption } from '../engine/check/keys.ts'
import { constants } from '../reference/constant-servers.ts'
import { legalVariants, mutants } from '../reference/mutants.ts'
import type { Variant } from '../reference/variant.ts'
import { type Plan, plans, type Quota } from '../spec/plans.ts'
import { catalogue } from '../suites/index.ts'

/** The part of the suites that has to find the fault, or must not fail. */
export type SuiteName = 'contract' | 'limits' | 'days' | 'both'

export interface Vetting {
  readonly checks: readonly AnyCheck[]
  readonly plans: readonly Plan[]
  readonly allow: readonly Permission[]
}

/** The probes find out what the creations of a burst may use. */
const stagesOfLimits: readonly Stage[] = ['probes', 'limits', 'bans', 'days']

const isOfLimits = (check: AnyCheck): boolean =>
  check.kind === 'invariant' || stagesOfLimits.includes(check.needs.stage)

const contract: Vetting = { checks: catalogue, plans: ['free'], allow: ['write'] }

/** Two keys of a plan: one of them is for bans. A day takes more calls than everything else. */
const limits: Vetting = {
  checks: catalogue.filter(isOfLimits),
  plans: ['free', 'free'],
  allow: ['write', 'exhaust', 'ban'],
}

const days: Vetting = { ...limits, allow: permissions }

const both: Vetting = { ...days, checks: catalogue, plans: ['free', 'free', 'pro'] }

const vettings: Record<SuiteName, Vetting> = { contract, limits, days, both }

export const vettingOf = (suite: SuiteName, more: readonly Plan[]): Vetting => {
  const vetting = vettings[suite]
  return { ...vetting, plans: [...vetting.plans, ...more] }
}

/** Enterprise quotas are agreed case by case: this is the one of the proofs. */
export const quotaOf = (plan: Plan): Quota =>
  plan === 'enterprise' ? { perMinute: 90, perDay: 1_000 } : plans[plan]

/** A key for each plan of a vetting, in its order. */
export const keysOf = ({ plans: wanted }: Vetting): KeyOption[] =>
  wanted.map((plan, position) => ({
    plan,
    key: `petvet-proof-key-${position}-5f21c09b`,
    quota: quotaOf(plan),
  }))

export interface Subject {
  readonly kind: 'mutant' | 'legal' | 'constant'
  readonly id: string
  /** The fault, or how it differs from the reference. */
  readonly says: string
  /** The check that has to fail; null where none may. */
  readonly caughtBy: string | null
  /** Checks of a `should` that may warn of a legal variant. */
  readonly warns: readonly string[]
  /** The checks that a legal variant was built for: they have to run there. */
  readonly exercises: readonly string[]
  /** Categories known to exist there, where it knows only some. */
  readonly categories: readonly bigint[]
  readonly suite: SuiteName
  readonly vetting: Vetting
  readonly variant: Variant
}

const nothing = { caughtBy: null, warns: [], exercises: [], categories: [] } as const

export const subjects: readonly Subject[] = [
  ...mutants.map((mutant): Subject => {
    const { id, fault: says, caughtBy, categories = [], suite = 'contract', keys = [] } = mutant
    const own = { id, says, caughtBy, categories, vetting: vettingOf(suite, keys) }
    return { ...nothing, kind: 'mutant', suite, ...own, variant: mutant }
  }),
  ...legalVariants.map((legal): Subject => {
    const { id, does: says, warns = [], categories = [], suite = 'contract', exercises } = legal
    const own = { id, says, warns, exercises, categories, vetting: vettingOf(suite, []) }
    return { ...nothing, kind: 'legal', suite, ...own, variant: legal }
  }),
  ...constants.map((constant): Subject => {
    const own = { id: constant.id, says: constant.responds, suite: 'both', vetting: both } as const
    return { ...nothing, kind: 'constant', ...own, variant: constant }
  }),
]
