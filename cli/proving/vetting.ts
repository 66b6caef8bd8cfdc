// How a subject is put to the proof: which questions it is asked, with which keys, and what a run
// may do to it.

import type { Question, Stage } from '../../engine/check.ts'
import type { Permission } from '../../engine/permission.ts'
import { permissions } from '../../engine/permission.ts'
import type { KeyOption } from '../../engine/run-options.ts'
import { type Plan, plans } from '../../spec/plans.ts'
import { catalogue } from '../../suites/index.ts'

/** Where the fault is to be found, or silence to be kept. */
export type SuiteName = 'contract' | 'limits' | 'days' | 'both'

export interface Vetting {
  readonly questions: readonly Question[]
  readonly plans: readonly Plan[]
  readonly allow: readonly Permission[]
}

/** The probes tell what the creations of a burst may use. */
const stagesOfLimits: readonly Stage[] = ['probes', 'limits', 'bans', 'days']

const isOfLimits = (question: Question): boolean =>
  question.kind === 'invariant' || stagesOfLimits.includes(question.needs.stage)

const contract: Vetting = { questions: catalogue, plans: ['free'], allow: ['write'] }

/** Two keys of a plan: one of them is for bans. A day takes more calls than all else. */
const limits: Vetting = {
  questions: catalogue.filter(isOfLimits),
  plans: ['free', 'free'],
  allow: ['write', 'exhaust', 'ban'],
}

const days: Vetting = { ...limits, allow: permissions }

const both: Vetting = { ...days, questions: catalogue, plans: ['free', 'free', 'pro'] }

const vettings: Record<SuiteName, Vetting> = { contract, limits, days, both }

export const vettingOf = (suite: SuiteName, more: readonly Plan[]): Vetting => {
  const vetting = vettings[suite]
  return { ...vetting, plans: [...vetting.plans, ...more] }
}

/** Case by case, as it was agreed for the proofs. */
const enterprise = { perMinute: 90, perDay: 1_000 }

/** A key for each plan of a vetting, in its order. */
export const keysOf = ({ plans: wanted }: Vetting): KeyOption[] =>
  wanted.map((plan, position) => ({
    plan,
    key: `petvet-proof-key-${position}-5f21c09b`,
    quota: plan === 'enterprise' ? enterprise : plans[plan],
  }))
