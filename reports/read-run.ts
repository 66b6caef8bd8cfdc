// Reads back what a run left: its run file; its journal and its exchanges, one line at a time.
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RunFile } from '../engine/check/run-file.ts'
import type { PastExchange } from '../engine/http/recorder.ts'
import { DamagedJournal, type Entry, type Past, readPast } from '../engine/run/journal.ts'
import { version } from '../engine/run/version.ts'
import { compileSchema } from '../spec/schemas.ts'
import schema from './run.schema.json' with { type: 'json' }
import { exchangesName, journalName, runFileName } from './run-folder.ts'

const faultOf = compileSchema(schema)

/** A longer text does not fit into a string. */
const maxRunFileBytes = 256 * 1024 * 1024

/**
 * Reads a run file and validates it against its published schema.
 * @param place the file, or the folder it is in
 * @throws Error of one line if it is not a run
 */
export const readRun = (place: string): RunFile => {
  const file = statSync(place).isDirectory() ? join(place, runFileName) : place
  if (statSync(file).size > maxRunFileBytes) throw new Error(`${file} is too large for a run`)
  const run = parse(readFileSync(file, 'utf8'))
  if (run === undefined) throw new Error(`${file} is not a run: it is not JSON`)
  const fault = faultOf(run)
  if (fault === undefined) return run as RunFile
  throw new Error(`${file} is not a run that this version can read: ${fault}`)
}

/** Undefined: it is not JSON. */
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const chunkBytes = 256 * 1024

/**
 * A body has at most 1 MiB, each character up to six in JSON; the evidence of a result in a journal
 * is at most four exchanges, cut to size.
 */
const maxLineBytes = 16 * 1024 * 1024

/**
 * The lines of a file; one without its end was being written at a kill, and is left out. In place
 * of a line that is too long comes a text that is not JSON.
 */
function* linesIn(file: string): Iterable<string> {
  if (!existsSync(file)) return
  const handle = openSync(file, 'r')
  try {
    const chunk = Buffer.alloc(chunkBytes)
    let rest = Buffer.alloc(0)
    for (let read = readSync(handle, chunk); read > 0; read = readSync(handle, chunk)) {
      const filled = Buffer.concat([rest, chunk.subarray(0, read)])
      const end = filled.lastIndexOf('\n')
      if (end >= 0) yield* filled.toString('utf8', 0, end).split('\n')
      rest = filled.length - end > maxLineBytes ? Buffer.of(0) : filled.subarray(end + 1)
    }
  } finally {
    closeSync(handle)
  }
}

const isExchange = (value: unknown): value is PastExchange => {
  const { seq, at, check, request, response, ms } = Object(value)
  return (
    Number.isSafeInteger(seq) &&
    typeof at === 'string' &&
    Number.isFinite(Date.parse(at)) &&
    typeof check === 'string' &&
    typeof ms === 'number' &&
    Array.isArray(request?.headers) &&
    request.url !== undefined &&
    (response === null || (Array.isArray(response?.headers) && response.status !== undefined))
  )
}

const longestFileBytes = 512 * 1024 * 1024

/** What an entry of each kind has. */
const members: Readonly<Record<string, readonly string[]>> = {
  head: ['startedAt', 'baseUrl', 'allow', 'categories', 'keys', 'checks'],
  resumed: ['at', 'interruptedAt', 'lost'],
  clock: ['at', 'aheadMs'],
  sending: ['seq', 'check', 'key'],
  result: ['at', 'result'],
  note: ['text'],
  categories: ['free', 'accepted'],
} satisfies Record<Entry['kind'], readonly string[]>

const entryIn = (value: unknown): Entry => {
  const entry = Object(value)
  const { kind, petvet } = entry
  if (kind === 'head' && petvet !== version) {
    throw new DamagedJournal(`it is of petvet ${petvet}, and this is ${version}`)
  }
  if (!Object.hasOwn(members, `${kind}`)) throw new DamagedJournal('it is of no kind that is known')
  const missing = members[kind]?.find((name) => !(name in entry))
  if (missing !== undefined) throw new DamagedJournal(`its ${kind} has no member ${missing}`)
  const times = [entry.startedAt, entry.at, entry.interruptedAt].filter((at) => at !== undefined)
  if (times.every((at) => Number.isFinite(Date.parse(at)))) return entry
  throw new DamagedJournal(`its ${kind} has no valid time`)
}

const exchangeIn = (value: unknown): PastExchange => {
  if (isExchange(value) && 'sentMs' in value) return value
  throw new DamagedJournal('it is no exchange')
}

function* read<T>(folder: string, name: string, each: (value: unknown) => T): Iterable<T> {
  const file = join(folder, name)
  if (!existsSync(file)) return
  if (statSync(file).size > longestFileBytes) throw new DamagedJournal(`${name} is too long`)
  let number = 0
  for (const line of linesIn(file)) {
    number += 1
    try {
      yield each(JSON.parse(line))
    } catch (error) {
      const why = error instanceof SyntaxError ? 'it is no JSON' : (error as Error).message
      throw new DamagedJournal(`line ${number} of ${name}: ${why}`)
    }
  }
}

/**
 * @returns null where the run was interrupted before it had started
 * @throws Error of one line, where what was read is not what a run leaves behind
 */
export const readJournal = (folder: string): Past | null =>
  readPast(read(folder, journalName, entryIn), read(folder, exchangesName, exchangeIn))
