// The scenario `capacity`: how much load a target handles at increasing numbers of connections.
import { describeMs, type LoadStep } from '../../engine/check/run-file.ts'
import type { Quota } from '../../spec/plans.ts'
import { errorsVerdict } from '../meter.ts'
import { type Lane, type LoadPlan, type Observed, type Scenario, strongest } from '../scenario.ts'

const usualStepMs = 3_000
const minStepMs = 200
const share = { ofMinute: 0.9, ofDay: 0.5 }
/** Requests per second that one machine can send. */
const maxDriverRate = 40_000
/** Two windows, before the first step. */
const fullQuotaSeconds = 125

/** 1, 2, 4, ... and the largest number that was configured. */
const stepsUpTo = (max: number): number[] => {
  const steps: number[] = []
  for (let connections = 1; connections < max; connections *= 2) steps.push(connections)
  return [...steps, max]
}

/**
 * The steps that the quota suffices for, how long each lasts, and how many requests it sends, at
 * most. Lanes share the time.
 */
const stepPlan = ({ connections, durationMs, lanes }: LoadPlan, { perMinute, perDay }: Quota) => {
  const allowed = Math.min(share.ofMinute * perMinute, share.ofDay * perDay)
  const inStep = (count: number) => Math.floor(allowed / count)
  const all = stepsUpTo(Math.max(1, ...connections))
  const steps = all.filter((each, at) => inStep(at + 1) >= each)
  const count = Math.max(1, steps.length)
  const stepMs = Math.max(minStepMs, durationMs === null ? usualStepMs : durationMs / count / lanes)
  const amount = Math.min(inStep(count), Math.ceil((maxDriverRate * stepMs) / 1_000))
  return { steps, amount, stepMs }
}

const run = async function* (lane: Lane): AsyncGenerator<void, void> {
  const key = strongest(lane.plan.keys)
  const { steps, amount, stepMs } = stepPlan(lane.plan, key.quota)
  await lane.ensureDay(key, amount * steps.length)
  await lane.handleOf(key).rest()
  for (const connections of steps) {
    const { sent, ended, counts } = await lane.drive({
      ...{ connections, amount, key: key.label, durationMs: stepMs },
      ...{ overallMs: 2 * stepMs + 30_000, keep: 0 },
    })
    // A key that is refused within its quota is not used again.
    const isRefused = counts.refused + counts.banned > 0
    if (ended !== 'done' || isRefused || counts.served * 2 < sent) break
    yield
  }
}

const kneeShare = 0.9
/** A target whose last rate is below this share of its best one collapses under load. */
const collapseShare = 0.5

const describeStep = ({ connections, perSecond, p50Ms, p99Ms }: LoadStep): string =>
  `${connections} connections: ${Math.round(perSecond)} /s, ` +
  `p50 ${describeMs(p50Ms)}, p99 ${describeMs(p99Ms)}`

/** The fewest connections that reach a share of the highest rate; a warning if that collapses. */
const describeKnee = (steps: readonly LoadStep[]): Observed => {
  const top = steps.toSorted((a, b) => b.perSecond - a.perSecond)[0]
  const last = steps.at(-1)
  if (!top || !last || top.perSecond === 0) return { warn: 'no knee: nothing was served' }
  if (last.perSecond < collapseShare * top.perSecond) {
    const both = `${describeStep(top)}; ${describeStep(last)}`
    return { warn: `the rate falls to less than half of its best: ${both}` }
  }
  const knee = steps.find(({ perSecond }) => perSecond >= kneeShare * top.perSecond)
  return knee === undefined || knee === last
    ? `no knee up to ${last.connections} connections: the rate still grows`
    : `the knee is at ${describeStep(knee)}`
}

export const capacity: Scenario = {
  id: 'capacity',
  says: 'Requests per second and latency at increasing connections, and where more are of no use.',
  needs: { allow: ['exhaust'] },
  withinQuota: true,
  cost: (plan) => {
    const { label, quota } = strongest(plan.keys)
    const { steps, amount, stepMs } = stepPlan(plan, quota)
    return {
      requests: steps.length * amount,
      // A server that takes a millisecond for each ends a step with its share.
      seconds:
        Math.ceil((steps.length * Math.min(stepMs, amount)) / 1_000) +
        (plan.instant ? 0 : fullQuotaSeconds),
      does: `spends up to 90 % of one minute of ${label}, all steps together`,
    }
  },
  run,
  verdicts: [
    {
      id: 'load-capacity-knee',
      requirement: 'gap.load',
      sends: 'Requests from increasing numbers of connections, as many as the quota allows.',
      records:
        'The fewest connections that reach nine tenths of the highest rate; a warning if the ' +
        'last step has less than half of it.',
      observe: ({ figures }) => describeKnee(figures.steps ?? []),
    },
    { id: 'load-capacity-errors', ...errorsVerdict },
  ],
}
