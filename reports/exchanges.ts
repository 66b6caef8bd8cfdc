// Reads the exchanges of a run from their file one at a time, never all at once.
import { closeSync, openSync, readSync } from 'node:fs'
import type { RecordedExchange } from '../engine/record/record.ts'

export type { RecordedExchange }

/** Reads the exchanges from the first one on, each time that it is called. */
export type ReadExchanges = () => Iterable<RecordedExchange>

const chunkBytes = 256 * 1024

/** A body has at most 1 MiB, each character up to six in JSON; a longer line is skipped. */
const maxLineBytes = 16 * 1024 * 1024

/** A reader of `file`; a missing file holds no exchanges. */
export const exchangesIn = (file: string): ReadExchanges =>
  function* read() {
    for (const line of linesIn(file, maxLineBytes)) {
      const exchange = parse(line)
      if (exchange) yield exchange
    }
  }

const lineEnd = 10

/**
 * The lines of a file; one without its end was being written at a kill, and is left out. In place
 * of a line longer than `maxBytes` comes a text that is not JSON.
 */
export function* linesIn(file: string, maxBytes: number): Iterable<string> {
  const handle = openOrNone(file)
  if (handle === undefined) return
  // Only whole lines become text: a long one would be joined, and searched, once per chunk.
  let pieces: Buffer[] = []
  let length = 0
  const take = (): string => {
    const line = length > maxBytes ? '\u0000' : Buffer.concat(pieces, length).toString()
    pieces = []
    length = 0
    return line
  }
  const keep = (piece: Buffer) => {
    length += piece.length
    if (length > maxBytes) pieces = []
    // A copy, because the chunk is reused.
    else pieces.push(Buffer.from(piece))
  }
  try {
    const chunk = Buffer.alloc(chunkBytes)
    for (let read = readSync(handle, chunk); read > 0; read = readSync(handle, chunk)) {
      const filled = chunk.subarray(0, read)
      let from = 0
      for (let at = filled.indexOf(lineEnd); at >= 0; at = filled.indexOf(lineEnd, from)) {
        keep(filled.subarray(from, at))
        yield take()
        from = at + 1
      }
      keep(filled.subarray(from))
    }
  } finally {
    closeSync(handle)
  }
}

const openOrNone = (file: string): number | undefined => {
  try {
    return openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const parse = (line: string): RecordedExchange | undefined => {
  try {
    const value = JSON.parse(line)
    return isExchange(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const isExchange = (value: unknown): value is RecordedExchange => {
  if (typeof value !== 'object' || value === null) return false
  const { seq, at, check, request, response, ms } = value as Record<string, unknown>
  return (
    Number.isSafeInteger(seq) &&
    typeof at === 'string' &&
    Number.isFinite(Date.parse(at)) &&
    typeof check === 'string' &&
    typeof ms === 'number' &&
    isMessage(request, 'url') &&
    (response === null || isMessage(response, 'status'))
  )
}

const isMessage = (value: unknown, member: 'url' | 'status'): boolean => {
  if (typeof value !== 'object' || value === null) return false
  const message = value as Record<string, unknown>
  return Array.isArray(message.headers) && message[member] !== undefined
}
