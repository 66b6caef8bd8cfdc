// Judges recorded traffic by every clause, with the results of a run. Nothing is sent.
import { withCauses } from '../causes/diagnose.ts'
import { explain } from '../causes/findings.ts'
import { type AnyCheck, sendsRequests } from '../engine/check/declare.ts'
import type { RunFile } from '../engine/check/run-file.ts'
import type { KeyOption } from '../engine/check/spendable-keys.ts'
import { judgeClauses } from '../engine/run/judge-clauses.ts'
import { recordResult, summarise } from '../engine/run/results.ts'
import { plainTarget, type RunOptions, type RunSink } from '../engine/run/run-options.ts'
import { Session } from '../engine/run/session.ts'
import type { RunHistory } from '../history/history.ts'
import { Untested } from '../history/outcome.ts'
import { count } from '../history/quote.ts'
import type { Clause } from '../model/clause.ts'
import { dueOf, isDue } from '../model/due.ts'
import { statusDue } from '../model/status.ts'
import { type RequirementId, requirement } from '../spec/requirements.ts'
import { findBase, pathBelow } from './base.ts'
import { makeExchanges } from './exchanges.ts'
import { atAnotherAddress, Recording, tooMuch } from './files.ts'
import { makeHistories } from './histories.ts'
import { findKeys, type Keys } from './keys.ts'

export interface TrafficOptions extends Partial<Pick<RunOptions, 'command'>> {
  /** By default the address ending in /v1 that most requests for pets are below. */
  readonly base?: string | undefined
  /** Keys whose plan is known; of others it follows from X-RateLimit-Limit. */
  readonly keys: readonly KeyOption[]
  /** Whether the files have all calls of their keys. */
  readonly alone: boolean
  readonly strict: boolean
}

const describe = ({ entries, leftOut }: Recording, base: string, judged: number): string => {
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

/**
 * The results of all clauses; and whether the status of a request of each kind was due, or what a
 * run would send where there was none.
 */
const recordAll = (
  session: Session,
  checks: readonly AnyCheck[],
  histories: readonly RunHistory[],
): void => {
  const clauses = clausesIn(checks)
  for (const [at, ending] of judgeClauses(clauses, ...histories).entries()) {
    recordResult(session, clauses[at] as Clause, ending)
  }
  const met = new Set<RequirementId>()
  for (const history of histories) {
    for (const exchange of history.exchanges) {
      const due = dueOf(exchange, history)
      if (isDue(due, exchange.response.status)) met.add(due.requirement)
    }
  }
  for (const { sends, ...judged } of statusChecks(checks)) {
    const why = `there was no such traffic; petvet check sends: ${sends}`
    const untested = { kind: 'threw', error: new Untested('ambiguous', why) } as const
    recordResult(session, judged, met.has(judged.requirement) ? { kind: 'pass' } : untested)
  }
}

const whatIsUnclear = (pieces: readonly ReturnType<typeof makeHistories>[]): string[] => {
  const emptied = pieces.reduce((sum, { histories }) => sum + histories.length - 1, 0)
  const unclear = pieces.reduce((sum, each) => sum + each.unclear, 0)
  const times = count(emptied, 'time', 'times')
  const refusals = count(unclear, '401 or 403 to a key says', '401s and 403s to keys say')
  return [
    emptied > 0 && `the store was emptied ${times}: what was known before was not shown any more`,
    unclear > 0 && `${refusals} nothing: the key may be invalid, or withdrawn`,
    pieces.length > 1 &&
      'the files are of the same time: each is judged by itself, and other clients are assumed',
  ].filter((line) => line !== false)
}

/** What a judge of traffic has in place of a target. */
const judgeSession = (
  { alone, strict, command }: TrafficOptions,
  keys: Keys,
  baseUrl: string,
  sink: RunSink,
): Session => {
  const options: RunOptions = {
    ...plainTarget,
    ...{ baseUrl, keys: keys.labelled, shared: !alone, strict, allow: [], seed: 0 },
    ...{ maxRequests: Number.POSITIVE_INFINITY, responseTimeoutMs: 1_000 },
    ...(command && { command }),
    signal: new AbortController().signal,
    explain,
  }
  const session = new Session(options, sink)
  // The times of exchanges are those of a file.
  session.startMs = 0
  for (const [at, secret] of keys.secrets.entries()) {
    session.redactor.hideKey(secret, `$KEY_${at + 1}`)
  }
  return session
}

/**
 * Reads keys and addresses of a recording, before anything is written.
 * @param checks the catalogue, or a selection of it
 * @returns what judges it, and gives the run file
 * @throws Error of one line where nothing of it can be judged
 */
export const prepareJudge = (
  checks: readonly AnyCheck[],
  recording: Recording,
  given: TrafficOptions,
) => {
  const { entries, exchanges, leftOut, notes } = recording
  if (entries === 0) throw new Error(notes[0] ?? 'there is no exchange in it')
  const base = (given.base ?? findBase(exchanges))?.replace(/\/+$/, '')
  if (base === undefined) throw new Error('no address in it ends in /v1: name one with --base')
  const inCapitals = new Set(
    exchanges.filter(({ request }) => /[A-Z]/.test(request.method)).map(({ file }) => file),
  )
  const below = exchanges.flatMap((one) => {
    const path = pathBelow(base, one.request.url)
    if (path === undefined) return []
    // Some exporters write all methods in lower case.
    const { method } = one.request
    const sent = inCapitals.has(one.file) ? method : method.toUpperCase()
    return [{ ...one, request: { ...one.request, method: sent, url: base + path } }]
  })
  if (below.length === 0) {
    throw new Error(`no request is below ${base}: name another address with --base`)
  }
  const keys = findKeys(below, given.keys)
  const judged = below.filter((one) => !keys.isLeftOut(one))
  const leave = (why: string, times: number) =>
    times > 0 && leftOut.set(why, times + (leftOut.get(why) ?? 0))
  leave(atAnotherAddress, exchanges.length - below.length)
  leave('with one key too many', below.length - judged.length)
  const alone = given.alone && judged.length === below.length && !leftOut.has(tooMuch)
  const lines = [...notes, describe(recording, base, judged.length), ...keys.notes]
  return async (sink: RunSink): Promise<RunFile> => {
    const [startedAt, startMs] = [new Date(), performance.now()]
    const session = judgeSession({ ...given, alone }, keys, base, sink)
    for (const line of lines) session.note(line)
    const pieces = makeExchanges(judged, { base, keys, redactor: session.redactor })
    const all = pieces.map((piece) =>
      makeHistories(piece, alone && pieces.length === 1, (exchange) => {
        session.budget.count(exchange.check, exchange.key)
        session.record(exchange)
      }),
    )
    for (const line of whatIsUnclear(all)) session.note(line)
    const histories = all.flatMap((each) => each.histories)
    recordAll(session, checks, histories)
    await session.close()
    const durationMs = performance.now() - startMs
    const selected = new Set(judgedIds(checks))
    return withCauses(summarise(session, { startedAt, durationMs, selected }))
  }
}

/**
 * Judges exchanges that a program has.
 * @throws Error of one line where nothing of it can be judged
 */
export const judgeItems = (
  checks: readonly AnyCheck[],
  items: Iterable<unknown>,
  given: TrafficOptions,
): Promise<RunFile> => {
  const recording = new Recording()
  for (const item of items) recording.add(item, 0, given.base)
  return prepareJudge(checks, recording, given)({ event: () => {} })
}
