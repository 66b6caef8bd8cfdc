// One line of the script's metric, as k6 writes it, read as a sample.
import type { Sample } from '../load-sample.ts'

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

type Texts = Readonly<Record<string, string>>

/** Lines have few different tags. */
const maxTags = 1_000

const createTags = () => {
  const known = new Map<string, Texts>()
  return (text: string): Texts => {
    const tags = known.get(text) ?? (JSON.parse(text) as Texts)
    if (known.size < maxTags) known.set(text, tags)
    return tags
  }
}

/** As k6 orders the members of a point. Within a text their quotes would be escaped. */
const marks = { time: '"time":"', value: '"value":', tags: '"tags":', metadata: '"metadata":' }

const headerNames = [
  ['limit', 'X-RateLimit-Limit'],
  ['remaining', 'X-RateLimit-Remaining'],
  ['reset', 'X-RateLimit-Reset'],
  ['retry', 'Retry-After'],
  ['date', 'Date'],
] as const

/** Time, value, tags and metadata as they stand in a line. */
const partsOf = (line: string) => {
  const timeAt = line.indexOf(marks.time)
  const valueAt = line.indexOf(marks.value, timeAt)
  const tagsAt = line.indexOf(marks.tags, valueAt)
  const metadataAt = line.indexOf(marks.metadata, tagsAt)
  if (Math.min(timeAt, valueAt, tagsAt, metadataAt) === -1) throw new SyntaxError('no sample')
  return {
    time: line.slice(timeAt + marks.time.length, valueAt - 2),
    value: line.slice(valueAt + marks.value.length, tagsAt - 1),
    tags: line.slice(tagsAt + marks.tags.length, metadataAt - 1),
    metadata: line.slice(metadataAt + marks.metadata.length, -2),
  }
}

const headersOf = (metadata: Texts): readonly string[] => {
  const rawHeaders: string[] = []
  for (const [name, header] of headerNames) {
    const text = metadata[name]
    if (text !== undefined) rawHeaders.push(header, text)
  }
  return rawHeaders
}

/** Reads lines faster than JSON.parse of the whole would: of most it parses the metadata alone. */
export const createSampleReader = (): ((line: string) => K6Sample) => {
  const tagsOf = createTags()
  return (line) => {
    const { time, value, ...texts } = partsOf(line)
    const { key, scenario: phase, instance, part = '', status } = tagsOf(texts.tags)
    const metadata = JSON.parse(texts.metadata) as Texts
    const { sent, lost, body } = metadata
    const sentMs = Number(sent)
    const receivedMs = Date.parse(time)
    if (!key || !phase || !instance || !(receivedMs - sentMs > Number.NEGATIVE_INFINITY)) {
      throw new SyntaxError('no sample')
    }
    return {
      key,
      phase,
      part,
      instance,
      sentMs,
      rawHeaders: headersOf(metadata),
      latencyMs: Number(value),
      status: lost === undefined ? Number(status) : 0,
      lost: lost === undefined ? null : lost === 'timeout' ? 'timeout' : 'reset',
      ms: Math.max(0, receivedMs - sentMs),
      // The script says whether the body was a list.
      body: body === undefined ? '[]' : '',
    }
  }
}
