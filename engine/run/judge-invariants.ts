// Invariants: each requirement about every response, judged over all that the checks caused.

import { isValidList } from '../check/control-request.ts'
import type { AnyCheck, Invariant, Trace } from '../check/declare.ts'
import type { AnsweredExchange } from '../check/exchange.ts'
import { Collected } from '../check/findings.ts'
import { type Ending, Inapplicable, Suspicion, Untested, Violation } from '../check/outcome.ts'
import { makeResult, type RunState, recordResult } from './run-state.ts'

class Judged {
  readonly invariant: Invariant
  judged = 0
  readonly violations: Collected
  suspicion: Suspicion | undefined
  unclear: Untested | undefined
  /** An error of the invariant itself, which ends its judging. */
  fault: unknown

  constructor(invariant: Invariant, exchanges: Trace['exchanges']) {
    this.invariant = invariant
    this.violations = new Collected(exchanges)
  }
}

const judge = (finding: Judged, exchange: AnsweredExchange, trace: Trace): void => {
  if (finding.fault !== undefined) return
  try {
    if (!finding.invariant.applies(exchange)) return
    finding.invariant.holds(exchange, trace)
    finding.judged += 1
  } catch (error) {
    if (error instanceof Inapplicable) return
    // This response cannot be judged; others may be.
    if (error instanceof Untested && !(error instanceof Suspicion)) {
      finding.unclear = error
      return
    }
    finding.judged += 1
    if (error instanceof Violation) {
      finding.violations.add(error)
    } else if (error instanceof Suspicion) finding.suspicion ??= error
    else finding.fault = error
  }
}

const endingOf = (finding: Judged, isControlled: boolean): Ending => {
  const { invariant, judged, violations, suspicion, unclear, fault } = finding
  const threw = (error: unknown): Ending => ({ kind: 'threw', error })
  if (fault !== undefined) return threw(fault)
  const violation = violations.violation(judged, 'responses')
  if (violation) return threw(violation)
  if (suspicion) return threw(suspicion)
  if (judged === 0 && !unclear && invariant.optional !== undefined) {
    return threw(new Inapplicable(invariant.optional))
  }
  if (judged === 0) {
    return threw(unclear ?? new Untested('ambiguous', 'no matching response was observed'))
  }
  if (isControlled) return { kind: 'pass' }
  return threw(new Untested('blocked', 'no valid request got a valid response'))
}

/**
 * Judges invariants; one passes only if a valid request got a valid response. All of them judge one
 * response before the next one, so that each body is read once.
 * @returns how each ends, in their order
 */
export const judgeInvariants = (invariants: readonly Invariant[], trace: Trace): Ending[] => {
  const all = invariants.map((invariant) => new Judged(invariant, trace.exchanges))
  let isControlled = false
  for (const exchange of trace.exchanges) {
    for (const each of all) judge(each, exchange, trace)
    isControlled ||= exchange.key !== null && isValidList(exchange)
  }
  return all.map((each) => endingOf(each, isControlled))
}

const traceOf = ({ session: { trace, options, names }, judgedToSeq }: RunState): Trace => ({
  exchanges: judgedToSeq === undefined ? trace : trace.filter(({ seq }) => seq < judgedToSeq),
  shared: options.shared,
  timesSent: names.timesSent,
})

const invariantsOf = (checks: readonly AnyCheck[]): Invariant[] =>
  checks.filter((check) => check.kind === 'invariant')

/** Whether any would be recorded as violated. */
export const violatesInvariants = (state: RunState, checks: readonly AnyCheck[]): boolean =>
  judgeInvariants(invariantsOf(checks), traceOf(state)).some(isViolation)

export const recordInvariants = (state: RunState, checks: readonly AnyCheck[]): void => {
  const invariants = invariantsOf(checks)
  const endings = judgeInvariants(invariants, traceOf(state))
  for (const [place, ending] of endings.entries()) {
    recordResult(state, invariants[place] as Invariant, ending)
  }
}

const isViolation = (ending: Ending): boolean =>
  ending.kind === 'threw' && ending.error instanceof Violation

/**
 * Reports a violated invariant when the first response violates it, not at the end of the run. Each
 * response is judged by itself, so a call judges only the responses since the call before.
 * @returns called after each check, with the ids of the invariants that failed since
 */
export const createInvariantWatch = (state: RunState, checks: readonly AnyCheck[]) => {
  let left = checks.filter((each): each is Invariant => each.kind === 'invariant')
  let seen = 0
  return (): string[] => {
    const trace = traceOf(state)
    const fresh = { ...trace, exchanges: trace.exchanges.slice(seen) }
    seen = trace.exchanges.length
    const endings = judgeInvariants(left, fresh)
    const violated = left.filter((_invariant, at) => isViolation(endings[at] as Ending))
    const results = judgeInvariants(violated, trace).map((ending, at) =>
      makeResult(violated[at] as Invariant, ending, 0, state.session),
    )
    const failed = results.filter(({ outcome }) => outcome === 'fail')
    left = left.filter((each) => !violated.includes(each))
    for (const result of failed) state.session.sink.event({ kind: 'violation', result })
    return failed.map(({ id }) => id)
  }
}
