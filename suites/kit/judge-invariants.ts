// Invariants: each sentence about every answer, judged over all that the checks caused.
import type { Invariant, Trace } from './check.ts'
import { isSoundList } from './control.ts'
import { count } from './count.ts'
import { Suspicion, Untested, Violation } from './outcome.ts'
import type { Ending } from './result.ts'

interface Judged {
  readonly judged: number
  readonly broken: readonly Violation[]
  readonly suspicion: Suspicion | undefined
  readonly unclear: Untested | undefined
}

const judgeEach = (invariant: Invariant, trace: Trace): Judged => {
  const spokenOf = trace.exchanges.filter(invariant.applies)
  const broken: Violation[] = []
  let judged = spokenOf.length
  let unclear: Untested | undefined
  let suspicion: Suspicion | undefined
  for (const exchange of spokenOf) {
    try {
      invariant.holds(exchange, trace)
    } catch (error) {
      if (error instanceof Violation) broken.push(error)
      else if (error instanceof Suspicion) suspicion ??= error
      else if (error instanceof Untested) {
        // This answer cannot be judged; others may be.
        unclear = error
        judged -= 1
      } else throw error
    }
  }
  return { judged, broken, suspicion, unclear }
}

/** Judges one invariant; it passes only where a sound request was answered soundly too. */
export const judgeInvariant = (invariant: Invariant, trace: Trace): Ending => {
  try {
    const { judged, broken, suspicion, unclear } = judgeEach(invariant, trace)
    const [first] = broken
    if (first) {
      const answers = count(judged, 'answer', 'answers')
      const found = `in ${broken.length} of ${answers}, first: ${first.actual}`
      return { kind: 'threw', error: new Violation(first.expected, found, first.evidence) }
    }
    if (suspicion) throw suspicion
    if (judged === 0 && !unclear && invariant.optional !== undefined) {
      return { kind: 'inapplicable', why: invariant.optional }
    }
    if (judged === 0) {
      throw unclear ?? new Untested('ambiguous', 'no answer that it speaks of was seen')
    }
    if (!trace.exchanges.some((exchange) => exchange.key !== null && isSoundList(exchange))) {
      throw new Untested('blocked', 'no sound request was answered soundly')
    }
    return { kind: 'pass' }
  } catch (error) {
    return { kind: 'threw', error }
  }
}
