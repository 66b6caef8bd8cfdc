// The scenario `capacity`: how much a target bears, at more and more connections.

import type { LoadFigures, LoadStep } from '../engine/load-figures.ts'
import type { LimitKey } from '../engine/quota/limits.ts'
import type { Quota } from '../spec/plans.ts'
import { kneeRule, tellKnee, tellSteps } from './knee.ts'
import type { Lane, LoadSettings } from './lane.ts'
import type { Load } from './load-form.ts'
import { type LoadPlan, scenario } from './scenario.ts'
import { strongest } from './steady.ts'
import { foundErrors, tellErrors } from './tell-figures.ts'

const usualStepMs = 3_000
const stepLeastMs = 200
/** Sent one after another, to learn how fast the target is. */
const probes = 20
/** Of the quotas of a minute and of a day, so much is used. */
const share = { ofMinute: 0.9, ofDay: 0.5 }
/** A step with twice the connections bears hardly more than so many times the last one's load. */
const riseMost = 4
/** Fewer than these for each connection say nothing about so many. */
const fewestEach = 5
/** Requests per second that one machine can send. */
const driverMost = 40_000
/** Requests that another scenario may have sent in the last two minutes. */
const othersMost = 24_000
/** With a smaller quota it is the key that is measured, and not the target. */
const perMinuteLeast = 2_000
/** A step is given up when it takes so much longer than it should. */
const overallMs = (stepMs: number): number => 2 * stepMs + 30_000

/** 1, 2, 4, ... and the largest number that was asked for. */
const stepsUpTo = (most: number): number[] => {
  const steps: number[] = []
  for (let connections = 1; connections < most; connections *= 2) steps.push(connections)
  return [...steps, most]
}

/** @param lanes that share the time */
export const stepPlan = ({ connections, durationMs }: LoadSettings, lanes: number) => {
  const steps = stepsUpTo(Math.max(1, ...connections))
  const stepMs = durationMs === null ? usualStepMs : durationMs / (steps.length * lanes)
  return { steps, stepMs: Math.max(stepLeastMs, stepMs) }
}

/** How many requests the quota still bears. */
interface Purse {
  minute: number
  day: number
}

const purseOf = ({ perMinute, perDay }: Quota): Purse => ({
  minute: Math.floor(share.ofMinute * perMinute),
  day: Math.floor(share.ofDay * perDay),
})

/**
 * How much a step sends: for its whole time, where the quota bears that for sure; else as many as
 * would take that time, if the target grew no faster, and as the quota has left.
 */
const sizeOf = (
  perSecond: number,
  stepMs: number,
  { minute, day }: Purse,
): Pick<Load, 'amount' | 'durationMs'> => {
  const left = Math.min(minute, day)
  const expected = (perSecond * stepMs) / 1_000
  if (expected * riseMost <= left) return { amount: null, durationMs: stepMs }
  return { amount: Math.max(0, Math.min(left, Math.ceil(2 * expected))), durationMs: null }
}

type Measured = Awaited<ReturnType<Lane['drive']>>

const stepOf = (connections: number, measured: Measured): LoadStep => {
  const { sent, durationMs, counts, latency } = measured
  return {
    connections,
    perSecond: durationMs > 0 ? (counts.served * 1_000) / durationMs : 0,
    p50Ms: latency?.p50Ms ?? 0,
    p99Ms: latency?.p99Ms ?? 0,
    errors: sent - counts.served,
  }
}

interface Seen {
  readonly figures: LoadFigures
  readonly steps: readonly LoadStep[]
}

const run = async function* (lane: Lane): AsyncGenerator<void, Seen> {
  const key = strongest(lane.keys)
  if (!key) throw new Error('capacity needs a key')
  const { steps: numbers, stepMs } = stepPlan(lane.settings, lane.columns)
  const steps: LoadStep[] = []
  const purse = { ...purseOf(key.quota), minute: 0 }
  const put = async (connections: number, size: Pick<Load, 'amount' | 'durationMs'>) => {
    const driven = await lane.drive({ ...shape(key, stepMs), connections, ...size })
    purse.minute -= driven.sent
    purse.day -= driven.sent
    return { driven, step: stepOf(connections, driven) }
  }
  const refill = async () => {
    await lane.rest(key.label)
    purse.minute = purseOf(key.quota).minute
  }
  // What else this run may have sent with the key in this minute.
  if (key.quota.perMinute * (1 - share.ofMinute) >= othersMost)
    purse.minute = purseOf(key.quota).minute
  else await refill()
  let { step: last, driven: probe } = await put(1, { amount: probes, durationMs: null })
  for (const connections of probe.ended === 'done' ? numbers : []) {
    if (sizeOf(last.perSecond, stepMs, purse).amount !== null) await refill()
    const size = sizeOf(last.perSecond, stepMs, purse)
    if (size.amount !== null && size.amount < fewestEach * connections) break
    const { step, driven } = await put(connections, size)
    lane.step(step)
    steps.push(step)
    last = step
    // A key that is refused within its quota is not asked again.
    const isRefused = driven.counts.refused + driven.counts.banned > 0
    if (driven.ended !== 'done' || isRefused || step.errors * 2 > driven.sent) break
    yield
  }
  return { figures: lane.figures(), steps }
}

const shape = ({ label }: LimitKey, stepMs: number) =>
  ({
    key: label,
    newConnections: false,
    overallMs: overallMs(stepMs),
    keep: 0,
  }) as const

const cost = (plan: LoadPlan) => {
  const { steps, stepMs } = stepPlan(plan, 1)
  const key = strongest(plan.keys)
  const { minute, day } = purseOf(key?.quota ?? { perMinute: 0, perDay: 0 })
  const inStep = Math.min(minute, Math.ceil((driverMost * stepMs) / 1_000))
  return {
    requests: Math.min(day, probes + steps.length * inStep),
    seconds: Math.ceil((steps.length * stepMs) / 1_000),
    does: `spends up to 90 % of a minute of ${key?.label ?? 'a key'} at each step`,
  }
}

export const capacity = scenario<Seen>({
  id: 'capacity',
  says: 'Requests per second and latency at more and more connections, and where more are no use.',
  needs: {
    allow: ['exhaust'],
    key: true,
    quota: (quotas) =>
      quotas.some(({ perMinute }) => perMinute >= perMinuteLeast)
        ? undefined
        : `it needs an enterprise key, of at least ${perMinuteLeast} requests a minute`,
  },
  beside: ['prism', 'reference'],
  cost,
  run,
  verdicts: [
    {
      id: 'load-capacity-knee',
      requirement: 'gap.load',
      sends: 'Requests from more and more connections, as many as the quota allows.',
      records: 'The fewest connections that reach nine tenths of the highest rate.',
      observe: ({ steps }) => `${tellKnee(steps)} (${kneeRule})`,
    },
    {
      id: 'load-capacity-steps',
      requirement: 'gap.load',
      sends: 'The same requests.',
      records: 'Rate and latency at each number of connections.',
      observe: ({ steps }) => tellSteps(steps),
    },
    {
      id: 'load-capacity-errors',
      requirement: 'gap.load',
      sends: 'The same requests.',
      records: foundErrors,
      observe: ({ figures }) => tellErrors(figures),
    },
  ],
})
