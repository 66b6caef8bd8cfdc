// Outcomes and the two ways a check can end without passing: Violation and Untested.
import type { Exchange } from './exchange.ts'

/** From best to worst; a requirement takes the worst of its checks. */
const outcomes = ['pass', 'observed', 'inapplicable', 'untested', 'warn', 'fail', 'error'] as const

export type Outcome = (typeof outcomes)[number]

/** What an `untested` check lacked. */
export const reasons = [
  'permission',
  'key',
  'category',
  'clock',
  'budget',
  'blocked',
  'ambiguous',
  'interrupted',
] as const

export type Because = (typeof reasons)[number]

export const worst = (all: readonly Outcome[]): Outcome =>
  outcomes[Math.max(0, ...all.map((outcome) => outcomes.indexOf(outcome)))] as Outcome

/**
 * The target contradicted the sentence. Only this makes a `fail` (must) or a `warn` (should).
 * The last exchange of the evidence shows the breach; those before it led to it, or are controls.
 */
export class Violation extends Error {
  readonly expected: string
  readonly actual: string
  readonly evidence: readonly Exchange[]

  constructor(expected: string, actual: string, evidence: readonly Exchange[]) {
    super(`expected ${expected}; actual: ${actual}`)
    this.name = 'Violation'
    this.expected = expected
    this.actual = actual
    this.evidence = evidence
  }
}

/** The sentence could not be decided; the message says what would decide it. */
export class Untested extends Error {
  readonly because: Because
  readonly evidence: readonly Exchange[]

  constructor(because: Because, message: string, evidence: readonly Exchange[] = []) {
    super(message)
    this.name = 'Untested'
    this.because = because
    this.evidence = evidence
  }
}

/** A breach, if it were not for a legal explanation: no pass, and no fail. */
export class Suspicion extends Untested {
  constructor(message: string, evidence: readonly Exchange[]) {
    super('ambiguous', message, evidence)
    this.name = 'Suspicion'
  }
}

/** The target turned out not to claim what the sentence speaks of. */
export class Inapplicable extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Inapplicable'
  }
}
