// Invariants: each sentence about every answer, judged over all that the checks caused.
import type { Invariant, Trace } from './check.ts'
import { isSoundList } from './control.ts'
import { Untested, Violation } from './outcome.ts'
import type { Ending } from './result.ts'

const firstBreach = (
  invariant: Invariant,
  trace: Trace,
): { judged: number; broken: Violation[]; unclear: Untested | undefined } => {
  const spokenOf = trace.exchanges.filter(invariant.applies)
  const broken: Violation[] = []
  let judged = spokenOf.length
  let unclear: Untested | undefined
  for (const exchange of spokenOf) {
    try {
      invariant.holds(exchange, trace)
    } catch (error) {
      if (error instanceof Violation) broken.push(error)
      else if (error instanceof Untested) {
        // This answer cannot be judged; others may be.
        unclear = error
        judged -= 1
      } else throw error
    }
  }
  return { judged, broken, unclear }
}

/** Judges one invariant; it passes only where a sound request was answered soundly too. */
export const judgeInvariant = (invariant: Invariant, trace: Trace): Ending => {
  try {
    const { judged, broken, unclear } = firstBreach(invariant, trace)
    const [first] = broken
    if (first) {
      const count = `in ${broken.length} of ${judged} answers, first: ${first.actual}`
      return { kind: 'threw', error: new Violation(first.expected, count, first.evidence) }
    }
    if (judged === 0) {
      throw unclear ?? new Untested('blocked', 'no answer that this sentence speaks of was seen')
    }
    if (!trace.exchanges.some((exchange) => exchange.key !== null && isSoundList(exchange))) {
      throw new Untested('blocked', 'no sound request was answered soundly')
    }
    return { kind: 'pass' }
  } catch (error) {
    return { kind: 'threw', error }
  }
}
