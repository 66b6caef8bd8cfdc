// One proof: the checks of a subject run against it, and whether they judged it correctly.
import type { RunFile } from '../engine/check/run-file.ts'

/** The part of the checks that has to find the fault, or must not fail. */
type SuiteName = 'contract' | 'limits' | 'days' | 'both' | 'domains'

/** How its checks judged a subject. */
export interface Judged {
  /** Checks that failed, or warned of a should. */
  readonly killedBy: readonly string[]
  readonly requests: number
  /** What is wrong with the proof, in one line; null where it holds. */
  readonly complaint: string | null
}

/** A server or a published project with one fault, or that no check may fail. */
export interface Subject {
  readonly kind: 'mutant' | 'legal' | 'constant'
  readonly id: string
  /** The fault, or how it differs from the reference. */
  readonly says: string
  /** The check that has to fail; null where none may. */
  readonly caughtBy: string | null
  readonly suite: SuiteName
}

export interface Proof extends Judged, Pick<Subject, 'id' | 'kind' | 'says' | 'caughtBy'> {
  readonly seed: number
  readonly durationMs: number
}

type Checked = Pick<RunFile['checks'][number], 'id' | 'outcome'>

/** The checks that ended in one of these outcomes. */
export const listIds = ({ checks }: { checks: readonly Checked[] }, ...outcomes: string[]) =>
  checks.filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id)
