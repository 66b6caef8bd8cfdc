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
import { findBase, pathBelow } from './base.ts'
import { makeExchanges } from './exchanges.ts'
import { atAnotherAddress, Pieces, type Source, tooMuch } from './files.ts'
import { noRequest, type Recorded } from './har.ts'
import { makeHistories } from './histories.ts'
import { KeySurvey, type Keys } from './keys.ts'
import { judgedIds, resultsOf, together } from './results.ts'

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
const judgeSession = (
  { alone, strict, command }: TrafficOptions,
  keys: Keys,
  baseUrl: string,
  ...[sink, signal]: [RunSink, AbortSignal]
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
  /** Whether there is a request for pets. */
  isOfPets = false
  /** Files with methods in capitals: some exporters write all of them in lower case. */
  readonly #inCapitals = new Set<number>()

  constructor({ base, keys }: TrafficOptions) {
    this.base = base?.replace(/\/+$/, '')
    this.keys = new KeySurvey(keys)
  }

  readonly below = (piece: readonly Recorded[]): readonly Recorded[] =>
    piece.flatMap((one) => {
      const { method, url } = one.request
      const path = this.base === undefined ? undefined : pathBelow(this.base, url)
      if (path === undefined) return []
      const sent = this.#inCapitals.has(one.file) ? method : method.toUpperCase()
      return [{ ...one, request: { ...one.request, method: sent, url: `${this.base}${path}` } }]
    })

  add(piece: readonly Recorded[]): void {
    this.base ??= findBase(piece)
    for (const { request, file } of piece) {
      if (/[A-Z]/.test(request.method)) this.#inCapitals.add(file)
    }
    const below = this.below(piece)
    for (const one of below) {
      this.isOfPets ||= /^\/pets(?:[/?]|$)/.test(one.request.url.slice(this.base?.length))
      this.keys.add(one)
    }
  }
}

/** Judges pieces of traffic, each by itself. */
const judgePieces = (session: Session, checks: readonly AnyCheck[], keys: Keys) => {
  const { budget, sink, redactor, history, note, options } = session
  const results = new Map<string, ReturnType<typeof together>>()
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
    const known = { base: options.baseUrl, keys, redactor }
    const files = makeExchanges(piece, known, judged)
    judged += piece.length
    if (files.length > 1) {
      note(
        'the files are of the same time: each is judged by itself, and other clients are assumed',
      )
    }
    const all = files.map((file) => makeHistories(file, alone && files.length === 1, record))
    emptied += all.reduce((sum, { histories }) => sum + histories.length - 1, 0)
    unclear += all.reduce((sum, one) => sum + one.unclear, 0)
    const histories = all.flatMap((one) => one.histories)
    for (const next of resultsOf(session, checks, histories)) {
      const { id } = next.result
      results.set(id, together(results.get(id), next))
    }
  }
  const end = () => {
    const times = count(emptied, 'time', 'times')
    const refusals = count(unclear, '401 or 403 says', 'responses with 401 or 403 say')
    if (emptied > 0) note(`the store was emptied ${times}: what was known was not shown any more`)
    if (unclear > 0) note(`${refusals} nothing: whether the key was valid is not known`)
    for (const { result } of results.values()) {
      session.results.push(result)
      sink.event({ kind: 'result', result })
    }
  }
  return { judge, end, judged: () => judged }
}

const describe = ({ entries, leftOut, times }: Pieces, base: string, judged: number) => {
  const words = [...leftOut].map(([why, number]) => `${number} ${why}`)
  const rest = words.length > 0 ? `; left out: ${words.join(', ')}` : ''
  const pieces =
    times > 1 &&
    `they are judged in ${times} pieces, as more is not kept in memory: what is known of one is ` +
      'not held against the next, and other clients are assumed'
  return [
    `${judged} of ${count(entries, 'entry', 'entries')} are below ${base}${rest}`,
    ...(pieces ? [pieces] : []),
  ]
}

const nothing =
  'there is no exchange in it: expected a HAR file, exchanges.ndjson or the folder of a run'

/** Never aborted. */
const { signal: noSignal } = new AbortController()

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
  const survey = new Survey(given)
  let only: readonly Recorded[] | undefined
  const take = (piece: readonly Recorded[], at: number) => {
    only = at === 1 ? piece : undefined
    survey.add(piece)
  }
  const surveyed = new Pieces(take, given.base, source.isOnce)
  await surveyed.read(source, { onProgress, signal: noSignal })
  const { base } = survey
  if (surveyed.entries === (surveyed.leftOut.get(noRequest) ?? 0)) {
    throw new Error(surveyed.notes[0] ?? nothing)
  }
  if (base === undefined || !survey.isOfPets) {
    const none = `none of ${count(surveyed.entries, 'entry', 'entries')} is a request for /pets`
    const place = base ?? 'an address that ends in /v1'
    throw new Error(`${none} below ${place}: give the base URL with --base`)
  }
  const keys = survey.keys.keys()
  return async (sink = { event: () => {} }, signal = noSignal) => {
    const [startedAt, startMs] = [new Date(), performance.now()]
    const session = judgeSession(given, keys, base, sink, signal)
    const pieces = judgePieces(session, checks, keys)
    const judge = (read: Pieces, piece: readonly Recorded[]) => {
      const below = survey.below(piece)
      const own = below.filter((one) => !keys.isLeftOut(one))
      read.leave(atAnotherAddress, piece.length - below.length)
      read.leave('with one key too many', below.length - own.length)
      const isWhole = only !== undefined && own.length === below.length
      pieces.judge(own, given.alone && isWhole && !read.leftOut.has(tooMuch))
    }
    const again: Pieces = new Pieces((piece) => judge(again, piece), base)
    const show = (text: string) => sink.event({ kind: 'load', text, leftMs: 0 })
    if (only) judge(surveyed, only)
    else await again.read(source, { onProgress: show, signal })
    const read = only ? surveyed : again
    const lines = [...read.notes, ...describe(read, base, pieces.judged()), ...keys.notes]
    for (const line of lines) session.note(line)
    pieces.end()
    await session.close()
    const durationMs = performance.now() - startMs
    const selected = new Set(judgedIds(checks))
    return withCauses(summarise(session, { startedAt, durationMs, selected }))
  }
}
