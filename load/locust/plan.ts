// The plan of a load from several machines, as data: what is sent when, by how many users, with
// which keys. It is computed from its input alone, so that a reader need not believe the rest.
import { dayReserve } from '../../engine/quota/ledger.ts'
import { type LabelledKey, plainTarget } from '../../engine/run/run-options.ts'
import { version } from '../../engine/run/version.ts'
import { chooseRoot, controlId, type Header } from '../../history/exchange.ts'
import { loadRequest } from '../calls.ts'
import { type Phase, Schedule } from '../phases.ts'
import { type LoadPlan, type LoadSettings, planLoad, type Scenario } from '../scenario.ts'
import { scenarios } from '../scenarios.ts'

export interface PlanInput extends LoadSettings, Pick<LoadPlan, 'allow' | 'shared'> {
  readonly baseUrl: string
  /** Without their text: that is in the environment of the workers. */
  readonly keys: readonly Omit<LabelledKey, 'key'>[]
  readonly scenarios: readonly string[]
  readonly timeoutSeconds: number
  /** With `${NAME}` in place of what the environment has. */
  readonly headers: readonly Header[]
  readonly secrets: readonly string[]
  /** A file next to the plan. */
  readonly ca: string | null
}

export interface LocustPlan extends PlanInput {
  readonly petvet: string
  readonly origin: string
  readonly url: string
  readonly users: number
  readonly requests: number
  readonly seconds: number
  readonly phases: readonly Phase[]
}

/** The start is agreed on within a minute, and what is in flight at the end is waited for. */
const marginSeconds = 80
export const maxRequests = 1_000_000
const maxPlan = { requests: maxRequests, users: 2_000, seconds: 7 * 86_400 + 3_600 }

/** The keys as a run takes them; their text is their variable. */
export const optionsOf = ({ keys }: Pick<PlanInput, 'keys'>) =>
  keys.map((key) => ({ ...key, key: `$${key.variable}` }))

/** The keys and settings of a plan, as the scenarios take them. */
export const settingsOf = (input: PlanInput): LoadPlan =>
  planLoad({ ...plainTarget, ...input, keys: optionsOf(input) }, input)

export const scenariosOf = ({ scenarios: ids }: Pick<PlanInput, 'scenarios'>): Scenario[] =>
  scenarios.filter(({ id, distributed }) => distributed && ids.includes(id))

/** @throws Error of one line where the plan would exceed a limit */
export const makePlan = (input: PlanInput): LocustPlan => {
  const plan = settingsOf(input)
  const schedule = new Schedule()
  // A second before: a response of another status shows which headers are the same in all.
  schedule.scenario = controlId
  schedule.add({ label: '' }, { part: 'without key', users: 1, requests: 1, upTo: true }, 0, -1_000)
  for (const { id, distributed } of scenariosOf(input)) {
    schedule.scenario = id
    distributed?.phases(plan, schedule)
  }
  // A user takes its phases in this order.
  const phases = schedule.phases.toSorted((a, b) => a.atMs - b.atMs)
  const most = (of: (phase: Phase) => number) => Math.max(...phases.map(of))
  const facts = {
    users: most(({ first, users }) => first + users),
    requests: sumOf(phases),
    seconds: marginSeconds + Math.ceil(most(({ atMs, forMs }) => atMs + forMs) / 1_000),
  }
  for (const name of ['users', 'requests', 'seconds'] as const) {
    if (facts[name] <= maxPlan[name]) continue
    throw new Error(`the plan has ${facts[name]} ${name}, more than ${maxPlan[name]}`)
  }
  for (const { label, quota } of input.keys) {
    const requests = sumOf(phases.filter(({ key }) => key === label))
    const left = quota.perDay - (input.allow.includes('day') ? 0 : dayReserve(quota))
    if (requests <= left) continue
    throw new Error(`the plan has ${requests} requests of ${label}, whose day has ${left} for it`)
  }
  const base = new URL(input.baseUrl)
  const url = `${chooseRoot(base, 'base')}${loadRequest.path}`
  return { ...input, petvet: version, origin: base.origin, url, ...facts, phases }
}

export const sumOf = (phases: readonly Phase[]): number =>
  phases.reduce((sum, { requests }) => sum + requests, 0)
