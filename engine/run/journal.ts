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

/** What the category probe found. */
interface FoundCategories {
  readonly free: boolean
  readonly accepted: readonly string[]
}

/** One line of `journal.ndjson`. `at` is a time of our own clock, ISO 8601. */
export type Entry =
  | Head
  /** `lost`: the requests that were in flight when the run was interrupted. */
  | {
      readonly kind: 'resumed'
      readonly at: string
      readonly interruptedAt: string
      readonly lost: readonly number[]
    }
  /** How far the target's clock is ahead of the run's time, moves by the run included. */
  | { readonly kind: 'clock'; readonly at: string; readonly aheadMs: number }
  /** Written before a request is sent: without an exchange it may or may not have been counted. */
  | ({ readonly kind: 'sending' } & Pick<PastExchange, 'seq' | 'check' | 'key'>)
  | { readonly kind: 'result'; readonly at: string; readonly result: CheckResult }
  | { readonly kind: 'note'; readonly text: string }
  | ({ readonly kind: 'categories' } & FoundCategories)

/** Writes an entry before the next thing is done. */
export type Journal = (entry: Entry) => void

/** Thrown when journal.ndjson or exchanges.ndjson is corrupt. One-line message. */
export class DamagedJournal extends Error {}

const damagedUnless = (isRight: boolean, what: string): void => {
  if (!isRight) throw new DamagedJournal(what)
}

/** A result that says nothing about the target is not kept: the check runs again. */
const isFinal = ({ outcome, because }: CheckResult): boolean =>
  outcome !== 'error' && because !== 'interrupted' && because !== 'budget'

/** An interrupted run, as its files show it. */
export interface Past {
  readonly head: Head
  /** In the order of their responses. */
  readonly exchanges: readonly PastExchange[]
  /** Requests without an exchange: they may have been counted. */
  readonly lost: readonly Pick<PastExchange, 'seq' | 'check' | 'key'>[]
  /** Those of them that were in flight at the last interruption. */
  readonly lostSeqs: readonly number[]
  /** The latest result of each check that need not run again. */
  readonly results: readonly CheckResult[]
  readonly notes: readonly string[]
  readonly categories: FoundCategories | undefined
  readonly aheadMs: number | undefined
  /** The number of the last request. */
  readonly seq: number
  readonly interruptions: readonly Interruption[]
  /** When it was interrupted, by our own clock. */
  readonly endedMs: number
}

const readEntries = (lines: Iterable<Entry>) => {
  const [head, ...entries] = lines
  if (head === undefined) return null
  if (head.kind !== 'head') throw new DamagedJournal('it does not begin with its head')
  const all = <Kind extends Entry['kind']>(kind: Kind) =>
    entries.filter((entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind)
  damagedUnless(all('head').length === 0, 'it has two heads')
  const sent = all('sending')
  const isInOrder = sent.every(({ seq }, at) => seq > (sent[at - 1]?.seq ?? 0))
  damagedUnless(isInOrder, 'its requests are not in order')
  const settled = entries.findLastIndex(
    (entry) => entry.kind === 'result' && entry.result.outcome !== 'error',
  )
  const latest = entries.findLast((entry) => 'at' in entry)
  return {
    ...{ head, sent, resumed: all('resumed'), notes: all('note').map(({ text }) => text) },
    results: new Map(all('result').map(({ result }) => [result.id, result])),
    categories: all('categories').at(-1),
    aheadMs: all('clock').at(-1)?.aheadMs,
    latestMs: Date.parse(latest?.at ?? head.startedAt),
    /** Whatever was sent before a result had ended by then. */
    settledSeqs: entries.slice(0, settled + 1).flatMap((e) => (e.kind === 'sending' ? e.seq : [])),
  }
}

/** @returns null where the run was interrupted before it had a head. @throws DamagedJournal */
export const readPast = (lines: Iterable<Entry>, recorded: Iterable<PastExchange>): Past | null => {
  const read = readEntries(lines)
  if (read === null) return null
  const { sent, resumed, results, latestMs, settledSeqs, ...others } = read
  const exchanges = [...recorded]
  const lost = new Map(sent.map((each) => [each.seq, each]))
  for (const { seq, check, key } of exchanges) {
    const own = lost.get(seq)
    const isOwn = own?.check === check && own.key === key
    damagedUnless(isOwn, `exchange ${seq} is not in it, or more than once`)
    lost.delete(seq)
  }
  const before = new Set(resumed.flatMap((entry) => entry.lost))
  const lostSeqs = [...lost.keys()].filter((seq) => !before.has(seq))
  const missing = settledSeqs.find((seq) => lost.has(seq) && !before.has(seq))
  damagedUnless(missing === undefined, `exchange ${missing} is missing`)
  const last = exchanges.at(-1)
  return {
    ...others,
    ...{ exchanges, lost: [...lost.values()], lostSeqs, seq: sent.at(-1)?.seq ?? 0 },
    results: [...results.values()].filter(isFinal),
    interruptions: resumed.map(({ at, ...each }) => {
      return { interruptedAt: each.interruptedAt, resumedAt: at, lost: each.lost.length }
    }),
    endedMs: Math.max(latestMs, last ? Date.parse(last.at) + last.ms : 0),
  }
}
