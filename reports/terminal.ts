// The report for a terminal: what failed and how to reproduce it, what was not tested, the verdict.

import { join } from 'node:path'
import type { RunFile } from '../engine/check/run-file.ts'
import type { Outcome } from '../history/outcome.ts'
import { count } from '../history/quote.ts'
import { byHeading } from './by-heading.ts'
import { domainLines } from './domain-table.ts'
import type { KnownVerdict } from './known-failures.ts'
import { loadLines } from './load-lines.ts'
import { reproduceRun, resumeRun, shellQuoted } from './reproduce.ts'
import { runFileName } from './run-folder.ts'
import {
  costLine,
  countByLevel,
  countOutcomes,
  listBaselines,
  maxShownGroups,
  partlyTested,
  toneOf,
  totals,
  untestedGroups,
  verdictLine,
} from './summary.ts'
import { type FailureOptions, failureLines, warningLines } from './terminal-failures.ts'
import { aligned, cut, visible, wrapped } from './visible.ts'

interface TerminalOptions extends FailureOptions {
  /** The folder of the run; null: not to be printed. */
  readonly folder: string | null
  /** The address of the HTML report, where it was written. */
  readonly htmlUrl: string | null
}

/** The parts of a report without its failures, each as lines, in the order of the terminal. */
export const reportParts = (run: RunFile, options: TerminalOptions) => {
  const { known, columns } = options
  return {
    load: loadLines(run, columns),
    domains: domainLines({ run, known }, columns),
    warnings: warningLines(run, options),
    knownLines: knownLines(known),
    untested: untestedLines(run, options),
    partly: partlyTested(run).flatMap((line) => wrapped(line, '', columns)),
    observations: observationLines(run, options),
    sections: sectionTable(run),
    baselines: listBaselines(run).flatMap(({ says }) => wrapped(`Baseline: ${says}`, '', columns)),
    notes: run.notes.flatMap((note) => wrapped(visible(note), 'Note: ', columns)),
    cost: [visible(costLine(run)), ...(isEmpty(run) ? [] : wrapped(totals(run), '', columns))],
  }
}

export const terminal = (run: RunFile, options: TerminalOptions): string => {
  const { known, paint } = options
  const { load, domains, cost, ...others } = reportParts(run, options)
  const verdict = paint(colours[toneOf(run)], verdictLine(run, known))
  const texts = [
    load,
    domains,
    failureLines(run, options),
    ...Object.values(others),
    [...cost, verdict, ...folderLines(run, options)],
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n').trimEnd())
  return `${texts.join('\n\n')}\n`
}

/** Whether nothing was tested, as at a wrong address: then only the one reason is of use. */
const isEmpty = ({ checks, impossible, load = [] }: RunFile): boolean =>
  checks.length === 0 ||
  (load.length === 0 &&
    checks.every(({ outcome }) => outcome === 'untested') &&
    (impossible !== null || untestedGroups(checks).length === 1))

const colours = { fail: 'red', error: 'yellow', untested: 'yellow', pass: 'green' } as const

const knownLines = ({ excused, stale, moved }: KnownVerdict): string[] => {
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

const untestedLines = (run: RunFile, options: TerminalOptions): string[] => {
  const { verbose, columns } = options
  const groups = untestedGroups(run.checks)
  // A run that could not be held has one reason, which is in the verdict line.
  if (groups.length === 0 || run.impossible !== null) return []
  if (isEmpty(run)) {
    return wrapped(cut(visible(groups[0]?.detail ?? ''), 200), 'Nothing was tested: ', columns)
  }
  const untested = groups.flatMap(({ checks }) => checks)
  // A line that says only that one more is left out gives way to that one.
  const showsAll = verbose || groups.length === maxShownGroups + 1
  const shown = showsAll ? groups : groups.slice(0, maxShownGroups)
  const rest = groups.slice(shown.length)
  const left = rest.reduce((sum, { checks }) => sum + checks.length, 0)
  const more = count(rest.length, 'more reason', 'more reasons')
  const width = String(Math.max(...groups.map(({ checks }) => checks.length))).length
  return [
    `Untested: ${leaving(run, untested.length)}`,
    ...shown.flatMap(({ because, detail, checks }) => [
      ...wrapped(
        `${because}: ${cut(visible(detail), 200)}`,
        `  ${String(checks.length).padStart(width)}  `,
        columns,
      ),
      ...(verbose ? checks.map(({ id }) => `${' '.repeat(width + 6)}${id}`) : []),
    ]),
    ...(left > 0 ? [`  ${String(left).padStart(width)}  for ${more}; ${inFull(options)}`] : []),
  ]
}

/** `18 checks, which leave 9 musts and 1 should untested`, if they do. */
const leaving = ({ requirements }: RunFile, checks: number): string => {
  const all = count(checks, 'check', 'checks')
  const left = countByLevel(requirements.filter(({ outcome }) => outcome === 'untested'))
  const leave = checks === 1 ? 'leaves' : 'leave'
  return left === '' ? all : `${all}, which ${leave} ${left} untested`
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
    'What this server does where the interface is silent (a number alone is the status):',
    ...observations.flatMap(([id, value]) =>
      wrapped(visible(value), `  ${id.padEnd(width)}  `, options.columns),
    ),
  ]
}

/** Lines to be pasted are not broken. */
const folderLines = (run: RunFile, { folder, htmlUrl }: TerminalOptions): string[] => {
  const wasCut = (run.impossible !== null && !isEmpty(run)) || run.interrupted
  const again = folder === null ? reproduceRun(run) : resumeRun(run, folder)
  const isResumed = again !== reproduceRun(run)
  const place = shellQuoted(folder ?? '')
  const lost = run.checks.find(({ detail, evidence }) => detail === run.impossible && evidence[0])
  const html = htmlUrl ?? `petvet report ${place} --as html --out ${place}`
  return [
    // Often it is the one that broke the server.
    ...(lost?.evidence[0] ? [`Lost first: ${visible(lost.evidence[0].curl)}`] : []),
    ...(wasCut ? [`${isResumed ? 'Resume' : 'Reproduce'}: ${visible(again)}`] : []),
    ...(folder === null
      ? []
      : [`Report: ${visible(join(folder, runFileName))}`, `HTML: ${visible(html)}`]),
  ]
}

/** Shorter than in a sentence, so that the table fits 80 columns. */
const columnNames: Readonly<Record<string, string>> = { error: 'error', inapplicable: 'n/a' }

/**
 * One line for each section of the interface, with the number of checks by outcome. Columns without
 * a single check are left out; passed and failed are always there.
 */
const sectionTable = ({ checks }: RunFile): string[] => {
  const groups = [...byHeading(checks)]
  // A run that could not be held has nothing but untested checks.
  const isTested = checks.some(({ outcome }) => outcome !== 'untested')
  if (groups.length < 2 || !isTested) return []
  const present = new Set<Outcome>(['pass', 'fail', ...checks.map(({ outcome }) => outcome)])
  const columnsOf = (own: RunFile['checks']) =>
    countOutcomes(own).filter(({ outcome }) => present.has(outcome))
  return aligned([
    [
      'Checks by section',
      ...columnsOf(checks).map(({ outcome, words }) => columnNames[outcome] ?? words),
    ],
    ...groups.map(([heading, own]) => [
      heading,
      ...columnsOf(own).map(({ number }) => String(number || '-')),
    ]),
  ])
}
