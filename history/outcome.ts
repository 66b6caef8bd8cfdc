// Outcomes, and what a check can throw: Violation, Untested, Inapplicable, NoResponseError.

import type { RequirementId } from '../spec/requirements.ts'
import type { Exchange } from './exchange.ts'
import type { Statuses } from './statuses.ts'
import { type Text, text } from './text.ts'
import type {
  describeChange,
  describeForm,
  describeShape,
  describeTimeForm,
  Unreadable,
} from './value-kinds.ts'

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

/** In which way it is wrong; as a text only printed, and never decided by. */
export type Kind =
  | ReturnType<typeof describeChange | typeof describeForm | typeof describeTimeForm>
  | ReturnType<typeof describeShape>
  | Unreadable
  | 'an Error'
  // Of a header.
  | (
      | 'given twice'
      | 'no date'
      | 'not an HTTP-date'
      | 'another date'
      | 'off'
      | 'in the past'
      | 'too far ahead'
    )
  | ('not in the future' | 'too long' | 'too low' | 'not 0' | 'above Limit' | 'not below Limit')
  | ('that of another plan' | 'of no window' | 'without Bearer' | `without ${string}`)
  | ('falls by more than one' | 'does not fall' | 'does not rise after its Reset' | 'moves back')
  | 'one count for two keys'
  // Of a body, or a member in it.
  | ('no object' | 'no array of objects' | 'reveals internals' | 'repeats the key')
  | ('unlike that for a known pet' | 'another number' | 'no such value' | 'repeated' | 'as sent')
  | ('not of the filter' | 'another one, the same as a double')
  // Of a number of pets, or of several responses.
  | ('too many' | 'too few' | 'a pet is missing' | 'pets are repeated' | 'a refused pet is stored')
  | ('too many served' | 'refilled too soon' | 'counted apart' | 'unlike alone')
  | 'on some connections'

/** What is wrong with the last response of the evidence, as data. */
export interface Wrong {
  /**
   * The part of a response that is wrong; `silence`: no response, while a control request gets one;
   * `count`: of pets in a list; `behaviour`: several responses taken together.
   */
  readonly aspect: 'status' | 'silence' | 'header' | 'body' | 'member' | 'count' | 'behaviour'
  /** The member or header. */
  readonly name?: string
  readonly kind?: Kind | Text
  /** How many pets are too many or too few. */
  readonly by?: 'one' | 'several'
  /** Of a wrong status, or of silence: the statuses that were due, and what is said of them. */
  readonly due?: Statuses
  readonly why?: Text
  /** What a headline shows of what was found: of a response without its body. */
  readonly brief?: Text
  /** The response has that: a body that cannot be read. */
  readonly has?: true
  /** The parameter of the request that `expected` names already. */
  readonly says?: 'limit' | 'status'
  /** It is about the calls of a key, and not about what was requested. */
  readonly ofKey?: true
  /** It is about a pet that the first exchange of the evidence created. */
  readonly ofPet?: true
  /** The requirement that is violated, where it is not that of the check. */
  readonly requirement?: RequirementId
  /** The evidence is a sequence of requests, without which the last one gets another response. */
  readonly inSequence?: true
}

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

export const noAnswerWords: Record<NonNullable<Exchange['noResponse']>, string> = {
  timeout: 'timed out',
  'not-connected': 'no connection was opened in time',
  refused: 'the connection was refused',
  'unknown-host': 'the host is unknown',
  tls: 'the TLS handshake failed',
  reset: 'the connection was closed before the response was complete',
  'not-http': 'the response is not HTTP',
  unread: 'the response was not read',
  endless: 'the response had not ended after 16 MiB',
  proxy: 'the proxy did not connect to the target',
}

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
