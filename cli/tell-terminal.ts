// The terminal report with all that it needs besides the run.
import { relative, sep } from 'node:path'
import { styleText } from 'node:util'
import type { KnownVerdict } from '../reports/known.ts'
import { runFileName } from '../reports/run-folder.ts'
import { terminal } from '../reports/terminal.ts'
import { catalogue } from '../suites/index.ts'
import type { RunFile } from '../suites/kit/run-file.ts'
import { judgeColumn } from './column-known.ts'

/** The smoke call is in a run and in no catalogue. */
export const existsIn = (run: RunFile) => (id: string) =>
  [...catalogue, ...run.checks].some((each) => each.id === id)

interface Voice {
  readonly verbose: boolean
  /** Where the run lies. */
  readonly folder: string
  /** Null: the built-in reference, which a command without an address starts. */
  readonly target: object | null
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
    again: (id) => againOf(run, id, voice.target === null),
    file: `${shortPath(voice.folder)}${sep}${runFileName}`,
  })

const shortPath = (path: string): string => {
  const below = relative(process.cwd(), path)
  return below === '' || below.startsWith('..') ? path : below
}

const againOf = ({ seed, target }: RunFile, id: string, isBuiltIn: boolean): string => {
  const plan = target.plans[0] ?? 'free'
  const where = isBuiltIn ? '' : ` ${target.baseUrl} --key ${plan}=$PETVET_KEY`
  return `petvet check${where} --only ${id} --seed ${seed}`
}
