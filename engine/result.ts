// From how a check ended to its result: the level of its sentence decides what a breach is.

import type { RequirementId } from '../spec/requirements.ts'
import { requirement } from '../spec/requirements.ts'
import type { Exchange } from './exchange.ts'
import type { Because, Outcome } from './outcome.ts'
import { Untested, Violation } from './outcome.ts'
import { write } from './quote.ts'
import type { EvidenceOf } from './record.ts'
import type { Redactor } from './redact.ts'
import type { CheckResult } from './run-file.ts'

/** How a question ended, and after how many milliseconds where it was asked. */
export type Ending = HowEnded & { readonly durationMs?: number }

type HowEnded =
  | { readonly kind: 'pass' }
  | { readonly kind: 'observed'; readonly value: string }
  | { readonly kind: 'inapplicable'; readonly why: string }
  /** Bad news about what is open: it is never more than a warning. */
  | { readonly kind: 'warned'; readonly why: string }
  | { readonly kind: 'threw'; readonly error: unknown }

/** Exchanges kept as evidence of one result, the last ones: the very last shows the breach. */
const evidenceMost = 4

interface Told {
  readonly outcome: Outcome
  readonly because?: Because
  readonly detail: string
  readonly expected?: string
  readonly actual?: string
  readonly evidence?: readonly Exchange[]
}

/** What is judged: a question, or a verdict of a load. */
export interface Judged {
  readonly id: string
  /** Under which name its requests were counted, where not under its own. */
  readonly sentAs?: string
  readonly requirement: RequirementId
}

const tellThrown = (question: Judged, error: unknown): Told => {
  if (error instanceof Untested) {
    const { because, message, evidence } = error
    return { outcome: 'untested', because, detail: message, evidence }
  }
  const { level } = requirement(question.requirement)
  if (error instanceof Violation) {
    const { expected, actual, evidence } = error
    if (level === 'open') {
      // What is open has no breach: what the observation builds on is broken, and told elsewhere.
      const detail = `it could not be seen: expected ${expected}; got ${actual}`
      return { outcome: 'untested', because: 'blocked', detail, evidence }
    }
    const outcome = level === 'must' ? 'fail' : 'warn'
    return { outcome, detail: `expected ${expected}; got ${actual}`, expected, actual, evidence }
  }
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { outcome: 'error', detail: `the check itself failed: ${what}` }
}

const tell = (question: Judged, ending: Ending): Told => {
  switch (ending.kind) {
    case 'pass':
      return { outcome: 'pass', detail: requirement(question.requirement).says }
    case 'observed':
      return { outcome: 'observed', detail: ending.value }
    case 'inapplicable':
      return { outcome: 'inapplicable', detail: ending.why }
    case 'warned':
      return { outcome: 'warn', detail: ending.why }
    case 'threw':
      return tellThrown(question, ending.error)
  }
}

/** How a run tells what must not show keys. */
export interface Teller {
  readonly redactor: Redactor
  readonly evidenceOf: EvidenceOf
}

export const resultOf = (
  question: Judged,
  ending: Ending,
  requests: number,
  { redactor, evidenceOf }: Teller,
): CheckResult => {
  const { outcome, because, detail, expected, actual, evidence } = tell(question, ending)
  return {
    id: question.id,
    requirement: question.requirement,
    level: requirement(question.requirement).level,
    outcome,
    because: because ?? null,
    detail: write(detail, redactor),
    ...(expected !== undefined && { expected: write(expected, redactor) }),
    ...(actual !== undefined && { actual: write(actual, redactor) }),
    requests,
    ...(ending.durationMs !== undefined && { durationMs: Math.round(ending.durationMs) }),
    evidence: (evidence ?? []).slice(-evidenceMost).map((exchange) => evidenceOf(exchange)),
  }
}
