// Reads back what a run left: its run file; its journal and its exchanges, one line at a time.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RunFile } from '../engine/check/run-file.ts'
import type { PastExchange } from '../engine/http/recorder.ts'
import { DamagedJournal, type Entry, type Past, readPast } from '../engine/run/journal.ts'
import { version } from '../engine/run/version.ts'
import { compileSchema } from '../spec/schemas.ts'
import schema from './run.schema.json' with { type: 'json' }
import { exchangesName, journalName, runFileName } from './run-folder.ts'

const faultOf = compileSchema(schema)

/** A longer text hardly fits into a string. */
const maxFileBytes = 256 * 1024 * 1024

/**
 * Reads a run file and validates it against its published schema.
 * @param place the file, or the folder it is in
 * @throws Error of one line if it is not a run
 */
export const readRun = (place: string): RunFile => {
  const file = statSync(place).isDirectory() ? join(place, runFileName) : place
  if (statSync(file).size > maxFileBytes) throw new Error(`${file} is too large for a run`)
  const run = parse(file)
  const fault = faultOf(run)
  if (fault === undefined) return run as RunFile
  throw new Error(`${file} is not a run that this version can read: ${fault}`)
}

const parse = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new Error(`${file} is not a run: it is not JSON`)
  }
}

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
  const { seq, at, check, request, response, ms, sentMs } = Object(value)
  const isExchange =
    Number.isSafeInteger(seq) &&
    Number.isFinite(Date.parse(at)) &&
    typeof check === 'string' &&
    typeof ms === 'number' &&
    sentMs !== undefined &&
    Array.isArray(request?.headers) &&
    request.url !== undefined &&
    (response === null || (Array.isArray(response?.headers) && response.status !== undefined))
  if (isExchange) return value as PastExchange
  throw new DamagedJournal('it is no exchange')
}

function* read<T>(folder: string, name: string, each: (value: unknown) => T): Iterable<T> {
  const file = join(folder, name)
  if (!existsSync(file)) return
  if (statSync(file).size > maxFileBytes) throw new DamagedJournal(`${name} is too long`)
  // A line without its end was being written at a kill, and is left out.
  for (const [at, line] of readFileSync(file, 'utf8').split('\n').slice(0, -1).entries()) {
    try {
      yield each(JSON.parse(line))
    } catch (error) {
      const why = error instanceof SyntaxError ? 'it is no JSON' : (error as Error).message
      throw new DamagedJournal(`line ${at + 1} of ${name}: ${why}`)
    }
  }
}

/**
 * @returns null where the run was interrupted before it had started
 * @throws Error of one line, where what was read is not what a run leaves behind
 */
export const readJournal = (folder: string): Past | null =>
  readPast(read(folder, journalName, entryIn), read(folder, exchangesName, exchangeIn))
