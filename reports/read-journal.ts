// Reads a journal and the exchanges next to it.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Entry } from '../engine/resume/journal.ts'
import { DamagedJournal, type Past, type PastExchange, readPast } from '../engine/resume/past.ts'
import { version } from '../engine/version.ts'
import { isExchange, linesIn } from './exchanges.ts'
import { exchangesName, journalName } from './run-folder.ts'

/** More than any run writes: the evidence of a result is at most four exchanges, cut to size. */
const longestLine = 16 * 1024 * 1024
const longestFileBytes = 512 * 1024 * 1024

const kinds: Readonly<Record<Entry['kind'], true>> = {
  head: true,
  resumed: true,
  clock: true,
  sending: true,
  result: true,
  note: true,
  categories: true,
}

const entryIn = (value: unknown): Entry => {
  const { kind, petvet } = Object(value) as { kind?: unknown; petvet?: unknown }
  if (kind === 'head' && petvet !== version) {
    throw new DamagedJournal(`it is of petvet ${petvet}, and this is ${version}`)
  }
  if (typeof kind === 'string' && Object.hasOwn(kinds, kind)) return value as Entry
  throw new DamagedJournal('it is of no kind that is known')
}

const exchangeIn = (value: unknown): PastExchange => {
  if (isExchange(value) && 'sentMs' in value) return value as PastExchange
  throw new DamagedJournal('it is no exchange')
}

function* read<T>(folder: string, name: string, each: (value: unknown) => T): Iterable<T> {
  const file = join(folder, name)
  if (!existsSync(file)) return
  if (statSync(file).size > longestFileBytes) throw new DamagedJournal(`${name} is too long`)
  let number = 0
  for (const line of linesIn(file, longestLine)) {
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
