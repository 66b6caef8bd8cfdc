// A load as it is asked for, the target it is put on, and what came of it.
import type { Reach } from '../suites/kit/wire/reach.ts'
import type { Sample } from './sample.ts'

export interface Load {
  /** At once; fewer where there are fewer requests. */
  readonly connections: number
  /** So many requests exactly, or null ... */
  readonly amount: number | null
  /** ... and then as many as go in this time; what is under way at its end is waited for. */
  readonly durationMs: number | null
  /** No more than so many, whatever the time; more of them are not asked for by an amount. */
  readonly most?: number
  /** The labels of the keys. */
  readonly keys: readonly string[]
  /** Whether each connection has a key of its own, or takes all of them in turn. */
  readonly keyPer: 'connection' | 'request'
  /** Whether each request goes on a new connection. */
  readonly newConnections: boolean
  /** Whether the first requests of all connections leave at the same moment, when all stand. */
  readonly atOnce?: true
  /** It is given up after this time, whatever comes. */
  readonly overallMs: number
  /** How many samples are kept, with their bodies. */
  readonly keep: number
}

export interface DriveTarget {
  readonly baseUrl: string
  /** Below the base address, with its query. */
  readonly path: string
  readonly keyOf: (label: string) => string
  /** Further headers of every request. */
  readonly headers: readonly (readonly [string, string])[]
  readonly reach: Reach
  /** Addresses of the host, taken in turn where each request has a new connection. */
  readonly addresses: readonly string[]
  readonly answerTimeoutMs: number
  readonly signal: AbortSignal
}

export interface Driven {
  /** Put on the wire; each of them was answered or lost. */
  readonly sent: number
  readonly answered: number
  readonly lost: number
  /** Whether it ended because no more of them might leave. */
  readonly isSpent: boolean
  /** Of the amount. */
  readonly neverSent: number
  readonly durationMs: number
  readonly ended: 'done' | 'overall-timeout' | 'interrupted' | 'unreachable'
  /** Why connections gave up, where they did. */
  readonly why: string | null
  readonly samples: readonly Sample[]
}
