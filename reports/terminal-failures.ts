// What failed, for a terminal: each cause with one failure in full, and the warnings.
import { count } from '../engine/record/text.ts'
import type { CheckResult, Evidence, RunFile } from '../engine/run-file.ts'
import {
  alternativesOf,
  causesLine,
  causesOf,
  causeTitle,
  type ShownCause,
  withoutCause,
} from './causes.ts'
import { commandLines, findingsOf, responseLines, sentLine } from './failure.ts'
import type { KnownVerdict } from './known.ts'
import { beforePasting, reproduceCheck } from './reproduce.ts'
import { placeOf, requirementOfCheck } from './requirements.ts'
import { failuresOf, warningsOf } from './summary.ts'
import { cut, visible, wrapped } from './visible.ts'

type Paint = (style: 'bold' | 'red' | 'yellow' | 'green', text: string) => string

export interface FailureOptions {
  readonly paint: Paint
  /** Whether lists are printed in full. */
  readonly verbose: boolean
  /** The width of the terminal; null: no terminal, and lines are not broken. */
  readonly columns: number | null
  readonly known: KnownVerdict
}

/** As many as are read before the first is fixed; `--verbose` prints all of them in full. */
const maxFullFailures = 5
const maxShortFailures = 30

export const failureLines = (run: RunFile, options: FailureOptions): string[] => {
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
    ...wrapped(beforePasting(run).replaceAll('`', ''), '', columns),
  ]
}

/** A cause with one failure in full, and the ids of the others. */
const causeLines = (
  run: RunFile,
  shown: ShownCause,
  isFull: boolean,
  options: FailureOptions,
): string[] => {
  const { paint, columns, verbose } = options
  const { cause, show, others } = shown
  const heading = causeTitle(shown)
  const title = heading === '' ? [] : [paint('bold', visible(heading))]
  if (!isFull && !verbose) return [...title, shortFailure(show, options), '']
  const failure = fullFailure(run, show, options)
  const also = others.map(({ id }) => id).join(', ')
  const alternatives = alternativesOf(cause)
  return [
    ...title,
    ...failure.slice(0, -1),
    ...(also === '' ? [] : wrapped(visible(also), '  Also      ', columns)),
    ...(alternatives === '' ? [] : wrapped(visible(alternatives), '  Mutants   ', columns)),
    ...(verbose ? ['', ...others.flatMap((each) => fullFailure(run, each, options))] : ['']),
  ]
}

const outcomeName = ({ outcome }: CheckResult): string => (outcome === 'error' ? 'ERROR' : 'FAIL')

const fullFailure = (run: RunFile, result: CheckResult, options: FailureOptions): string[] => {
  const { paint, columns } = options
  const requirement = requirementOfCheck(result)
  // Earlier exchanges led to the last one, or are its control.
  const evidence = result.evidence.at(-1)
  const earlier = result.evidence.length - 1
  return [
    `${paint('red', outcomeName(result))}  ${paint('bold', result.id)}`,
    ...wrapped(requirement.says, '  ', columns),
    ...wrapped(
      `${placeOf(requirement)} (${result.level}, ${result.requirement})`,
      '  Interface ',
      columns,
    ),
    ...findingsOf(result).flatMap(([label, text]) =>
      wrapped(visible(text), `  ${label.padEnd(10)}`, columns),
    ),
    ...labelled('Response', responseLines(result)).flatMap(([label, text]) =>
      wrapped(visible(text), label, columns),
    ),
    ...(evidence ? requestLines(run, evidence) : []),
    ...(earlier > 0
      ? [`  Before    ${count(earlier, 'request', 'requests')}, which the HTML report shows`]
      : []),
    `  Reproduce ${visible(reproduceCheck(run, result))}`,
    '',
  ]
}

/** Lines below a label, each with its beginning. */
const labelled = (label: string, texts: readonly string[]): [head: string, text: string][] =>
  texts.map((text, at) => [`  ${(at === 0 ? label : '').padEnd(10)}`, text])

/** Lines to be pasted are not broken. */
const requestLines = (run: RunFile, evidence: Evidence): string[] => {
  const [, how] = /^sent (.*)/.exec(sentLine(run, evidence)) ?? []
  const script = evidence.together ? '; this script sends all of them:' : ''
  return [
    ...(how === undefined ? [] : [`  Sent      ${how}${script}`]),
    ...labelled('Request', commandLines(evidence)).map(([head, line]) => `${head}${visible(line)}`),
  ]
}

const shortFailure = (result: CheckResult, { paint }: FailureOptions): string =>
  `${paint('red', outcomeName(result))}  ${result.id}: ${cut(visible(result.detail), 160)}`

export const warningLines = (run: RunFile, options: FailureOptions): string[] => {
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
