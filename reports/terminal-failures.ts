// What failed, for a terminal: each cause with one failure in full, and the warnings.
import { count } from '../engine/record/text.ts'
import type { CheckResult, RunFile } from '../engine/run-file.ts'
import {
  causesLine,
  commandLines,
  type FailureGroup,
  failureGroups,
  type Labelled,
  sentLine,
  shownLines,
  warningsOf,
} from './failure.ts'
import type { KnownVerdict } from './known.ts'
import { beforePasting, reproduceCheck } from './reproduce.ts'
import { placeOf, requirementOf } from './requirements.ts'
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
  const groups = failureGroups(run, known)
  if (groups.length === 0) return []
  const full = verbose ? groups : groups.slice(0, maxFullFailures)
  const short = groups.slice(full.length)
  const alone = short.filter(({ cause }) => cause === undefined)
  const left = Math.max(0, alone.length - maxShortFailures)
  const summary = causesLine(run, known)
  return [
    ...(summary === '' ? [] : [paint('bold', summary), '']),
    ...full.flatMap((group) => fullGroup(run, group, options)),
    ...short.slice(0, short.length - left).flatMap((group) => {
      const lines = [...titleLines(group, options), shortFailure(group.show, options)]
      return group.cause === undefined ? lines : [...lines, '']
    }),
    ...(left > 0 ? [`and ${left} more failures`] : []),
    ...(alone.length > 0 ? [''] : []),
    ...wrapped(beforePasting(run).replaceAll('`', ''), '', columns),
  ]
}

const titleLines = ({ title }: FailureGroup, { paint }: FailureOptions): string[] =>
  title === '' ? [] : [paint('bold', visible(title))]

/** One failure in full, and the ids of the others. */
const fullGroup = (run: RunFile, group: FailureGroup, options: FailureOptions): string[] => {
  const { columns, verbose } = options
  const { show, others, alternatives } = group
  const also = others.map(({ id }) => id).join(', ')
  return [
    ...titleLines(group, options),
    ...fullFailure(run, show, options),
    ...wrapped(visible(also), '  Also      ', columns),
    ...wrapped(visible(alternatives), '  Mutants   ', columns),
    '',
    ...(verbose ? others.flatMap((each) => [...fullFailure(run, each, options), '']) : []),
  ]
}

const outcomeName = ({ outcome }: CheckResult): string => (outcome === 'error' ? 'ERROR' : 'FAIL')

const fullFailure = (run: RunFile, result: CheckResult, options: FailureOptions): string[] => {
  const { paint, columns } = options
  const requirement = requirementOf(result)
  const place = `${placeOf(requirement)} (${result.level}, ${result.requirement})`
  return [
    `${paint('red', outcomeName(result))}  ${paint('bold', result.id)}`,
    ...wrapped(requirement.says, '  ', columns),
    ...labelled([['Interface', place], ...shownLines(result)], columns),
    // Lines to be pasted are not broken.
    ...labelled(requestRows(run, result), null),
  ]
}

/** Below its label on the first of several lines. */
const labelled = (rows: readonly Labelled[], columns: number | null): string[] =>
  rows.flatMap(([label, text], at) => {
    const head = rows[at - 1]?.[0] === label ? '' : label
    return wrapped(visible(text), `  ${head.padEnd(10)}`, columns)
  })

/** Earlier exchanges led to the last one, or are its control. */
const requestRows = (run: RunFile, result: CheckResult): Labelled[] => {
  const last = result.evidence.at(-1)
  const sent = last ? sentLine(run, last).replace(/^sent /, '') : ''
  const script = last?.together ? '; this script sends all of them:' : ''
  const earlier = count(result.evidence.length - 1, 'request', 'requests')
  return [
    ...(sent === '' ? [] : [['Sent', `${sent}${script}`] as const]),
    ...(last ? commandLines(last) : []).map((line) => ['Request', line] as const),
    ...(result.evidence.length > 1
      ? [['Before', `${earlier}, which the HTML report shows`] as const]
      : []),
    ['Reproduce', reproduceCheck(run, result)],
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
    ...(verbose ? wrapped(requirementOf(result).says, '    ', columns) : []),
    ...(verbose ? result.evidence.slice(-1).map(({ curl }) => `    ${visible(curl)}`) : []),
  ])
  return [paint('yellow', `Warnings (a should is violated): ${warnings.length}`), ...lines]
}
