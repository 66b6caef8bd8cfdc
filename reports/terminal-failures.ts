// What failed, for a terminal: each headline with one failure in full, and the warnings.

import type { CheckResult, RunFile } from '../engine/check/run-file.ts'
import { count } from '../history/quote.ts'
import { namedRequirement } from './by-heading.ts'
import { describeFailure, type FailureGroup, type Labelled, newFailures } from './failure.ts'
import type { KnownVerdict } from './known-failures.ts'
import { beforePasting } from './reproduce.ts'
import { cut, visible, wrapped } from './visible.ts'

export interface FailureOptions {
  readonly paint: (style: 'bold' | 'red' | 'yellow' | 'green', text: string) => string
  /** Whether lists are printed in full. */
  readonly verbose: boolean
  /** The width of the terminal; null: no terminal, and lines are not broken. */
  readonly columns: number | null
  readonly known: KnownVerdict
}

/** As many as are read before the first is fixed; `--verbose` prints all of them in full. */
const maxFullFailures = 5
const maxHeadlines = 30
const maxShortFailures = 30

export const failureLines = (run: RunFile, options: FailureOptions): string[] => {
  const { known, verbose, columns, paint } = options
  const { groups, summary } = newFailures(run, known)
  if (groups.length === 0) return []
  const headlines = groups.filter(({ cause }) => cause !== undefined).length
  const most = Math.max(maxFullFailures, Math.min(headlines, maxHeadlines))
  const full = verbose ? groups : groups.slice(0, most)
  const short = groups.slice(full.length)
  const left = Math.max(0, short.length - maxShortFailures)
  return [
    ...(summary === '' ? [] : [paint('bold', summary), '']),
    ...full.flatMap((group) => fullGroup(run, group, options)),
    ...short.slice(0, maxShortFailures).flatMap((group) => {
      const { id, detail } = group.show
      const word = paint('red', describeFailure(run, group.show).word)
      return [...titleLines(group, options), `${word}  ${id}: ${cut(visible(detail), 160)}`]
    }),
    ...(left > 0 ? [`and ${count(left, 'more failure', 'more failures')}`] : []),
    ...(short.length > 0 ? [''] : []),
    ...wrapped(beforePasting(run).replaceAll('`', ''), '', columns),
  ]
}

/** What was observed, and how many checks failed or are blocked by it. */
export const groupTitle = ({ says, others, blocked }: FailureGroup): string => {
  const numbers = [
    ...(others.length > 0 ? [`${others.length + 1} failed checks`] : []),
    ...(blocked === '' ? [] : [`${blocked} blocked`]),
  ]
  return numbers.length === 0 ? says : `${says} (${numbers.join(', ')})`
}

const titleLines = (group: FailureGroup, { paint, columns }: FailureOptions): string[] =>
  group.cause === undefined
    ? []
    : wrapped(visible(groupTitle(group)), '', columns).map((line) => paint('bold', line))

/** One failure in full, and the ids of the others. */
const fullGroup = (run: RunFile, group: FailureGroup, options: FailureOptions): string[] => {
  const { columns, verbose } = options
  const { show, others } = group
  const also = others.map(({ id }) => id).join(', ')
  return [
    ...titleLines(group, options),
    ...fullFailure(run, show, options),
    ...wrapped(visible(also), '  Also      ', columns),
    '',
    ...(verbose ? others.flatMap((each) => [...fullFailure(run, each, options), '']) : []),
  ]
}

/** What was required, and what came. */
export const failureHead = (
  run: RunFile,
  result: CheckResult,
  { paint, columns }: Pick<FailureOptions, 'paint' | 'columns'>,
) => {
  const { word, says, place, shown } = describeFailure(run, result)
  const { id, level, requirement } = result
  const rows: Labelled[] = [['Interface', `${place} (${level}, ${requirement})`], ...shown]
  return [
    `${paint('red', word)}  ${paint('bold', id)}`,
    ...wrapped(says, '  ', columns),
    ...labelled(rows, columns),
  ]
}

const fullFailure = (run: RunFile, result: CheckResult, options: FailureOptions): string[] => {
  const { sent, commands, reproduce } = describeFailure(run, result)
  const { evidence } = result
  const script = evidence.at(-1)?.together ? '; this script sends all of them:' : ''
  const earlier = count(evidence.length - 1, 'request', 'requests')
  const pasted: Labelled[] = [
    ['Sent', sent && `${sent}${script}`],
    ...commands.map((line): Labelled => ['Request', line]),
    // Earlier exchanges led to the last one, or are its control.
    ['Before', evidence.length > 1 ? `${earlier}, which the HTML report shows` : ''],
    ['Reproduce', reproduce],
  ]
  // Lines to be pasted are not broken.
  return [...failureHead(run, result, options), ...labelled(pasted, null)]
}

/** Below its label on the first of several lines. */
const labelled = (rows: readonly Labelled[], columns: number | null): string[] =>
  rows.flatMap(([label, text], at) => {
    const head = rows[at - 1]?.[0] === label ? '' : label
    return wrapped(visible(text), `  ${head.padEnd(10)}`, columns)
  })

export const warningLines = (run: RunFile, options: FailureOptions): string[] => {
  const { verbose, known, paint, columns } = options
  const { warnings } = newFailures(run, known)
  if (warnings.length === 0) return []
  const lines = warnings.flatMap((result) => [
    ...wrapped(`${result.id}: ${visible(result.detail)}`, '  ', columns),
    ...(verbose ? wrapped(namedRequirement(result).says, '    ', columns) : []),
    ...(verbose ? result.evidence.slice(-1).map(({ curl }) => `    ${visible(curl)}`) : []),
  ])
  return [paint('yellow', `Warnings (a should is violated): ${warnings.length}`), ...lines]
}
