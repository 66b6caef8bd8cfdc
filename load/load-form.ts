// A load as it is asked for, the target it is put on, and what came of it.
import type { Reach } from '../engine/wire/reach.ts'
import type { WireRequest } from '../engine/wire/wire-request.ts'

export interface Load {
  /** At once; fewer where there are fewer requests. */
  readonly connections: number
  /** So many requests exactly, or null ... */
  readonly amount: number | null
  /** ... and then as many as go in this time; what is under way at its end is waited for. */
  readonly durationMs: number | null
  /** No more than so many, whatever the time; more of them are not asked for by an amount. */
  readonly most?: number
  /** The label of the key. */
  readonly key: string
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
  /** What is sent again and again, its key included. */
  readonly request: Pick<WireRequest, 'path' | 'headers'>
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

/** Why no whole answer came to a request that was put on the wire. */
export type Lost = 'timeout' | 'reset'

/** One request, and what became of it: light, as there may be a million of them. */
export interface Sample {
  /** The key by plan and position (`free-1`). */
  readonly key: string
  /** 0 where no whole answer came. */
  readonly status: number
  readonly lost: Lost | null
  /** When it was put on the wire, by `performance.now()`. */
  readonly sentMs: number
  /** From then to the last byte of the answer, or to its loss. */
  readonly ms: number
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  /** The body as it came, where bodies are kept. */
  readonly body: string | null
}
