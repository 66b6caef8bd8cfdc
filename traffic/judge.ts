// Judges recorded traffic by every clause, with the results of a run. Nothing is sent.
import { withCauses } from '../causes/diagnose.ts'
import { explain } from '../causes/findings.ts'
import { type AnyCheck, sendsRequests } from '../engine/check/declare.ts'
import { maxExchanges, maxKinds } from '../engine/check/findings.ts'
import type { CheckResult, Finding, RunFile } from '../engine/check/run-file.ts'
import type { KeyOption } from '../engine/check/spendable-keys.ts'
import { printLine } from '../engine/http/recorder.ts'
import { judgeClauses } from '../engine/run/judge-clauses.ts'
import { type Judged, makeResult, summarise } from '../engine/run/results.ts'
import { plainTarget, type RunOptions, type RunSink } from '../engine/run/run-options.ts'
import { Session } from '../engine/run/session.ts'
import { type Exchange, isAnswered, statusCode } from '../history/exchange.ts'
import type { RunHistory } from '../history/history.ts'
import { type Ending, type Outcome, Untested } from '../history/outcome.ts'
import { count } from '../history/quote.ts'
import type { Clause } from '../model/clause.ts'
import { dueOf, isDue } from '../model/due.ts'
import { statusDue } from '../model/status.ts'
import { type RequirementId, requirement } from '../spec/requirements.ts'
import { findBase, pathBelow } from './base.ts'
import { makeExchanges } from './exchanges.ts'
import { atAnotherAddress, Pieces, type Reading, type Source, tooMuch } from './files.ts'
import type { Recorded } from './har.ts'
import { makeHistories } from './histories.ts'
import { type Keys, KeySurvey } from './keys.ts'

export interface TrafficOptions extends Partial<Pick<RunOptions, 'command'>> {
  /** By default the address ending in /v1 that most requests for pets are below. */
  readonly base?: string | undefined
  /** Keys whose plan is known; of others it follows from X-RateLimit-Limit. */
  readonly keys: readonly KeyOption[]
  /** Whether the files have all calls of their keys. */
  readonly alone: boolean
  readonly strict: boolean
}

const describe = ({ entries, leftOut }: Pieces, base: string, judged: number): string => {
  const words = [...leftOut].map(([why, times]) => `${times} ${why}`)
  const rest = words.length > 0 ? `; left out: ${words.join(', ')}` : ''
  return `${judged} of ${count(entries, 'entry', 'entries')} are below ${base}${rest}`
}

/** The requirements that rows of a run are about, and no clause: a status shows them. */
const statusChecks = (checks: readonly AnyCheck[]) => {
  const clauses = new Set(checks.filter((one) => !sendsRequests(one)).map((one) => one.requirement))
  const sent = Map.groupBy(
    checks.filter(sendsRequests).filter(({ needs }) => !needs.description),
    (check) => check.requirement,
  )
  return [...sent].flatMap(([id, [check]]) => {
    const isOwn = check && !clauses.has(id) && requirement(id).level !== 'open'
    return isOwn ? [{ id: `${statusDue.id}@${id}`, requirement: id, sends: check.sends }] : []
  })
}

const clausesIn = (checks: readonly AnyCheck[]): readonly Clause[] => {
  const clauses = checks.filter((check) => check.kind === 'clause')
  return clauses.includes(statusDue) || !checks.some(sendsRequests)
    ? clauses
    : [statusDue, ...clauses]
}

/** The ids of the results of recorded traffic. @param checks the catalogue, or a part of it */
export const judgedIds = (checks: readonly AnyCheck[]): readonly string[] =>
  [...clausesIn(checks), ...statusChecks(checks)].map(({ id }) => id)

/** What is worse comes first; what shows more, likewise. */
const outcomes: readonly Outcome[] = ['error', 'fail', 'warn', 'pass', 'untested', 'inapplicable']

/** What a finding is, whatever its numbers. */
const nameOf = ({ aspect, name, kind, status, where, operations, conditions }: Finding) =>
  JSON.stringify([aspect, name, kind, status, where, operations, conditions.map((one) => one.words)])

/** The same finding in two pieces; what is known of a share is known of one piece. */
const sumOf = ({ alike: _, isOfAll: __, ...one }: Finding, other: Finding): Finding => ({
  ...one,
  times: one.times + other.times,
  judged: one.judged + other.judged,
  exchanges: [...one.exchanges, ...other.exchanges].slice(0, maxExchanges),
})

/** The result of a check in two pieces: the first that violates it shows it. */
const together = (before: CheckResult | undefined, next: CheckResult): CheckResult => {
  if (!before) return next
  const rank = ({ outcome }: CheckResult) => outcomes.indexOf(outcome)
  const shown = rank(next) < rank(before) ? next : before
  const other = shown === next ? before : next
  if (!shown.findings) return shown
  const findings = new Map(shown.findings.map((one) => [nameOf(one), one]))
  for (const one of other.findings ?? []) {
    const known = findings.get(nameOf(one))
    if (known || findings.size < maxKinds) findings.set(nameOf(one), known ? sumOf(known, one) : one)
  }
  return { ...shown, findings: [...findings.values()] }
}

/**
 * The results of all clauses; and whether the status of a request of each kind was due, or what a
 * run would send where there was none.
 */
const resultsOf = (
  session: Session,
  checks: readonly AnyCheck[],
  histories: readonly RunHistory[],
): readonly CheckResult[] => {
  const trace = histories.flatMap((history) => history.exchanges)
  const { redactor, evidenceOf, shows, options } = session
  const resultOf = (judged: Judged, ending: Ending) =>
    makeResult(judged, ending, 0, { redactor, evidenceOf, shows, options, trace })
  const clauses = clausesIn(checks)
  const endings = judgeClauses(clauses, ...histories)
  const met = new Set<RequirementId>()
  for (const history of histories) {
    for (const exchange of history.exchanges) {
      const due = dueOf(exchange, history)
      if (isDue(due, exchange.response.status)) met.add(due.requirement)
    }
  }
  return [
    ...clauses.map((clause, at) => resultOf(clause, endings[at] as Ending)),
    ...statusChecks(checks).map(({ sends, ...judged }) => {
      const why = `there was no such traffic; petvet check sends: ${sends}`
      const untested = { kind: 'threw', error: new Untested('ambiguous', why) } as const
      return resultOf(judged, met.has(judged.requirement) ? { kind: 'pass' } : untested)
    }),
  ]
}

/** What a judge of traffic has in place of a target. */
const judgeSession = (
  { alone, strict, command }: TrafficOptions,
  keys: Keys,
  baseUrl: string,
  { sink, signal }: { readonly sink: RunSink; readonly signal: AbortSignal },
): Session => {
  const options: RunOptions = {
    ...plainTarget,
    ...{ baseUrl, keys: keys.labelled, shared: !alone, strict, allow: [], seed: 0 },
    ...{ maxRequests: Number.POSITIVE_INFINITY, responseTimeoutMs: 1_000 },
    ...(command && { command }),
    ...{ signal, explain },
  }
  const session = new Session(options, sink)
  for (const [at, secret] of keys.secrets.entries()) {
    session.redactor.hideKey(secret, `$KEY_${at + 1}`)
  }
  return session
}

/** What is known of all traffic before any of it is judged. */
class Survey {
  base: string | undefined
  readonly keys: KeySurvey
  /** Files with methods in capitals: some exporters write all of them in lower case. */
  hasAny = false
  readonly #inCapitals = new Set<number>()

  constructor({ base, keys }: TrafficOptions) {
    this.base = base?.replace(/\/+$/, '')
    this.keys = new KeySurvey(keys)
  }

  /** What is below the base URL. */
  readonly below = (piece: readonly Recorded[]): readonly Recorded[] =>
    piece.flatMap((one) => {
      const { method, url } = one.request
      const path = this.base === undefined ? undefined : pathBelow(this.base, url)
      if (path === undefined) return []
      const sent = this.#inCapitals.has(one.file) ? method : method.toUpperCase()
      return [{ ...one, request: { ...one.request, method: sent, url: `${this.base}${path}` } }]
    })

  readonly add = (piece: readonly Recorded[]): void => {
    this.base ??= findBase(piece)
    for (const { request, file } of piece) {
      if (/[A-Z]/.test(request.method)) this.#inCapitals.add(file)
    }
    const below = this.below(piece)
    this.hasAny ||= below.length > 0
    for (const one of below) this.keys.add(one)
  }
}

/** Judges pieces of traffic, each by itself. */
class Judging {
  readonly #session: Session
  readonly #checks: readonly AnyCheck[]
  readonly #known: Parameters<typeof makeExchanges>[1]
  readonly #results = new Map<string, CheckResult>()
  readonly #statuses = new Set<number>()
  #emptied = 0
  #unclear = 0
  #seq = 0

  constructor(session: Session, checks: readonly AnyCheck[], keys: Keys) {
    const { redactor, options } = session
    this.#session = session
    this.#checks = checks
    this.#known = { base: options.baseUrl, keys, redactor }
  }

  /** @param alone whether it has all calls of its keys */
  judge(judged: readonly Recorded[], alone: boolean): void {
    const pieces = makeExchanges(judged, this.#known, this.#seq)
    this.#seq += judged.length
    const all = pieces.map((piece) => makeHistories(piece, alone && pieces.length === 1, this.#take))
    if (pieces.length > 1) {
      this.#session.note(
        'the files are of the same time: each is judged by itself, and other clients are assumed',
      )
    }
    for (const { histories, unclear } of all) {
      this.#emptied += histories.length - 1
      this.#unclear += unclear
    }
    const histories = all.flatMap((each) => each.histories)
    for (const result of resultsOf(this.#session, this.#checks, histories)) {
      this.#results.set(result.id, together(this.#results.get(result.id), result))
    }
  }

  readonly #take = (exchange: Exchange): void => {
    const { budget, sink, redactor, history } = this.#session
    budget.count(exchange.check, exchange.key)
    sink.exchange?.(printLine(exchange, redactor))
    sink.event({ kind: 'request', sent: budget.sent() })
    // Whether all have the same status is known at the end.
    if (!isAnswered(exchange) || this.#statuses.has(statusCode(exchange))) return
    this.#statuses.add(statusCode(exchange))
    history.complete(exchange)
  }

  /** Writes what was found. */
  end(): void {
    const { results, sink, note } = this.#session
    const times = count(this.#emptied, 'time', 'times')
    if (this.#emptied > 0) {
      note(`the store was emptied ${times}: what was known before was not shown any more`)
    }
    if (this.#unclear > 0) {
      const refusals = count(this.#unclear, '401 or 403 to a key says', '401s and 403s to keys say')
      note(`${refusals} nothing: the key may be invalid, or withdrawn`)
    }
    for (const result of this.#results.values()) {
      results.push(result)
      sink.event({ kind: 'result', result })
    }
  }
}

const never = new AbortController().signal

const inPieces = (times: number): string =>
  `it was judged in ${times} pieces, as more is not kept in memory: ` +
  'a pet or a count of one is not known in the next, and other clients are assumed'

/**
 * Reads keys and addresses of traffic, before anything is written.
 * @param checks the catalogue, or a selection of it
 * @returns what judges it, and gives the run file
 * @throws Error of one line where nothing of it can be judged
 */
export const prepareJudge = async (
  checks: readonly AnyCheck[],
  source: Source,
  given: TrafficOptions,
  onProgress: Reading['onProgress'] = () => {},
): Promise<(sink?: RunSink, signal?: AbortSignal) => Promise<RunFile>> => {
  const survey = new Survey(given)
  let first: readonly Recorded[] | undefined
  const { isOnce = false } = source
  const surveyed = new Pieces(
    (piece) => {
      first = surveyed.times === 1 ? piece : undefined
      survey.add(piece)
    },
    { base: given.base, isOnce },
  )
  await surveyed.read(source, { onProgress, signal: never })
  const { base } = survey
  if (surveyed.entries === 0) throw new Error(surveyed.notes[0] ?? 'there is no exchange in it')
  if (base === undefined) throw new Error('no address in it ends in /v1: name one with --base')
  if (!survey.hasAny) throw new Error(`no request is below ${base}: name another address with --base`)
  const keys = survey.keys.keys()
  return async (sink: RunSink = { event: () => {} }, signal: AbortSignal = never) => {
    const [startedAt, startMs] = [new Date(), performance.now()]
    const session = judgeSession(given, keys, base, { sink, signal })
    const judging = new Judging(session, checks, keys)
    let judged = 0
    const judgePiece = (pieces: Pieces, piece: readonly Recorded[]) => {
      const below = survey.below(piece)
      const own = below.filter((one) => !keys.isLeftOut(one))
      pieces.leave(atAnotherAddress, piece.length - below.length)
      pieces.leave('with one key too many', below.length - own.length)
      judged += own.length
      const isWhole = surveyed.times === 1 && own.length === below.length
      judging.judge(own, given.alone && isWhole && !pieces.leftOut.has(tooMuch))
    }
    let read = surveyed
    if (first) judgePiece(surveyed, first)
    else {
      read = new Pieces((piece) => judgePiece(read, piece), { base })
      await read.read(source, { onProgress: (text) => sink.event({ kind: 'load', text, leftMs: 0 }), signal })
      session.note(inPieces(read.times))
    }
    for (const line of [...read.notes, describe(read, base, judged), ...keys.notes]) {
      session.note(line)
    }
    judging.end()
    await session.close()
    const durationMs = performance.now() - startMs
    const selected = new Set(judgedIds(checks))
    return withCauses(summarise(session, { startedAt, durationMs, selected }))
  }
}
