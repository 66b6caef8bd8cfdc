// The scenario `capacity`: how much load a target handles at increasing numbers of connections.
import type { LimitKey } from '../../engine/check/context.ts'
import { describeMs, type LoadFigures, type LoadStep } from '../../engine/check/run-file.ts'
import type { Quota } from '../../spec/plans.ts'
import type { Load } from '../connection.ts'
import { errorsVerdict } from '../meter.ts'
import {
  type Lane,
  type LoadPlan,
  type LoadSettings,
  type Observed,
  scenario,
  strongest,
} from '../scenario.ts'

const usualStepMs = 3_000
const minStepMs = 200
/** Sent one after another, to estimate how fast the target is. */
const probes = 20
const share = { ofMinute: 0.9, ofDay: 0.5 }
/** Twice the connections hardly multiply the rate by more than this. */
const maxRise = 4
/** Fewer requests per connection say nothing. */
const minPerConnection = 5
/** Requests per second that one machine can send. */
const maxDriverRate = 40_000
/** Requests that another scenario may have sent in the last two minutes. */
const maxSentBefore = 24_000
/** With a smaller quota all steps share one minute: each would have to wait for its own. */
const minPerMinute = 2_000
const overallMs = (stepMs: number): number => 2 * stepMs + 30_000

/** 1, 2, 4, ... and the largest number that was configured. */
const stepsUpTo = (max: number): number[] => {
  const steps: number[] = []
  for (let connections = 1; connections < max; connections *= 2) steps.push(connections)
  return [...steps, max]
}

/** @param lanes that share the time */
const stepPlan = ({ connections, durationMs }: LoadSettings, lanes: number) => {
  const steps = stepsUpTo(Math.max(1, ...connections))
  const stepMs = durationMs === null ? usualStepMs : durationMs / (steps.length * lanes)
  return { steps, stepMs: Math.max(minStepMs, stepMs) }
}

/** The steps that one minute of a small quota suffices for, and how many requests each sends. */
const smallSteps = (steps: readonly number[], quota: Quota) => {
  const { minute, day } = allowanceOf(quota)
  const inStep = (count: number) => Math.floor(Math.min(minute, day) / count)
  const fitting = steps.filter((connections, at) => inStep(at + 1) >= connections)
  return { steps: fitting, amount: inStep(Math.max(1, fitting.length)) }
}

const isSmall = ({ perMinute }: Quota): boolean => perMinute < minPerMinute

const allowanceOf = ({ perMinute, perDay }: Quota) => ({
  minute: Math.floor(share.ofMinute * perMinute),
  day: Math.floor(share.ofDay * perDay),
})

/**
 * How much a step sends: for its whole time if the quota is certainly sufficient; else as many as
 * would take that time if the target became no faster, within what is left of the quota.
 */
const sizeOf = (
  perSecond: number,
  stepMs: number,
  { minute, day }: ReturnType<typeof allowanceOf>,
): Size => {
  const left = Math.min(minute, day)
  const expected = (perSecond * stepMs) / 1_000
  if (expected * maxRise <= left) return { amount: Number.POSITIVE_INFINITY, durationMs: stepMs }
  return { amount: Math.max(0, Math.min(left, Math.ceil(2 * expected))), durationMs: null }
}

const stepOf = (
  connections: number,
  { sent, durationMs, counts, latency }: Omit<LoadFigures, 'countsByKey' | 'seconds'>,
): LoadStep => ({
  connections,
  perSecond: durationMs > 0 ? (counts.served * 1_000) / durationMs : 0,
  p50Ms: latency?.p50Ms ?? 0,
  p99Ms: latency?.p99Ms ?? 0,
  errors: sent - counts.served,
})

type Seen = readonly LoadStep[]

type Size = Pick<Load, 'amount' | 'durationMs'>

const runStep = async (lane: Lane, { label: key }: LimitKey, connections: number, size: Size) => {
  const { stepMs } = stepPlan(lane.plan, lane.columns)
  const shape = { key, connections, newConnections: false, overallMs: overallMs(stepMs), keep: 0 }
  const driven = await lane.drive({ ...shape, ...size })
  const { ended, counts } = driven
  // A key that is refused within its quota is not used again.
  const isOver = ended !== 'done' || counts.refused + counts.banned > 0
  return { sent: driven.sent, step: stepOf(connections, driven), isOver }
}

/** All steps within 90 % of one minute. */
const runSmall = async function* (lane: Lane, key: LimitKey): AsyncGenerator<void, Seen> {
  const { steps, amount } = smallSteps(stepPlan(lane.plan, 1).steps, key.quota)
  await lane.ensureDay(key, amount * steps.length)
  await lane.waitForFullQuota(key.label)
  for (const connections of steps) {
    const { step, isOver } = await runStep(lane, key, connections, { amount, durationMs: null })
    lane.step(step)
    if (isOver) break
  }
  yield
  return lane.figures().steps ?? []
}

const run = async function* (lane: Lane): AsyncGenerator<void, Seen> {
  const key = strongest(lane.plan.keys)
  if (isSmall(key.quota)) return yield* runSmall(lane, key)
  const { steps, stepMs } = stepPlan(lane.plan, lane.columns)
  const allowance = allowanceOf(key.quota)
  const spend = async (connections: number, size: Size) => {
    const done = await runStep(lane, key, connections, size)
    allowance.minute -= done.sent
    allowance.day -= done.sent
    return done
  }
  const refill = async () => {
    await lane.waitForFullQuota(key.label)
    allowance.minute = allowanceOf(key.quota).minute
  }
  // Other scenarios may have sent with the key in this minute.
  const isAmple = key.quota.perMinute * (1 - share.ofMinute) >= maxSentBefore
  if (!isAmple) await refill()
  const probe = await spend(1, { amount: probes, durationMs: null })
  let { perSecond } = probe.step
  for (const connections of probe.isOver ? [] : steps) {
    if (sizeOf(perSecond, stepMs, allowance).durationMs === null) await refill()
    const size = sizeOf(perSecond, stepMs, allowance)
    if (size.amount < minPerConnection * connections) break
    const { step, sent, isOver } = await spend(connections, size)
    lane.step(step)
    perSecond = step.perSecond
    if (isOver || step.errors * 2 > sent) break
    yield
  }
  return lane.figures().steps ?? []
}

const kneeShare = 0.9
/** A target whose last rate is below this share of its best one collapses under load. */
const collapseShare = 0.5

const kneeRule = 'the fewest connections that reach 90 % of the highest rate'

const best = (steps: readonly LoadStep[]): LoadStep | undefined =>
  steps.toSorted((a, b) => b.perSecond - a.perSecond)[0]

const kneeOf = (steps: readonly LoadStep[]): LoadStep | undefined => {
  const minimum = kneeShare * (best(steps)?.perSecond ?? 0)
  return minimum > 0 ? steps.find(({ perSecond }) => perSecond >= minimum) : undefined
}

const describeStep = ({ connections, perSecond, p50Ms, p99Ms }: LoadStep): string =>
  `${connections} connections: ${Math.round(perSecond)} /s, ` +
  `p50 ${describeMs(p50Ms)}, p99 ${describeMs(p99Ms)}`

const describeKnee = (steps: readonly LoadStep[]): string => {
  const knee = kneeOf(steps)
  const last = steps.at(-1)
  if (!knee || !last) return 'no knee: nothing was served'
  if (knee === last) return `no knee up to ${last.connections} connections: the rate still grows`
  return `the knee is at ${describeStep(knee)}`
}

/** The best and the last step; a warning if the target collapses. */
const describeSteps = (steps: readonly LoadStep[]): Observed => {
  const [top, last] = [best(steps), steps.at(-1)]
  if (!top || !last) return { warn: 'nothing was served' }
  const text = top === last ? describeStep(top) : `${describeStep(top)}; ${describeStep(last)}`
  const hasCollapsed = last.perSecond < collapseShare * top.perSecond
  return hasCollapsed ? { warn: `the rate falls to less than half of its best: ${text}` } : text
}

const cost = (plan: LoadPlan) => {
  const { steps, stepMs } = stepPlan(plan, 1)
  const { label, quota } = strongest(plan.keys)
  if (isSmall(quota)) {
    const { steps: fitting, amount } = smallSteps(steps, quota)
    const does = `spends up to 90 % of one minute of ${label}, all steps together`
    return { requests: fitting.length * amount, seconds: plan.instant ? 1 : 125, does }
  }
  const { minute, day } = allowanceOf(quota)
  const inStep = Math.min(minute, Math.ceil((maxDriverRate * stepMs) / 1_000))
  return {
    requests: Math.min(day, probes + steps.length * inStep),
    seconds: Math.ceil((steps.length * stepMs) / 1_000),
    does: `spends up to 90 % of a minute of ${label} at each step`,
  }
}

export const capacity = scenario<Seen>({
  id: 'capacity',
  says: 'Requests per second and latency at increasing connections, and where more are of no use.',
  needs: { allow: ['exhaust'], key: true },
  withinQuota: true,
  baselines: ['prism', 'reference'],
  cost,
  run,
  verdicts: [
    {
      id: 'load-capacity-knee',
      requirement: 'gap.load',
      sends: 'Requests from increasing numbers of connections, as many as the quota allows.',
      records: 'The fewest connections that reach nine tenths of the highest rate.',
      observe: (steps) => `${describeKnee(steps)} (${kneeRule})`,
    },
    {
      id: 'load-capacity-steps',
      requirement: 'gap.load',
      sends: 'The same requests.',
      records: 'Rate and latency at each number of connections.',
      observe: describeSteps,
    },
    errorsVerdict('load-capacity-errors'),
  ],
})
