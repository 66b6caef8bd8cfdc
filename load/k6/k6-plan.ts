// What a script for k6 is to send, as data: it is written into the script, and comes back with the
// samples. And the files of `petvet load --to k6`: the program with its plan, how it is run, and a
// manifest for Kubernetes. No key is in any of them.

import { readFileSync } from 'node:fs'
import type { LimitKey, Permission } from '../../engine/check/context.ts'
import { labelKeys, type RunOptions, variableOfKey } from '../../engine/run/run-options.ts'
import { version } from '../../engine/run/version.ts'
import type { Quota } from '../../spec/plans.ts'
import {
  type LoadPlan,
  type LoadSettings,
  type Phase,
  planAll,
  planLoad,
  type Scenario,
} from '../scenario.ts'
import type { Metric, Threshold, Thresholds } from '../thresholds.ts'

export interface K6Header {
  readonly name: string
  readonly value: string
  /** The environment variable of the value, or null. */
  readonly variable: string | null
}

interface K6Phase extends Phase {
  /** The scenario and its position in it: `burst_1`. */
  readonly name: string
  readonly scenario: string
  /** After the start of the test. */
  readonly startSeconds: number
  /** Statuses that are no failure. */
  readonly expected: readonly number[]
}

export interface K6Plan {
  readonly petvet: string
  readonly baseUrl: string
  readonly headers: readonly K6Header[]
  readonly keys: readonly (Omit<LimitKey, 'quota'> & Quota & { readonly variable: string })[]
  readonly banKey: string | null
  readonly settings: LoadSettings
  readonly allow: readonly Permission[]
  readonly shared: boolean
  readonly phases: readonly K6Phase[]
  /** The thresholds of the file, as written. */
  readonly thresholds: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** The thresholds in the form of k6, by metric. */
  readonly limits: Readonly<Record<string, readonly string[]>>
}

/** Before a key is used again all that was sent with it has left its windows. */
const restSeconds = 125
/** Phases begin at the same second of a minute, so that no window ends within a burst. */
const wholeMinutes = (seconds: number): number => Math.ceil(seconds / 60) * 60

const schedule = (scenarios: readonly Scenario[], plan: LoadPlan): readonly K6Phase[] => {
  let startSeconds = 0
  return scenarios.flatMap(({ id, k6, withinQuota }) => {
    const phases = k6?.phases(plan) ?? []
    const expected = withinQuota ? [200] : [200, 429]
    return phases.map((phase, at) => {
      const own = { ...phase, name: `${id}_${at + 1}`, scenario: id, startSeconds, expected }
      const isFollowed = phase.follows === true && at + 1 < phases.length
      const endSeconds = startSeconds + phase.seconds
      startSeconds = isFollowed ? endSeconds + 1 : wholeMinutes(endSeconds + restSeconds)
      return own
    })
  })
}

const latency = 'http_req_duration'

/** The metric of k6 and its figure. */
const metrics: Readonly<Record<Metric, readonly [metric: string, figure: string]>> = {
  mean: [latency, 'avg'],
  p50: [latency, 'p(50)'],
  p90: [latency, 'p(90)'],
  p95: [latency, 'p(95)'],
  p99: [latency, 'p(99)'],
  p999: [latency, 'p(99.9)'],
  max: [latency, 'max'],
  errors: ['http_req_failed', 'rate'],
  refused: ['petvet_refused', 'rate'],
  perSecond: ['http_reqs', 'rate'],
}

/** k6 has no baseline, and its rates are those of the whole test. */
export const isForK6 = ({ metric, of }: Threshold): boolean => of === null && metric !== 'perSecond'

/** Without an exponent, and without the noise of a double. */
const decimal = (value: number): string => value.toFixed(9).replace(/\.?0+$/, '')

const limitsOf = (thresholds: Thresholds, phases: readonly K6Phase[]): K6Plan['limits'] => {
  const limits: Record<string, string[]> = {}
  for (const scenario of new Set(phases.map((phase) => phase.scenario))) {
    // A threshold on a figure without any sample would hold.
    limits[`petvet_served{load:${scenario}}`] = ['count>0']
    for (const one of thresholds.filter((each) => each.scenario === scenario).filter(isForK6)) {
      const [metric, figure] = metrics[one.metric]
      const name = `${metric}{load:${scenario}}`
      limits[name] = [...(limits[name] ?? []), `${figure}${one.sign}${decimal(one.value)}`]
    }
  }
  return limits
}

export interface K6Request {
  readonly target: Pick<RunOptions, 'baseUrl' | 'keys' | 'allow' | 'shared'>
  readonly headers: readonly K6Header[]
  readonly scenarios: readonly Scenario[]
  readonly settings: LoadSettings
  readonly thresholds: Thresholds
}

/** @returns the plan, and why some of the scenarios are not in it */
export const k6Plan = ({ target, headers, scenarios, settings, thresholds }: K6Request) => {
  const plan = planLoad({ ...target, clockUrl: null }, settings)
  const missing = planAll(scenarios, plan).flatMap(({ scenario, lack }) => {
    const why = scenario.k6 ? lack : 'it cannot be sent by k6'
    return why === null ? [] : [{ scenario, why }]
  })
  const able = scenarios.filter((each) => !missing.some(({ scenario }) => scenario === each))
  const phases = schedule(able, plan)
  const texts: Record<string, Record<string, string>> = {}
  for (const { scenario, metric, text } of thresholds) {
    texts[scenario] = { ...texts[scenario], [metric]: text }
  }
  const file: K6Plan = {
    petvet: version,
    baseUrl: target.baseUrl.replace(/\/+$/, ''),
    headers,
    keys: labelKeys(target.keys).map(({ label, plan: name, quota }) => ({
      label,
      plan: name,
      ...quota,
      variable: variableOfKey(label),
    })),
    banKey: plan.banKey?.label ?? null,
    settings,
    allow: target.allow,
    shared: target.shared,
    phases,
    thresholds: texts,
    limits: limitsOf(thresholds, phases),
  }
  return { plan: file, missing }
}

/** The plan of the load that a script sends, as its scenarios know it. */
export const loadPlanIn = ({ keys, banKey, settings, allow, shared }: K6Plan): LoadPlan => {
  const all: LimitKey[] = keys.map(({ label, plan, perMinute, perDay }) => ({
    label,
    plan,
    quota: { perMinute, perDay },
  }))
  return {
    ...settings,
    keys: all.filter(({ label }) => label !== banKey),
    banKey: all.find(({ label }) => label === banKey),
    allow,
    shared,
    instant: false,
  }
}

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

/** The program with this plan in place of its own, and with a first line that says what it is. */
const formatScript = (plan: K6Plan): string => {
  const written = `// A load for k6, written by petvet ${version}. README.md says how it is run.\n`
  return read('script.js')
    .replace(/^(?:\/\/.*\n)+/, () => written)
    .replace(
      /^\/\*\* @type .*\nconst plan = .*$/m,
      () => `const plan = ${JSON.stringify(plan, null, 2)}`,
    )
}

const listVariables = ({ keys, headers }: K6Plan): string[] => [
  ...new Set([
    ...keys.map(({ variable }) => variable),
    ...headers.flatMap(({ variable }) => variable ?? []),
  ]),
]

const countMinutes = ({ phases }: K6Plan): number =>
  Math.ceil(Math.max(0, ...phases.map((each) => each.startSeconds + each.seconds)) / 60)

/** A template with the values of its `{names}`. */
const fill = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole)

const formatReadme = (plan: K6Plan): string =>
  fill(read('templates/README.md'), {
    scenarios: [...new Set(plan.phases.map(({ scenario }) => scenario))].join(', '),
    variables: listVariables(plan)
      .map((name) => `\`${name}\``)
      .join(', '),
    minutes: `${countMinutes(plan)}`,
  })

const formatManifest = (plan: K6Plan): string => {
  const [head = '', entry = ''] = read('templates/testrun.yaml').split(/^ *# One for each .*\n/m)
  return (
    head +
    listVariables(plan)
      .map((variable) => fill(entry, { variable }))
      .join('')
  )
}

/** @returns the files, and why some scenarios are not in them; no files if none of them is */
export const k6Export = (request: K6Request) => {
  const { plan, missing } = k6Plan(request)
  const files = [
    { file: 'load.k6.js', text: formatScript(plan) },
    { file: 'README.md', text: formatReadme(plan) },
    { file: 'testrun.yaml', text: formatManifest(plan) },
    { file: 'plan.json', text: `${JSON.stringify(plan, null, 2)}\n` },
  ]
  return { files: plan.phases.length === 0 ? [] : files, missing }
}
