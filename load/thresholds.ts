// Thresholds on the figures of each scenario: read from their file, validated, and judged.

import {
  describeMs,
  type LoadFigures,
  type LoadScenarioFigures,
  percentiles,
} from '../engine/check/run-file.ts'
import { thresholdPrefix } from '../engine/check/verdict.ts'
import type { Judged } from '../engine/run/results.ts'
import { type Ending, Inapplicable, Untested } from '../history/outcome.ts'
import { compileWhole, type SchemaFault } from '../spec/schemas.ts'
import { parseYaml } from '../spec/yaml.ts'
import type { Scenario } from './scenario.ts'
import schema from './thresholds.schema.json' with { type: 'json' }

const { scenario, ...kinds } = schema.$defs
const { $schema: _, ...scenarios } = schema.properties

type Metric = keyof typeof scenario.properties

/** `baseline` is Prism, or the reference if that did not run. */
type Measure = 'baseline' | 'prism' | 'reference'

interface Threshold {
  readonly scenario: string
  readonly metric: Metric
  readonly sign: '<' | '<=' | '>' | '>='
  /** Milliseconds, a share from 0 to 1, or requests per second; with `of`, how many times that. */
  readonly value: number
  readonly of: Measure | null
  readonly text: string
}

export type Thresholds = readonly Threshold[]

const validate = compileWhole(schema)

/** Which threshold is invalid, and what is expected, in one line. */
const describeFault = ({ path, keyword, member, value }: SchemaFault): string => {
  const [, id, metric] = path.split('/')
  if (keyword === 'additionalProperties') {
    const what = id === undefined ? 'scenario' : `figure of ${id}`
    const known = Object.keys(id === undefined ? scenarios : scenario.properties)
    return `unknown ${what} "${member}"; available: ${known.join(', ')}`
  }
  if (metric !== undefined) {
    const { description } = kinds[kindOf(metric as Metric)]
    return `${id}.${metric} expects ${description}, got ${JSON.stringify(value)}`
  }
  return id === undefined
    ? 'the file expects scenarios, for example steady: { p99: "< 20 ms" }'
    : `${id} expects figures, for example p99: "< 20 ms"`
}

/** Reads YAML or JSON. @throws Error of one line */
export const readThresholds = (text: string): Thresholds => {
  const value = parseYaml(text)
  const [fault] = validate(value)
  if (fault) throw new Error(describeFault(fault))
  const { $schema: _, ...limits } = value as Record<string, Record<Metric, string>>
  return Object.entries(limits).flatMap(([id, own]) =>
    Object.entries(own).map(([metric, limit]) => thresholdOf(id, metric as Metric, limit)),
  )
}

const form = /^(<=?|>=?)\s*(\d+(?:\.\d+)?)\s*(us|ms|s|%|\/s|x)(?:\s+(\w+))?$/

/** In milliseconds, or as a share. */
const units: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, '%': 0.01 }

const thresholdOf = (scenario: string, metric: Metric, limit: string): Threshold => {
  const text = limit.trim()
  const [, sign, digits, unit = '', of] = form.exec(text) ?? []
  return {
    scenario,
    metric,
    sign: sign as Threshold['sign'],
    value: Number(digits) * (units[unit] ?? 1),
    of: (of ?? null) as Measure | null,
    text,
  }
}

const kindOf = (metric: Metric) =>
  scenario.properties[metric].$ref.slice('#/$defs/'.length) as keyof typeof kinds

/**
 * Records a result for each threshold, also if the run ended early. What was not measured never
 * passes.
 * @param chosen a threshold on any other scenario does not concern the run
 */
export const judgeThresholds = (
  thresholds: Thresholds,
  load: readonly LoadScenarioFigures[],
  chosen: readonly Scenario[],
  record: (judged: Judged, ending: Ending) => void,
): void => {
  for (const threshold of thresholds) {
    const { scenario: name, metric } = threshold
    const own = chosen.find((each) => each.id === name)
    const columns = load.find((each) => each.id === name)?.columns ?? {}
    record(
      { id: `${thresholdPrefix}${name}-${metric}`, requirement: 'gap.load' },
      own
        ? judge(threshold, columns, own.withinQuota === true)
        : { kind: 'threw', error: new Inapplicable(`the scenario ${name} was not selected`) },
    )
  }
}

const compare = (seen: number, sign: Threshold['sign'], bound: number): boolean =>
  (sign.startsWith('<') ? seen < bound : seen > bound) || (sign.endsWith('=') && seen === bound)

/** How many samples a percentile takes; 1 for what is none. */
const samplesFor = (metric: Metric): number =>
  percentiles.find(([, member]) => member === `${metric}Ms`)?.[2] ?? 1

const judge = (
  { scenario: name, metric, sign, value: limit, of, text }: Threshold,
  columns: LoadScenarioFigures['columns'],
  withinQuota: boolean,
): Ending => {
  const other = of === 'baseline' ? (columns.prism ? 'prism' : 'reference') : of
  const needed = samplesFor(metric)
  for (const column of other === null ? ['target'] : ['target', other]) {
    const count = columns[column]?.latency?.count ?? 0
    if (count === 0 || count >= needed) continue
    const where = column === 'target' ? '' : ` at ${column}`
    const few = `${text} takes ${needed} responses, and there were ${count}${where}`
    const why = `${few}; a longer --duration or a larger quota gives more`
    return { kind: 'threw', error: new Untested('budget', `${name} ${metric}: ${why}`) }
  }
  const measured = (column: string) => {
    const figures = columns[column]
    return figures ? measure(metric, figures, withinQuota) : null
  }
  const [seen, baseline] = [measured('target'), other === null ? 1 : measured(other)]
  const met = seen !== null && baseline !== null && compare(seen, sign, limit * baseline)
  const show = (value: number) => describe(metric, value)
  const detail = () => {
    if (seen === null) return `nothing was measured, so ${text} is not met`
    if (other === null) return `${show(seen)} (${text})`
    if (baseline === null) return `${show(seen)}, and nothing was measured at ${other} for ${text}`
    const times = baseline === 0 ? 'no' : (seen / baseline).toFixed(2)
    return `${show(seen)} (${text}: ${other} has ${show(baseline)}, so ${times} times it)`
  }
  const said = `${name} ${metric}: ${detail()}`
  return met ? { kind: 'observed', value: said } : { kind: 'warned', why: said }
}

const measure = (metric: Metric, figures: LoadFigures, withinQuota: boolean): number | null => {
  const { sent, neverSent, counts, steps, durationMs, latency } = figures
  const refused = counts.refused + counts.banned
  if (sent === 0) return null
  switch (metric) {
    case 'errors': {
      const planned = sent + neverSent
      return withinQuota
        ? (planned - counts.served) / planned
        : (sent - counts.served - refused) / sent
    }
    case 'refused':
      return refused / sent
    case 'perSecond':
      if (durationMs === 0) return null
      if (steps?.length) return Math.max(...steps.map(({ perSecond }) => perSecond))
      return (counts.served * 1_000) / durationMs
    default:
      return latency?.[`${metric}Ms`] ?? null
  }
}

const describe = (metric: Metric, value: number): string => {
  const kind = kindOf(metric)
  if (kind === 'rate') return `${value.toFixed(1)} /s`
  return kind === 'share' ? `${Number((value * 100).toPrecision(3))} %` : describeMs(value)
}
