// Reads a journal, and the exchanges beside it, back: every line is held against its form.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DamagedJournal } from '../engine/past/damaged-journal.ts'
import type { Entry } from '../engine/past/journal.ts'
import { journalForm } from '../engine/past/journal.ts'
import type { Past } from '../engine/past/past.ts'
import { readPast } from '../engine/past/read-past.ts'
import type { RecordedExchange } from '../engine/record.ts'
import type { Again } from '../engine/run-file.ts'
import { compileSchema, type Validator } from '../spec/schemas.ts'
import { linesIn } from './exchanges.ts'
import { entrySchemas, exchangeSchema } from './journal-schema.ts'
import { endsWithLine, exchangesName, journalName } from './run-folder.ts'

/** What a run was asked for, where that is not in its head; its first line. */
export interface CommandEntry {
  readonly kind: 'command'
  readonly only: readonly string[] | null
  readonly skip: readonly string[] | null
  readonly again?: Again
}

export interface ReadJournal {
  readonly command: CommandEntry
  readonly past: Past
}

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

const entryIn = (line: string): Entry | CommandEntry => {
  const value = jsonIn(line)
  const { kind, form } = Object(value) as { kind?: unknown; form?: unknown }
  if (kind === 'head' && typeof form === 'number' && form !== journalForm) {
    throw new DamagedJournal(`its form is number ${form}, and this petvet knows ${journalForm}`)
  }
  const known = typeof kind === 'string' && Object.hasOwn(entryChecks, kind)
  const fault = known ? entryChecks[kind]?.(value) : 'it is of no kind that is known'
  if (fault !== undefined) throw new DamagedJournal(fault)
  return value as Entry | CommandEntry
}

const exchangeIn = (line: string): RecordedExchange => {
  const value = jsonIn(line)
  const fault = exchangeCheck(value)
  if (fault !== undefined) throw new DamagedJournal(fault)
  return value as RecordedExchange
}

/** A line without its end was being written at a kill. */
function* wholeLinesIn(file: string): Iterable<string> {
  let before: string | undefined
  for (const line of linesIn(file, longestLine)) {
    if (before !== undefined) yield before
    before = line
  }
  if (before !== undefined && endsWithLine(file)) yield before
}

function* read<T>(folder: string, name: string, each: (line: string) => T): Iterable<T> {
  const file = join(folder, name)
  if (!existsSync(file)) return
  if (statSync(file).size > longestFileBytes) throw new DamagedJournal(`${name} is too long`)
  let number = 0
  for (const line of wholeLinesIn(file)) {
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
 * @returns null where the run was broken off before it had begun
 * @throws DamagedJournal of one line
 */
export const readJournal = (folder: string): ReadJournal | null => {
  let command: CommandEntry | undefined
  function* entries(): Iterable<Entry> {
    for (const entry of read(folder, journalName, entryIn)) {
      if (entry.kind === 'command') command = entry
      else yield entry
    }
  }
  const past = readPast(entries(), read(folder, exchangesName, exchangeIn))
  return past && command ? { command, past } : null
}
