// Outcomes, and what a check can throw: Violation, Untested, Inapplicable, NoResponseError.

import { type Exchange, noAnswerWords } from './exchange.ts'
import { type Text, text } from './text.ts'
import type { Wrong } from './wrong.ts'

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

/** Whether a check found a requirement violated: a must (`fail`) or a should (`warn`). */
export const isViolation = (outcome: Outcome | undefined): boolean =>
  outcome === 'fail' || outcome === 'warn'

export const worst = (all: readonly Outcome[]): Outcome =>
  outcomes[Math.max(0, ...all.map((outcome) => outcomes.indexOf(outcome)))] as Outcome

/**
 * The target violated the requirement. Only this makes a `fail` (must) or a `warn` (should). The
 * last exchange of the evidence shows the violation; those before it led to it, or are controls.
 */
export class Violation extends Error {
  readonly expected: Text
  readonly actual: Text
  readonly evidence: readonly Exchange[]
  readonly wrong: Wrong

  constructor(
    expected: string | Text,
    actual: string | Text,
    evidence: readonly Exchange[],
    wrong: Wrong = { aspect: 'behaviour' },
  ) {
    super(`expected ${expected}; actual: ${actual}`)
    this.name = 'Violation'
    this.expected = text(expected)
    this.actual = text(actual)
    this.evidence = evidence
    this.wrong = wrong
  }
}

/** Thrown for most responses: the stack of each would cost more than its judgement. */
class Stackless extends Error {
  constructor(message: string) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** The requirement could not be tested; the message says what is missing. */
export class Untested extends Stackless {
  readonly because: Because
  readonly evidence: readonly Exchange[]

  constructor(because: Because, message: string, evidence: readonly Exchange[] = []) {
    super(message)
    this.name = 'Untested'
    this.because = because
    this.evidence = evidence
  }
}

/** A response that could not have shown what a clause is about. */
export class Untried extends Untested {
  constructor(message: string) {
    super('ambiguous', message)
  }
}

/** What cannot be read says nothing about the target, and is no more readable when sent again. */
export class Unread extends Untested {
  constructor(message: string, exchange: Exchange) {
    super('blocked', message, [exchange])
  }
}

export const interrupted = () => new Untested('interrupted', 'the run was interrupted')

/** It looks like a violation but has a legal explanation: neither pass nor fail. */
export class Suspicion extends Untested {
  constructor(message: string, evidence: readonly Exchange[]) {
    super('ambiguous', message, evidence)
  }
}

/** Nothing more can be sent: the run ends with this message, and reports what it has. */
export class EndOfRun extends Error {}

/** The target does not claim what the requirement is about. */
export class Inapplicable extends Stackless {}

/** The run was not given what says whether the target claims it: a key, a description. */
export class NotGiven extends Inapplicable {}

export class NoResponseError extends Error {
  readonly exchange: Exchange

  constructor(exchange: Exchange) {
    const said = exchange.noResponse ? noAnswerWords[exchange.noResponse] : 'no answer'
    super(exchange.noAnswerWhy === undefined ? said : `${said}: ${exchange.noAnswerWhy}`)
    this.exchange = exchange
  }
}

/** How a check ended, and after how many milliseconds if it ran. */
export type Ending = { readonly durationMs?: number } & (
  | {
      readonly kind: 'pass'
      /** Numbers of the exchanges that other checks caused and this one judged. */
      readonly judged?: readonly number[]
    }
  | { readonly kind: 'observed'; readonly value: string }
  /** Bad news about an open point: never more than a warning. */
  | { readonly kind: 'warned'; readonly why: string }
  | { readonly kind: 'threw'; readonly error: unknown }
)

/** False if the work throws Untested, unless the run is interrupted. */
export const completes = async (work: Promise<unknown>): Promise<boolean> => {
  try {
    await work
    return true
  } catch (error) {
    if (!(error instanceof Untested) || error.because === 'interrupted') throw error
    return false
  }
}

/**
 * Waits for all, even if one fails: no request may be in flight when its check has ended.
 * @throws what the first of them throws
 */
export const allEnded = async <T>(pending: readonly Promise<T>[]): Promise<readonly T[]> => {
  await Promise.allSettled(pending)
  return Promise.all(pending)
}
