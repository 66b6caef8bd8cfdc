// The form of an explanation, as `petvet explain --json` prints it; and what a check costs and
// needs, in words, with the flag that provides it.

import type { Permission } from '../../engine/check/context.ts'
import type { AnyCheck, Needs, Stage } from '../../engine/check/declare.ts'
import type { Level } from '../../spec/requirements/requirement.ts'

export interface RequirementFacts {
  readonly id: string
  readonly section: string
  /** The number of the ruling on it, if there is one. */
  readonly ruling: number | null
  readonly level: Level
  readonly says: string
  /** Why it has no check, where it has none. */
  readonly untestable: string | null
}

export type CheckKind =
  | ('check' | 'observation' | 'clause')
  | ('load verdict' | 'load observation')
  | ('domain check' | 'domain observation')

/** A check of a requirement: of the suites, of a load, or of domains. */
export interface ExplainedCheck {
  readonly kind: CheckKind
  readonly id: string
  readonly requirement: RequirementFacts
  /** What it sends; of a clause, which responses it judges. */
  readonly sends: string
  /** What is a violation; of an open point, what is recorded. */
  readonly fails: string
  /** What leaves it untested. */
  readonly inconclusive: string | null
  readonly costs: readonly string[]
  readonly needs: readonly string[]
  /** When in a run; null where its time does not matter. */
  readonly when: string | null
  /** The command that runs it alone. */
  readonly run: string
  /** Legal servers that differ from the reference: the check must not fail them. */
  readonly legalVariants: readonly { readonly id: string; readonly does: string }[]
  /** Faulty servers that the check catches, and the commands that show each. */
  readonly mutants: readonly Pick<ExplainedFault, 'id' | 'fault' | 'commands'>[]
}

export interface ExplainedRequirement {
  readonly kind: 'requirement'
  readonly requirement: RequirementFacts
  readonly checks: readonly ExplainedCheck[]
}

export interface ExplainedScenario {
  readonly kind: 'load scenario'
  readonly id: string
  readonly says: string
  readonly needs: readonly string[]
  readonly run: string
  readonly checks: readonly ExplainedCheck[]
}

/** The fault of a mutant. */
export interface ExplainedFault {
  readonly kind: 'mutant'
  readonly id: string
  readonly fault: string
  readonly requirement: RequirementFacts
  readonly caughtBy: string
  readonly commands: readonly string[]
}

export type Explained = ExplainedCheck | ExplainedRequirement | ExplainedScenario | ExplainedFault

/** When in a run: an earlier stage leaves what a later one needs. */
const times: Readonly<Record<Stage, string>> = {
  probes: 'first, as it finds out what others may use',
  unauthenticated: 'while keys wait, as it spends little of their quota',
  refusals: 'before many pets exist',
  creations: 'before the lists are judged',
  reads: 'after the creations',
  limits: 'after the contract, as it uses up a per-minute quota',
  bans: 'late, on a key of its own',
  hazards: 'late, as it may crash the target or spoil its store',
  days: 'late, as it uses up a daily quota',
  time: 'near the end, as it moves the clock',
  removal: 'last, as it moves the clock past the removal',
  rest: 'last, as it spends what nothing else needs',
}

/** What it sends where it passes. */
export const costInWords = ({ kind, id }: AnyCheck): string[] =>
  kind === 'clause'
    ? ['no request: it judges what others caused']
    : [`\`petvet plan --only ${id}\` measures it, with what it needs before it`]

export const whenInWords = ({ stage, stageByClock }: Needs): string =>
  stageByClock ? `${times[stageByClock]}; without a test clock ${times[stage]}` : times[stage]

/** What each permission allows. */
const permitted: Readonly<Record<Permission, string>> = {
  write: 'creates pets, which stay',
  exhaust: "spends a key's minute",
  ban: 'may cause a ban',
  day: "spends a key's day",
}

export const permissionInWords = (permission: Permission): string =>
  `--allow ${permission} (${permitted[permission]})`

export const banKeyInWords =
  'a key that may be banned: one with `use: ban` in the configuration file, or else the last key ' +
  'of the cheapest plan that has two or more'

const keysInWords = {
  another: 'two keys, of any plans (--key free=KEY --key pro=OTHER)',
  further: 'a second key of a plan, or a key with `use: ban` in the configuration file',
} as const

const keyOf = ({ plan, keys, allow = [] }: Needs): string[] => [
  ...(plan === undefined ? [] : [`a key of the plan ${plan}`]),
  ...(keys === undefined ? [] : [keysInWords[keys]]),
  ...(allow.includes('ban') ? [banKeyInWords] : []),
]

/** What it needs in order to run. */
export const needsInWords = (needs: Needs): string[] => [
  ...(needs.allow ?? []).map(permissionInWords),
  ...keyOf(needs),
  ...(needs.clock ? ["the target's test clock (--clock URL)"] : []),
  ...(needs.description ? ['the published description (--description URL)'] : []),
  ...(needs.pets === undefined ? [] : [`${needs.pets} pets: run alone, missing ones are created`]),
  ...(needs.getPet ? ['a target before the removal of 5 December 2030'] : []),
]
