// The work of `petvet report`: a finished run in other formats.
import { dirname, resolve } from 'node:path'
import { formats, printRun } from '../reports/formats.ts'
import { judgeKnown, type KnownVerdict } from '../reports/known.ts'
import { readRun } from '../reports/read-run.ts'
import { writeWhole } from '../reports/run-folder.ts'
import type { RunFile } from '../suites/kit/run-file.ts'
import { claimFolder } from './claim-folder.ts'
import { readKnownFile } from './known-file.ts'
import { existsIn, tellTerminal } from './tell-terminal.ts'
import { UsageError } from './usage-error.ts'

interface ReportFlags {
  readonly run: string
  readonly as: string | undefined
  readonly out: string | undefined
  readonly known: string | undefined
  readonly verbose: boolean | undefined
}

interface Told {
  readonly file: string
  readonly text: string
}

export const runReport = async (flags: ReportFlags): Promise<number> => {
  const names = (flags.as ?? 'terminal').split(',').map((name) => name.trim())
  const known = ['terminal', 'json', ...Object.keys(formats)]
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new UsageError(`"${unknown}" is no format: there are ${known.join(', ')}`)
  }
  if (names.length > 1 && flags.out === undefined) {
    throw new UsageError('several formats need a folder to go to: --out DIR')
  }
  const run = readOrRefuse(flags.run)
  const verdict = judgeKnown(run, readKnownFile(flags.known), existsIn(run))
  const folder = flags.out === undefined ? null : resolve(flags.out)
  if (folder !== null) claimFolder(folder)
  for (const name of names) {
    const { file, text } = format(name, run, verdict, flags)
    if (folder === null) process.stdout.write(text)
    else writeWhole(folder, file, text)
  }
  return 0
}

const readOrRefuse = (place: string): RunFile => {
  try {
    return readRun(place)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new UsageError(code === 'ENOENT' ? `${place}: there is no run` : message)
  }
}

const format = (name: string, run: RunFile, known: KnownVerdict, flags: ReportFlags): Told => {
  if (name === 'json') return { file: 'run.json', text: printRun(run) }
  const other = formats[name]
  if (other) return { file: other.file, text: other.write(run, known) }
  const place = resolve(flags.run)
  const folder = place.endsWith('.json') ? dirname(place) : place
  const voice = { verbose: flags.verbose ?? false, folder, target: run.target }
  return { file: 'terminal.txt', text: tellTerminal(run, known, voice) }
}
