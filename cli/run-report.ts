// The work of `petvet report`: a finished run in other formats.
import { once } from 'node:events'
import { resolve } from 'node:path'
import { type Format, formats, printRun } from '../reports/formats.ts'
import { judgeKnown } from '../reports/known.ts'
import { runFileName, writeWhole } from '../reports/run-folder.ts'
import { visible } from '../reports/visible.ts'
import { claimFolder } from './claim-folder.ts'
import { formatNames } from './format-names.ts'
import { readKnownFile } from './known-file.ts'
import { newestRunIn } from './newest-run.ts'
import { folderOf, readOrRefuse } from './read-run.ts'
import { existsIn, tellTerminal } from './tell-terminal.ts'
import { UsageError } from './usage-error.ts'
import { sourceOf } from './write-reports.ts'

interface ReportFlags {
  readonly run: string
  readonly as: string | undefined
  readonly out: string | undefined
  readonly known: string | undefined
  readonly verbose: boolean | undefined
}

export const runReport = async (given: ReportFlags): Promise<number> => {
  const names = readNames(given.as ?? 'terminal')
  const flags = { ...given, run: runOf(given.run) }
  if (names.length > 1 && flags.out === undefined) {
    throw new UsageError('several formats need a folder to go to: --out DIR')
  }
  const run = readOrRefuse(flags.run)
  const known = judgeKnown(run, readKnownFile(flags.known, false, run), existsIn(run))
  const out = claimOut(flags)
  const source = sourceOf(run, known, folderOf(flags.run))
  for (const name of names) {
    const format = formats[name] ?? ownFormat(name, flags)
    const told = format.write(source)
    if (out === null) await print(typeof told === 'string' ? [told] : told)
    else writeWhole(out, format.file, told)
  }
  return 0
}

/** Of a folder of runs it is the newest that somebody wants to be told. */
const runOf = (place: string): string => {
  const newest = newestRunIn(place)
  if (newest === undefined) return place
  process.stderr.write(`petvet: ${visible(newest.says)}\n`)
  return newest.place
}

const claimOut = ({ out }: ReportFlags): string | null => {
  if (out === undefined) return null
  const folder = resolve(out)
  claimFolder(folder)
  return folder
}

const ownNames = ['terminal', 'json']

const readNames = (given: string): readonly string[] => {
  const names = given.split(',').map((name) => name.trim())
  const there = [...ownNames, ...formatNames]
  const unknown = names.find((name) => !there.includes(name))
  if (unknown === undefined) return [...new Set(names)]
  throw new UsageError(`"${unknown}" is no format: there are ${there.join(', ')}`)
}

const ownFormat = (name: string, flags: ReportFlags): Format => {
  if (name === 'json') return { file: runFileName, write: ({ run }) => printRun(run) }
  return {
    file: 'terminal.txt',
    write: ({ run, known }) =>
      tellTerminal(run, known, {
        verbose: flags.verbose ?? false,
        folder: folderOf(flags.run),
      }),
  }
}

/** Waits for a slow reader, so that a long report is not held in memory. */
const print = async (pieces: Iterable<string>): Promise<void> => {
  for (const piece of pieces) {
    if (process.stdout.write(piece)) continue
    // A reader that went away has all that it wanted.
    const goesOn = once(process.stdout, 'drain').catch(() => undefined)
    if ((await goesOn) === undefined) return
  }
}
