// What decided nothing, for a terminal: the untested and the observed, in few lines or in full.

import { count } from '../engine/count.ts'
import type { RunFile } from '../engine/run-file.ts'
import { quoted } from './again.ts'
import { lacksOf } from './reasons.ts'
import type { TerminalOptions } from './terminal-options.ts'
import { visible } from './visible.ts'
import { wrapped } from './wrapped.ts'

const shownLacks = 6
const detailMost = 200

/** By what would decide them, as most of them miss the same. */
export const tellUntested = (run: RunFile, options: TerminalOptions): string[] => {
  const { verbose, columns } = options
  const lacks = lacksOf(run.checks)
  // What could not run at all has one reason, and the verdict tells it.
  if (lacks.length === 0 || run.impossible !== null) return []
  const untested = lacks.flatMap(({ checks }) => checks)
  const musts = untested.filter(({ level }) => level === 'must').length
  const ofMusts = musts > 0 ? `, ${musts} of musts` : ''
  // A line that says only that one more is left out is better that one.
  const shown = verbose || lacks.length === shownLacks + 1 ? lacks : lacks.slice(0, shownLacks)
  const rest = lacks.slice(shown.length)
  const left = rest.reduce((sum, { checks }) => sum + checks.length, 0)
  const further = `for ${rest.length} further reasons`
  const width = String(Math.max(...lacks.map(({ checks }) => checks.length))).length
  return [
    `Untested: ${count(untested.length, 'check', 'checks')}${ofMusts}`,
    ...shown.flatMap(({ because, detail, checks }) => [
      ...wrapped(
        `${because}: ${cut(visible(detail))}`,
        `  ${String(checks.length).padStart(width)}  `,
        columns,
      ),
      ...(verbose ? checks.map(({ id }) => `${' '.repeat(width + 6)}${id}`) : []),
    ]),
    ...(left > 0 ? [`  ${String(left).padStart(width)}  ${further}; ${inFull(options)}`] : []),
  ]
}

const cut = (text: string): string =>
  text.length > detailMost ? `${text.slice(0, detailMost)}...` : text

/** The run is there already: nothing has to be run for it. */
const inFull = ({ folder }: TerminalOptions): string =>
  `all in full: petvet report ${quoted(folder ?? 'RUN')} --verbose`

export const tellObserved = (run: RunFile, options: TerminalOptions): string[] => {
  const seen = Object.entries(run.observations)
  if (seen.length === 0) return []
  if (!options.verbose) {
    const answers = count(seen.length, 'point', 'points')
    // What is to be pasted stays in one line.
    return [visible(`Observed: ${answers} that the interface leaves open; ${inFull(options)}`)]
  }
  const width = Math.min(40, Math.max(...seen.map(([id]) => id.length)))
  return [
    'What this server does where the interface is silent:',
    ...seen.flatMap(([id, value]) =>
      wrapped(visible(value), `  ${id.padEnd(width)}  `, options.columns),
    ),
  ]
}
