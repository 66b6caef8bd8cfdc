// Scenarios as scripts for k6: one file each, with the same thresholds. No key is in them.
import { version } from '../engine/version.ts'
import type { Plan, Quota } from '../spec/plans.ts'
import { type LoadSettings, strongest } from './scenario.ts'
import { stepPlan } from './scenarios/capacity.ts'
import { steadyPace } from './scenarios/steady.ts'
import type { Metric, Threshold, Thresholds } from './thresholds.ts'

export interface ExportHeader {
  readonly name: string
  readonly value: string
  /** The environment variable of the value, or null. */
  readonly variable: string | null
}

export interface ExportRequest {
  readonly baseUrl: string
  readonly keys: readonly { label: string; plan: Plan; quota: Quota }[]
  readonly settings: LoadSettings
  readonly thresholds: Thresholds
  readonly headers: readonly ExportHeader[]
}

export interface Script {
  readonly file: string
  readonly text: string
  /** Thresholds that k6 cannot check. */
  readonly leftOut: readonly Threshold[]
}

export const exported = ['capacity', 'fleet', 'steady'] as const

type Name = (typeof exported)[number]

/** The environment variable of a key: `PETVET_KEY_FREE_1`. */
export const variableOfKey = (label: string): string =>
  `PETVET_KEY_${label.toUpperCase().replaceAll('-', '_')}`

/** A scenario in terms of k6. */
interface Body {
  readonly labels: readonly string[]
  /** Statuses that are no failure. */
  readonly expected: string
  readonly scenarios: Readonly<Record<string, object>>
  readonly thresholds: Readonly<Record<string, readonly string[]>>
  /** The lines of a function that waits for fresh windows. */
  readonly windows?: readonly string[]
}

const steadyBody = ({ keys, settings }: ExportRequest): Body | null => {
  const key = strongest(keys)
  if (!key) return null
  const { perSecond, slices, sliceMs } = steadyPace(key.quota, settings.durationMs, 1)
  const rate = Math.max(1, Math.floor(perSecond * 60))
  const executor = {
    executor: 'constant-arrival-rate',
    rate,
    timeUnit: '1m',
    duration: `${(slices * sliceMs) / 1_000}s`,
    preAllocatedVUs: Math.min(200, Math.max(10, Math.ceil(rate / 30))),
    maxVUs: 1_000,
    env: { LABEL: key.label },
  }
  const thresholds = { dropped_iterations: ['count<1'] }
  return { labels: [key.label], expected: '200', scenarios: { steady: executor }, thresholds }
}

/** Of a minute's quota, for all steps together. */
const capacityShare = 0.9

const capacityBody = ({ keys, settings }: ExportRequest): Body | null => {
  const key = strongest(keys)
  if (key?.plan !== 'enterprise') return null
  const { steps, stepMs } = stepPlan(settings, 1)
  const maxRequests = Math.floor((capacityShare * key.quota.perMinute) / steps.length)
  const stepSeconds = Math.max(1, Math.round(stepMs / 1_000))
  const executors = steps.map((connections, index) => [
    `connections_${connections}`,
    {
      executor: 'shared-iterations',
      vus: connections,
      iterations: Math.max(connections, maxRequests),
      maxDuration: `${stepSeconds}s`,
      startTime: `${index * (stepSeconds + 1)}s`,
      gracefulStop: '1s',
      env: { LABEL: key.label },
    },
  ])
  // Thresholds that always hold make the summary show each step by itself.
  const thresholds = steps.flatMap((connections) => [
    [`http_req_duration{scenario:connections_${connections}}`, ['max>=0']],
    [`http_reqs{scenario:connections_${connections}}`, ['count>=0']],
  ])
  return {
    labels: [key.label],
    expected: '200',
    scenarios: Object.fromEntries(executors),
    thresholds: Object.fromEntries(thresholds),
  }
}

/** Larger quotas are for `capacity`. */
const maxFleetQuota = 1_000

/**
 * One request of each key is refused, and no more: these keys must not be banned. Whether more than
 * the quota is served is for petvet to judge: a limiter may legally refill in between.
 */
const surplus = 1

const fleetBody = ({ keys }: ExportRequest): Body | null => {
  const own = keys.filter(({ quota }) => quota.perMinute <= maxFleetQuota)
  if (own.length === 0) return null
  const nameOf = (label: string) => label.replace('-', '_')
  const executors = own.map(({ label, quota }) => [
    nameOf(label),
    {
      executor: 'shared-iterations',
      vus: 10,
      iterations: quota.perMinute + surplus,
      maxDuration: '50s',
      env: { LABEL: label },
    },
  ])
  // None is refused before its quota is spent.
  const thresholds = own.map(({ label, quota }) => [
    `petvet_served{scenario:${nameOf(label)}}`,
    [`count>=${quota.perMinute}`],
  ])
  return {
    labels: own.map(({ label }) => label),
    expected: '200, 429',
    scenarios: Object.fromEntries(executors),
    thresholds: Object.fromEntries(thresholds),
    windows: waitForWindows,
  }
}

/** The burst of a key has to fall into one window. */
const waitForWindows = [
  "// Waits until the minute's window of each key has begun anew.",
  'const waitForWindows = () => {',
  '  let waitSeconds = 0',
  '  for (const label of Object.keys(keys)) {',
  '    const { headers } = ask(label)',
  '    const now = Date.parse(headers.Date) / 1000',
  "    const restSeconds = Number(headers['X-Ratelimit-Reset']) - now",
  '    if (restSeconds <= 120) waitSeconds = Math.max(waitSeconds, restSeconds + 1)',
  '  }',
  '  sleep(waitSeconds)',
  '}',
  '',
]

const bodies: Readonly<Record<Name, (request: ExportRequest) => Body | null>> = {
  steady: steadyBody,
  capacity: capacityBody,
  fleet: fleetBody,
}

const duration = 'http_req_duration{expected_response:true}'

/** The metric of k6 and its value. */
const metrics: Readonly<Record<Metric, readonly [metric: string, value: string]>> = {
  mean: [duration, 'avg'],
  p50: [duration, 'p(50)'],
  p90: [duration, 'p(90)'],
  p99: [duration, 'p(99)'],
  p999: [duration, 'p(99.9)'],
  max: [duration, 'max'],
  errors: ['http_req_failed', 'rate'],
  refused: ['petvet_refused', 'rate'],
  perSecond: ['http_reqs', 'rate'],
}

/** k6 has no figure for the best of several steps. */
const canCheck = ({ scenario, metric }: Threshold): boolean =>
  !(scenario === 'capacity' && metric === 'perSecond')

/** A script for each named scenario that one of the keys is suitable for. */
export const k6Scripts = (request: ExportRequest, names: readonly Name[]): Script[] =>
  names.flatMap((name) => {
    const body = bodies[name](request)
    if (!body) return []
    const own = request.thresholds.filter(({ scenario }) => scenario === name)
    const text = scriptOf(name, request, body, own.filter(canCheck))
    return [{ file: `${name}.k6.js`, text, leftOut: own.filter((one) => !canCheck(one)) }]
  })

/** The environment variable of a baseline's figure: `PETVET_PRISM_P99_MS`. */
const variableOfBaseline = ({ of, metric }: Threshold): string => {
  const unit = metric === 'perSecond' ? 'PER_SECOND' : `${metric.toUpperCase()}_MS`
  return `PETVET_${(of ?? 'baseline').toUpperCase()}_${unit}`
}

/** Without an exponent, and without the noise of a double. */
const decimal = (value: number): string => value.toFixed(9).replace(/\.?0+$/, '')

const limitOf = (threshold: Threshold): string => {
  const { metric, sign, value, of } = threshold
  const [, figure] = metrics[metric]
  if (of === null) return JSON.stringify(`${figure}${sign}${decimal(value)}`)
  return `\`${figure}${sign}\${${decimal(value)} * numberIn('${variableOfBaseline(threshold)}')}\``
}

const thresholdLines = (body: Body, own: readonly Threshold[]): string[] => {
  const limits = new Map<string, string[]>([['petvet_served', ["'count>0'"]]])
  for (const [metric, texts] of Object.entries(body.thresholds)) {
    const quoted = texts.map((text) => JSON.stringify(text))
    limits.set(metric, quoted)
  }
  for (const threshold of own) {
    const [metric] = metrics[threshold.metric]
    limits.set(metric, [...(limits.get(metric) ?? []), limitOf(threshold)])
  }
  return [...limits].map(([metric, texts]) => `    '${metric}': [${texts.join(', ')}],`)
}

const headerLines = ({ headers }: ExportRequest): string => {
  const lines = headers.map(({ name, value, variable }) => {
    const text = variable === null ? JSON.stringify(value) : `textIn('${variable}')`
    return `\n  ${JSON.stringify(name)}: ${text},`
  })
  return lines.length === 0 ? '{}' : `{${lines.join('')}\n}`
}

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
    ...(body.windows ? ["import { sleep } from 'k6'"] : []),
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
    `  scenarios: ${JSON.stringify(body.scenarios, null, 2).replaceAll('\n', '\n  ')},`,
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
    ...(body.windows ?? []),
    'export function setup() {',
    '  // A threshold on a figure without any sample would hold.',
    '  served.add(0)',
    ...(body.windows ? ['  waitForWindows()'] : []),
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
