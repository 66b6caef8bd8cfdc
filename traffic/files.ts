// Files of recorded traffic, read as a stream: of HAR, or of what petvet recorded, gzip or not.
import { once } from 'node:events'
import { createReadStream, statSync } from 'node:fs'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { count } from '../history/quote.ts'
import { Items } from './items.ts'

const mib = 1024 * 1024

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
