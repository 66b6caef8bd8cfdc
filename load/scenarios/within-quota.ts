// The scenarios within the quota: `steady`, at 80 % of it, and `soak`, over hours at a low rate,
// for latency and errors at an even pace; `capacity`, for how much load a target handles at
// increasing numbers of connections.
import {
  describeCounts,
  describeLatency,
  describeMs,
  type LoadStep,
} from '../../engine/check/run-file.ts'
import { Untested } from '../../history/outcome.ts'
import type { Quota } from '../../spec/plans.ts'
import {
  type Held,
  type Lane,
  type LoadPlan,
  type Observed,
  type Scenario,
  strongest,
} from '../scenario.ts'

/** Any request that is not served is bad news. */
const errorsVerdict = {
  requirement: 'gap.load',
  sends: 'The same requests.',
  records: 'How many requests were not served, and how they ended; any at all is a warning.',
  observe: ({ figures: { sent, neverSent, counts } }: Held): Observed => {
    const { served, ...rest } = counts
    const failed = sent - served
    if (failed === 0 && neverSent === 0) return `none in ${sent} requests`
    const unsent = neverSent > 0 ? `; ${neverSent} more were never sent` : ''
    return {
      warn: `${failed} of ${sent} requests failed (${describeCounts(rest) || 'none'})${unsent}`,
    }
  },
} as const

interface PaceLimits {
  /** Shares of the quotas. */
  readonly ofMinute: number
  readonly ofDay: number
  readonly maxPerSecond: number
  readonly maxSliceMs: number
  readonly usualDurationMs: number
  /** Whether it begins with the full quota. */
  readonly rests: boolean
}

/**
 * The pace of the strongest key; a slice of each lane in turn makes a cycle. As a lane is idle
 * meanwhile, it is the faster in its own slices: a minute of all lanes uses the same share.
 */
const computePace = ({ keys, durationMs, lanes }: LoadPlan, limits: PaceLimits) => {
  const key = strongest(keys)
  const { perMinute, perDay } = key.quota
  const wholeMs = durationMs ?? limits.usualDurationMs
  const sliceMs = Math.min(limits.maxSliceMs, wholeMs / lanes)
  const cycleMs = sliceMs * lanes
  const slices = Math.ceil(wholeMs / cycleMs)
  const ofMinute = (limits.ofMinute * perMinute * lanes) / 60
  const ofDay = (limits.ofDay * perDay * 1_000) / (slices * sliceMs)
  const perSecond = Math.min(ofMinute, ofDay, limits.maxPerSecond)
  /** How many are due by the end of so many slices: a fraction is carried over to the next. */
  const dueIn = (count: number) => Math.floor((count * perSecond * sliceMs) / 1_000 + 1e-9)
  const requests = Math.ceil((slices * sliceMs * perSecond) / 1_000)
  return { key, perSecond, slices, cycleMs, dueIn, requests }
}

/** A key that is refused more often is not used again. */
const maxRefusals = 3

/**
 * Runs all slices of a lane and yields after each; obeys refusals.
 * @throws Untested (blocked) if the key is refused again and again
 */
const keepLane = async function* (lane: Lane, limits: PaceLimits): AsyncGenerator<void, void> {
  const { key, perSecond, slices, cycleMs, dueIn, requests } = computePace(lane.plan, limits)
  await lane.ensureDay(key, requests)
  if (limits.rests) await lane.waitForFullQuota(key.label)
  let startMs = lane.nowMs()
  let refusals = 0
  for (let slice = 0; slice < slices; slice += 1) {
    // Other lanes may be done early; that must not overdraw the quota.
    await lane.sleep(Math.max(0, startMs - lane.nowMs()))
    startMs = lane.nowMs() + cycleMs
    const amount = dueIn(slice + 1) - dueIn(slice)
    const refusal = await lane.keepPace(key.label, perSecond, amount)
    yield
    if (!refusal) continue
    refusals += 1
    if (refusals > maxRefusals) {
      throw new Untested('blocked', `the key was refused ${refusals} times within its quota`)
    }
    await lane.waitForRetryAfter(key.label)
  }
}

interface PaceForm extends Pick<Scenario, 'id' | 'says' | 'needs' | 'named'> {
  readonly limits: PaceLimits
  /** What it keeps a key at. */
  readonly share: string
  readonly sends: string
}

const evenPace = ({ limits, share, sends, ...form }: PaceForm): Scenario => ({
  ...form,
  withinQuota: true,
  cost: (plan) => {
    const { key, requests, slices, cycleMs } = computePace(plan, limits)
    const seconds = (slices * cycleMs) / 1_000
    return { requests, seconds, does: `keeps ${key.label} at ${share}` }
  },
  run: (lane) => keepLane(lane, limits),
  verdicts: [
    {
      id: `load-${form.id}-latency`,
      requirement: 'gap.load',
      sends,
      records: 'The latency, from the time at which each request was due.',
      observe: ({ plan, figures: { latency }, latestMs }) => {
        if (latency === null) return 'no response'
        const pace = `${computePace(plan, limits).perSecond.toFixed(1)} /s`
        return (
          `${describeLatency(latency)} of ${latency.count} responses at ${pace}, from the time ` +
          `at which each request was due (sent at most ${latestMs.toFixed(1)} ms later)`
        )
      },
    },
    { id: `load-${form.id}-errors`, ...errorsVerdict },
  ],
})

export const steady = evenPace({
  id: 'steady',
  says: 'Latency and errors at an even pace, at 80 % of the quota.',
  needs: { allow: [] },
  share: '80 % of its quota',
  sends: 'Requests at 80 % of the quota of one key, at an even pace.',
  limits: {
    ofMinute: 0.8,
    ofDay: 0.8,
    maxSliceMs: 5_000,
    usualDurationMs: 60_000,
    // Our own client does not send more than this on time; a larger quota is not used up.
    maxPerSecond: 200,
    rests: false,
  },
})

export const soak = evenPace({
  id: 'soak',
  says: 'Latency and errors over hours, at a low rate.',
  named: true,
  needs: { allow: ['exhaust'] },
  share: "10 % of its quota, at most half of a day's in all",
  sends: 'Requests at a low rate over hours.',
  limits: {
    ofMinute: 0.1,
    ofDay: 0.5,
    maxPerSecond: 5,
    maxSliceMs: 30_000,
    usualDurationMs: 3_600_000,
    rests: true,
  },
})

const usualStepMs = 3_000
const minStepMs = 200
const stepShare = { ofMinute: 0.9, ofDay: 0.5 }
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
  const allowed = Math.min(stepShare.ofMinute * perMinute, stepShare.ofDay * perDay)
  const inStep = (count: number) => Math.floor(allowed / count)
  const all = stepsUpTo(Math.max(1, ...connections))
  const steps = all.filter((each, at) => inStep(at + 1) >= each)
  const count = Math.max(1, steps.length)
  const stepMs = Math.max(minStepMs, durationMs === null ? usualStepMs : durationMs / count / lanes)
  const amount = Math.min(inStep(count), Math.ceil((maxDriverRate * stepMs) / 1_000))
  return { steps, amount, stepMs }
}

const takeSteps = async function* (lane: Lane): AsyncGenerator<void, void> {
  const key = strongest(lane.plan.keys)
  const { steps, amount, stepMs } = stepPlan(lane.plan, key.quota)
  await lane.ensureDay(key, amount * steps.length)
  await lane.waitForFullQuota(key.label)
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
  run: takeSteps,
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
