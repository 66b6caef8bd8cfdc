// The figures of a load run in words: a line for each scenario at each server, or several.

import {
  type CheckResult,
  describeCounts,
  describeMs,
  type Latency,
  type LoadFigures,
  listPercentiles,
  type RunFile,
  thresholdPrefix,
} from '../engine/check/run-file.ts'
import type { Outcome } from '../history/outcome.ts'
import { visible, wrapped } from './visible.ts'

/** The figures of each scenario at each server: `target`, or a baseline. */
export const loadColumns = ({ load = [] }: RunFile) =>
  load.flatMap(({ id, says, columns }) =>
    Object.entries(columns).map(([column, figures]) => ({ scenario: id, says, column, figures })),
  )

/** `500 sent: 480 served, 20 refused (429)` */
const describeSent = ({ sent, neverSent, counts }: LoadFigures): string => {
  const unsent = neverSent > 0 ? `; ${neverSent} more were never sent` : ''
  return `${sent} sent: ${describeCounts(counts) || 'no response'}${unsent}`
}

export const describeFigures = (figures: LoadFigures): string => {
  const shown = latencyTimes(figures.latency).filter(([name]) =>
    ['p50', 'p99', 'max'].includes(name),
  )
  const texts = shown.map(([name, value]) => `${name} ${describeMs(value)}`)
  return [describeSent(figures), ...(texts.length > 0 ? [texts.join(', ')] : [])].join('; ')
}

/** The percentiles that the number of samples can carry, and the maximum, by name. */
export const latencyTimes = (latency: Latency | null) =>
  latency === null ? [] : [...listPercentiles(latency), ['max', latency.maxMs] as const]

const labelWidth = 22

const headOf = (label: string): string => `  ${`${label} `.padEnd(labelWidth, '.')}: `

const share = (part: number, sent: number): string =>
  sent === 0 ? '' : `${Number(((100 * part) / sent).toPrecision(3))} %`

/** Met, and undecided; any other is violated. */
const signs: Partial<Record<Outcome, string>> = { observed: '✓', untested: '?' }

/** Those of a scenario, each with what was measured. */
const thresholdLines = (scenario: string, checks: readonly CheckResult[]): string[] =>
  checks
    .filter(({ id }) => id.startsWith(`${thresholdPrefix}${scenario}-`))
    .filter(({ outcome }) => outcome !== 'inapplicable')
    .map(({ outcome, detail }) => `  ${signs[outcome] ?? '✗'} ${visible(detail)}`)

/** The target's figures of one scenario, a line for each. */
const targetRows = ({ sent, neverSent, counts, latency, durationMs }: LoadFigures) => {
  const refused = counts.refused + counts.banned
  const errors = sent - counts.served - refused
  const rate = durationMs > 0 ? `${((1_000 * sent) / durationMs).toFixed(1)}/s` : ''
  const unsent = neverSent > 0 ? `${neverSent} more never sent` : ''
  const times = latencyTimes(latency).map(([name, value]) => `${name}=${describeMs(value)}`)
  return [
    ['requests', [sent, rate, unsent].join('  ').trimEnd()],
    ...(times.length === 0 ? [] : [['latency', ...times]]),
    ['served', `${counts.served}`, share(counts.served, sent)],
    ['refused', `${refused}`, share(refused, sent)],
    ['errors', `${errors}`, share(errors, sent)],
  ] as const
}

/** For a terminal: the figures of the target, and next to them those of its baselines. */
export const loadLines = (
  { load = [], checks }: Pick<RunFile, 'load' | 'checks'>,
  columns: number | null,
): string[] =>
  load.flatMap(({ id, columns: { target, ...baselines } }) => {
    if (!target) return []
    return [
      id,
      ...thresholdLines(id, checks),
      ...targetRows(target).map(
        ([label = '', ...values]) => `${headOf(label)}${values.join('  ')}`,
      ),
      ...Object.entries(baselines).flatMap(([name, figures]) =>
        wrapped(describeFigures(figures), headOf(name), columns),
      ),
      '',
    ]
  })
