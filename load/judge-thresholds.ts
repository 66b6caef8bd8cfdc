// Judges what was measured against the thresholds.
import { describeMs, type LoadFigures, type LoadScenarioFigures } from '../engine/run-file.ts'
import type { Metric, Threshold, Thresholds } from './thresholds.ts'

interface ThresholdResult {
  readonly id: string
  readonly outcome: 'pass' | 'warn' | 'untested'
  /** One line: what was measured, and the threshold. */
  readonly detail: string
}

/**
 * What was not measured never passes.
 * @param chosen the selected scenarios; a threshold on any other is `untested`
 */
export const judgeThresholds = (
  thresholds: Thresholds,
  load: readonly LoadScenarioFigures[],
  chosen: readonly string[],
): readonly ThresholdResult[] =>
  thresholds.map((threshold) => {
    const { scenario, metric } = threshold
    const id = `load-threshold-${scenario}-${metric}`
    if (!chosen.includes(scenario)) {
      return { id, outcome: 'untested', detail: `the scenario ${scenario} was not selected` }
    }
    const columns = load.find((figures) => figures.id === scenario)?.columns ?? {}
    const { isMet, detail } = judge(threshold, columns)
    return { id, outcome: isMet ? 'pass' : 'warn', detail: `${scenario} ${metric}: ${detail}` }
  })

interface Judged {
  readonly isMet: boolean
  readonly detail: string
}

type Columns = LoadScenarioFigures['columns']

const judge = (threshold: Threshold, columns: Columns): Judged => {
  const { scenario, metric, sign, value: limit, of, text } = threshold
  const measured = (figures: LoadFigures | undefined) =>
    figures ? measure(metric, figures, scenario) : null
  const seen = measured(columns.target)
  if (seen === null) {
    return { isMet: false, detail: `nothing was measured, so ${text} is not met` }
  }
  const show = (value: number) => describe(metric, value)
  if (of === null) {
    return { isMet: compare[sign](seen, limit), detail: `${show(seen)} (${text})` }
  }
  const name = of === 'baseline' ? (columns.prism ? 'prism' : 'reference') : of
  const baseline = measured(columns[name])
  if (baseline === null) {
    const detail = `${show(seen)}, and nothing was measured at ${name} for ${text}`
    return { isMet: false, detail }
  }
  const detail = `${show(seen)} (${text}: ${name} has ${show(baseline)}, ${times(seen, baseline)})`
  return { isMet: compare[sign](seen, limit * baseline), detail }
}

const compare: Readonly<Record<Threshold['sign'], (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
}

const times = (a: number, b: number): string => `so ${b === 0 ? 'no' : (a / b).toFixed(2)} times it`

/** Within the quota a refusal is an error, and so is a request that was not sent because of it. */
const withinQuota = ['steady', 'capacity', 'soak']

const share = (part: number, { sent }: LoadFigures): number | null =>
  sent === 0 ? null : part / sent

const refusedOf = ({ counts }: LoadFigures): number => counts.refused + counts.banned

const measure = (metric: Metric, figures: LoadFigures, scenario: string): number | null => {
  const { sent, neverSent, counts, steps, durationMs, latency } = figures
  switch (metric) {
    case 'errors': {
      if (!withinQuota.includes(scenario)) {
        return share(sent - counts.served - refusedOf(figures), figures)
      }
      const planned = sent + neverSent
      return sent === 0 ? null : (planned - counts.served) / planned
    }
    case 'refused':
      return share(refusedOf(figures), figures)
    case 'perSecond':
      if (sent === 0 || durationMs === 0) return null
      if (steps?.length) return Math.max(...steps.map(({ perSecond }) => perSecond))
      return (counts.served * 1_000) / durationMs
    default:
      return latency?.[`${metric}Ms`] ?? null
  }
}

const describe = (metric: Metric, value: number): string => {
  if (metric === 'perSecond') return `${value.toFixed(1)} /s`
  const isShare = metric === 'errors' || metric === 'refused'
  return isShare ? `${Number((value * 100).toPrecision(3))} %` : describeMs(value)
}
