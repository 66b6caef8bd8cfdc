// One line of the script's metric, as k6 writes it, read as a sample.
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
  /** The Date of the response; NaN: none. */
  readonly dateMs: number
}

type Texts = Readonly<Record<string, string>>

export interface Point {
  readonly data: {
    readonly time: string
    readonly value: number
    readonly tags: Texts
    readonly metadata?: Texts
  }
}

const headerNames = [
  ['limit', 'X-RateLimit-Limit'],
  ['remaining', 'X-RateLimit-Remaining'],
  ['reset', 'X-RateLimit-Reset'],
  ['retry', 'Retry-After'],
  ['date', 'Date'],
] as const

const headersOf = (metadata: Texts): readonly string[] =>
  headerNames.flatMap(([name, header]) => {
    const text = metadata[name]
    return text === undefined ? [] : [header, text]
  })

/** Reads a line of the script's metric. @throws SyntaxError where it is none */
export const sampleIn = (line: string): K6Sample => {
  const { time, value, tags, metadata = {} } = (JSON.parse(line) as Point).data
  const { key, scenario: phase, instance, part = '', status } = tags
  const { sent, lost, body } = metadata
  const sentMs = Number(sent)
  const receivedMs = Date.parse(time)
  if (!key || !phase || !instance || !(receivedMs - sentMs > Number.NEGATIVE_INFINITY)) {
    throw new SyntaxError('no sample')
  }
  return {
    ...{ key, phase, part, instance, sentMs, rawHeaders: headersOf(metadata) },
    latencyMs: value,
    dateMs: Date.parse(metadata.date ?? ''),
    status: lost === undefined ? Number(status) : 0,
    lost: lost === undefined ? null : lost === 'timeout' ? 'timeout' : 'reset',
    ms: Math.max(0, receivedMs - sentMs),
    // The script says whether the body was a list.
    body: body === undefined ? '[]' : '',
  }
}
