// Reads a journal and the exchanges next to it: every line is validated against its JSON Schema.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Entry } from '../engine/resume/journal.ts'
import { DamagedJournal, type Past, type PastExchange, readPast } from '../engine/resume/past.ts'
import { version } from '../engine/version.ts'
import { compileSchema, type Validator } from '../spec/schemas.ts'
import { linesIn } from './exchanges.ts'
import { entrySchemas, exchangeSchema } from './journal-schema.ts'
import { exchangesName, journalName } from './run-folder.ts'

/** More than any run writes: the evidence of a result is at most four exchanges, cut to size. */
const longestLine = 16 * 1024 * 1024
const longestFileBytes = 512 * 1024 * 1024

const entryChecks: Readonly<Record<string, Validator>> = Object.fromEntries(
  Object.entries(entrySchemas).map(([kind, schema]) => [kind, compileSchema(schema)]),
)
const exchangeCheck = compileSchema(exchangeSchema)

const jsonIn = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    throw new DamagedJournal('it is no JSON')
  }
}

const entryIn = (line: string): Entry => {
  const value = jsonIn(line)
  const { kind, petvet } = Object(value) as { kind?: unknown; petvet?: unknown }
  if (kind === 'head' && typeof petvet === 'string' && petvet !== version) {
    throw new DamagedJournal(`it is of petvet ${petvet}, and this is ${version}`)
  }
  const known = typeof kind === 'string' && Object.hasOwn(entryChecks, kind)
  const fault = known ? entryChecks[kind]?.(value) : 'it is of no kind that is known'
  if (fault !== undefined) throw new DamagedJournal(fault)
  return value as Entry
}

const exchangeIn = (line: string): PastExchange => {
  const value = jsonIn(line)
  const fault = exchangeCheck(value)
  if (fault !== undefined) throw new DamagedJournal(fault)
  return value as PastExchange
}

function* read<T>(folder: string, name: string, each: (line: string) => T): Iterable<T> {
  const file = join(folder, name)
  if (!existsSync(file)) return
  if (statSync(file).size > longestFileBytes) throw new DamagedJournal(`${name} is too long`)
  let number = 0
  for (const line of linesIn(file, longestLine)) {
    number += 1
    try {
      yield each(line)
    } catch (error) {
      if (!(error instanceof DamagedJournal)) throw error
      throw new DamagedJournal(`line ${number} of ${name}: ${error.message}`)
    }
  }
}

/**
 * @returns null where the run was interrupted before it had started
 * @throws DamagedJournal of one line
 */
export const readJournal = (folder: string): Past | null =>
  readPast(read(folder, journalName, entryIn), read(folder, exchangesName, exchangeIn))
