// The scenarios `steady`, at 80 % of a key's quota, and `soak`, over hours at a low rate: latency
// and errors at an even pace.

import { describeLatency } from '../../engine/check/run-file.ts'
import { Untested } from '../../history/outcome.ts'
import { errorsVerdict } from '../meter.ts'
import { type Lane, type LoadPlan, type Scenario, strongest } from '../scenario.ts'

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
  if (limits.rests) await lane.handleOf(key).rest()
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
    await lane.handleOf(key).waitForRetryAfter()
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
