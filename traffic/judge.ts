// Judges recorded traffic by every clause, with the results of a run. Nothing is sent.
import { withCauses } from '../causes/diagnose.ts'
import { explain } from '../causes/findings.ts'
import type { AnyCheck } from '../engine/check/declare.ts'
import type { RunFile } from '../engine/check/run-file.ts'
import type { KeyOption } from '../engine/check/spendable-keys.ts'
import { printLine } from '../engine/http/recorder.ts'
import { summarise } from '../engine/run/results.ts'
import { plainTarget, type RunOptions, type RunSink } from '../engine/run/run-options.ts'
import { Session } from '../engine/run/session.ts'
import { type Exchange, isAnswered, statusCode } from '../history/exchange.ts'
import { count } from '../history/quote.ts'
import { makeExchanges } from './exchanges.ts'
import type { Source } from './files.ts'
import { noRequest, type Recorded } from './har.ts'
import { makeHistories } from './histories.ts'
import { Keys } from './keys.ts'
import { judgedIds, type PieceResult, resultsOf, together } from './results.ts'
import { Traffic } from './traffic.ts'

export interface TrafficOptions extends Partial<Pick<RunOptions, 'command'>> {
  /** By default the address ending in /v1 that most requests for pets are below. */
  readonly base?: string | undefined
  /** Keys whose plan is known; of others it follows from X-RateLimit-Limit. */
  readonly keys: readonly KeyOption[]
  /** Whether the files have all calls of their keys. */
  readonly alone: boolean
  readonly strict: boolean
}

/** What a judge of traffic has in place of a target. */
const optionsOf = (
  { alone, strict, command }: TrafficOptions,
  { labelled, secrets }: Keys,
): Omit<RunOptions, 'baseUrl' | 'signal'> => ({
  ...{ ...plainTarget, keys: labelled, secrets, shared: !alone, strict, allow: [], seed: 0 },
  ...{ maxRequests: Number.POSITIVE_INFINITY, responseTimeoutMs: 1_000, explain },
  ...(command && { command }),
})

/** Judges pieces of traffic, each by itself. */
const judgePieces = (session: Session, checks: readonly AnyCheck[], keys: Keys) => {
  const { budget, sink, redactor, history, note, options } = session
  const results = new Map<string, PieceResult>()
  const statuses = new Set<number>()
  let [judged, emptied, unclear] = [0, 0, 0]
  const record = (exchange: Exchange) => {
    budget.count(exchange.check, exchange.key)
    sink.exchange?.(printLine(exchange, redactor))
    sink.event({ kind: 'request', sent: budget.sent() })
    // The results of a target whose responses all have one status say nothing.
    if (!isAnswered(exchange) || statuses.has(statusCode(exchange))) return
    statuses.add(statusCode(exchange))
    history.complete(exchange)
  }
  const judge = (piece: readonly Recorded[], alone: boolean): void => {
    const files = makeExchanges(piece, { base: options.baseUrl, keys, redactor }, judged)
    judged += piece.length
    if (files.length > 1) {
      note(
        'the files are of the same time: each is judged by itself, and other clients are assumed',
      )
    }
    const histories = files.flatMap((file) => {
      const made = makeHistories(file, alone && files.length === 1, record)
      emptied += made.histories.length - 1
      unclear += made.unclear
      return made.histories
    })
    for (const next of resultsOf(session, checks, histories)) {
      const { id } = next.result
      results.set(id, together(results.get(id), next))
    }
  }
  const end = (traffic: Traffic) => {
    for (const line of [...traffic.describe(judged), ...keys.notes]) note(line)
    const times = count(emptied, 'time', 'times')
    const refusals = count(unclear, '401 or 403 says', 'responses with 401 or 403 say')
    const shown = 'what was known was not shown any more'
    if (emptied > 0) note(`the store may have been emptied ${times}: ${shown}`)
    if (unclear > 0) note(`${refusals} nothing: whether the key was valid is not known`)
    for (const { result } of results.values()) {
      session.results.push(result)
      sink.event({ kind: 'result', result })
    }
  }
  return { judge, end }
}

/** @returns the base URL. @throws Error of one line where nothing of it can be judged */
const expectRequests = ({ base, isOfPets, entries, leftOut, notes }: Traffic): string => {
  if (entries === (leftOut.get(noRequest) ?? 0)) {
    const nothing =
      'there is no exchange in it: expected a HAR file, exchanges.ndjson or the folder of a run'
    throw new Error(notes[0] ?? nothing)
  }
  if (base !== undefined && isOfPets) return base
  const none = `none of ${count(entries, 'entry', 'entries')} is a request for /pets`
  const place = base ?? 'an address that ends in /v1'
  throw new Error(`${none} below ${place}: give the base URL with --base`)
}

/**
 * Reads keys and addresses of traffic, before anything is written.
 * @param checks the catalogue, or a selection of it
 * @param onProgress gets how much was read
 * @returns what judges it, and gives the run file
 * @throws Error of one line where nothing of it can be judged
 */
export const prepareJudge = async (
  checks: readonly AnyCheck[],
  source: Source,
  given: TrafficOptions,
  onProgress: (text: string) => void = () => {},
): Promise<(sink?: RunSink, signal?: AbortSignal) => Promise<RunFile>> => {
  const [traffic, keys] = [new Traffic(source, given.base), new Keys(given.keys)]
  for await (const piece of traffic.read(onProgress)) {
    for (const one of piece) keys.add(one)
  }
  const base = expectRequests(traffic)
  keys.name()
  return async (sink = { event: () => {} }, signal = new AbortController().signal) => {
    const [startedAt, startMs] = [new Date(), performance.now()]
    const session = new Session({ ...optionsOf(given, keys), baseUrl: base, signal }, sink)
    const pieces = judgePieces(session, checks, keys)
    const show = (text: string) => sink.event({ kind: 'load', text, leftMs: 0 })
    for await (const piece of traffic.read(show)) {
      if (signal.aborted) break
      const own = piece.filter((one) => !keys.isLeftOut(one))
      traffic.leave('with one key too many', piece.length - own.length)
      pieces.judge(own, given.alone && traffic.isWhole && own.length === piece.length)
    }
    pieces.end(traffic)
    await session.close()
    const durationMs = performance.now() - startMs
    const selected = new Set(judgedIds(checks))
    return withCauses(summarise(session, { startedAt, durationMs, selected }))
  }
}
