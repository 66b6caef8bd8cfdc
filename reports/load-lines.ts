// The figures of a load run in words, a line for each scenario at each server.
import { fates, type LoadFigures } from '../engine/load-figures.ts'
import type { RunFile } from '../engine/run-file.ts'

export interface LoadColumn {
  readonly scenario: string
  readonly says: string
  /** The server: `target`, or what ran beside it. */
  readonly column: string
  readonly figures: LoadFigures
}

export const loadColumns = ({ load }: RunFile): LoadColumn[] =>
  (load ?? []).flatMap(({ id, says, columns }) =>
    Object.entries(columns).map(([column, figures]) => ({ scenario: id, says, column, figures })),
  )

export const tellMs = (ms: number): string => `${ms < 10 ? ms.toFixed(2) : ms.toFixed(1)} ms`

const words: Readonly<Record<(typeof fates)[number], string>> = {
  served: 'served',
  refused: 'refused (429)',
  banned: 'banned',
  otherClientError: 'another 4xx',
  serverError: 'a 5xx',
  timeout: 'no answer in time',
  reset: 'connection lost',
}

/** `500 sent: 480 served, 20 refused (429)`; what did not happen is left out. */
export const tellCounts = ({ sent, neverSent, counts }: LoadFigures): string => {
  const seen = fates.filter((fate) => counts[fate] > 0)
  const told = seen.map((fate) => `${counts[fate]} ${words[fate]}`).join(', ')
  const held = neverSent > 0 ? `; ${neverSent} more were never sent` : ''
  return `${sent} sent: ${told || 'none answered'}${held}`
}

export const tellFigures = (figures: LoadFigures): string => {
  const { latency } = figures
  if (latency === null) return tellCounts(figures)
  const { p50Ms, p99Ms, maxMs } = latency
  const told = `p50 ${tellMs(p50Ms)}, p99 ${tellMs(p99Ms)}, most ${tellMs(maxMs)}`
  return `${tellCounts(figures)}; ${told}`
}
