// The terminal report with all that it needs besides the run.
import { relative, sep } from 'node:path'
import { styleText } from 'node:util'
import type { KnownVerdict } from '../reports/known.ts'
import { runFileName } from '../reports/run-folder.ts'
import { terminal } from '../reports/terminal.ts'
import { catalogue } from '../suites/index.ts'
import type { RunFile } from '../suites/kit/run-file.ts'
import type { RunOptions } from '../suites/kit/run-options.ts'
import { judgeColumn } from './column-known.ts'

/** The smoke call is in a run and in no catalogue. */
export const existsIn = (run: RunFile) => (id: string) =>
  [...catalogue, ...run.checks].some((each) => each.id === id)

/** What of a target its run file does not hold, and a command has to name. */
type AskedTarget = Pick<RunOptions, 'baseUrl'> &
  Partial<Pick<RunOptions, 'clockUrl' | 'categories'>>

interface Voice {
  readonly verbose: boolean
  /** Where the run lies. */
  readonly folder: string
  /** Null: the built-in reference, which a command without an address starts. */
  readonly target: AskedTarget | null
}

export const tellTerminal = (run: RunFile, known: KnownVerdict, voice: Voice): string =>
  terminal(run, {
    paint: (style, text) => styleText(style, text),
    verbose: voice.verbose,
    known,
    knownOf: Object.fromEntries(
      Object.entries(run.columns ?? {}).map(([name, column]) => [
        name,
        judgeColumn(column, existsIn(run)),
      ]),
    ),
    again: (id) => againOf(run, id, voice.target),
    file: `${shortPath(voice.folder)}${sep}${runFileName}`,
  })

const shortPath = (path: string): string => {
  const below = relative(process.cwd(), path)
  return below === '' || below.startsWith('..') ? path : below
}

/** The command that asks one check again, of the same target. */
const againOf = (
  { seed, target: { plans } }: RunFile,
  id: string,
  target: AskedTarget | null,
): string => {
  const flags = [
    ...(target ? [target.baseUrl, `--key ${plans[0] ?? 'free'}=$PETVET_KEY`] : []),
    ...(target?.clockUrl ? [`--clock ${target.clockUrl}`] : []),
    ...(target?.categories ?? []).map((category) => `--category ${category}`),
  ]
  return ['petvet check', ...flags, `--only ${id}`, `--seed ${seed}`].join(' ')
}
