// The plan of a load from several machines, as data: what is sent when, by how many users, with
// which keys; and the folder that it lies in, with the program that reads it.
import { readFileSync } from 'node:fs'
import { dayReserve } from '../../engine/quota/ledger.ts'
import {
  type LabelledKey,
  labelKeys,
  plainTarget,
  type RunOptions,
} from '../../engine/run/run-options.ts'
import { version } from '../../engine/run/version.ts'
import { chooseRoot } from '../../history/exchange.ts'
import { loadRequest } from '../calls.ts'
import { type LoadSettings, missingFor, planLoad, type Scenario } from '../scenario.ts'
import { scenarios } from '../scenarios.ts'
import { type Phase, PlannedLane } from './planned-lane.ts'

/** What a plan is computed from, so that a reader need not believe the rest. */
export interface PlanInput
  extends LoadSettings,
    Pick<RunOptions, 'baseUrl' | 'allow' | 'shared' | 'headers' | 'responseTimeoutMs'> {
  /** In place of its text, which only the environment of the workers has, a key is `$NAME`. */
  readonly keys: readonly LabelledKey[]
  /** What the environment has. */
  readonly variables: readonly string[]
  readonly scenarios: readonly string[]
  /** A file next to the plan. */
  readonly ca: string | null
}

export interface LocustPlan extends PlanInput {
  readonly petvet: string
  readonly url: string
  readonly users: number
  readonly requests: number
  readonly seconds: number
  readonly phases: readonly Phase[]
}

/** The start is agreed on within a minute, and what is in flight at the end is waited for. */
const marginSeconds = 80

const alone = 'it sends single requests, which one machine does: leave out --to'

/** The scenarios of a plan; of each that is left out, why. */
export const chosenBy = (input: PlanInput) => {
  const settings = planLoad({ ...plainTarget, ...input }, input)
  const lackOf = (each: Scenario) => (each.adapts ? alone : missingFor(each, settings)?.message)
  const named = scenarios.filter(({ id }) => input.scenarios.includes(id))
  const chosen = named.filter((each) => lackOf(each) === undefined)
  const others = named.filter((each) => !chosen.includes(each))
  return {
    settings,
    chosen,
    leftOut: others.map((each) => `${each.id} is left out: ${lackOf(each)}`),
  }
}

/** @throws Error of one line where the plan would exceed a limit */
export const makePlan = async (input: PlanInput): Promise<LocustPlan> => {
  const { settings, chosen, leftOut } = chosenBy(input)
  if (chosen.length === 0) throw new Error(`no scenario: ${leftOut[0]}`)
  const lane = new PlannedLane(settings)
  for (const each of chosen) await lane.take(each)
  // A user takes its phases in this order.
  const phases = lane.phases.toSorted((a, b) => a.atMs - b.atMs)
  for (const { label, quota } of input.keys) {
    const requests = sumOf(phases.filter(({ key }) => key === label))
    const left = quota.perDay - (input.allow.includes('day') ? 0 : dayReserve(quota))
    if (requests <= left) continue
    throw new Error(`the plan has ${requests} requests of ${label}, whose day has ${left} for it`)
  }
  const most = (of: (phase: Phase) => number) => Math.max(...phases.map(of))
  return {
    ...{ ...input, petvet: version, requests: sumOf(phases), phases },
    url: `${chooseRoot(new URL(input.baseUrl), 'base')}${loadRequest.path}`,
    users: most(({ first, users }) => first + users),
    seconds: marginSeconds + Math.ceil(most(({ atMs, forMs }) => atMs + forMs) / 1_000),
  }
}

export const sumOf = (phases: readonly Phase[]): number =>
  phases.reduce((sum, { requests }) => sum + requests, 0)

type Target = Pick<
  RunOptions,
  'baseUrl' | 'keys' | 'allow' | 'shared' | 'headers' | 'secrets' | 'reach'
>

export interface Planned extends Pick<RunOptions, 'maxRequests' | 'responseTimeoutMs'> {
  readonly scenarios: readonly Scenario[]
  readonly load: LoadSettings
}

const copied = (name: string) =>
  [name, readFileSync(new URL(name, import.meta.url), 'utf8')] as const

/** @throws Error of one line where there can be no such plan */
export const filesForLocust = async (target: Target, given: Planned) => {
  const { reach, baseUrl, allow, shared, secrets } = target
  if (reach.insecure) throw new Error('Locust verifies certificates: give --ca, not --insecure')
  if (reach.identity) throw new Error('a client certificate cannot be used with --to locust')
  const keys = labelKeys(target.keys)
  if (keys.some(({ key }) => baseUrl.includes(key))) throw new Error('the base URL has a key in it')
  const hidden = [...secrets, ...keys.map(({ key, variable }) => ({ text: key, name: variable }))]
  const input: PlanInput = {
    ...{ baseUrl, allow, shared, responseTimeoutMs: given.responseTimeoutMs },
    ...{ ...given.load, connections: [Math.max(...given.load.connections)] },
    keys: keys.map((key) => ({ ...key, key: `$${key.variable}` })),
    variables: [...new Set(hidden.map(({ name }) => name))],
    headers: target.headers.map(([name, value]) => [name, templateOf(value, hidden)]),
    scenarios: given.scenarios.map(({ id }) => id),
    ca: reach.ca && 'ca.pem',
  }
  const plan = await makePlan(input)
  if (plan.requests > given.maxRequests) {
    const most = `more than the ${given.maxRequests} of --max-requests`
    throw new Error(`the plan has ${plan.requests} requests, ${most}`)
  }
  const files: (readonly [name: string, text: string])[] = [
    ...['locustfile.py', 'requirements.txt', 'README.md'].map(copied),
    [planName, `${JSON.stringify(plan, null, 2)}\n`],
  ]
  if (reach.ca && plan.ca) files.push([plan.ca, reach.ca])
  return { files, plan, leftOut: chosenBy(input).leftOut }
}

export const planName = 'plan.json'

/** A header value with `${NAME}` in place of secrets, for the workers to fill in. */
const templateOf = (value: string, hidden: RunOptions['secrets']): string => {
  const escaped = (text: string) => text.replaceAll('$', '$$$$')
  return hidden.reduce(
    (text, { text: secret, name }) => text.replaceAll(escaped(secret), () => `\${${name}}`),
    escaped(value),
  )
}
