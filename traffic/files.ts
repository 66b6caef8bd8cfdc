// Recorded traffic, read as a stream, as much at a time as fits into memory: files of HAR, or of
// what petvet recorded, gzip or not.
import { once } from 'node:events'
import { createReadStream, statSync } from 'node:fs'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { PastExchange } from '../engine/http/recorder.ts'
import { count } from '../history/quote.ts'
import { fieldOf, type Recorded, readEntry } from './har.ts'
import { Items } from './items.ts'

/** So much is in memory at a time; a correct server sends it in some thousand exchanges. */
const maxWeight = 24 * 1024 * 1024
const mib = 1024 * 1024

export const atAnotherAddress = 'at another address'
export const tooMuch = 'more than can be kept in memory'

/** How traffic is read. */
export interface Reading {
  /** Gets each entry, with the number of its file. */
  readonly take: (item: unknown, file: number) => void
  /** Gets how much was read, in words. */
  readonly onProgress: (text: string) => void
  readonly signal: AbortSignal
}

/** Recorded traffic. */
export interface Source {
  /** @returns where it is broken, in lines */
  readonly read: (how: Reading) => Promise<readonly string[]>
  /** It cannot be read a second time. */
  readonly isOnce?: boolean
}

/** About how much memory it takes; its fields recur. */
const weightOf = ({ request, response }: Recorded): number => {
  const bodies = [request, response].flatMap((one) => [one?.body ?? '', one?.bodyBase64 ?? ''])
  return 3_000 + 2 * bodies.reduce((sum, { length }) => sum + length, request.url.length)
}

/** Whether petvet recorded it. */
const isLine = (item: unknown): item is PastExchange => {
  const { seq, sentMs, ms, request, response } = Object(item)
  const isTimed = [seq, sentMs, ms].every((each) => typeof each === 'number')
  const areMessages = [request, response ?? request].every((one) => Array.isArray(one?.headers))
  return isTimed && areMessages && typeof request.url === 'string'
}

/** An entry of a HAR file, or a line of `exchanges.ndjson`; or why it cannot be judged. */
const readItem = (item: unknown, file: number): Recorded | string =>
  isLine(item) ? withKnownFields({ ...item, key: item.key ?? null, file }) : readEntry(item, file)

const withKnownFields = ({ request, response, ...line }: Recorded): Recorded => ({
  ...line,
  request: { ...request, headers: request.headers.map(([...field]) => fieldOf(...field)) },
  response: response && {
    ...response,
    headers: response.headers.map(([...field]) => fieldOf(...field)),
  },
})

/** The exchanges of recorded traffic, as many at a time as fit into memory. */
export class Pieces {
  /** How many entries were read, those that are left out included. */
  entries = 0
  /** How many pieces there were. */
  times = 0
  /** Why entries are left out, with their number. */
  readonly leftOut = new Map<string, number>()
  /** Where it is broken, in lines. */
  notes: readonly string[] = []
  readonly #take: (piece: readonly Recorded[], at: number) => void
  readonly #base: string | undefined
  readonly #isOnce: boolean
  #piece: Recorded[] = []
  #weight = 0

  /**
   * @param take gets each piece, and which one it is
   * @param base the address that all begin with, if it is known
   * @param isOnce there is one piece, and what is left is counted
   */
  constructor(
    take: (piece: readonly Recorded[], at: number) => void,
    base?: string,
    isOnce = false,
  ) {
    this.#take = take
    this.#base = base
    this.#isOnce = isOnce
  }

  leave(why: string, times = 1): void {
    if (times > 0) this.leftOut.set(why, times + (this.leftOut.get(why) ?? 0))
  }

  #whyNot({ request: { url } }: Recorded): string | undefined {
    const isWanted = this.#base ? url.startsWith(this.#base) : /\/v1(?:[/?]|$)/.test(url)
    if (!isWanted) return atAnotherAddress
    return this.#isOnce && this.times > 0 ? tooMuch : undefined
  }

  readonly #add = (item: unknown, file: number): void => {
    this.entries += 1
    const found = readItem(item, file)
    const why = typeof found === 'string' ? found : this.#whyNot(found)
    if (why !== undefined) this.leave(why)
    else if (typeof found !== 'string') {
      this.#piece.push(found)
      this.#weight += weightOf(found)
      if (this.#weight > maxWeight) this.#end()
    }
  }

  #end(): void {
    if (this.#piece.length === 0) return
    this.times += 1
    this.#take(this.#piece, this.times)
    this.#piece = []
    this.#weight = 0
  }

  /** Reads all that there is. */
  async read(source: Source, how: Omit<Reading, 'take'>): Promise<void> {
    this.notes = await source.read({ ...how, take: this.#add })
    this.#end()
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

/** Reads a file as far as it can be read. @returns where it is broken */
const readFile = async (
  place: string,
  file: number,
  { take, onProgress, signal }: Reading,
): Promise<readonly string[]> => {
  const name = place === '-' ? 'standard input' : place
  let [bytes, entries, why] = [0, 0, undefined as string | undefined]
  const items = new Items((item) => {
    entries += 1
    take(item, file)
  })
  try {
    const stream =
      place === '-' ? process.stdin : createReadStream(place, { highWaterMark: 128 * 1024 })
    for await (const chunk of await unzipped(stream)) {
      bytes += chunk.length
      onProgress(`reading ${name}: ${Math.floor(bytes / mib)} MiB`)
      if (signal.aborted) return []
      if (!items.push(chunk)) break
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Only the system and its decoders name a code.
    if (code === undefined) throw error
    why = code
  }
  items.end(why)
  if (items.broken === undefined) return []
  const read = count(entries, 'entry was', 'entries were')
  return [`${name} is broken ${items.broken}: ${read} read before`]
}

/** @param places files, or `-` for standard input */
export const filesOf = (places: readonly string[]): Source => ({
  // A pipe is no file either.
  isOnce: places.some((place) => place === '-' || !statSync(place).isFile()),
  read: async (how) => {
    const notes: string[] = []
    for (const [file, place] of places.entries()) notes.push(...(await readFile(place, file, how)))
    return notes
  },
})

/** Exchanges that a program has. */
export const itemsOf = (items: Iterable<unknown>): Source => {
  const all = [...items]
  const read: Source['read'] = async ({ take }) => {
    for (const item of all) take(item, 0)
    return []
  }
  return { read }
}
