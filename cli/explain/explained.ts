// The form of an explanation, as `petvet explain --json` tells it.
import type { Level } from '../../spec/sentence.ts'

export interface ExplainedSentence {
  readonly id: string
  readonly section: string
  readonly level: Level
  readonly says: string
  /** Why no check asks about it, where none does. */
  readonly unasked: string | null
}

/** A faulty server that a check has to find, and the commands that show it. */
export interface ExplainedMutant {
  readonly id: string
  readonly fault: string
  readonly see: readonly string[]
}

/** A server that does it otherwise, and may: the check has to be silent about it. */
export interface ExplainedLegal {
  readonly id: string
  readonly does: string
}

export type AskerKind =
  | 'check'
  | 'property'
  | 'observation'
  | 'invariant'
  | 'load verdict'
  | 'load observation'
  | 'domain check'
  | 'domain observation'

/** Something that asks about a sentence: of the suites, of a load, or of domains. */
export interface ExplainedAsker {
  readonly kind: AskerKind
  readonly id: string
  readonly sentence: ExplainedSentence
  readonly how: { readonly asks: string; readonly finds: string; readonly open: string | null }
  readonly costs: readonly string[]
  readonly needs: readonly string[]
  /** When in a run; null where that says nothing. */
  readonly when: string | null
  /** The command that asks it alone. */
  readonly run: string
  readonly legal: readonly ExplainedLegal[]
  readonly mutants: readonly ExplainedMutant[]
}

export interface ExplainedRequirement {
  readonly kind: 'sentence'
  readonly sentence: ExplainedSentence
  readonly askers: readonly ExplainedAsker[]
}

export interface ExplainedScenario {
  readonly kind: 'load scenario'
  readonly id: string
  readonly says: string
  readonly needs: readonly string[]
  readonly run: string
  readonly askers: readonly ExplainedAsker[]
}

export type Explained = ExplainedAsker | ExplainedRequirement | ExplainedScenario
