// The plan of a load from several machines, as data: what is sent when, by how many users, with
// which keys; and the folder that it lies in, with the program that reads it.
import { readFileSync } from 'node:fs'
import { type LabelledKey, labelKeys, type RunOptions } from '../../engine/run/run-options.ts'
import { chooseRoot } from '../../history/exchange.ts'
import { loadRequest } from '../calls.ts'
import { type LoadSettings, planAll, planLoad, type Scenario } from '../scenario.ts'
import { scenarios } from '../scenarios.ts'
import { type Phase, PlannedLane, sumOf } from './planned-lane.ts'

/** The last members are computed from the others: a reader need not believe them. */
export interface LocustPlan
  extends LoadSettings,
    Pick<RunOptions, 'baseUrl' | 'allow' | 'shared' | 'headers' | 'responseTimeoutMs'> {
  /** In place of its text, which only the environment of the workers has, a key is `$NAME`. */
  readonly keys: readonly LabelledKey[]
  /** What the environment has. */
  readonly variables: readonly string[]
  readonly scenarios: readonly string[]
  readonly url: string
  readonly users: number
  readonly requests: number
  readonly seconds: number
  readonly phases: readonly Phase[]
}

/** @throws Error of one line where the plan would exceed a limit */
export const makePlan = async (
  input: Omit<LocustPlan, 'url' | 'users' | 'requests' | 'seconds' | 'phases'>,
): Promise<LocustPlan> => {
  const lane = new PlannedLane(planLoad({ ...input, clockUrl: null }, input))
  const chosen = scenarios.filter(({ id }) => input.scenarios.includes(id))
  for (const each of chosen) await lane.take(each)
  // A user takes its phases in this order.
  const phases = lane.phases.toSorted((a, b) => a.atMs - b.atMs)
  const most = (of: (phase: Phase) => number) => Math.max(...phases.map(of))
  return {
    ...{ ...input, requests: sumOf(phases), phases },
    url: `${chooseRoot(new URL(input.baseUrl), 'base')}${loadRequest.path}`,
    users: most(({ first, users }) => first + users),
    seconds: Math.ceil(most(({ atMs, forMs }) => atMs + forMs) / 1_000),
  }
}

const alone = 'it sends single requests, which one machine does: leave out --to'

/** @throws Error of one line where there can be no such plan */
export const filesForLocust = async (
  given: Omit<RunOptions, 'seed' | 'strict' | 'signal'> & {
    readonly scenarios: readonly Scenario[]
    readonly load: LoadSettings
  },
) => {
  const { reach, baseUrl, allow, shared, responseTimeoutMs, secrets } = given
  if (reach.insecure || reach.identity) throw new Error('of TLS options --to locust has only --ca')
  const keys = labelKeys(given.keys)
  if (keys.some(({ key }) => baseUrl.includes(key))) throw new Error('the base URL has a key in it')
  const load = { ...given.load, connections: [Math.max(...given.load.connections)] }
  const all = planAll(given.scenarios, planLoad(given, load))
  const lackOf = ({ scenario, lack }: (typeof all)[number]) => (scenario.adapts ? alone : lack)
  const leftOut = all.filter(lackOf).map((one) => `${one.scenario.id} is left out: ${lackOf(one)}`)
  if (leftOut.length === all.length) throw new Error(`no scenario: ${leftOut[0]}`)
  const hidden = [...secrets, ...keys.map(({ key, variable }) => ({ text: key, name: variable }))]
  /** With names in place of secrets, which the workers fill in. */
  const nameSecrets = (value: string) =>
    hidden.reduce((all, { text, name }) => all.replaceAll(text, () => `\${${name}}`), value)
  const plan = await makePlan({
    ...{ ...load, baseUrl, allow, shared, responseTimeoutMs },
    keys: keys.map((key) => ({ ...key, key: `$${key.variable}` })),
    variables: [...new Set(hidden.map(({ name }) => name))],
    headers: given.headers.map(([name, value]) => [name, nameSecrets(value)]),
    scenarios: all.filter((one) => !lackOf(one)).map(({ scenario }) => scenario.id),
  })
  if (plan.requests > given.maxRequests) {
    throw new Error(`${plan.requests} requests are more than --max-requests ${given.maxRequests}`)
  }
  const copied = ['locustfile.py', 'requirements.txt', 'README.md'].map((name) => {
    return [name, readFileSync(new URL(name, import.meta.url), 'utf8')] as const
  })
  const files = [...copied, ['plan.json', `${JSON.stringify(plan, null, 2)}\n`] as const]
  return { files: reach.ca ? [...files, ['ca.pem', reach.ca] as const] : files, plan, leftOut }
}
