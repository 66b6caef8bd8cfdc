// Holds what was measured against the thresholds; what was not measured never passes.
import type { LoadFigures, LoadScenarioFigures } from '../engine/load-figures.ts'
import { tellMs } from './tell-figures.ts'
import type { Metric, Threshold, Thresholds } from './thresholds.ts'

export interface ThresholdResult {
  /** `load-threshold-<scenario>-<figure>`. */
  readonly id: string
  readonly outcome: 'pass' | 'warn' | 'untested'
  /** One line: what was measured, and what it had to keep to. */
  readonly detail: string
}

/**
 * @param chosen the scenarios that were asked for; a threshold of any other is `untested`
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
      return { id, outcome: 'untested', detail: `the scenario ${scenario} was not chosen` }
    }
    const columns = load.find((figures) => figures.id === scenario)?.columns ?? {}
    const { keeps, told } = judge(threshold, columns)
    return { id, outcome: keeps ? 'pass' : 'warn', detail: `${scenario} ${metric}: ${told}` }
  })

interface Judged {
  readonly keeps: boolean
  readonly told: string
}

type Columns = LoadScenarioFigures['columns']

const judge = (threshold: Threshold, columns: Columns): Judged => {
  const { scenario, metric, sign, value, of, text } = threshold
  const seen = columns.target && measures[metric](columns.target, scenario)
  if (seen === undefined || seen === null) {
    return { keeps: false, told: `nothing was measured, and so ${text} is not kept` }
  }
  const show = shows[metric]
  if (of === null) return { keeps: compare[sign](seen, value), told: `${show(seen)} (${text})` }
  const name = of === 'baseline' ? (columns.prism ? 'prism' : 'reference') : of
  const beside = columns[name] && measures[metric](columns[name], scenario)
  if (beside === undefined || beside === null) {
    return { keeps: false, told: `${show(seen)}, and nothing was measured at ${name} for ${text}` }
  }
  const told = `${show(seen)} (${text}: ${name} has ${show(beside)}, ${times(seen, beside)})`
  return { keeps: compare[sign](seen, value * beside), told }
}

const compare: Readonly<Record<Threshold['sign'], (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
}

const times = (a: number, b: number): string => `so ${b === 0 ? 'no' : (a / b).toFixed(2)} times it`

type MeasureOf = (figures: LoadFigures, scenario: string) => number | null

/**
 * These stay within the quota, so that a refusal in them is an error like any other, and so is what
 * was left unsent for one.
 */
const withinQuota = ['steady', 'capacity', 'soak']

const share = (part: number, { sent }: LoadFigures): number | null =>
  sent === 0 ? null : part / sent

const refusedOf = ({ counts }: LoadFigures): number => counts.refused + counts.banned

const measures: Readonly<Record<Metric, MeasureOf>> = {
  mean: ({ latency }) => latency?.meanMs ?? null,
  p50: ({ latency }) => latency?.p50Ms ?? null,
  p90: ({ latency }) => latency?.p90Ms ?? null,
  p99: ({ latency }) => latency?.p99Ms ?? null,
  p999: ({ latency }) => latency?.p999Ms ?? null,
  max: ({ latency }) => latency?.maxMs ?? null,
  errors: (figures, scenario) => {
    const { sent, neverSent, counts } = figures
    if (!withinQuota.includes(scenario)) {
      return share(sent - counts.served - refusedOf(figures), figures)
    }
    const planned = sent + neverSent
    return sent === 0 ? null : (planned - counts.served) / planned
  },
  refused: (figures) => share(refusedOf(figures), figures),
  perSecond: ({ steps, counts, durationMs, sent }) => {
    if (sent === 0 || durationMs === 0) return null
    if (steps?.length) return Math.max(...steps.map(({ perSecond }) => perSecond))
    return (counts.served * 1_000) / durationMs
  },
}

const asShare = (part: number): string => `${Number((part * 100).toPrecision(3))} %`

const shows: Readonly<Record<Metric, (value: number) => string>> = {
  mean: tellMs,
  p50: tellMs,
  p90: tellMs,
  p99: tellMs,
  p999: tellMs,
  max: tellMs,
  errors: asShare,
  refused: asShare,
  perSecond: (rate) => `${rate.toFixed(1)} /s`,
}
