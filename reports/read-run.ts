// Reads back what a run left: its run file; its journal and its exchanges, one line at a time.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RunFile } from '../engine/check/run-file.ts'
import { isTested } from '../engine/check/verdict.ts'
import type { PastExchange } from '../engine/http/recorder.ts'
import { DamagedJournal, type Entry, type Past, readPast } from '../engine/run/journal.ts'
import { version } from '../engine/run/version.ts'
import { compileSchema } from '../spec/schemas.ts'
import journalSchemas from './journal.schema.json' with { type: 'json' }
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

/** Whether all that a folder holds is a run that could not start: nothing is lost with it. */
export const holdsUnstarted = (folder: string): boolean => {
  try {
    const { impossible, checks } = readRun(folder)
    return impossible !== null && !checks.some(isTested)
  } catch {
    return false
  }
}

const parse = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new Error(`${file} is not a run: it is not JSON`)
  }
}

/** Of each kind of entry, and of an exchange. */
const faults = new Map(
  Object.entries(journalSchemas).map(([kind, schema]) => [kind, compileSchema(schema)]),
)

const entryIn = (value: unknown): Entry => {
  const { kind, petvet } = Object(value)
  if (kind === 'head' && petvet !== version) {
    throw new DamagedJournal(`it is of petvet ${petvet}, and this is ${version}`)
  }
  const entryFault = faults.get(kind)
  const fault = entryFault ? entryFault(value) : 'it is of no kind that is known'
  if (fault === undefined) return value as Entry
  throw new DamagedJournal(fault)
}

const exchangeIn = (value: unknown): PastExchange => {
  const fault = faults.get('exchange')?.(value)
  if (fault === undefined) return value as PastExchange
  throw new DamagedJournal(`it is no exchange: ${fault}`)
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
