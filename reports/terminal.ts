// The report for a terminal: what broke and how to see it again, what was left, the verdict last.

import { join } from 'node:path'
import type { RunFile } from '../engine/run-file.ts'
import { goOn, wholeAgain } from './again.ts'
import { tellColumn, tellKnown } from './beside.ts'
import { tellLoad } from './load-table.ts'
import { tellParts } from './parts.ts'
import { runFileName } from './run-folder.ts'
import { sentenceOfCheck } from './sentences.ts'
import { tellBroken } from './terminal-failures.ts'
import type { TerminalOptions } from './terminal-options.ts'
import { tellObserved, tellUntested } from './terminal-rest.ts'
import { costLine, verdictLine } from './verdict-line.ts'
import { visible } from './visible.ts'
import { wrapped } from './wrapped.ts'

export const terminal = (run: RunFile, options: TerminalOptions): string => {
  const { known, knownOf, columns } = options
  const sections = [
    tellBroken(run, options),
    tellWarnings(run, options),
    tellKnown(known),
    tellLoad(run.load ?? []),
    tellUntested(run, options),
    tellParts(run).flatMap((line) => wrapped(line, '', columns)),
    tellObserved(run, options),
    Object.entries(run.columns ?? {}).flatMap(([name, column]) =>
      tellColumn(name, column, knownOf[name]),
    ),
    run.notes.flatMap((note) => wrapped(visible(note), 'Note: ', columns)),
    [...tellWhere(run, options), visible(costLine(run)), paintedVerdict(run, options)],
  ]
  const told = sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n').trimEnd())
  return `${told.join('\n\n')}\n`
}

/** The last line, which is what stands above the next prompt. */
const paintedVerdict = (run: RunFile, { known, paint }: TerminalOptions): string =>
  paint(styleOf(run), verdictLine(run, known))

const styleOf = ({ verdict, interrupted }: RunFile) => {
  if (verdict === 'not-conformant') return 'red'
  return verdict === 'conformant' && !interrupted ? 'green' : 'yellow'
}

/** A run that was not held, or not to its end, is to be held again as a whole. */
const tellWhere = (run: RunFile, { folder }: TerminalOptions): string[] => {
  const wasCut = run.impossible !== null || run.interrupted
  const again = folder === null ? wholeAgain(run) : goOn(run, folder)
  return [
    ...(wasCut ? [`Again: ${visible(again)}`] : []),
    ...(folder === null ? [] : [`Report: ${visible(join(folder, runFileName))}`]),
  ]
}

const tellWarnings = (run: RunFile, options: TerminalOptions): string[] => {
  const { verbose, known, paint, columns } = options
  const warnings = run.checks.filter(
    ({ id, outcome }) => outcome === 'warn' && !known.excused.has(id),
  )
  if (warnings.length === 0) return []
  const lines = warnings.flatMap((result) => [
    ...wrapped(`${result.id}: ${visible(result.detail)}`, '  ', columns),
    ...(verbose ? wrapped(sentenceOfCheck(result).says, '    ', columns) : []),
    ...(verbose ? result.evidence.slice(-1).map(({ curl }) => `    ${visible(curl)}`) : []),
  ])
  return [paint('yellow', `Warnings (a should is not kept): ${warnings.length}`), ...lines]
}
