// The scenario `soak`: latency and errors over hours, at a low rate.
import { describeLatency, errorsVerdict } from '../meter.ts'
import { computePace, type Kept, keepLane } from '../pace.ts'
import { scenario } from '../scenario.ts'

const limits = {
  ofMinute: 0.1,
  ofDay: 0.5,
  maxPerSecond: 5,
  maxSliceMs: 30_000,
  usualDurationMs: 3_600_000,
  rests: true,
}

export const soak = scenario<Kept>({
  id: 'soak',
  says: 'Latency and errors over hours, at a low rate.',
  named: true,
  needs: { allow: ['exhaust'], key: true },
  withinQuota: true,
  baselines: ['prism', 'reference'],
  cost: (plan) => {
    const { key, requests, seconds } = computePace(plan, limits)
    const does = `keeps ${key.label} at 10 % of its quota, at most half of a day's in all`
    return { requests, seconds, does }
  },
  run: (lane) => keepLane(lane, limits),
  verdicts: [
    {
      id: 'load-soak-latency',
      requirement: 'gap.load',
      sends: 'Requests at a low rate over hours.',
      records: 'Their latency.',
      observe: (_seen, { figures }) => describeLatency(figures),
    },
    errorsVerdict('load-soak-errors'),
  ],
})
