// Reads the exchanges of a run from their file one at a time, never all at once.
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
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

/**
 * The lines of a file; one without its end was being written at a kill, and is left out. In place
 * of a line longer than `maxBytes` comes a text that is not JSON.
 */
export function* linesIn(file: string, maxBytes: number): Iterable<string> {
  if (!existsSync(file)) return
  const handle = openSync(file, 'r')
  try {
    const chunk = Buffer.alloc(chunkBytes)
    let rest = Buffer.alloc(0)
    for (let read = readSync(handle, chunk); read > 0; read = readSync(handle, chunk)) {
      const filled = Buffer.concat([rest, chunk.subarray(0, read)])
      const end = filled.lastIndexOf('\n')
      if (end >= 0) yield* filled.toString('utf8', 0, end).split('\n')
      rest = filled.length - end > maxBytes ? Buffer.of(0) : filled.subarray(end + 1)
    }
  } finally {
    closeSync(handle)
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
