// The figures of a load run in words: a line for each scenario at each server, or a table.
import {
  type CheckResult,
  describeCounts,
  describeMs,
  type Latency,
  type LoadFigures,
  type LoadScenarioFigures,
  percentilesOf,
  type RunFile,
} from '../engine/run-file.ts'
import { visible } from './visible.ts'

export interface LoadColumn {
  readonly scenario: string
  readonly says: string
  /** The server: `target`, or a baseline. */
  readonly column: string
  readonly figures: LoadFigures
}

export const loadColumns = ({ load }: RunFile): LoadColumn[] =>
  (load ?? []).flatMap(({ id, says, columns }) =>
    Object.entries(columns).map(([column, figures]) => ({ scenario: id, says, column, figures })),
  )

/** `500 sent: 480 served, 20 refused (429)` */
export const describeSent = ({ sent, neverSent, counts }: LoadFigures): string => {
  const unsent = neverSent > 0 ? `; ${neverSent} more were never sent` : ''
  return `${sent} sent: ${describeCounts(counts) || 'no response'}${unsent}`
}

export const describeFigures = (figures: LoadFigures): string => {
  const { latency } = figures
  if (latency === null) return describeSent(figures)
  const shown = percentilesOf(latency).filter(([name]) => name === 'p50' || name === 'p99')
  const times = [...shown, ['max', latency.maxMs] as const]
  const texts = times.map(([name, value]) => `${name} ${describeMs(value)}`)
  return `${describeSent(figures)}; ${texts.join(', ')}`
}

const headings = [
  ...['scenario', 'at', 'sent', 'served', 'refused', 'banned', 'other', 'lost', 'unsent'],
  ...['per second', 'p50 ms', 'p99 ms', 'max ms'],
]

const ms = (value: number | undefined): string =>
  value === undefined ? '-' : value.toFixed(value < 10 ? 2 : 1)

const cellsOf = ({ sent, neverSent, counts, latency, durationMs }: LoadFigures): string[] => [
  String(sent),
  String(counts.served),
  String(counts.refused),
  String(counts.banned),
  String(counts.otherClientError + counts.serverError),
  String(counts.timeout + counts.reset),
  String(neverSent),
  durationMs > 0 ? String(Math.round((1000 * sent) / durationMs)) : '-',
  ms(percentileOf(latency, 'p50')),
  ms(percentileOf(latency, 'p99')),
  ms(latency?.maxMs),
]

/** Undefined where the number of samples cannot carry it. */
export const percentileOf = (latency: Latency | null, wanted: string): number | undefined =>
  latency === null ? undefined : percentilesOf(latency).find(([name]) => name === wanted)?.[1]

const labelWidth = 22

const line = (label: string, ...values: readonly string[]): string =>
  `  ${`${label} `.padEnd(labelWidth, '.')}: ${values.join('  ')}`

const share = (part: number, sent: number): string =>
  sent === 0 ? '' : `${Number(((100 * part) / sent).toPrecision(3))} %`

/** Those of a scenario, each with what was measured. */
const thresholdLines = (scenario: string, checks: readonly CheckResult[]): string[] =>
  checks
    .filter(({ id }) => id.startsWith(`load-threshold-${scenario}-`))
    .filter(({ outcome }) => outcome !== 'inapplicable')
    .map(({ outcome, detail }) => `  ${outcome === 'observed' ? '✓' : '✗'} ${visible(detail)}`)

/** The target's figures of one scenario, as k6 prints those of a test. */
const block = (
  { id, columns }: LoadScenarioFigures,
  checks: readonly CheckResult[],
): readonly string[] => {
  const { target } = columns
  if (!target) return []
  const { sent, counts, latency, durationMs } = target
  const refused = counts.refused + counts.banned
  const errors = sent - counts.served - refused
  const rate = durationMs > 0 ? `${((1_000 * sent) / durationMs).toFixed(1)}/s` : ''
  const times = latency === null ? [] : [...percentilesOf(latency), ['max', latency.maxMs] as const]
  return [
    id,
    ...thresholdLines(id, checks),
    line('requests', `${sent}`, rate).trimEnd(),
    ...(times.length === 0
      ? []
      : [line('latency', ...times.map(([name, value]) => `${name}=${describeMs(value)}`))]),
    line('served', `${counts.served}`, share(counts.served, sent)),
    line('refused', `${refused}`, share(refused, sent)),
    line('errors', `${errors}`, share(errors, sent)),
    '',
  ]
}

/** Texts to the left in the first two columns, numbers to the right. */
const aligned = (rows: readonly (readonly string[])[]): string[] => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

/** Where a table is too wide for its terminal, columns that say nothing are left out. */
const fitted = (rows: readonly (readonly string[])[], columns: number | null): string[] => {
  const whole = aligned(rows)
  if (columns === null || whole.every((row) => row.length <= columns)) return whole
  const saysMore = (column: number) =>
    rows.slice(1).some((row) => row[column] !== '0' && row[column] !== '-')
  return aligned(rows.map((row) => row.filter((_, column) => saysMore(column))))
}

/** For a terminal: the figures of the target, and a table of it next to its baselines. */
export const loadTable = (
  load: readonly LoadScenarioFigures[],
  checks: readonly CheckResult[] = [],
  columns: number | null = null,
): string[] => {
  if (load.length === 0) return []
  const rows = load.flatMap(({ id, columns }) =>
    Object.entries(columns).map(([column, figures], at) => [
      at === 0 ? id : '',
      column,
      ...cellsOf(figures),
    ]),
  )
  return [...load.flatMap((each) => block(each, checks)), ...fitted([headings, ...rows], columns)]
}
