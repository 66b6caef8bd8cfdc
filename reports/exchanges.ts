// The exchanges of a run, read from their file one after the other, never all at once.
import { closeSync, openSync, readSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import type { RecordedExchange } from '../suites/kit/record.ts'

export type { RecordedExchange }

/** Gives the exchanges from the first one on, each time that it is called. */
export type ReadExchanges = () => Iterable<RecordedExchange>

const chunkBytes = 256 * 1024

/** A body has at most 1 MiB, each character up to six in JSON; a longer line is passed over. */
const longestLine = 16 * 1024 * 1024

/** A reader of `file`; without the file there are no exchanges. */
export const exchangesIn = (file: string): ReadExchanges =>
  function* read() {
    for (const line of linesIn(file, longestLine)) {
      const exchange = parse(line)
      if (exchange) yield exchange
    }
  }

/** The lines of a file; one that is longer comes as no JSON. */
export function* linesIn(file: string, longest: number): Iterable<string> {
  const handle = openOrNone(file)
  if (handle === undefined) return
  const chunk = Buffer.alloc(chunkBytes)
  const decoder = new StringDecoder('utf8')
  let rest = ''
  try {
    for (let read = readSync(handle, chunk); read > 0; read = readSync(handle, chunk)) {
      const lines = (rest + decoder.write(chunk.subarray(0, read))).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
      // What is left of it ends as no JSON, and is passed over then.
      if (rest.length > longest) rest = '\u0000'
    }
    if (rest !== '') yield rest
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

/** A run that was killed leaves half a line at the end, and other versions further members. */
const parse = (line: string): RecordedExchange | undefined => {
  try {
    const value = JSON.parse(line)
    return isExchange(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isExchange = (value: unknown): value is RecordedExchange => {
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
