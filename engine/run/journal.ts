// The journal of a run: what its exchanges do not say and a resumed run needs. No key is in it. And
// what a run did before it was interrupted, read from its journal and its exchanges.

import type { LimitKey, Permission } from '../check/context.ts'
import type { CheckResult, Interruption, RunCommand } from '../check/run-file.ts'
import type { Target } from '../http/connection-options.ts'
import type { PastExchange } from '../http/recorder.ts'

interface JournalKey extends LimitKey {
  readonly use: 'ban' | null
  /** A digest with the salt of the journal. */
  readonly digest: string
}

/** What a run was started with: it is resumed with the same. */
export interface Start extends Pick<Target, 'baseUrl' | 'clockUrl' | 'descriptionUrl'> {
  readonly allow: readonly Permission[]
  readonly categories: readonly string[]
  readonly seed: number
  readonly keys: readonly JournalKey[]
  /** A digest of the further headers. */
  readonly headers: string
}

/** How a run began. */
export interface Head extends Start {
  readonly kind: 'head'
  readonly petvet: string
  readonly runId: string
  readonly salt: string
  readonly startedAt: string
  readonly checks: readonly string[]
  readonly command?: RunCommand
  readonly shared: boolean
  readonly strict: boolean
}

type Sending = Pick<PastExchange, 'seq' | 'check' | 'key'>

/** One line of `journal.ndjson`. `at` is a time of our own clock, ISO 8601. */
export type Entry =
  | Head
  /** `lost`: how many requests were in flight when the run was interrupted. */
  | ({ readonly kind: 'resumed'; readonly at: string } & Omit<Interruption, 'resumedAt'>)
  /** How far the target's clock is ahead of the run's time with the moves by the run. */
  | { readonly kind: 'clock'; readonly at: string; readonly aheadMs: number }
  /** Written before a request is sent: without an exchange it may or may not have been counted. */
  | ({ readonly kind: 'sending' } & Sending)
  | { readonly kind: 'result'; readonly at: string; readonly result: CheckResult }
  | { readonly kind: 'note'; readonly text: string }
  /** What the category probe found. */
  | { readonly kind: 'categories'; readonly free: boolean; readonly accepted: readonly string[] }

/** Thrown when journal.ndjson or exchanges.ndjson is corrupt. One-line message. */
export class DamagedJournal extends Error {}

/** A result that says nothing about the target is not kept: the check runs again. */
const isFinal = ({ outcome, because }: CheckResult): boolean =>
  outcome !== 'error' && because !== 'interrupted' && because !== 'budget'

/** An interrupted run, as its files show it. */
export interface Past {
  readonly head: Head
  /** In the order of their responses. */
  readonly exchanges: readonly PastExchange[]
  /** Requests without an exchange: they may have been counted. */
  readonly lost: readonly Sending[]
  /** The latest result of each check that need not run again. */
  readonly results: readonly CheckResult[]
  readonly notes: readonly string[]
  readonly categories: Extract<Entry, { kind: 'categories' }> | undefined
  readonly aheadMs: number | undefined
  /** The number of the last request. */
  readonly seq: number
  readonly interruptions: readonly Interruption[]
  /** When it was interrupted, by our own clock. */
  readonly endedMs: number
}

const ofKind = <Kind extends Entry['kind']>(entries: readonly Entry[], kind: Kind) =>
  entries.filter((entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind)

/** Requests without an exchange, by number. @throws DamagedJournal unless all others were sent */
const lostOf = (sent: readonly Sending[], exchanges: readonly PastExchange[]) => {
  const lost = new Map(sent.map((each) => [each.seq, each]))
  for (const { seq, check, key } of exchanges) {
    const own = lost.get(seq)
    if (own?.check !== check || own.key !== key) {
      throw new DamagedJournal(`exchange ${seq} is not in it, or more than once`)
    }
    lost.delete(seq)
  }
  return lost
}

/** @returns null where the run was interrupted before it had a head. @throws DamagedJournal */
export const readPast = (lines: Iterable<Entry>, recorded: Iterable<PastExchange>): Past | null => {
  const [head, ...entries] = lines
  if (head === undefined) return null
  if (head.kind !== 'head') throw new DamagedJournal('it does not begin with its head')
  const sent = ofKind(entries, 'sending')
  const exchanges = [...recorded]
  const lost = lostOf(sent, exchanges)
  const resumed = ofKind(entries, 'resumed')
  const results = new Map(ofKind(entries, 'result').map(({ result }) => [result.id, result]))
  const latest = entries.findLast((entry) => 'at' in entry)?.at ?? head.startedAt
  const last = exchanges.at(-1)
  return {
    ...{ head, exchanges, lost: [...lost.values()], seq: sent.at(-1)?.seq ?? 0 },
    results: [...results.values()].filter(isFinal),
    notes: ofKind(entries, 'note').map(({ text }) => text),
    categories: ofKind(entries, 'categories').at(-1),
    aheadMs: ofKind(entries, 'clock').at(-1)?.aheadMs,
    interruptions: resumed.map(({ at: resumedAt, interruptedAt, lost: inFlight }) => {
      return { interruptedAt, resumedAt, lost: inFlight }
    }),
    endedMs: Math.max(Date.parse(latest), last ? Date.parse(last.at) + last.ms : 0),
  }
}
