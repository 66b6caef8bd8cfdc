// What a run did before it was interrupted, read from its journal and its exchanges.

import type { ApiRequest, Exchange, Header, NoAnswer, SentRequest } from '../exchange.ts'
import type { RecordedExchange } from '../record/record.ts'
import type { Redactor } from '../record/redact.ts'
import type { CheckResult, Interruption } from '../run-file.ts'
import type { Entry, EntryOf, Head } from './journal.ts'

/** Thrown when journal.ndjson or exchanges.ndjson is corrupt. One-line message. */
export class DamagedJournal extends Error {}

/** A recorded exchange that a run can be resumed with. */
export type PastExchange = RecordedExchange & { readonly sentMs: number }

/** A result that says nothing about the target is not kept: the check runs again. */
const isFinal = ({ outcome, because }: CheckResult): boolean =>
  outcome !== 'error' && because !== 'interrupted' && because !== 'budget'

/** A run is started once and may be resumed several times: each time is an attempt. */
const attemptFrom = (at: string) => ({
  startedMs: Date.parse(at),
  endedMs: Date.parse(at),
  sent: new Map<number, EntryOf<'sending'>>(),
  /** Every request up to this number had ended when a result was written. */
  settledSeq: 0,
  /** From the monotonic time of its process to Unix time. */
  offsetMs: 0,
  movedMs: 0,
})

type Attempt = ReturnType<typeof attemptFrom>

const readingFrom = (head: Head) => ({
  head,
  attempts: [attemptFrom(head.startedAt)],
  results: new Map<string, CheckResult>(),
  notes: [] as string[],
  categories: null as EntryOf<'categories'> | null,
  clock: null as EntryOf<'clock'> | null,
  /** The number of the last request. */
  seq: 0,
})

type Reading = ReturnType<typeof readingFrom>

const takeEntry = (reading: Reading, attempt: Attempt, entry: Entry): void => {
  if ('at' in entry) attempt.endedMs = Math.max(attempt.endedMs, Date.parse(entry.at))
  switch (entry.kind) {
    case 'head':
      throw new DamagedJournal('it has two heads')
    case 'resumed':
      reading.attempts.push(attemptFrom(entry.at))
      return
    case 'sending':
      if (entry.seq <= reading.seq) throw new DamagedJournal('its requests are not in order')
      reading.seq = entry.seq
      attempt.sent.set(entry.seq, entry)
      return
    case 'result':
      reading.results.set(entry.result.id, entry.result)
      if (entry.result.outcome !== 'error') attempt.settledSeq = reading.seq
      return
    case 'note':
      reading.notes.push(entry.text)
      return
    default:
      // 'clock' and 'categories': the latest one holds.
      Object.assign(reading, { [entry.kind]: entry })
  }
}

const readEntries = (entries: Iterable<Entry>): Reading | null => {
  let reading: Reading | undefined
  for (const entry of entries) {
    const attempt = reading?.attempts.at(-1)
    if (reading && attempt) takeEntry(reading, attempt, entry)
    else if (entry.kind === 'head') reading = readingFrom(entry)
    else throw new DamagedJournal('it does not begin with its head')
  }
  return reading ?? null
}

/** Matches exchanges with requests that were sent; the requests that remain got no response. */
const takeExchanges = (
  { attempts }: Reading,
  exchanges: Iterable<PastExchange>,
): PastExchange[] => {
  const read: { exchange: PastExchange; attempt: Attempt }[] = []
  for (const exchange of exchanges) {
    const { seq, check, key, at, ms, sentMs, movedMs = 0, meanwhileMs = 0 } = exchange
    const attempt = attempts.find(({ sent }) => sent.has(seq))
    const sending = attempt?.sent.get(seq)
    if (!attempt || sending?.check !== check || sending.key !== key) {
      throw new DamagedJournal(`exchange ${seq} is not in it, or more than once`)
    }
    attempt.sent.delete(seq)
    attempt.offsetMs = Date.parse(at) - sentMs
    attempt.endedMs = Math.max(attempt.endedMs, Date.parse(at) + ms)
    attempt.movedMs = Math.max(attempt.movedMs, movedMs + meanwhileMs)
    read.push({ exchange, attempt })
  }
  for (const { sent, settledSeq } of attempts) {
    const [first] = sent.keys()
    if (first !== undefined && first <= settledSeq) {
      throw new DamagedJournal(`exchange ${first} is missing`)
    }
  }
  // The last exchange of an attempt says best how its time relates to Unix time.
  return read.map(({ exchange, attempt }) => ({
    ...exchange,
    sentMs: exchange.sentMs + attempt.offsetMs,
  }))
}

/** @returns null where the run was interrupted before it had a head. @throws DamagedJournal */
export const readPast = (entries: Iterable<Entry>, recorded: Iterable<PastExchange>) => {
  const reading = readEntries(entries)
  if (!reading) return null
  const { attempts, results, clock, ...others } = reading
  const exchanges = takeExchanges(reading, recorded)
  const all = [...results.values()]
  const last = attempts.at(-1) as Attempt
  return {
    ...others,
    clock,
    /** In the order of their responses; `sentMs` is Unix time, as exact as the monotonic one. */
    exchanges,
    /** Requests without a recorded exchange: they may have been counted. */
    lost: attempts.flatMap(({ sent }) => [...sent.values()]),
    /** The latest result of each check that need not run again. */
    results: all.filter(isFinal),
    hasUnfinished: !all.every(isFinal),
    /** How far the run had moved the test clock when it last sent a request or got a response. */
    movedMs: Math.max(clock?.movedMs ?? 0, ...attempts.map(({ movedMs }) => movedMs)),
    endedMs: last.endedMs,
    interruptions: attempts.slice(1).map(
      ({ startedMs }, place): Interruption => ({
        brokenAt: new Date(attempts[place]?.endedMs ?? startedMs).toISOString(),
        resumedAt: new Date(startedMs).toISOString(),
        lost: attempts[place]?.sent.size ?? 0,
      }),
    ),
    lostInLastAttempt: last.sent.size,
    workedMs: attempts.reduce((sum, { startedMs, endedMs }) => sum + endedMs - startedMs, 0),
  }
}

export type Past = NonNullable<ReturnType<typeof readPast>>

const keyVariable = '$PETVET_KEY'

interface Restoring {
  readonly baseUrl: URL
  readonly keys: readonly { readonly label: string; readonly key: string }[]
  /** Names of the headers that every request has. */
  readonly furtherHeaders: readonly string[]
  readonly redactor: Redactor
}

const apiRequestOf = (
  { key, from: root }: PastExchange,
  { method, url, headers, body, bodyBase64, padding }: SentRequest,
  { baseUrl, furtherHeaders }: Restoring,
): ApiRequest => {
  const from = root ?? 'base'
  const path = url.slice(baseUrl.origin.length)
  const basePath = baseUrl.pathname.replace(/\/+$/, '')
  const values = headers.filter(([name]) => name === 'Authorization').map(([, value]) => value)
  const isOwn = ([name, value]: Header) =>
    name !== 'Authorization' &&
    !furtherHeaders.includes(name) &&
    !(name === 'Accept-Encoding' && value === 'identity')
  return {
    method,
    path: from === 'origin' ? path : path.slice(basePath.length),
    from,
    authorization: key !== null ? 'valid' : values.length > 0 ? values : null,
    scheme: (key !== null && values[0]?.split(' ')[0]) || 'Bearer',
    headers: headers.filter(isOwn),
    body: bodyBase64 === undefined ? body : Buffer.from(bodyBase64, 'base64'),
    ...(padding !== undefined && { padding }),
  }
}

/**
 * @param exchange with the times of this process
 * @returns the exchange; what was derived from a key stays as the shell expression that makes it
 */
export const restoredExchange = (exchange: PastExchange, restoring: Restoring): Exchange => {
  const { seq, at, check, key, response, noAnswer, ms, sentMs, cut, encoded } = exchange
  const { keys, redactor } = restoring
  const { key: secret = '' } = keys.find(({ label }) => label === key) ?? keys[0] ?? {}
  const withKey = (text: string) => text.replaceAll(keyVariable, secret)
  const headerOf = ([name, value]: Header): Header => {
    const isDerived = name === 'Authorization' && /\$[({]/.test(value)
    if (isDerived) redactor.hideForgery(value, value)
    return [name, isDerived ? value : withKey(value)]
  }
  const { body, url, headers, ...others } = exchange.request
  const request = {
    ...others,
    url: withKey(url),
    headers: headers.map(headerOf),
    body: body === null ? null : withKey(body),
  }
  const bytes =
    response?.bodyBase64 === undefined
      ? Buffer.from(withKey(response?.body ?? ''))
      : Buffer.from(response.bodyBase64, 'base64')
  return {
    seq,
    at,
    check,
    key,
    apiRequest: apiRequestOf(exchange, request, restoring),
    request,
    response: response && {
      status: response.status,
      headers: response.headers.map(([name, value]) => [name, withKey(value)]),
      bytes: new Uint8Array(bytes),
      cut: cut ?? false,
      ...(encoded && { encoded }),
    },
    noAnswer: (noAnswer as NoAnswer | undefined) ?? null,
    sentMs,
    receivedMs: sentMs + ms,
    movedMs: exchange.movedMs ?? 0,
    ...(exchange.meanwhileMs !== undefined && { meanwhileMs: exchange.meanwhileMs }),
  }
}
