// The plan of a load from several machines, as data: what is sent when, by how many users, with
// which keys. It is computed from its input alone, so that a reader can compute it again.
import { createHash } from 'node:crypto'
import { dayReserve } from '../../engine/quota/ledger.ts'
import { labelKeys, plainTarget } from '../../engine/run/run-options.ts'
import { chooseRoot, controlId, type Header } from '../../history/exchange.ts'
import type { Plan } from '../../spec/plans.ts'
import { loadRequest } from '../load-sample.ts'
import { type Phase, Schedule } from '../phases.ts'
import {
  type LoadPlan,
  type LoadSettings,
  missingFor,
  planLoad,
  type Scenario,
} from '../scenario.ts'
import { scenarios } from '../scenarios.ts'

/** A key without its text: that is in the environment of the workers. */
interface PlannedKey {
  readonly plan: Plan
  readonly quota: { readonly perMinute: number; readonly perDay: number }
  readonly use?: 'ban'
  readonly variable: string
}

export interface PlanInput extends LoadSettings, Pick<LoadPlan, 'allow' | 'shared'> {
  readonly petvet: string
  readonly baseUrl: string
  readonly keys: readonly PlannedKey[]
  readonly scenarios: readonly string[]
  readonly timeoutSeconds: number
  /** With `${NAME}` in place of what the environment has. */
  readonly headers: readonly Header[]
  readonly secrets: readonly string[]
  /** A file next to the plan. */
  readonly ca: string | null
}

export interface LocustPlan extends Omit<PlanInput, 'keys' | 'scenarios'> {
  readonly id: string
  readonly input: PlanInput
  readonly keys: readonly { readonly label: string; readonly variable: string }[]
  readonly origin: string
  readonly url: string
  readonly leadSeconds: number
  /** The first and the last second of a minute for the start. */
  readonly startSeconds: readonly [number, number]
  readonly users: number
  readonly requests: number
  readonly seconds: number
  readonly phases: readonly Phase[]
}

/** All users are there when it has elapsed. */
const leadSeconds = 5
/** What is kept free at both ends of a minute, as a window of the target may end with it. */
const edgeSeconds = 5
/** What is in flight at the end is waited for. */
const tailSeconds = 10
const maxPlan = { requests: 1_000_000, users: 2_000, seconds: 7 * 86_400 + 3_600 }

/** The keys and settings of a plan, as the scenarios take them. */
export const settingsOf = (input: PlanInput): LoadPlan =>
  planLoad(
    { ...plainTarget, keys: optionsOf(input), allow: input.allow, shared: input.shared },
    { connections: input.connections, durationMs: input.durationMs },
  )

/** The keys as a run takes them; their text is their variable. */
export const optionsOf = ({ keys }: Pick<PlanInput, 'keys'>) =>
  keys.map((key) => ({ ...key, key: `$${key.variable}` }))

/** The least harmful to the keys first; a soak is not sent with a key that was exhausted before. */
export const inOrder = (ids: readonly string[]): Scenario[] =>
  ['steady', 'soak', 'capacity', 'fleet', 'replicas', 'burst', 'ban'].flatMap((id) =>
    scenarios.filter((scenario) => scenario.id === id && ids.includes(id)),
  )

/** Scenarios that a plan can have, and why each of the others is left out. */
export const chooseDistributed = (all: readonly Scenario[], plan: LoadPlan) => {
  const alone = 'it sends single requests, which one machine does: leave out --to'
  const reasons = all.map((scenario) => {
    const why = scenario.distributed ? missingFor(scenario, plan)?.message : alone
    return { id: scenario.id, why }
  })
  const planned = reasons.filter(({ why }) => why === undefined).map(({ id }) => id)
  return { planned, leftOut: reasons.filter(({ why }) => why !== undefined) }
}

/** @throws Error of one line where the plan would exceed a limit */
export const makePlan = (input: PlanInput): LocustPlan => {
  const plan = settingsOf(input)
  let schedule: Schedule | undefined
  const phases: Phase[] = []
  for (const { id, distributed } of inOrder(input.scenarios)) {
    schedule = new Schedule(id, schedule)
    distributed?.phases(plan, schedule)
    phases.push(...schedule.phases)
  }
  const control = new Schedule(controlId, schedule)
  control.addWithoutKey()
  phases.push(...control.phases)
  // A user takes its phases in this order.
  phases.sort((a, b) => a.atMs - b.atMs)
  const most = (of: (phase: Phase) => number) => Math.max(0, ...phases.map(of))
  const facts = {
    users: most(({ first, users }) => first + users),
    requests: phases.reduce((sum, { requests }) => sum + requests, 0),
    seconds:
      leadSeconds + 60 + tailSeconds + Math.ceil(most((one) => one.atMs + one.forMs) / 1_000),
  }
  for (const name of ['users', 'requests', 'seconds'] as const) {
    if (facts[name] <= maxPlan[name]) continue
    throw new Error(`the plan has ${facts[name]} ${name}, more than ${maxPlan[name]}`)
  }
  expectDay(plan, phases)
  const { keys: _keys, scenarios: _scenarios, ...common } = input
  const made = {
    ...common,
    input,
    keys: labelKeys(input.keys).map(({ label, variable }) => ({ label, variable })),
    origin: new URL(input.baseUrl).origin,
    url: `${chooseRoot(new URL(input.baseUrl), 'base')}${loadRequest.path}`,
    leadSeconds,
    startSeconds: startsIn(phases),
    ...facts,
    phases,
  }
  const id = createHash('sha256').update(JSON.stringify(made)).digest('hex').slice(0, 16)
  return { id, ...made }
}

/** No window that ends with a minute is to end in a burst. */
const startsIn = (phases: readonly Phase[]): readonly [number, number] => {
  const bursts = phases.filter(
    ({ key, part }) => key !== '' && part !== 'pace' && !part.startsWith('step-'),
  )
  if (bursts.length === 0) return [0, 60]
  const lastMs = Math.max(...bursts.map((one) => one.atMs + one.everyMs * one.requests))
  const last = Math.floor(60 - 2 * edgeSeconds - lastMs / 1_000)
  return [edgeSeconds, Math.max(edgeSeconds, last)]
}

const expectDay = ({ keys, banKey, allow }: LoadPlan, phases: readonly Phase[]): void => {
  for (const { label, quota } of banKey ? [...keys, banKey] : keys) {
    const own = phases.filter(({ key }) => key === label)
    const requests = own.reduce((sum, each) => sum + each.requests, 0)
    const left = quota.perDay - (allow.includes('day') ? 0 : dayReserve(quota))
    if (requests <= left) continue
    throw new Error(`the plan has ${requests} requests of ${label}, whose day has ${left} for it`)
  }
}
