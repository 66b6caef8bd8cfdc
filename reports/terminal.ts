// The report for a terminal: what failed and how to reproduce it, what was not tested, the verdict.

import { join } from 'node:path'
import { count } from '../engine/record/text.ts'
import type { CheckResult, RunFile } from '../engine/run-file.ts'
import {
  alternativesOf,
  causesLine,
  causesOf,
  causeTitle,
  type ShownCause,
  withoutCause,
} from './causes.ts'
import { type KnownVerdict, nothingKnown } from './known.ts'
import { loadTable } from './load.ts'
import {
  reproduceCheck,
  reproduceRun,
  resumeRun,
  shellQuoted,
  variablesToExport,
} from './reproduce.ts'
import { requirementOfCheck } from './requirements.ts'
import { runFileName } from './run-folder.ts'
import {
  columnTitle,
  costLine,
  failuresOf,
  findingsOf,
  partLines,
  passedCount,
  verdictLine,
  warningsOf,
} from './summary.ts'
import { untestedGroups } from './untested.ts'
import { visible, wrapped } from './visible.ts'

export type Paint = (style: 'bold' | 'red' | 'yellow' | 'green', text: string) => string

export interface TerminalOptions {
  readonly paint: Paint
  /** Whether lists are printed in full. */
  readonly verbose: boolean
  /** The width of the terminal; null: no terminal, and lines are not broken. */
  readonly columns: number | null
  readonly known: KnownVerdict
  /** The known failures of each column. */
  readonly knownOf: Readonly<Record<string, KnownVerdict>>
  /** The folder of the run; null: not to be printed. */
  readonly folder: string | null
}

export const terminal = (run: RunFile, options: TerminalOptions): string => {
  const { known, knownOf, columns, paint } = options
  const sections = [
    failureLines(run, options),
    warningLines(run, options),
    knownLines(known),
    loadTable(run.load ?? [], run.checks),
    untestedLines(run, options),
    partLines(run).flatMap((line) => wrapped(line, '', columns)),
    observationLines(run, options),
    Object.entries(run.columns ?? {}).flatMap(([name, column]) =>
      columnLines(name, column, knownOf[name] ?? nothingKnown),
    ),
    run.notes.flatMap((note) => wrapped(visible(note), 'Note: ', columns)),
    [
      ...folderLines(run, options),
      visible(costLine(run)),
      paint(colourOf(run), verdictLine(run, known)),
    ],
  ]
  const texts = sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n').trimEnd())
  return `${texts.join('\n\n')}\n`
}

const colourOf = ({ verdict, interrupted }: RunFile) => {
  if (verdict === 'not-conformant') return 'red'
  return verdict === 'conformant' && !interrupted ? 'green' : 'yellow'
}

/** As many as are read before the first is fixed; `--verbose` prints all of them in full. */
const maxFullFailures = 5
const maxShortFailures = 30

const failureLines = (run: RunFile, options: TerminalOptions): string[] => {
  const { known, verbose, columns, paint } = options
  const failures = failuresOf(run, known)
  if (failures.length === 0) return []
  const causes = causesOf(run, known)
  const rest = withoutCause(run, known)
  const full = verbose ? rest : rest.slice(0, Math.max(0, maxFullFailures - causes.length))
  const short = rest.slice(full.length)
  const left = short.length - maxShortFailures
  const summary = causesLine(run, known)
  return [
    ...(summary === '' ? [] : [paint('bold', summary), '']),
    ...causes.flatMap((shown, at) => causeLines(run, shown, at < maxFullFailures, options)),
    ...full.flatMap((result) => fullFailure(run, result, options)),
    ...short.slice(0, maxShortFailures).map((result) => shortFailure(result, options)),
    ...(left > 0 ? [`and ${left} more failures`] : []),
    ...(short.length > 0 ? [''] : []),
    ...wrapped(variablesToExport(run).replaceAll('`', ''), '', columns),
  ]
}

/** A cause with one failure in full, and the ids of the others. */
const causeLines = (
  run: RunFile,
  shown: ShownCause,
  isFull: boolean,
  options: TerminalOptions,
): string[] => {
  const { paint, columns, verbose } = options
  const { cause, show, others } = shown
  // A cause of one failure, which no known fault explains, would only repeat its requirement.
  const isOwnFailure = cause.mutant === null && others.length === 0
  const title = isOwnFailure ? [] : [paint('bold', visible(causeTitle(shown)))]
  if (!isFull && !verbose) return [...title, shortFailure(show, options), '']
  const failure = fullFailure(run, show, options)
  const also = others.map(({ id }) => id).join(', ')
  const alternatives = alternativesOf(cause)
  return [
    ...title,
    ...failure.slice(0, -1),
    ...(also === '' ? [] : wrapped(visible(also), '  Also      ', columns)),
    ...(alternatives === '' ? [] : wrapped(visible(alternatives), '  Perhaps   ', columns)),
    ...(verbose ? ['', ...others.flatMap((each) => fullFailure(run, each, options))] : ['']),
  ]
}

const outcomeName = ({ outcome }: CheckResult): string => (outcome === 'error' ? 'ERROR' : 'FAIL')

const fullFailure = (run: RunFile, result: CheckResult, options: TerminalOptions): string[] => {
  const { paint, columns } = options
  const { says, section } = requirementOfCheck(result)
  // Earlier exchanges led to the last one, or are its control.
  const evidence = result.evidence.at(-1)
  const earlier = result.evidence.length - 1
  return [
    `${paint('red', outcomeName(result))}  ${paint('bold', result.id)}`,
    ...wrapped(says, '  ', columns),
    `  ${section}, ${result.level}: ${result.requirement}`,
    ...findingsOf(result).flatMap(([label, text]) =>
      wrapped(visible(text), `  ${label.padEnd(10)}`, columns),
    ),
    // Lines to be pasted are not broken.
    ...(evidence ? [`  Request   ${visible(evidence.curl)}`] : []),
    ...(earlier > 0 ? [`  Before    ${count(earlier, 'request', 'requests')}, in the report`] : []),
    `  Reproduce ${visible(reproduceCheck(run, result))}`,
    '',
  ]
}

const clipped = (text: string, maxLength: number): string => {
  const line = visible(text)
  return line.length > maxLength ? `${line.slice(0, maxLength)}...` : line
}

const shortFailure = (result: CheckResult, { paint }: TerminalOptions): string =>
  `${paint('red', outcomeName(result))}  ${result.id}: ${clipped(result.detail, 160)}`

const warningLines = (run: RunFile, options: TerminalOptions): string[] => {
  const { verbose, known, paint, columns } = options
  const warnings = warningsOf(run, known)
  if (warnings.length === 0) return []
  const lines = warnings.flatMap((result) => [
    ...wrapped(`${result.id}: ${visible(result.detail)}`, '  ', columns),
    ...(verbose ? wrapped(requirementOfCheck(result).says, '    ', columns) : []),
    ...(verbose ? result.evidence.slice(-1).map(({ curl }) => `    ${visible(curl)}`) : []),
  ])
  return [paint('yellow', `Warnings (a should is violated): ${warnings.length}`), ...lines]
}

const knownLines = ({ excused, stale, moved = new Map() }: KnownVerdict): string[] => {
  const listed = (title: string, texts: ReadonlyMap<string, string>): string[] =>
    texts.size === 0
      ? []
      : [title, ...[...texts].map(([id, text]) => `  ${visible(id)}: ${visible(text)}`)]
  return [
    ...listed(`Known failures: ${excused.size}`, excused),
    ...listed('Known failures to remove or renew:', stale),
    ...listed('Pinned observations that changed:', moved),
  ]
}

const maxShownGroups = 6

const untestedLines = (run: RunFile, options: TerminalOptions): string[] => {
  const { verbose, columns } = options
  const groups = untestedGroups(run.checks)
  // A run that could not be held has one reason, which is in the verdict line.
  if (groups.length === 0 || run.impossible !== null) return []
  const untested = groups.flatMap(({ checks }) => checks)
  const musts = untested.filter(({ level }) => level === 'must').length
  const ofMusts = musts > 0 ? `, ${musts} of musts` : ''
  // A line that says only that one more is left out gives way to that one.
  const showsAll = verbose || groups.length === maxShownGroups + 1
  const shown = showsAll ? groups : groups.slice(0, maxShownGroups)
  const rest = groups.slice(shown.length)
  const left = rest.reduce((sum, { checks }) => sum + checks.length, 0)
  const width = String(Math.max(...groups.map(({ checks }) => checks.length))).length
  return [
    `Untested: ${count(untested.length, 'check', 'checks')}${ofMusts}`,
    ...shown.flatMap(({ because, detail, checks }) => [
      ...wrapped(
        `${because}: ${clipped(detail, 200)}`,
        `  ${String(checks.length).padStart(width)}  `,
        columns,
      ),
      ...(verbose ? checks.map(({ id }) => `${' '.repeat(width + 6)}${id}`) : []),
    ]),
    ...(left > 0
      ? [`  ${String(left).padStart(width)}  for ${rest.length} more reasons; ${inFull(options)}`]
      : []),
  ]
}

/** The finished run is enough for it. */
const inFull = ({ folder }: TerminalOptions): string =>
  `all in full: petvet report ${shellQuoted(folder ?? 'RUN')} --verbose`

const observationLines = (run: RunFile, options: TerminalOptions): string[] => {
  const observations = Object.entries(run.observations)
  if (observations.length === 0) return []
  if (!options.verbose) {
    const observed = count(observations.length, 'observation', 'observations')
    // Lines to be pasted are not broken.
    return [visible(`${observed} where the interface is silent; ${inFull(options)}`)]
  }
  const width = Math.min(40, Math.max(...observations.map(([id]) => id.length)))
  return [
    'What this server does where the interface is silent:',
    ...observations.flatMap(([id, value]) =>
      wrapped(visible(value), `  ${id.padEnd(width)}  `, options.columns),
    ),
  ]
}

/** The results of a baseline; they never change the verdict. */
const columnLines = (name: string, column: RunFile, { excused, stale }: KnownVerdict): string[] => {
  const title = `Baseline (${columnTitle(name)}): ${passedCount(column)}`
  if (column.interrupted) return [title]
  const news = column.checks.filter(({ id, outcome }) => outcome === 'fail' && !excused.has(id))
  const known = count(excused.size, 'known failure', 'known failures')
  const impossible = column.impossible === null ? '' : `, ${visible(column.impossible)}`
  return [
    `${title}, ${known}${impossible}`,
    ...news.map(({ id, detail }) => `  not known to fail: ${id}: ${visible(detail)}`),
    ...[...stale].map(([id, why]) => `  known to fail: ${visible(id)}: ${why}`),
  ]
}

const folderLines = (run: RunFile, { folder }: TerminalOptions): string[] => {
  const wasCut = run.impossible !== null || run.interrupted
  const again = folder === null ? reproduceRun(run) : resumeRun(run, folder)
  return [
    ...(wasCut ? [`Reproduce: ${visible(again)}`] : []),
    ...(folder === null ? [] : [`Report: ${visible(join(folder, runFileName))}`]),
  ]
}
