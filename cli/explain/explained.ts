// The form of an explanation, as `petvet explain --json` prints it; and what a check costs and
// needs, in words, with the flag that provides it.

import type { Permission } from '../../engine/check/context.ts'
import type { AnyCheck, Experiment, Needs, Stage } from '../../engine/check/declare.ts'
import { count } from '../../history/quote.ts'
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

const experiments: Readonly<Record<Experiment, string>> = {
  silence: 'a per-minute quota used up, and 75 s of silence',
  burst: 'a burst that uses up a per-minute quota, and one call more',
  retry: 'the call after Retry-After',
  requestsAfter429: 'the key for bans, exhausted and used again',
  'requestsAfter429 again': 'two more such series of refusals',
  late: 'two minutes spent up to their last second',
  steady: 'a part of the minute every 50 s, four times',
  errors: 'a part of a minute spent, and a series of errors',
  day: 'a daily quota used up',
  'burst after removal': 'a burst that uses up a per-minute quota after the removal',
}

/** What it sends where it passes. */
export const costInWords = (check: AnyCheck): string[] => {
  if (check.kind === 'clause') return ['no request: it judges what others caused']
  const { needs } = check
  const { keyed, anonymous, experiment, plan, furtherKeys, ifRefused = 0 } = needs
  const requests = count(keyed, 'request', 'requests')
  const ofHeld = `at most ${requests} with a ${plan === undefined ? 'Free ' : ''}key`
  const own = [
    ...(experiment !== undefined && furtherKeys
      ? ['the minute of each of these keys and 2 requests']
      : []),
    ...(keyed > 0 ? [experiment === undefined ? `${requests} with a key` : ofHeld] : []),
    ...(anonymous > 0 ? [`${count(anonymous, 'request', 'requests')} without a valid key`] : []),
  ]
  const held = experiment === undefined ? [] : [`runs an experiment: ${experiments[experiment]}`]
  const seen = (needs.looksAt ?? []).map((each) => `judges the result of: ${experiments[each]}`)
  const sent = own.length > 0 ? own.join(', ') : 'no request of its own'
  const more =
    ifRefused === 0
      ? []
      : [`up to ${ifRefused} more where the interface is silent and the target refuses`]
  return [sent, ...more, ...held, ...seen]
}

export const whenInWords = ({ stage, walk, clock }: Needs): string =>
  walk && !clock ? `${times[stage]}; without a test clock ${times.rest}` : times[stage]

/** Run alone these come before it, and cost more than it does. */
const costly = '`petvet plan --only ID` prints what these cost'

const secondKeys = {
  any: 'two keys, of any plans (--key free=KEY --key pro=OTHER)',
  'same-plan': 'two keys of one plan (--key free=KEY --key free=OTHER)',
  'other-plan': 'keys of two plans (--key free=KEY --key pro=OTHER)',
} as const

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

const keyOf = ({ plan, keys, secondKey: which, banKey, furtherKeys }: Needs): string[] => [
  ...(plan === undefined ? [] : [`a key of the plan ${plan}`]),
  ...(which === undefined ? [] : [secondKeys[which]]),
  ...(furtherKeys
    ? ['a second key of a plan, or a key with `use: ban` in the configuration file']
    : []),
  ...(banKey ? [banKeyInWords] : []),
  ...(keys === undefined ? [] : [`${count(keys, 'key', 'keys')} in addition to the one for bans`]),
]

/** What it needs in order to run. */
export const needsInWords = (needs: Needs): string[] => [
  ...(needs.allow ?? []).map(permissionInWords),
  ...keyOf(needs),
  ...(needs.clock ? ["the target's test clock (--clock URL)"] : []),
  ...(needs.description ? ['the published description (--description URL)'] : []),
  ...(needs.pets === undefined
    ? []
    : [`${count(needs.pets, 'pet', 'pets')}: run alone, missing ones are created (${costly})`]),
  ...(needs.getPet ? ['a target before the removal of 5 December 2030'] : []),
]
