// The figures of a load run in words: a line for each scenario at each server, or a table.
import {
  describeCounts,
  describeMs,
  type LoadFigures,
  type LoadScenarioFigures,
  type RunFile,
} from '../engine/run-file.ts'

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
  const [p50, p99, max] = [latency.p50Ms, latency.p99Ms, latency.maxMs].map(describeMs)
  return `${describeSent(figures)}; p50 ${p50}, p99 ${p99}, max ${max}`
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
  ms(latency?.p50Ms),
  ms(latency?.p99Ms),
  ms(latency?.maxMs),
]

/** Texts to the left in the first two columns, numbers to the right. */
const aligned = (rows: readonly (readonly string[])[]): string[] => {
  const widths = headings.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

/** A table for a terminal: the target next to its baselines. */
export const loadTable = (load: readonly LoadScenarioFigures[]): string[] => {
  if (load.length === 0) return []
  const rows = load.flatMap(({ id, columns }) =>
    Object.entries(columns).map(([column, figures], at) => [
      at === 0 ? id : '',
      column,
      ...cellsOf(figures),
    ]),
  )
  return aligned([headings, ...rows])
}
