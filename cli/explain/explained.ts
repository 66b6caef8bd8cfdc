// The form of an explanation, as `petvet explain --json` prints it.
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
  | ('check' | 'property' | 'observation' | 'invariant')
  | ('load verdict' | 'load observation')
  | ('domain check' | 'domain observation')

/** A check of a requirement: of the suites, of a load, or of domains. */
export interface ExplainedCheck {
  readonly kind: CheckKind
  readonly id: string
  readonly requirement: RequirementFacts
  /** What it sends; of an invariant, which responses it judges. */
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

/** A known fault, which reports name as a likely cause. */
export interface ExplainedFault {
  readonly kind: 'mutant'
  readonly id: string
  readonly fault: string
  readonly requirement: RequirementFacts
  /** Where faults of this kind usually come from, and how they are fixed. */
  readonly origin: string
  readonly fix: string
  readonly caughtBy: string
  readonly commands: readonly string[]
}

export type Explained = ExplainedCheck | ExplainedRequirement | ExplainedScenario | ExplainedFault
