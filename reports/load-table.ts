// The figures of a load as a table for a terminal: what each scenario did at each server.
import type { LoadFigures, LoadScenarioFigures } from '../engine/load-figures.ts'

const head = ['scenario', 'at', 'sent', 'served', 'refused', 'banned', 'other', 'lost', 'unsent']
const latencyHead = ['per second', 'p50 ms', 'p99 ms', 'max ms']

const ms = (value: number | undefined): string =>
  value === undefined ? '-' : value.toFixed(value < 10 ? 2 : 1)

const cellsOf = ({ sent, neverSent, counts, latency, durationMs }: LoadFigures): string[] =>
  [
    sent,
    counts.served,
    counts.refused,
    counts.banned,
    counts.otherClientError + counts.serverError,
    counts.timeout + counts.reset,
    neverSent,
  ]
    .map(String)
    .concat(
      durationMs > 0 ? String(Math.round((1000 * sent) / durationMs)) : '-',
      ms(latency?.p50Ms),
      ms(latency?.p99Ms),
      ms(latency?.maxMs),
    )

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

/** The target beside Prism and the reference; in turns, so that their ratio means something. */
export const tellLoad = (load: readonly LoadScenarioFigures[]): string[] => {
  if (load.length === 0) return []
  const rows = load.flatMap(({ id, columns }) =>
    Object.entries(columns).map(([column, figures], at) => [
      at === 0 ? id : '',
      column,
      ...cellsOf(figures),
    ]),
  )
  return aligned([[...head, ...latencyHead], ...rows])
}
