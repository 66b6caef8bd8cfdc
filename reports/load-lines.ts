// The figures of a load run in words: a line for each scenario at each server, or several.

import {
  type CheckResult,
  describeCounts,
  describeLatency,
  describeMs,
  type LoadFigures,
  latencyTimes,
  type RunFile,
} from '../engine/check/run-file.ts'
import { thresholdPrefix } from '../engine/check/verdict.ts'
import type { Outcome } from '../history/outcome.ts'
import { visible, wrapped } from './visible.ts'

/** `500 sent: 480 served, 20 refused (429); p50 3.25 ms, p99 9.50 ms, max 12.0 ms` */
const describeFigures = ({ sent, neverSent, counts, latency }: LoadFigures): string => {
  const unsent = neverSent > 0 ? `; ${neverSent} more were never sent` : ''
  const shown = `${sent} sent: ${describeCounts(counts) || 'no response'}${unsent}`
  return latency === null ? shown : `${shown}; ${describeLatency(latency)}`
}

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

/** What became of the requests of one scenario at one server, by name. */
export const resultRows = (figures: LoadFigures): (readonly [name: string, text: string])[] => {
  const { sent, neverSent, counts, durationMs } = figures
  const { served, refused, banned, ...others } = counts
  const joined = (...texts: readonly string[]) => texts.filter((text) => text !== '').join('  ')
  const part = (number: number, more = '') => joined(`${number}`, share(number, sent), more)
  const rate = durationMs > 0 ? `${((1_000 * sent) / durationMs).toFixed(1)}/s` : ''
  const unsent = neverSent > 0 ? `${neverSent} more never sent` : ''
  return [
    ['requests', joined(`${sent}`, rate, unsent)],
    ['served', part(served)],
    ['refused', part(refused + banned, banned > 0 ? `${banned} of them banned` : '')],
    ['errors', part(sent - served - refused - banned, describeCounts(others))],
  ]
}

/** For a terminal: the figures of the target, and next to them those of its baselines. */
export const loadLines = (
  { load = [], checks }: Pick<RunFile, 'load' | 'checks'>,
  columns: number | null,
): string[] =>
  load.flatMap(({ id, columns: { target, ...baselines } }) => {
    if (!target) return []
    const times = latencyTimes(target.latency).map(([name, ms]) => `${name}=${describeMs(ms)}`)
    return [
      id,
      ...thresholdLines(id, checks),
      ...resultRows(target)
        .map(([label, text]) => `${headOf(label)}${text}`)
        .toSpliced(1, 0, ...(times.length > 0 ? [`${headOf('latency')}${times.join('  ')}`] : [])),
      ...Object.entries(baselines).flatMap(([name, figures]) =>
        wrapped(describeFigures(figures), headOf(name), columns),
      ),
      '',
    ]
  })
