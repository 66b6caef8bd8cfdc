// What is known of a day that was spent, whichever way, and the wording of what was found.
import type { Answered } from '../../engine/exchange.ts'
import { Suspicion, Violation } from '../../engine/outcome.ts'
import type { Judgement } from '../../engine/quota/judgements.ts'

export interface SpentDay {
  readonly more: Judgement
  readonly fewer: Judgement
  /** The refusal that ended it, where this run drew it. */
  readonly refusal: Answered | undefined
  /** What came in the place of one, after the last call of the day. */
  readonly instead: Answered | undefined
  /** Whether that came after the last of its calls, as far as is known. */
  readonly isWhole: boolean
}

export const holds: Judgement = { kind: 'holds' }

export const unclear = (why: string, evidence: readonly Answered[]): Judgement => ({
  kind: 'unclear',
  why,
  evidence,
})

export const breach = (
  expected: string,
  actual: string,
  evidence: readonly Answered[],
): Judgement => ({ kind: 'breach', expected, actual, evidence })

export const decide = (found: Judgement): void => {
  if (found.kind === 'holds') return
  if (found.kind === 'unclear') throw new Suspicion(found.why, found.evidence)
  throw new Violation(found.expected, found.actual, found.evidence)
}
