// Files of recorded traffic, gzip or not, read as a stream: the entries of a HAR file, or the objects
// of a file of JSON lines. Only one of them is held at a time, so a file may be of any length.
import { once } from 'node:events'
import { createReadStream, statSync } from 'node:fs'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { count } from '../history/quote.ts'

const mib = 1024 * 1024

/** An entry with a longer text is left out: it is a download, not a response of this interface. */
const maxItemBytes = 32 * 1024 * 1024

/** How deep the entries of a HAR file are, `{"log":{"entries":[`; pages are as deep. */
const harDepth = 3

/** The name of the first member, `log`, is within so many. */
const maxHeadBytes = 1024

export class Items {
  /** Why the text was not read to its end; undefined where it was. */
  broken: string | undefined
  #itemDepth = 0
  #bytes = 0
  #count = 0
  #depth = 0
  #isString = false
  /** The place of a character that a backslash is before. */
  #escapedAt = -1
  #pieces: Buffer[] | undefined
  #pieceBytes = 0
  /** The part of the chunk from which on an item is not kept yet. */
  #from = 0
  #found: unknown[] = []

  /**
   * Not to be called once the text is broken.
   * @returns the items that end in it, parsed; one that is too long is null
   */
  push(chunk: Buffer): readonly unknown[] {
    this.#found = []
    this.#from = 0
    for (const { 0: sign, index } of chunk.toString('latin1').matchAll(/["\\{}[\]]/g)) {
      if (this.#isString) this.#inString(sign, this.#bytes + index)
      else if (sign === '"') this.#isString = true
      else if (sign === '{' || sign === '[') this.#open(sign, chunk, index)
      else if (sign !== '\\') this.#close(chunk, index)
      if (this.broken !== undefined) return this.#found
    }
    this.#keep(chunk.subarray(this.#from))
    this.#bytes += chunk.length
    return this.#found
  }

  /** To be called once there is no more text. @param why it ended early */
  end(why?: string): void {
    const isCut = this.#depth !== 0 || this.#isString || why !== undefined
    if (isCut) this.broken ??= `at byte ${this.#bytes}, its end${why ? ` (${why})` : ''}`
  }

  #inString(sign: string, at: number): void {
    if (at === this.#escapedAt) return
    if (sign === '\\') this.#escapedAt = at + 1
    this.#isString = sign !== '"'
  }

  #open(sign: string, chunk: Buffer, index: number): void {
    if (sign === '{' && this.#depth === this.#itemDepth) {
      this.#pieces = []
      this.#pieceBytes = 0
      this.#from = index
    } else if (this.#count === 0 && this.#pieces && this.#pieceBytes < maxHeadBytes) {
      const rest = chunk.subarray(this.#from, this.#from + maxHeadBytes)
      if (/^\{\s*"log"/.test(Buffer.concat([...this.#pieces, rest]).toString())) {
        this.#itemDepth = harDepth
        this.#pieces = undefined
      }
    }
    this.#depth += 1
  }

  #close(chunk: Buffer, index: number): void {
    this.#depth -= 1
    if (this.#depth < 0) this.broken = `at byte ${this.#bytes + index}`
    if (!this.#pieces || this.#depth !== this.#itemDepth) return
    this.#keep(chunk.subarray(this.#from, index + 1))
    const isWhole = this.#pieceBytes <= maxItemBytes
    const text = isWhole ? Buffer.concat(this.#pieces).toString() : 'null'
    this.#pieces = undefined
    this.#count += 1
    try {
      const item: unknown = JSON.parse(text)
      const isPage = this.#itemDepth === harDepth && isWhole && !('request' in Object(item))
      if (!isPage) this.#found.push(item)
    } catch {
      this.broken = `in item ${this.#count}, which is no JSON`
    }
  }

  /** A copy: the chunk is used again. */
  #keep(piece: Buffer): void {
    this.#pieceBytes += piece.length
    if (this.#pieceBytes <= maxItemBytes) this.#pieces?.push(Buffer.from(piece))
  }
}

/** Recorded traffic: its items as they are read, with the number of their file. */
export interface Source {
  /**
   * @param onProgress gets how much was read, in words
   * @param notes get where it is broken, in lines
   */
  readonly read: (
    onProgress: (text: string) => void,
    notes: string[],
  ) => AsyncIterable<readonly [items: readonly unknown[], file: number]>
  /** It cannot be read a second time. */
  readonly isOnce?: boolean
}

const unzipped = async (stream: Readable): Promise<Readable> => {
  await once(stream, 'readable')
  const first: Buffer | null = stream.read()
  if (first) stream.unshift(first)
  const isGzip = first?.[0] === 0x1f && first[1] === 0x8b
  // An error of the stream is one of its reader.
  return isGzip ? pipeline(stream, createGunzip(), () => {}) : stream
}

/** Reads a file as far as it can be read. */
async function* readFile(place: string, ...[onProgress, notes]: Parameters<Source['read']>) {
  const name = place === '-' ? 'standard input' : place
  const items = new Items()
  let [bytes, entries, why] = [0, 0, undefined as string | undefined]
  try {
    const stream =
      place === '-' ? process.stdin : createReadStream(place, { highWaterMark: 128 * 1024 })
    for await (const chunk of await unzipped(stream)) {
      bytes += chunk.length
      onProgress(`reading ${name}: ${Math.floor(bytes / mib)} MiB`)
      const found = items.push(chunk)
      entries += found.length
      yield found
      if (items.broken !== undefined) break
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Only the system and its decoders name a code.
    if (code === undefined) throw error
    why = code
  }
  items.end(why)
  if (items.broken === undefined) return
  const read = count(entries, 'entry was', 'entries were')
  notes.push(`${name} is broken ${items.broken}: ${read} read before`)
}

/** @param places files, or `-` for standard input */
export const filesOf = (places: readonly string[]): Source => ({
  // A pipe is no file either.
  isOnce: places.some((place) => place === '-' || !statSync(place).isFile()),
  read: async function* (...how) {
    for (const [file, place] of places.entries()) {
      for await (const items of readFile(place, ...how)) yield [items, file]
    }
  },
})

/** Exchanges that a program has. */
export const itemsOf = (items: Iterable<unknown>): Source => {
  const all = [...items]
  return {
    read: async function* () {
      yield [all, 0]
    },
  }
}
