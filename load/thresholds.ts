// Thresholds on the figures of each scenario: read from their file, validated, and judged.

import {
  describeMs,
  type LoadFigures,
  type LoadScenarioFigures,
  samplesFor,
  thresholdPrefix,
} from '../engine/check/run-file.ts'
import type { Judged } from '../engine/run/results.ts'
import { isObject, type Json, type JsonObject } from '../history/json.ts'
import { type Ending, Inapplicable, Untested } from '../history/outcome.ts'
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

/** @throws Error where it is no object with members */
const membersOf = (value: unknown, expected: string): [name: string, member: unknown][] => {
  const members = isObject(value as Json) ? Object.entries(value as JsonObject) : []
  if (members.length > 0) return members
  throw new Error(expected)
}

const knownIn = <Name extends string>(names: Record<Name, unknown>, name: string, what: string) => {
  if (Object.hasOwn(names, name)) return name as Name
  throw new Error(`unknown ${what} "${name}"; available: ${Object.keys(names).join(', ')}`)
}

/**
 * Reads YAML or JSON.
 * @throws Error of one line: which threshold is invalid, and what is expected
 */
export const readThresholds = (text: string): Thresholds =>
  membersOf(
    parseYaml(text),
    'the file expects scenarios, for example steady: { p99: "< 20 ms" }',
  ).flatMap(([name, limits]) => {
    if (name === '$schema') return []
    const id = knownIn(scenarios, name, 'scenario')
    const figures = membersOf(limits, `${id} expects figures, for example p99: "< 20 ms"`)
    return figures.map(([figure, limit]) => {
      const metric = knownIn(scenario.properties, figure, `figure of ${id}`)
      return thresholdOf(id, metric, limit)
    })
  })

const form = /^(<=?|>=?)\s*(\d+(?:\.\d+)?)\s*(us|ms|s|%|\/s|x)(?:\s+(\w+))?$/

/** In milliseconds, or as a share. */
const units: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, '%': 0.01 }

const thresholdOf = (scenario: string, metric: Metric, limit: unknown): Threshold => {
  const kind = kindOf(metric)
  if (typeof limit !== 'string' || !new RegExp(kinds[kind].pattern).test(limit)) {
    const got = JSON.stringify(limit)
    throw new Error(`${scenario}.${metric} expects ${examples[kind]}, got ${got}`)
  }
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

type Kind = keyof typeof kinds

const kindOf = (metric: Metric): Kind =>
  scenario.properties[metric].$ref.slice('#/$defs/'.length) as Kind

const examples: Readonly<Record<Kind, string>> = {
  latency: '"< 20 ms" (us, ms or s) or "< 3x baseline" (or prism, or reference)',
  share: '"< 0.1 %", a share of the requests sent',
  rate: '"> 500 /s" or "> 0.5x baseline" (or prism, or reference)',
}

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
    const id = `${thresholdPrefix}${name}-${metric}`
    const judged = { id, requirement: 'gap.load' } as const
    const own = chosen.find((each) => each.id === name)
    if (!own) {
      const error = new Inapplicable(`the scenario ${name} was not selected`)
      record(judged, { kind: 'threw', error })
      continue
    }
    const columns = load.find((each) => each.id === name)?.columns ?? {}
    const few = tooFew(threshold, columns)
    if (few !== undefined) {
      const error = new Untested('budget', `${name} ${metric}: ${few}`)
      record(judged, { kind: 'threw', error })
      continue
    }
    const { isMet, detail } = judge(threshold, columns, own.withinQuota === true)
    const text = `${name} ${metric}: ${detail}`
    record(judged, isMet ? { kind: 'observed', value: text } : { kind: 'warned', why: text })
  }
}

/** Why there are too few responses for a percentile; undefined: there are enough, or none. */
const tooFew = (
  { metric, of, text }: Threshold,
  columns: LoadScenarioFigures['columns'],
): string | undefined => {
  const needed = samplesFor(metric)
  const compared = of === null ? [] : [nameOf(of, columns)]
  for (const name of ['target', ...compared]) {
    const count = columns[name]?.latency?.count ?? 0
    if (count === 0 || count >= needed) continue
    const where = name === 'target' ? '' : ` at ${name}`
    const why = `${text} takes ${needed} responses, and there were ${count}${where}`
    return `${why}; a longer --duration or a larger quota gives more`
  }
  return undefined
}

/** The column of a measure. */
const nameOf = (of: Measure, columns: LoadScenarioFigures['columns']): string =>
  of === 'baseline' ? (columns.prism ? 'prism' : 'reference') : of

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
  const name = nameOf(of, columns)
  const baseline = measured(columns[name])
  if (baseline === null) {
    const detail = `${show(seen)}, and nothing was measured at ${name} for ${text}`
    return { isMet: false, detail }
  }
  const times = baseline === 0 ? 'no' : (seen / baseline).toFixed(2)
  const compared = `${text}: ${name} has ${show(baseline)}, so ${times} times it`
  return { isMet: compare[sign](seen, limit * baseline), detail: `${show(seen)} (${compared})` }
}

const compare: Readonly<Record<Threshold['sign'], (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
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
