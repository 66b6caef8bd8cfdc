// What broke, for a terminal: the first ones whole, each to be seen again, and the rest in a line.

import { count } from '../engine/count.ts'
import type { CheckResult, RunFile } from '../engine/run-file.ts'
import { againOf, tellVariables } from './again.ts'
import { sentenceOfCheck } from './sentences.ts'
import type { TerminalOptions } from './terminal-options.ts'
import { visible } from './visible.ts'
import { wrapped } from './wrapped.ts'

/** As many as are read before the first is mended; `--verbose` tells all of them whole. */
const wholeMost = 5
const linesMost = 30

export const tellBroken = (run: RunFile, options: TerminalOptions): string[] => {
  const { known, verbose } = options
  const broken = run.checks.filter(
    ({ id, outcome }) => (outcome === 'fail' || outcome === 'error') && !known.excused.has(id),
  )
  if (broken.length === 0) return []
  const whole = verbose ? broken : broken.slice(0, wholeMost)
  const short = broken.slice(whole.length)
  const left = short.length - linesMost
  return [
    ...whole.flatMap((result) => tellWhole(run, result, options)),
    ...short.slice(0, linesMost).map((result) => tellShort(result, options)),
    ...(left > 0 ? [`and ${left} more that failed`] : []),
    ...(short.length > 0 ? [''] : []),
    ...wrapped(tellVariables(run).replaceAll('`', ''), '', options.columns),
  ]
}

const nameOf = ({ outcome }: CheckResult): string => (outcome === 'error' ? 'ERROR' : 'FAIL')

const tellWhole = (run: RunFile, result: CheckResult, options: TerminalOptions): string[] => {
  const { paint, columns } = options
  const { says, section } = sentenceOfCheck(result)
  const isError = result.outcome === 'error'
  // What came before it led to it, or is the control beside it.
  const evidence = result.evidence.at(-1)
  const hidden = result.evidence.length - 1
  const told = (title: string, text: string) =>
    wrapped(visible(text), `  ${title.padEnd(10)}`, columns)
  return [
    `${paint('red', nameOf(result))}  ${paint('bold', result.id)}`,
    ...wrapped(says, '  ', columns),
    `  ${section}, ${result.level}: ${result.requirement}`,
    ...(isError || result.expected === undefined
      ? told(isError ? 'Cause' : 'Seen', result.detail)
      : [...told('Expected', result.expected), ...told('Actual', result.actual ?? '')]),
    // What is to be pasted stays in one line.
    ...(evidence ? [`  Request   ${visible(evidence.curl)}`] : []),
    ...(hidden > 0 ? [`  Before it ${count(hidden, 'request', 'requests')}, in the report`] : []),
    `  Again     ${visible(againOf(run, result))}`,
    '',
  ]
}

const shortMost = 160

const tellShort = (result: CheckResult, { paint }: TerminalOptions): string => {
  const detail = visible(result.detail)
  const cut = detail.length > shortMost ? `${detail.slice(0, shortMost)}...` : detail
  return `${paint('red', nameOf(result))}  ${result.id}: ${cut}`
}
