// The journal of a run: what its exchanges do not say and a resumed run needs. No key is in it. And
// what a run did before it was interrupted, read from its journal and its exchanges.

import type { Plan, Quota } from '../../spec/plans.ts'
import type { Permission } from '../check/context.ts'
import type { CheckResult, Interruption, RunCommand } from '../check/run-file.ts'
import type { PastExchange } from '../http/recorder.ts'

interface JournalKey {
  readonly label: string
  readonly plan: Plan
  readonly quota: Quota
  readonly use: 'ban' | null
  /** A digest with the salt of the journal. */
  readonly digest: string
}

/** What a run was started with: it is resumed with the same. */
export interface Head {
  readonly kind: 'head'
  readonly petvet: string
  readonly runId: string
  readonly seed: number
  readonly salt: string
  readonly startedAt: string
  readonly baseUrl: string
  readonly clockUrl: string | null
  readonly descriptionUrl: string | null
  readonly categories: readonly string[]
  readonly allow: readonly Permission[]
  readonly shared: boolean
  readonly strict: boolean
  readonly maxRequests: number
  readonly responseTimeoutMs: number
  readonly keys: readonly JournalKey[]
  /** A digest of the further headers. */
  readonly headers: string
  readonly checks: readonly string[]
  readonly command?: RunCommand
}

/** One line of `journal.ndjson`. Times are of our own clock, ISO 8601. */
export type Entry =
  | Head
  | { readonly kind: 'resumed'; readonly at: string }
  /** Where the test clock was before the first check, and how far the run had moved it. */
  | {
      readonly kind: 'clock'
      readonly at: string
      readonly clockMs: number
      readonly movedMs: number
    }
  /** Written before a request is sent: without an exchange it may or may not have been counted. */
  | {
      readonly kind: 'sending'
      readonly seq: number
      readonly check: string
      readonly key: string | null
    }
  | { readonly kind: 'result'; readonly at: string; readonly result: CheckResult }
  | { readonly kind: 'note'; readonly text: string }
  /** What the category probe found. */
  | { readonly kind: 'categories'; readonly free: boolean; readonly accepted: readonly string[] }

type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>

/** Writes an entry before the next thing is done. */
export type Journal = (entry: Entry) => void

/** Thrown when journal.ndjson or exchanges.ndjson is corrupt. One-line message. */
export class DamagedJournal extends Error {}

/** A result that says nothing about the target is not kept: the check runs again. */
const isFinal = ({ outcome, because }: CheckResult): boolean =>
  outcome !== 'error' && because !== 'interrupted' && because !== 'budget'

/** A run is started once and may be resumed several times: each time is an attempt. */
class Attempt {
  readonly startedMs: number
  endedMs: number
  readonly sent = new Map<number, EntryOf<'sending'>>()
  /** Every request up to this number had ended when a result was written. */
  settledSeq = 0
  /** From the monotonic time of its process to Unix time. */
  offsetMs = 0
  movedMs = 0

  constructor(at: string) {
    this.startedMs = Date.parse(at)
    this.endedMs = this.startedMs
  }
}

class Reading {
  readonly head: Head
  readonly attempts: Attempt[]
  readonly results = new Map<string, CheckResult>()
  readonly notes: string[] = []
  categories: EntryOf<'categories'> | null = null
  clock: EntryOf<'clock'> | null = null
  /** The number of the last request. */
  seq = 0

  constructor(head: Head) {
    this.head = head
    this.attempts = [new Attempt(head.startedAt)]
  }
}

const takeEntry = (reading: Reading, attempt: Attempt, entry: Entry): void => {
  if ('at' in entry) attempt.endedMs = Math.max(attempt.endedMs, Date.parse(entry.at))
  switch (entry.kind) {
    case 'head':
      throw new DamagedJournal('it has two heads')
    case 'resumed':
      reading.attempts.push(new Attempt(entry.at))
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
    else if (entry.kind === 'head') reading = new Reading(entry)
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

/** An interrupted run, as its files tell it. */
export interface Past extends Omit<Reading, 'attempts' | 'results'> {
  /** In the order of their responses; `sentMs` is Unix time, as exact as the monotonic one. */
  readonly exchanges: readonly PastExchange[]
  /** Requests without a recorded exchange: they may have been counted. */
  readonly lost: readonly EntryOf<'sending'>[]
  /** The latest result of each check that need not run again. */
  readonly results: readonly CheckResult[]
  /** How far the run had moved the test clock when it last sent a request or got a response. */
  readonly movedMs: number
  readonly endedMs: number
  readonly interruptions: readonly Interruption[]
  readonly lostInLastAttempt: number
  readonly workedMs: number
}

/** @returns null where the run was interrupted before it had a head. @throws DamagedJournal */
export const readPast = (
  entries: Iterable<Entry>,
  recorded: Iterable<PastExchange>,
): Past | null => {
  const reading = readEntries(entries)
  if (!reading) return null
  const { attempts, results, clock, ...others } = reading
  const exchanges = takeExchanges(reading, recorded)
  const last = attempts.at(-1) as Attempt
  return {
    ...others,
    clock,
    exchanges,
    lost: attempts.flatMap(({ sent }) => [...sent.values()]),
    results: [...results.values()].filter(isFinal),
    movedMs: Math.max(clock?.movedMs ?? 0, ...attempts.map(({ movedMs }) => movedMs)),
    endedMs: last.endedMs,
    interruptions: attempts.slice(1).map(
      ({ startedMs }, place): Interruption => ({
        interruptedAt: new Date(attempts[place]?.endedMs ?? startedMs).toISOString(),
        resumedAt: new Date(startedMs).toISOString(),
        lost: attempts[place]?.sent.size ?? 0,
      }),
    ),
    lostInLastAttempt: last.sent.size,
    workedMs: attempts.reduce((sum, { startedMs, endedMs }) => sum + endedMs - startedMs, 0),
  }
}
