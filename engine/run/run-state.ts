// The state of one run: its session, the results so far, and the run file made of them.

import { type AnsweredExchange, type Exchange, statusCode } from '../../history/exchange.ts'
import {
  type Because,
  type Ending,
  Inapplicable,
  type Outcome,
  Untested,
  Violation,
} from '../../history/outcome.ts'
import { count, write } from '../../history/quote.ts'
import type { Level, Requirement } from '../../spec/requirements/requirement.ts'
import { type RequirementId, requirement } from '../../spec/requirements.ts'
import { collectFindings } from '../check/collect-findings.ts'
import {
  type CheckResult,
  type Interruption,
  type RunFile,
  runFileSchema,
} from '../check/run-file.ts'
import { countDecided, decideVerdict, rollUp } from '../check/verdict.ts'
import { reachNotes } from '../http/connection-options.ts'
import type { LabelledKey, RunOptions } from './run-options.ts'
import type { Session } from './session.ts'
import { interfaceVersion, version } from './version.ts'
import { writeFindings } from './write-findings.ts'

export interface RunState {
  readonly session: Session
  readonly results: CheckResult[]
  readonly notes: string[]
  /** Why the run could not start, or not run to its end. */
  impossible: string | null
  /** From this exchange on nothing is judged: the target is no longer the same. */
  judgedToSeq?: number
  /** Why the checks that are left are untested, if the run ends early and is not impossible. */
  cut?: Untested
  interruptions?: readonly Interruption[]
  /** The check whose failure ended the run (--bail). */
  bailedBy?: string
}

export const recordResult = (state: RunState, check: Judged, ending: Ending): void => {
  const { session, results } = state
  const requests = session.budget.sentBy(check.sentAs ?? check.id)
  const result = makeResult(check, ending, requests, session)
  results.push(result)
  session.sink.event({ kind: 'result', result })
}

/** Those that are left to run. */
export const withoutResult = <Check extends { readonly id: string }>(
  checks: readonly Check[],
  results: readonly CheckResult[],
): Check[] => {
  const done = new Set(results.map(({ id }) => id))
  return checks.filter(({ id }) => !done.has(id))
}

/** Gives every check without a result this one. */
export const skipRemaining = (
  state: RunState,
  checks: readonly Judged[],
  error: Untested,
): void => {
  for (const check of withoutResult(checks, state.results)) {
    recordResult(state, check, { kind: 'threw', error })
  }
}

/** Adds a note to the run, once, even if a resumed run finds it again. */
export const addNote = (state: RunState, message: string): void => {
  const { redactor, journal, sink } = state.session
  const text = write(message, redactor)
  if (state.notes.includes(text)) return
  state.notes.push(text)
  journal({ kind: 'note', text })
  sink.event({ kind: 'note', text })
}

/** Exchanges kept as evidence of one result, the last ones: the very last shows the violation. */
const maxEvidence = 4

interface Judgement {
  readonly outcome: Outcome
  readonly because?: Because
  readonly detail: string
  readonly expected?: string
  readonly actual?: string
  readonly evidence?: readonly Exchange[]
  readonly violation?: Violation
}

/** What is judged: a check, or a threshold of a load scenario. */
export interface Judged {
  readonly id: string
  /** Under which name its requests were counted, if not under its own. */
  readonly sentAs?: string
  readonly requirement: RequirementId
  /** What was sent before them matters. */
  readonly follows?: string
}

const judgeThrown = (level: Level, error: unknown): Judgement => {
  if (error instanceof Inapplicable) return { outcome: 'inapplicable', detail: error.message }
  if (error instanceof Untested) {
    const { because, message, evidence } = error
    return { outcome: 'untested', because, detail: message, evidence }
  }
  if (error instanceof Violation) {
    const { expected, actual, evidence } = error
    const detail = `expected ${expected}; got ${actual}`
    // An open point cannot be violated: what the observation needs is, and fails elsewhere.
    if (level === 'open') {
      const unseen = `it could not be seen: ${detail}`
      return { outcome: 'untested', because: 'blocked', detail: unseen, evidence }
    }
    const outcome = level === 'must' ? 'fail' : 'warn'
    return { outcome, detail, expected, actual, evidence, violation: error }
  }
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { outcome: 'error', detail: `the check itself failed: ${what}` }
}

const judgementOf = ({ level, says }: Requirement, ending: Ending): Judgement => {
  switch (ending.kind) {
    case 'pass':
      return { outcome: 'pass', detail: says }
    case 'observed':
      return { outcome: 'observed', detail: ending.value }
    case 'warned':
      return { outcome: 'warn', detail: ending.why }
    case 'threw':
      return judgeThrown(level, ending.error)
  }
}

/** The result of a check, keys hidden: the level of its requirement decides what a violation is. */
export const makeResult = (
  { id, requirement: requirementId, follows }: Judged,
  ending: Ending,
  requests: number,
  {
    redactor,
    evidenceOf,
    trace = [],
  }: Pick<Session, 'redactor' | 'evidenceOf'> & Partial<Pick<Session, 'trace'>>,
): CheckResult => {
  const judged = requirement(requirementId)
  const { outcome, because, detail, expected, actual, evidence, violation } = judgementOf(
    judged,
    ending,
  )
  const found = violation && collectFindings(violation, trace, follows)
  return {
    id,
    requirement: requirementId,
    level: judged.level,
    outcome,
    because: because ?? null,
    detail: write(detail, redactor),
    ...(expected !== undefined && { expected: write(expected, redactor) }),
    ...(actual !== undefined && { actual: write(actual, redactor) }),
    ...(found && { findings: writeFindings(found, { redactor, evidenceOf, trace }) }),
    ...(ending.kind === 'pass' && ending.judged && { judged: ending.judged }),
    requests,
    ...(ending.durationMs !== undefined && { durationMs: Math.round(ending.durationMs) }),
    evidence: (evidence ?? []).slice(-maxEvidence).map((exchange) => evidenceOf(exchange)),
  }
}

interface RunFacts extends Omit<RunState, 'session' | 'results' | 'notes' | 'cut'> {
  readonly startedAt: Date
  readonly durationMs: number
  readonly session: Pick<Session, 'redactor' | 'trace'> & {
    readonly keys: readonly Pick<LabelledKey, 'label' | 'plan'>[]
  }
  readonly results: readonly CheckResult[]
  readonly notes: readonly string[]
  readonly requests: number
  /** Ids of the selected checks, without the smoke call. */
  readonly selected: ReadonlySet<string>
}

/**
 * A target that gives every request the same status neither met nor violated a requirement: what
 * seems to pass there is untested.
 */
const withoutConstants = (
  results: readonly CheckResult[],
  trace: readonly AnsweredExchange[],
  isCut: boolean,
): readonly CheckResult[] => {
  const statuses = new Set(trace.map(statusCode))
  if (statuses.size !== 1) return results
  const [status] = statuses
  const alike = `every response of this run had status ${status}: nothing can be distinguished`
  // An interrupted run may just not have sent a request that gets another status.
  const untested = isCut
    ? ({ because: 'interrupted', detail: 'the run was interrupted' } as const)
    : ({ because: 'blocked', detail: alike } as const)
  return results.map((result) =>
    result.outcome === 'pass' ? { ...result, outcome: 'untested', ...untested } : result,
  )
}

const countByKey = ({ keys, trace }: RunFacts['session']): Record<string, number> =>
  Object.fromEntries(
    keys.map(({ label }) => [label, trace.filter(({ key }) => key === label).length]),
  )

type Summarised = Pick<
  RunOptions,
  'baseUrl' | 'reach' | 'clockUrl' | 'seed' | 'strict' | 'command' | 'signal'
>

/** How the target was reached. */
const reachOf = ({ reach, baseUrl }: Summarised) => {
  const isSecure = baseUrl.startsWith('https:')
  const proxy = reach.proxyOf(new URL(baseUrl))
  return {
    ...(proxy && { proxy: proxy.origin }),
    ...(isSecure && reach.insecure && { insecure: true as const }),
    ...(isSecure && reach.identity && { clientCertificate: true as const }),
  }
}

export const summarise = (options: Summarised, facts: RunFacts): RunFile => {
  const { redactor, keys, trace } = facts.session
  const checks = withoutConstants(facts.results, trace, options.signal.aborted)
  const requirements = rollUp(checks)
  const observed = checks.filter(({ outcome }) => outcome === 'observed')
  return {
    schema: runFileSchema,
    petvet: version,
    interface: interfaceVersion,
    seed: options.seed,
    startedAt: facts.startedAt.toISOString(),
    durationMs: Math.round(facts.durationMs),
    target: {
      baseUrl: options.baseUrl,
      plans: [...new Set(keys.map(({ plan }) => plan))],
      clock: options.clockUrl !== null,
      ...reachOf(options),
    },
    ...(options.command && { command: options.command }),
    verdict: decideVerdict(checks, facts.impossible !== null, options.strict, facts.selected),
    interrupted: options.signal.aborted,
    ...(facts.bailedBy !== undefined && { bailedBy: facts.bailedBy }),
    ...(facts.interruptions && { interruptions: facts.interruptions }),
    impossible: facts.impossible && write(facts.impossible, redactor),
    notes: [...reachNotes(options.reach, options.baseUrl), ...facts.notes],
    decided: countDecided(requirements),
    requests: facts.requests,
    requestsByKey: countByKey(facts.session),
    checks,
    requirements,
    observations: Object.fromEntries(observed.map(({ id, detail }) => [id, detail])),
  }
}

/** Notes why the budget of a run was spent, where that left checks untested. */
export const noteBudget = (state: RunState): void => {
  const { options, budget, pace } = state.session
  const missed = state.results.filter(({ because }) => because === 'budget').length
  // The smoke call was not served: that is the one reason, and says when to try again.
  const isSpent = options.noWait && state.cut?.because === 'budget'
  if (missed === 0 || isSpent) return
  const untested = `${count(missed, 'check is', 'checks are')} left untested`
  const full = budget.full()
  if (options.noWait && !pace.instant) {
    const why = 'as they would have to wait in real time (--no-wait)'
    addNote(state, `${untested}, ${why}: a run that waits tests them`)
  } else if (full !== null) addNote(state, `${full}, so ${untested}`)
  else if (budget.lacksTime()) {
    addNote(state, `${untested}, as they would have to wait longer than the run may (--max-time)`)
  } else {
    const spent = `all requests of this run are spent (--max-requests ${options.maxRequests})`
    addNote(state, `${spent}, and ${untested}; \`petvet plan\` prints how many a run takes`)
  }
}
