// Thresholds on the figures of each scenario: read from their file, validated, and judged.
import { type Ending, Inapplicable } from '../engine/outcome.ts'
import { describeMs, type LoadFigures, type LoadScenarioFigures } from '../engine/run-file.ts'
import type { Judged } from '../engine/run-state.ts'
import { compileSchema } from '../spec/schemas.ts'
import { parseYaml } from '../spec/yaml.ts'
import type { Scenario } from './scenario.ts'
import schema from './thresholds.schema.json' with { type: 'json' }

const { scenario, ...kinds } = schema.$defs
const { $schema: _, ...scenarios } = schema.properties

export type Metric = keyof typeof scenario.properties

/** `baseline` is Prism, or the reference if that did not run. */
type Measure = 'baseline' | 'prism' | 'reference'

export interface Threshold {
  readonly scenario: string
  readonly metric: Metric
  readonly sign: '<' | '<=' | '>' | '>='
  /** Milliseconds, a share from 0 to 1, or requests per second; with `of`, how many times that. */
  readonly value: number
  readonly of: Measure | null
  readonly text: string
}

export type Thresholds = readonly Threshold[]

type Given = Readonly<Record<string, Readonly<Record<string, string>>>>

const check = compileSchema(schema)

/**
 * Reads YAML or JSON.
 * @throws Error of one line: which threshold is invalid, and what is expected
 */
export const readThresholds = (text: string): Thresholds => {
  const value = parseYaml(text)
  const fault = check(value)
  if (fault !== undefined) throw new Error(describeFault(fault))
  const { $schema: _, ...given } = value as Given
  return Object.entries(given).flatMap(([scenario, limits]) =>
    Object.entries(limits).map(([metric, limit]) =>
      thresholdOf(scenario, metric as Metric, limit.trim()),
    ),
  )
}

const form = /^(<=?|>=?)\s*(\d+(?:\.\d+)?)\s*(us|ms|s|%|\/s|x)(?:\s+(\w+))?$/

/** In milliseconds, or as a share. */
const units: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, '%': 0.01 }

const thresholdOf = (scenario: string, metric: Metric, text: string): Threshold => {
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

/** A fault of the schema in the words of the file. */
const describeFault = (fault: string): string => {
  const [place = '', said = fault] = fault.split(/ (must .*)/s)
  const path = place.split('/').filter((part) => part !== '' && part !== 'the value')
  const unknown = /^must not have (.+)$/.exec(said)?.[1]
  if (unknown !== undefined) {
    const known = Object.keys(path.length === 0 ? scenarios : scenario.properties)
    const where = path.length === 0 ? 'scenario' : `figure of ${path.join('.')}`
    return `unknown ${where} "${unknown}"; available: ${known.join(', ')}`
  }
  const metric = path[1] as Metric | undefined
  const kind = metric && kindOf(scenario.properties[metric].$ref)
  if (kind !== undefined) return `${path.join('.')} expects ${examples[kind]}, ${gotWhat(said)}`
  if (path.length > 0) return `${path.join('.')} expects figures, for example p99: "< 20 ms"`
  return 'the file expects scenarios, for example steady: { p99: "< 20 ms" }'
}

type Kind = keyof typeof kinds

const kindOf = (ref: string): Kind => ref.slice('#/$defs/'.length) as Kind

const examples: Readonly<Record<Kind, string>> = {
  latency: '"< 20 ms" (us, ms or s) or "< 3x baseline" (or prism, or reference)',
  share: '"< 0.1 %", a share of the requests sent',
  rate: '"> 500 /s" or "> 0.5x baseline" (or prism, or reference)',
}

const gotWhat = (said: string): string => `got ${/, is (.+)$/s.exec(said)?.[1] ?? 'another value'}`

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
    const judged = { id: `load-threshold-${name}-${metric}`, requirement: 'gap.load' } as const
    const own = chosen.find(({ id }) => id === name)
    if (!own) {
      const error = new Inapplicable(`the scenario ${name} was not selected`)
      record(judged, { kind: 'threw', error })
      continue
    }
    const columns = load.find(({ id }) => id === name)?.columns ?? {}
    const { isMet, detail } = judge(threshold, columns, own.withinQuota === true)
    const text = `${name} ${metric}: ${detail}`
    record(judged, isMet ? { kind: 'observed', value: text } : { kind: 'warned', why: text })
  }
}

const judge = (
  { metric, sign, value: limit, of, text }: Threshold,
  columns: LoadScenarioFigures['columns'],
  withinQuota: boolean,
) => {
  const measured = (figures: LoadFigures | undefined) =>
    figures ? measure(metric, figures, withinQuota) : null
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

const share = (part: number, { sent }: LoadFigures): number | null =>
  sent === 0 ? null : part / sent

const refusedOf = ({ counts }: LoadFigures): number => counts.refused + counts.banned

const measure = (metric: Metric, figures: LoadFigures, withinQuota: boolean): number | null => {
  const { sent, neverSent, counts, steps, durationMs, latency } = figures
  switch (metric) {
    case 'errors': {
      if (!withinQuota) {
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
