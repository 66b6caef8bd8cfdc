// Files of recorded traffic, read as streams: HAR, or what petvet recorded, gzip or not.
import { createReadStream, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { PastExchange } from '../engine/http/recorder.ts'
import type { Header } from '../history/exchange.ts'
import { count } from '../history/quote.ts'
import { readEntry } from './har.ts'
import { Items } from './items.ts'
import { type Recorded, weightOf } from './recorded.ts'

/** So much is kept in memory; a correct server sends it in some fifty thousand exchanges. */
const maxWeight = 200 * 1024 * 1024
const mib = 1024 * 1024

/** What was read of some files. */
export interface Recording {
  readonly exchanges: Recorded[]
  /** What is to be said of it, in lines. */
  readonly notes: string[]
  /** How many entries were read, those that are left out included. */
  entries: number
  weight: number
  /** Why entries are left out, with their number. */
  readonly leftOut: Map<string, number>
}

export const newRecording = (): Recording => {
  return { exchanges: [], notes: [], entries: 0, weight: 0, leftOut: new Map() }
}

const leaveOut = ({ leftOut }: Recording, why: string): void => {
  leftOut.set(why, (leftOut.get(why) ?? 0) + 1)
}

/** A line of `exchanges.ndjson`. */
const readLine = (line: PastExchange, file: number): Recorded => {
  const { check, key, request, response, sentMs, ms, movedMs = 0, meanwhileMs } = line
  const { method, url, bodyBase64, padding } = request
  const { bodyBase64: exact, body = '', status = 0, headers = [] } = response ?? {}
  const bytes = exact === undefined ? Buffer.from(body) : Buffer.from(exact, 'base64')
  const { fresh, framing, encoded, opened, noResponse } = line
  const own = { ...(fresh && { fresh }), ...(framing && { framing }), ...(padding && { padding }) }
  return {
    ...{ file, method, url, headers: request.headers, label: key },
    ...{ sentMs, receivedMs: sentMs + ms },
    body:
      bodyBase64 === undefined ? request.body : new Uint8Array(Buffer.from(bodyBase64, 'base64')),
    response: response && {
      ...{ status, headers: headers as readonly Header[], bytes: new Uint8Array(bytes) },
      ...{ cut: line.cut === true, ...(encoded && { encoded }), ...(opened && { opened }) },
    },
    noResponse: response ? null : ((noResponse ?? 'reset') as Recorded['noResponse']),
    own: {
      ...{ check, movedMs, ...(meanwhileMs !== undefined && { meanwhileMs }) },
      apiRequest: own,
    },
  }
}

const isLine = (item: unknown): item is PastExchange => {
  const { seq, sentMs, ms, request } = Object(item)
  const isTimed = [seq, sentMs, ms].every((each) => typeof each === 'number')
  return isTimed && typeof request?.url === 'string' && Array.isArray(request.headers)
}

/** Takes an item of a file. @param base the address that it must begin with, if that is known */
const takeItem = (recording: Recording, item: unknown, file: number, base: string | undefined) => {
  recording.entries += 1
  const found = isLine(item) ? readLine(item, file) : readEntry(item, file)
  if (typeof found === 'string') return leaveOut(recording, found)
  const isWanted =
    base === undefined ? /\/v1(?:[/?]|$)/.test(found.url) : found.url.startsWith(base)
  if (!isWanted) return leaveOut(recording, 'at another address')
  if (recording.weight > maxWeight) return leaveOut(recording, 'more than can be kept in memory')
  recording.weight += weightOf(found)
  recording.exchanges.push(found)
}

/** Adds exchanges that a program has: entries of a HAR file, or lines of `exchanges.ndjson`. */
export const readItems = (recording: Recording, items: Iterable<unknown>): void => {
  for (const item of items) takeItem(recording, item, 0, undefined)
}

const isGzip = (chunk: Buffer): boolean => chunk[0] === 0x1f && chunk[1] === 0x8b

async function* unzipped(stream: Readable): AsyncGenerator<Buffer> {
  const chunks = stream[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done) return
  const all = async function* () {
    yield first.value as Buffer
    for (;;) {
      const { done, value } = await chunks.next()
      if (done) return
      yield value as Buffer
    }
  }
  if (!isGzip(first.value)) yield* all()
  else {
    const { Readable: From } = await import('node:stream')
    const source = From.from(all())
    const unzip = createGunzip()
    source.on('error', (error) => unzip.destroy(error))
    yield* source.pipe(unzip) as AsyncIterable<Buffer>
  }
}

/**
 * Adds what a file holds to a recording, as far as it can be read.
 * @param place a file, the folder of a run, or `-` for standard input
 * @param onProgress gets how much was read, in words
 */
export const readFile = async (
  recording: Recording,
  place: string,
  {
    base,
    file,
    onProgress,
  }: {
    readonly base: string | undefined
    readonly file: number
    readonly onProgress: (text: string) => void
  },
): Promise<void> => {
  const isFolder = place !== '-' && existsSync(place) && statSync(place).isDirectory()
  const path = isFolder ? join(place, 'exchanges.ndjson') : place
  const name = place === '-' ? 'standard input' : place
  const items = new Items((item) => takeItem(recording, item, file, base))
  const before = recording.entries
  let [bytes, why] = [0, undefined as string | undefined]
  try {
    const stream = place === '-' ? process.stdin : createReadStream(path, { highWaterMark: mib })
    for await (const chunk of unzipped(stream)) {
      if (Math.floor(bytes / (8 * mib)) !== Math.floor((bytes + chunk.length) / (8 * mib))) {
        onProgress(`reading ${name}: ${Math.floor((bytes + chunk.length) / mib)} MiB`)
      }
      bytes += chunk.length
      if (!items.push(chunk)) break
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    why = code ?? message
  }
  items.end(why)
  const read = recording.entries - before
  if (items.broken === undefined) return
  recording.notes.push(
    `${name} is broken ${items.broken}: ${count(read, 'entry was', 'entries were')} read before`,
  )
}
