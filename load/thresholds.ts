// Thresholds on the figures of each scenario, read from their file and validated.
import { compileSchema } from '../spec/schemas.ts'
import { parseYaml } from '../spec/yaml.ts'
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
