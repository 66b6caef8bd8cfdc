// The scenarios as scripts for k6: one file each, with the same thresholds.
import { version } from '../engine/version.ts'
import { type Body, bodies, type Name } from './export-k6-bodies.ts'
import {
  decimal,
  type ExportRequest,
  type Script,
  shapesOf,
  variableOfBaseline,
} from './export-shape.ts'
import type { Metric, Threshold } from './thresholds.ts'
import { variableOfKey } from './variable-of-key.ts'

/** Where k6 keeps a figure, and what it calls it. */
const metrics: Readonly<Record<Metric, readonly [metric: string, value: string]>> = {
  mean: ['http_req_duration{expected_response:true}', 'avg'],
  p50: ['http_req_duration{expected_response:true}', 'p(50)'],
  p90: ['http_req_duration{expected_response:true}', 'p(90)'],
  p99: ['http_req_duration{expected_response:true}', 'p(99)'],
  p999: ['http_req_duration{expected_response:true}', 'p(99.9)'],
  max: ['http_req_duration{expected_response:true}', 'max'],
  errors: ['http_req_failed', 'rate'],
  refused: ['petvet_refused', 'rate'],
  perSecond: ['http_reqs', 'rate'],
}

/** The best step of several is no figure of k6. */
const canHold = ({ scenario, metric }: Threshold): boolean =>
  !(scenario === 'capacity' && metric === 'perSecond')

export const k6Scripts = (request: ExportRequest, names: readonly Name[]): Script[] => {
  const shapes = shapesOf(request)
  return names.flatMap((name) => {
    const body = shapes[name] && bodies[name](shapes)
    if (!body) return []
    const own = request.thresholds.filter(({ scenario }) => scenario === name)
    const text = scriptOf(name, request, body, own.filter(canHold))
    return [{ file: `${name}.k6.js`, text, leftOut: own.filter((one) => !canHold(one)) }]
  })
}

const limitOf = (threshold: Threshold): string => {
  const { metric, sign, value, of } = threshold
  const [, figure] = metrics[metric]
  if (of === null) return JSON.stringify(`${figure}${sign}${decimal(value)}`)
  return `\`${figure}${sign}\${${decimal(value)} * numberIn('${variableOfBaseline(threshold)}')}\``
}

const thresholdLines = (body: Body, own: readonly Threshold[]): string[] => {
  const lines = new Map<string, string[]>([['petvet_served', ["'count>0'"]]])
  for (const [metric, limits] of Object.entries(body.thresholds)) {
    lines.set(
      metric,
      limits.map((limit) => JSON.stringify(limit)),
    )
  }
  for (const threshold of own) {
    const [metric] = metrics[threshold.metric]
    lines.set(metric, [...(lines.get(metric) ?? []), limitOf(threshold)])
  }
  return [...lines].map(([metric, limits]) => `    '${metric}': [${limits.join(', ')}],`)
}

const headerLines = ({ headers }: ExportRequest): string => {
  const lines = headers.map(({ name, value, variable }) => {
    const text = variable === null ? JSON.stringify(value) : `textIn('${variable}')`
    return `\n  ${JSON.stringify(name)}: ${text},`
  })
  return lines.length === 0 ? '{}' : `{${lines.join('')}\n}`
}

/** A line of JSON or of a list, with the indent of where it stands. */
const indented = (depth: number, text: string): string =>
  text.replaceAll('\n', `\n${' '.repeat(depth)}`)

const scriptOf = (
  name: Name,
  request: ExportRequest,
  body: Body,
  own: readonly Threshold[],
): string =>
  [
    `// The scenario ${name} for k6, written by petvet ${version}.`,
    '// Keys come from the environment.',
    `//   k6 run ${name}.k6.js`,
    "import http from 'k6/http'",
    ...(body.windows.length === 0 ? [] : ["import { sleep } from 'k6'"]),
    "import { Counter, Rate } from 'k6/metrics'",
    '',
    'const textIn = (name) => {',
    '  if (__ENV[name]) return __ENV[name]',
    "  throw new Error(name + ' is not set: export it first')",
    '}',
    ...(own.some(({ of }) => of !== null) ? numberIn : []),
    '',
    `const target = __ENV.PETVET_TARGET || ${JSON.stringify(request.baseUrl)}`,
    'const keys = {',
    ...body.labels.map((label) => `  '${label}': textIn('${variableOfKey(label)}'),`),
    '}',
    `const further = ${headerLines(request)}`,
    "const served = new Counter('petvet_served')",
    "const refused = new Rate('petvet_refused')",
    '',
    'export const options = {',
    '  discardResponseBodies: true,',
    '  maxRedirects: 0,',
    "  setupTimeout: '180s',",
    "  summaryTrendStats: ['avg', 'p(50)', 'p(90)', 'p(99)', 'p(99.9)', 'max', 'count'],",
    `  scenarios: ${indented(2, JSON.stringify(body.scenarios, null, 2))},`,
    '  thresholds: {',
    ...thresholdLines(body, own),
    '  },',
    '}',
    '',
    `http.setResponseCallback(http.expectedStatuses(${body.expected}))`,
    '',
    'const ask = (label) =>',
    "  http.get(target + '/pets?limit=1', {",
    "    headers: { ...further, Authorization: 'Bearer ' + keys[label] },",
    "    timeout: '10s',",
    '  })',
    '',
    ...body.windows,
    'export function setup() {',
    '  // A threshold on a figure without any sample would hold.',
    '  served.add(0)',
    ...(body.windows.length === 0 ? [] : ['  waitForWindows()']),
    '}',
    '',
    'export default function () {',
    '  const { status } = ask(__ENV.LABEL)',
    '  if (status === 200) served.add(1)',
    '  refused.add(status === 429)',
    '}',
    '',
  ].join('\n')

const numberIn = [
  '',
  'const numberIn = (name) => {',
  '  const value = Number(textIn(name))',
  '  if (value > 0) return value',
  "  throw new Error(name + ' is no number above zero')",
  '}',
]
