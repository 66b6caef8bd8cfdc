// The results of a run, its notes, and the run file made of them.

import { type AnsweredExchange, statusCode } from '../../history/exchange.ts'
import { type Ending, Inapplicable, NotGiven, Untested, Violation } from '../../history/outcome.ts'
import { count, write } from '../../history/quote.ts'
import { noJson } from '../../history/value-kinds.ts'
import { countPairs } from '../../model/pairs.ts'
import type { Requirement } from '../../spec/requirements/requirement.ts'
import { type RequirementId, requirement } from '../../spec/requirements.ts'
import { recordFindings } from '../check/findings.ts'
import { type CheckResult, type Finding, type RunFile, runFileSchema } from '../check/run-file.ts'
import { countDecided, decideVerdict, rollUp } from '../check/verdict.ts'
import { reachNotes } from '../http/connection-options.ts'
import type { Redactor } from '../http/redact.ts'
import type { Explain } from './run-options.ts'
import type { Session } from './session.ts'
import { interfaceVersion, version } from './version.ts'

export const recordResult = (session: Session, check: Judged, ending: Ending): CheckResult => {
  const { results, budget } = session
  const make = () => makeResult(check, ending, budget.sentBy(check.sentAs ?? check.id), session)
  const result = make()
  results.push(result)
  if (result.findings) session.violated.set(check.id, make)
  session.sink.event({ kind: 'result', result })
  return result
}

/** What was sent since a result was recorded may show better what decides. */
export const explainAgain = ({ results, violated }: Session): void => {
  for (const [at, { id }] of results.entries()) {
    const make = violated.get(id)
    if (make) results[at] = make()
  }
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
  session: Session,
  checks: readonly Judged[],
  error: Untested,
): void => {
  for (const check of withoutResult(checks, session.results)) {
    recordResult(session, check, { kind: 'threw', error })
  }
}

/** Exchanges kept as evidence of one result, the last ones: the very last shows the violation. */
const maxEvidence = 4

type Judgement = Pick<CheckResult, 'outcome' | 'detail'> &
  Partial<Pick<CheckResult, 'because' | 'notGiven' | 'expected' | 'actual'>>

/** What is judged: a check, or a threshold of a load scenario. */
export interface Judged {
  readonly id: string
  /** Under which name its requests were counted, if not under its own. */
  readonly sentAs?: string
  readonly requirement: RequirementId
}

const judgementOf = ({ level, says }: Requirement, ending: Ending): Judgement => {
  if (ending.kind === 'pass') return { outcome: 'pass', detail: says }
  if (ending.kind === 'observed') return { outcome: 'observed', detail: ending.value }
  if (ending.kind === 'warned') return { outcome: 'warn', detail: ending.why }
  const { error } = ending
  if (error instanceof Inapplicable) {
    const notGiven = error instanceof NotGiven && { notGiven: true as const }
    return { outcome: 'inapplicable', detail: error.message, ...notGiven }
  }
  if (error instanceof Untested) {
    return { outcome: 'untested', because: error.because, detail: error.message }
  }
  if (error instanceof Violation) {
    const { expected, actual } = error
    const detail = `expected ${expected}; got ${actual}`
    // An open point cannot be violated: what the observation needs is, and fails elsewhere.
    return level === 'open'
      ? { outcome: 'untested', because: 'blocked', detail: `it could not be seen: ${detail}` }
      : { outcome: level === 'must' ? 'fail' : 'warn', detail, expected, actual }
  }
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { outcome: 'error', detail: `the check itself failed: ${what}` }
}

/** With each text in it as it is written. */
const written = <T>(value: T, redactor: Redactor): T =>
  JSON.parse(JSON.stringify(value), (_, each) =>
    typeof each === 'string' ? write(each, redactor) : each,
  )

/** Further findings of one check that are headlines of their own. */
const maxFurther = 8

const isOf5xx = (one: Finding | undefined): boolean => (one?.status ?? 0) >= 500

/**
 * Each request that breaks the server may do so in its own way, a refusal has another reason than
 * what breaks it, and each member may be changed.
 */
const isOwn = (one: Finding, first: Finding | undefined): boolean => {
  const { aspect, kind, name } = one
  return (
    (aspect === 'status' && (isOf5xx(one) || isOf5xx(first))) ||
    (aspect === 'member' && name !== first?.name && kind !== first?.kind) ||
    (aspect === 'body' && kind === noJson) ||
    (aspect === 'header' && kind === 'missing')
  )
}

/** What writes results; its trace has the exchanges of their findings. */
type Writer = Pick<Session, 'redactor' | 'evidenceOf' | 'trace' | 'shows'> & {
  readonly options: Pick<Session['options'], 'explain'>
}

const writeFindings = (findings: readonly Finding[], session: Writer): readonly Finding[] => {
  const [first, ...others] = findings
  const further = others.filter((each) => isOwn(each, first)).slice(0, maxFurther)
  return findings.map((each) => {
    const [seq] = further.includes(each) ? each.exchanges : []
    const shown = session.trace.find((one) => one.seq === seq)
    const finding = written(each, session.redactor)
    return shown ? { ...finding, evidence: session.evidenceOf(shown) } : finding
  })
}

const recordPlainly: Explain = (shown) => ({ shown, findings: recordFindings(shown) })

/** The result of a check, keys hidden: the level of its requirement decides what a violation is. */
export const makeResult = (
  { id, requirement: requirementId }: Judged,
  given: Ending,
  requests: number,
  session: Writer,
): CheckResult => {
  const violation =
    given.kind === 'threw' && given.error instanceof Violation ? given.error : undefined
  const { explain = recordPlainly } = session.options
  const explained = violation && explain(violation, session.trace, session.shows)
  const ending = explained ? ({ ...given, kind: 'threw', error: explained.shown } as const) : given
  const error = ending.kind === 'threw' ? ending.error : undefined
  const demanded = explained?.shown.wrong.requirement ?? requirementId
  const judged = requirement(demanded)
  const evidence = error instanceof Untested || error instanceof Violation ? error.evidence : []
  const found = judged.level !== 'open' && explained?.findings
  return {
    ...{ id, requirement: demanded, level: judged.level, because: null },
    ...written(judgementOf(judged, ending), session.redactor),
    ...(found && { findings: writeFindings(found, session) }),
    ...(ending.kind === 'pass' && ending.judged && { judged: ending.judged }),
    requests,
    ...(ending.durationMs !== undefined && { durationMs: Math.round(ending.durationMs) }),
    evidence: evidence.slice(-maxEvidence).map((exchange) => session.evidenceOf(exchange)),
  }
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
  const [status, ...others] = new Set(trace.map(statusCode))
  if (status === undefined || others.length > 0) return results
  const detail = `every response of this run had status ${status}: nothing can be distinguished`
  // An interrupted run may just not have sent a request that gets another status.
  const because = isCut ? 'interrupted' : 'blocked'
  const untested = { outcome: 'untested', because, detail } as const
  return results.map((result) => (result.outcome === 'pass' ? { ...result, ...untested } : result))
}

const reachOf = ({ reach, baseUrl }: Session['options']) => {
  const isSecure = baseUrl.startsWith('https:')
  const proxy = reach.proxyOf(new URL(baseUrl))
  return {
    ...(proxy && { proxy: proxy.origin }),
    ...(isSecure && reach.insecure && { insecure: true as const }),
    ...(isSecure && reach.identity && { clientCertificate: true as const }),
  }
}

interface Measured extends Pick<RunFile, 'durationMs'> {
  readonly startedAt: Date
  /** Ids of the selected checks, without the smoke call. */
  readonly selected: ReadonlySet<string>
}

export const summarise = (
  session: Session,
  { startedAt, durationMs, selected }: Measured,
): RunFile => {
  const { options, redactor, budget, keys, trace, impossible, bailedBy, interruptions } = session
  const values = session.draw?.sharesAfter(session.results)
  const checks = withoutConstants(session.results, trace, options.signal.aborted)
  const requirements = rollUp(checks)
  const observed = checks.filter(({ outcome }) => outcome === 'observed')
  return {
    schema: runFileSchema,
    petvet: version,
    interface: interfaceVersion,
    seed: options.seed,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(durationMs),
    target: {
      baseUrl: options.baseUrl,
      plans: [...new Set(keys.map(({ plan }) => plan))],
      clock: options.clockUrl !== null,
      ...reachOf(options),
    },
    ...(options.command && { command: options.command }),
    verdict: decideVerdict(checks, impossible !== null, options.strict, selected),
    interrupted: options.signal.aborted,
    ...(bailedBy !== undefined && { bailedBy }),
    ...(interruptions && { interruptions }),
    impossible: impossible && write(impossible, redactor),
    notes: [...reachNotes(options.reach, options.baseUrl), ...session.notes],
    decided: countDecided(requirements),
    requests: budget.sent(),
    requestsByKey: Object.fromEntries(keys.map(({ label }) => [label, budget.sentWith(label)])),
    ...(values && Object.keys(values).length > 0 && { values, pairs: countPairs(session.history) }),
    checks,
    requirements,
    observations: Object.fromEntries(observed.map(({ id, detail }) => [id, detail])),
  }
}

/** Notes why the budget of a run was spent, where that left checks untested. */
export const noteBudget = (session: Session): void => {
  const { options, budget, pace } = session
  const missed = session.results.filter(({ because }) => because === 'budget').length
  // The smoke call was not served: that is the one reason, and says when to try again.
  const isSpent = options.noWait && session.cut?.because === 'budget'
  if (missed === 0 || isSpent) return
  const why =
    options.noWait && !pace.instant && budget.left() > 0
      ? 'they would have to wait in real time (--no-wait): a run that waits tests them'
      : (budget.full() ??
        (options.maxTimeMs !== undefined && budget.left() > 0
          ? 'they would have to wait longer than the run may (--max-time)'
          : `all requests of the run are spent (--max-requests ${options.maxRequests}): ` +
            '`petvet plan` prints how many a run takes'))
  session.note(`${count(missed, 'check is', 'checks are')} left untested, as ${why}`)
}

/** Notes how many values of rows were sent of how many, where the budget had no room for all. */
export const noteShares = ({ draw, results, options, note }: Session): void => {
  if (options.signal.aborted) return
  const shares = Object.entries(draw?.sharesAfter(results) ?? {})
  const cut = shares.filter(([, [sent, all]]) => sent > 0 && sent < all)
  if (cut.length === 0) return
  const sumOf = (at: 0 | 1) => shares.reduce((sum, [, share]) => sum + share[at], 0)
  const parts = cut.map(([part, [sent, all]]) => `${part} ${sent} of ${all}`).join(', ')
  const how = '--max-requests and --max-time set how many a run sends'
  note(`${sumOf(0)} of ${sumOf(1)} values of rows were sent (${parts}): ${how}`)
}
