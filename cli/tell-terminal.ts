// The terminal report with all that it needs besides the run.
import { relative, sep } from 'node:path'
import { styleText } from 'node:util'
import { scenarios } from '../load/scenarios.ts'
import type { KnownVerdict } from '../reports/known.ts'
import { runFileName } from '../reports/run-folder.ts'
import { terminal } from '../reports/terminal.ts'
import { requirement } from '../spec/requirements.ts'
import { catalogue } from '../suites/index.ts'
import type { RunFile } from '../suites/kit/run-file.ts'
import type { RunOptions } from '../suites/kit/run-options.ts'
import { judgeColumn } from './column-known.ts'
import { usualPermissions } from './permissions.ts'

const verdicts = scenarios.flatMap((scenario) => scenario.verdicts)

/** The smoke call is in a run and in no catalogue. */
export const existsIn = (run: RunFile) => (id: string) =>
  [...catalogue, ...verdicts, ...run.checks].some((each) => each.id === id)

/** What of a target its run file does not hold, and a command has to name. */
type AskedTarget = Pick<RunOptions, 'baseUrl'> &
  Partial<Pick<RunOptions, 'clockUrl' | 'categories' | 'allow'>>

interface Voice {
  readonly verbose: boolean
  /** Where the run lies. */
  readonly folder: string
  /** Null: the built-in reference, which a command without an address starts. */
  readonly target: AskedTarget | null
  /** The command that runs it again, where it is not `petvet check`. */
  readonly again?: string
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
    again: (id) => voice.again ?? againOf(run, id, voice.target),
    file: `${shortPath(voice.folder)}${sep}${runFileName}`,
  })

const shortPath = (path: string): string => {
  const below = relative(process.cwd(), path)
  return below === '' || below.startsWith('..') ? path : below
}

/** The permissions, where they are not those that the target has unasked. */
const allowOf = ({ baseUrl, clockUrl, allow }: AskedTarget): string[] => {
  const usual = usualPermissions(new URL(baseUrl), Boolean(clockUrl))
  if (allow === undefined || allow.join() === usual.join()) return []
  return [`--allow ${allow.join(',') || 'none'}`]
}

/** The command that asks one check again, of the same target. */
const againOf = (run: RunFile, id: string, target: AskedTarget | null): string => {
  const { seed, target: asked } = run
  const flags = [
    ...(target ? [target.baseUrl, `--key ${asked.plans[0] ?? 'free'}=$PETVET_KEY`] : []),
    ...(target?.clockUrl ? [`--clock ${target.clockUrl}`] : []),
    ...(target?.categories ?? []).map((category) => `--category ${category}`),
    ...(target ? allowOf(target) : []),
  ]
  const judged = run.checks.find((each) => each.id === id)
  if (judged && requirement(judged.requirement).shows) return 'petvet domains check, as it was run'
  // A verdict of a load is that of its scenario: `load-burst-not-more`.
  const [room, scenario] = id.split('-')
  if (room === 'load') return ['petvet load', ...flags, `--scenario ${scenario}`].join(' ')
  return ['petvet check', ...flags, `--only ${id}`, `--seed ${seed}`].join(' ')
}
