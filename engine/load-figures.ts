// What a load scenario measured, in the form of the run file.

/** What became of a request; every request sent is counted as exactly one of these. */
export const fates = [
  'served', // 2xx
  'refused', // 429 for a spent quota
  'banned', // the answer of a banned key, whatever its status
  'otherClientError', // any other 4xx, redirects included
  'serverError', // 5xx
  'timeout',
  'reset', // the connection failed or was closed before the answer was whole
] as const
export type Fate = (typeof fates)[number]

export type Counts = Readonly<Record<Fate, number>>

/** Latencies of all whole answers, in milliseconds. */
export interface Latency {
  readonly count: number
  readonly meanMs: number
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  readonly maxMs: number
}

/** One second of one key; seconds without a request are left out. */
export interface LoadSecond {
  /** Whole seconds of the target since the scenario began, moves of its clock included. */
  readonly second: number
  /** The key by plan and position (`free-1`). */
  readonly key: string
  readonly counts: Partial<Counts>
  readonly p99Ms: number | null
}

/** One step of a scenario that raises the load step by step. */
export interface LoadStep {
  readonly connections: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly errors: number
}

/** A scenario at one server. */
export interface LoadFigures {
  readonly durationMs: number
  /** Requests that were put on the wire; the counts add up to it. */
  readonly sent: number
  /** Requests that were planned and never put on the wire. */
  readonly neverSent: number
  readonly counts: Counts
  readonly countsByKey: Readonly<Record<string, Counts>>
  readonly latency: Latency | null
  readonly seconds: readonly LoadSecond[]
  readonly steps?: readonly LoadStep[]
}

export interface LoadScenarioFigures {
  readonly id: string
  readonly says: string
  readonly connections: number
  /** By column: `target`, and `prism` and `reference` where they ran beside it. */
  readonly columns: Readonly<Record<string, LoadFigures>>
}

const fateWords: Readonly<Record<Fate, string>> = {
  served: 'served',
  refused: 'refused (429)',
  banned: 'banned',
  otherClientError: 'another 4xx',
  serverError: 'a 5xx',
  timeout: 'timed out',
  reset: 'connection lost',
}

/** `20 refused (429), 1 timed out`; fates without a request are left out. */
export const describeCounts = (counts: Partial<Counts>): string =>
  fates
    .filter((fate) => (counts[fate] ?? 0) > 0)
    .map((fate) => `${counts[fate]} ${fateWords[fate]}`)
    .join(', ')

export const describeMs = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 1)} ms`
