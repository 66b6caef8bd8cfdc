// Files of recorded traffic, read as streams: HAR, or what petvet recorded, gzip or not.
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { PastExchange } from '../engine/http/recorder.ts'
import { count } from '../history/quote.ts'
import { type Recorded, readEntry } from './har.ts'
import { Items } from './items.ts'

/** So much is kept in memory; a correct server sends it in some ten thousand exchanges. */
const maxWeight = 40 * 1024 * 1024
const mib = 1024 * 1024

export const atAnotherAddress = 'at another address'
export const tooMuch = 'more than can be kept in memory'

/** About how much memory it takes. */
const weightOf = ({ request, response }: Recorded): number => {
  const fields = [...request.headers, ...(response?.headers ?? [])].flat()
  const bodies = [request, response].flatMap((one) => [one?.body ?? '', one?.bodyBase64 ?? ''])
  const texts = [request.url, ...bodies, ...fields]
  return 2_000 + 2 * texts.reduce((sum, { length }) => sum + length, 0)
}

/** Whether petvet recorded it. */
const isLine = (item: unknown): item is PastExchange => {
  const { seq, sentMs, ms, request, response } = Object(item)
  const isTimed = [seq, sentMs, ms].every((each) => typeof each === 'number')
  const areMessages = [request, response ?? request].every((one) => Array.isArray(one?.headers))
  return isTimed && areMessages && typeof request.url === 'string'
}

/** What was read of some files. */
export class Recording {
  readonly exchanges: Recorded[] = []
  /** What is to be said of it, in lines. */
  readonly notes: string[] = []
  /** How many entries were read, those that are left out included. */
  entries = 0
  /** Why entries are left out, with their number. */
  readonly leftOut = new Map<string, number>()
  #weight = 0

  /**
   * Takes an entry of a HAR file, or a line of `exchanges.ndjson`.
   * @param base the address that it must begin with, if that is known
   */
  add(item: unknown, file = 0, base?: string): void {
    this.entries += 1
    const found = isLine(item) ? { ...item, key: item.key ?? null, file } : readEntry(item, file)
    const why = typeof found === 'string' ? found : this.#whyNot(found, base)
    if (why !== undefined) this.leftOut.set(why, (this.leftOut.get(why) ?? 0) + 1)
    else if (typeof found !== 'string') this.exchanges.push(found)
  }

  #whyNot(found: Recorded, base = ''): string | undefined {
    const { url } = found.request
    const isWanted = base === '' ? /\/v1(?:[/?]|$)/.test(url) : url.startsWith(base)
    if (!isWanted) return atAnotherAddress
    if (this.#weight > maxWeight) return tooMuch
    this.#weight += weightOf(found)
    return undefined
  }
}

const unzipped = async (stream: Readable): Promise<Readable> => {
  await once(stream, 'readable')
  const first: Buffer | null = stream.read()
  if (first) stream.unshift(first)
  const isGzip = first?.[0] === 0x1f && first[1] === 0x8b
  // An error of the stream is one of its reader.
  return isGzip ? pipeline(stream, createGunzip(), () => {}) : stream
}

/**
 * Adds what a file holds to a recording, as far as it can be read.
 * @param place a file, or `-` for standard input
 * @param how `onProgress` gets how much was read, in words
 */
export const readFile = async (
  recording: Recording,
  place: string,
  how: {
    readonly base: string | undefined
    readonly file: number
    readonly onProgress: (text: string) => void
  },
): Promise<void> => {
  const name = place === '-' ? 'standard input' : place
  const before = recording.entries
  const items = new Items((item) => recording.add(item, how.file, how.base))
  let [bytes, why] = [0, undefined as string | undefined]
  try {
    const stream = place === '-' ? process.stdin : createReadStream(place, { highWaterMark: mib })
    for await (const chunk of await unzipped(stream)) {
      bytes += chunk.length
      how.onProgress(`reading ${name}: ${Math.floor(bytes / mib)} MiB`)
      if (!items.push(chunk)) break
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    why = code ?? message
  }
  items.end(why)
  if (items.broken === undefined) return
  const read = count(recording.entries - before, 'entry was', 'entries were')
  recording.notes.push(`${name} is broken ${items.broken}: ${read} read before`)
}
