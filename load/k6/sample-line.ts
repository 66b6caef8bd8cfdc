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
}

export interface Point {
  readonly data: {
    readonly time: string
    readonly value: number
    readonly tags: Readonly<Record<string, string>>
    readonly metadata?: Readonly<Record<string, string>>
  }
}

/** RFC 3339 with nanoseconds, in Unix milliseconds. The text up to the second is parsed once. */
export const createTimes = () => {
  let known = ''
  let knownMs = 0
  return (text: string): number => {
    if (!text.startsWith(known) || known === '') {
      known = text.slice(0, 19)
      const zone = /(?:Z|[+-]\d\d:\d\d)$/.exec(text)?.[0] ?? 'Z'
      knownMs = Date.parse(`${known}${zone}`)
    }
    const from = text.charCodeAt(19) === 46 ? 20 : 0
    if (from === 0) return knownMs
    let digits = 0
    let scale = 1_000
    for (let at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code < 48 || code > 57) break
      scale /= 10
      digits += (code - 48) * scale
    }
    return knownMs + digits
  }
}

/** How members of a line, of its tags and of its metadata begin: built once. */
const marks = {
  ...{ time: '"time":"', key: '"key":"', scenario: '"scenario":"', instance: '"instance":"' },
  ...{ part: '"part":"', status: '"status":"', sent: '"sent":"', lost: '"lost":"' },
  ...{ limit: '"limit":"', remaining: '"remaining":"', reset: '"reset":"', retry: '"retry":"' },
  ...{ date: '"date":"', body: '"body":"' },
} as const

type Field = (name: keyof typeof marks) => string | undefined

const ofTags: readonly string[] = ['key', 'scenario', 'instance', 'part', 'status']

const unescaped = (line: string): Field => {
  const tagsAt = line.indexOf('"tags":')
  const metadataAt = line.lastIndexOf('"metadata":')
  return (name) => {
    const mark = marks[name]
    const area = name === 'time' ? 0 : ofTags.includes(name) ? tagsAt : metadataAt
    const at = line.indexOf(mark, area)
    if (at === -1) return undefined
    const from = at + mark.length
    return line.slice(from, line.indexOf('"', from))
  }
}

const parsed = (line: string): Field => {
  const { tags, metadata = {}, time } = (JSON.parse(line) as Point).data
  return (name) => (name === 'time' ? time : (metadata[name] ?? tags[name]))
}

const valueIn = (line: string): number => {
  const from = line.indexOf('"value":') + '"value":'.length
  return Number(line.slice(from, line.indexOf(',', from)))
}

const headerNames = [
  ['limit', 'X-RateLimit-Limit'],
  ['remaining', 'X-RateLimit-Remaining'],
  ['reset', 'X-RateLimit-Reset'],
  ['retry', 'Retry-After'],
  ['date', 'Date'],
] as const

/** Most lines escape nothing, and are read without JSON.parse, which takes most of the time. */
export const sampleOf = (line: string, timeMs: (text: string) => number): K6Sample => {
  if (!line.endsWith('}}')) throw new SyntaxError('no sample')
  const field = line.includes('\\') ? parsed(line) : unescaped(line)
  const [key, phase, instance] = [field('key'), field('scenario'), field('instance')]
  const sentMs = Number(field('sent'))
  const receivedMs = timeMs(field('time') ?? '')
  if (!key || !phase || !instance || !(receivedMs - sentMs > Number.NEGATIVE_INFINITY)) {
    throw new SyntaxError('no sample')
  }
  const rawHeaders: string[] = []
  for (const [name, header] of headerNames) {
    const text = field(name)
    if (text !== undefined) rawHeaders.push(header, text)
  }
  const lost = field('lost')
  return {
    key,
    phase,
    part: field('part') ?? '',
    instance,
    sentMs,
    rawHeaders,
    latencyMs: valueIn(line),
    status: lost === undefined ? Number(field('status')) : 0,
    lost: lost === undefined ? null : lost === 'timeout' ? 'timeout' : 'reset',
    ms: Math.max(0, receivedMs - sentMs),
    // The script says whether the body was a list.
    body: field('body') === undefined ? '[]' : '',
  }
}
