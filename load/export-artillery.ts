// The scenarios as scripts for Artillery: one file each, with the same thresholds.
import { version } from '../suites/kit/version.ts'
import {
  decimal,
  type ExportRequest,
  type FleetKey,
  type Script,
  type Shapes,
  shapesOf,
  variableOfBaseline,
} from './export-shape.ts'
import type { Metric, Threshold } from './thresholds.ts'
import { variableOfKey } from './variable-of-key.ts'

type Name = keyof Shapes

/** Where Artillery keeps a figure; what is not here, it cannot hold. */
const metrics: Readonly<Partial<Record<Metric, string>>> = {
  mean: 'http.response_time.2xx.mean',
  p50: 'http.response_time.2xx.p50',
  p90: 'http.response_time.2xx.p90',
  p99: 'http.response_time.2xx.p99',
  max: 'http.response_time.2xx.max',
  perSecond: 'http.request_rate',
}

/**
 * The best step of several is no figure of Artillery, a count of refusals may be missing, and it
 * knows whole milliseconds: what takes half of one is 0 to it.
 */
const canHold = ({ scenario, metric, value, of }: Threshold): boolean => {
  if (metric === 'errors') return scenario !== 'fleet'
  if (metric === 'perSecond') return scenario !== 'capacity'
  return metric in metrics && (of !== null || value >= 1)
}

export const artilleryScripts = (request: ExportRequest, names: readonly Name[]): Script[] => {
  const shapes = shapesOf(request)
  return names.flatMap((name) => {
    const body = shapes[name] && bodies[name](shapes, request)
    if (!body) return []
    const own = request.thresholds.filter(({ scenario }) => scenario === name)
    const conditions = [...body.conditions, ...own.filter(canHold).map(conditionOf)]
    const text = scriptOf(name, request, body, conditions)
    return [{ file: `${name}.artillery.yaml`, text, leftOut: own.filter((one) => !canHold(one)) }]
  })
}

interface Body {
  /** Lines below their headings, each with its own indent. */
  readonly phases: readonly string[]
  readonly flow: readonly string[]
  readonly conditions: readonly string[]
  readonly plugins: readonly string[]
  readonly begin: string
  /** That all virtual users share. */
  readonly connections: number
}

const quoted = (text: string): string => JSON.stringify(text)

const indented = (depth: number, lines: readonly string[]): string[] =>
  lines.map((line) => `${' '.repeat(depth)}${line}`)

/** A request with one key. */
const get = (label: string, { headers }: ExportRequest, further: readonly string[]): string[] => [
  '- get:',
  '    url: /pets?limit=1',
  '    followRedirect: false',
  ...indented(4, further),
  '    headers:',
  ...headers.map(({ name, value, variable }) => {
    const text = variable === null ? value : `{{ $env.${variable} }}`
    return `      ${quoted(name)}: ${quoted(text)}`
  }),
  `      Authorization: "Bearer {{ $env.${variableOfKey(label)} }}"`,
]

/** Requests of one virtual user, before another takes its place. */
const perUser = 20
/** Users that begin in a second, at most: only so many as may be there at once do. */
const arrivalsMost = 100

const bodies: Readonly<Record<Name, (shapes: Shapes, request: ExportRequest) => Body | null>> = {
  steady: ({ steady }, request) =>
    steady && {
      phases: [
        `- duration: ${steady.seconds}`,
        `  arrivalCount: ${Math.floor((steady.perMinute * steady.seconds) / 60)}`,
      ],
      flow: get(steady.label, request, []),
      conditions: ['http.codes.200 > 0'],
      plugins: ['ensure: {}'],
      begin: '',
      connections: 50,
    },
  capacity: ({ capacity }, request) => {
    if (!capacity) return null
    const { steps, stepSeconds, requestsMost, label } = capacity
    const arrivals = Math.floor(requestsMost / (perUser * stepSeconds))
    return {
      phases: steps.flatMap((connections) => [
        `- name: ${connections} connections`,
        `  duration: ${stepSeconds}`,
        `  arrivalRate: ${Math.min(arrivalsMost, Math.max(1, arrivals))}`,
        `  maxVusers: ${connections}`,
      ]),
      flow: ['- loop:', ...indented(4, get(label, request, [])), `  count: ${perUser}`],
      conditions: ['http.codes.200 > 0'],
      plugins: ['ensure: {}'],
      begin: '',
      connections: Math.max(...steps),
    }
  },
  fleet: ({ fleet }, request) =>
    fleet && {
      phases: ['- duration: 1', '  arrivalCount: 1'],
      flow: [
        '- loop:',
        '    - parallel:',
        ...fleet.keys.flatMap((key) => indented(8, get(key.label, request, ofFleet(key)))),
        `  count: ${Math.max(...fleet.keys.map(({ requests }) => requests))}`,
      ],
      // None is refused before its quota is spent.
      conditions: fleet.keys.map(
        ({ label, perMinute }) =>
          `plugins.metrics-by-endpoint.${nameOf(label)}.codes.200 >= ${perMinute}`,
      ),
      plugins: ['ensure: {}', 'metrics-by-endpoint: { useOnlyRequestNames: true }'],
      begin: 'sleep $((65 - 10#$(date +%S))) && ',
      connections: 10,
    },
}

/** A name that can stand in an expression. */
const nameOf = (label: string): string => label.replace('-', '_')

const ofFleet = ({ label, requests }: FleetKey): string[] => [
  `name: ${nameOf(label)}`,
  `ifTrue: "$loopCount < ${requests}"`,
]

const conditionOf = (threshold: Threshold): string => {
  const { metric, sign, value, of } = threshold
  if (metric === 'errors') {
    const least = decimal(1 - value)
    return `http.codes.200 ${sign === '<' ? '>' : '>='} ${least} * http.requests`
  }
  const times = of === null ? '' : ` * {{ $env.${variableOfBaseline(threshold)} }}`
  return `${metrics[metric]} ${sign} ${decimal(value)}${times}`
}

const scriptOf = (
  name: Name,
  { baseUrl }: ExportRequest,
  { phases, flow, plugins, begin, connections }: Body,
  conditions: readonly string[],
): string =>
  [
    `# The scenario ${name} for Artillery, written by petvet ${version}.`,
    '# Keys come from the environment.',
    `#   ${begin}ARTILLERY_DISABLE_TELEMETRY=true artillery run ${name}.artillery.yaml`,
    'config:',
    `  target: ${quoted(baseUrl)}`,
    '  http:',
    '    timeout: 10',
    // Without this each virtual user has a connection of its own, and keeps it.
    `    pool: ${connections}`,
    '  plugins:',
    ...indented(4, plugins),
    '  phases:',
    ...indented(4, phases),
    '  ensure:',
    '    conditions:',
    // A figure that was not measured keeps no condition.
    ...indented(
      6,
      conditions.map((condition) => `- expression: ${quoted(condition)}`),
    ),
    'scenarios:',
    '  - flow:',
    ...indented(6, flow),
    '',
  ].join('\n')
