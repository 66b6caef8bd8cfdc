// One line of the script's metrics, as k6 writes it, read as a sample.
import type { Sample } from '../sample.ts'

/** A sample of k6, by the clock of its instance. */
export interface K6Sample extends Sample {
  /** The phase by its name, and the part of it. */
  readonly phase: string
  readonly part: string
  /** The execution segment: `0:1/4`. */
  readonly instance: string
  /** From the request to the last byte; `ms` has the connecting too. */
  readonly latencyMs: number
}

export interface Point {
  readonly data: {
    readonly time: string
    readonly value: number
    readonly tags: Readonly<Record<string, string>>
    readonly metadata?: Readonly<Record<string, string>>
  }
}

const headerNames = {
  limit: 'X-RateLimit-Limit',
  remaining: 'X-RateLimit-Remaining',
  reset: 'X-RateLimit-Reset',
  retry: 'Retry-After',
  date: 'Date',
} as const

export const sampleOf = ({ data: { time, value, tags, metadata = {} } }: Point): K6Sample => {
  const { key, scenario: phase, instance, part = '', status } = tags
  const { sent, lost, body } = metadata
  const sentMs = Number(sent)
  const ms = Date.parse(time) - sentMs
  if (!key || !phase || !instance || Number.isNaN(ms)) throw new SyntaxError('no sample')
  return {
    key,
    phase,
    part,
    instance,
    sentMs,
    rawHeaders: Object.entries(headerNames).flatMap(([name, header]) => {
      const text = metadata[name]
      return text === undefined ? [] : [header, text]
    }),
    latencyMs: value,
    status: lost === undefined ? Number(status) : 0,
    lost: lost === undefined ? null : lost === 'timeout' ? 'timeout' : 'reset',
    ms: Math.max(0, ms),
    // The script says whether the body was a list.
    body: body === undefined ? '[]' : '',
  }
}
