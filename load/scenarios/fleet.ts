// The scenario `fleet`: many keys of several plans at once, each of which has its own quota.
import { isServed } from '../../engine/quota/rate-headers.ts'
import { announcedBy } from '../../engine/quota/round.ts'
import {
  burstOf,
  burstPhase,
  type Circumstances,
  driveInto,
  expectNotFewer,
  expectNotMore,
  fewer,
  isForBursts,
  isUndecided,
  maxProbes,
  othersAsk,
  probeAll,
  recordedRound,
  type Trial,
  twice,
} from '../rounds.ts'
import { type Lane, type LoadPlan, scenario } from '../scenario.ts'

interface Seen extends Circumstances {
  readonly trials: readonly Trial[]
}

/** One of each is refused, and no more: these keys must not be banned. */
const surplus = 1

const keysOf = ({ keys }: Pick<Lane, 'keys'>) => keys.filter(({ quota }) => isForBursts(quota))

/** All bursts at the same time; each key has its own connections. */
const burstAll = async (lane: Lane) => {
  const keys = keysOf(lane)
  for (const { label, quota } of keys) {
    await lane.ensureDay(label, maxProbes + quota.perMinute + surplus)
  }
  const connections = Math.ceil(Math.max(...lane.settings.connections) / keys.length)
  const rounds = await probeAll(lane, keys)
  return Promise.all(
    rounds.map((round) => {
      if (!round.probes.every(isServed)) return round
      const amount = announcedBy(round) + surplus
      return driveInto(lane, round, burstOf(round.key.label, amount, connections))
    }),
  )
}

const run = async function* (lane: Lane): AsyncGenerator<void, Seen> {
  const first = await burstAll(lane)
  yield
  const isClear = lane.column !== 'target' || !first.some(isUndecided)
  const second = isClear ? [] : await burstAll(lane)
  const trials = first.map((round, at) => ({
    name: `${round.key.label} among ${first.length} keys`,
    first: round,
    second: second[at] ?? null,
  }))
  return { trials, shared: lane.shared, instant: lane.instant }
}

const cost = (plan: LoadPlan) => {
  const keys = keysOf(plan)
  const all = keys.map(({ quota }) => maxProbes + quota.perMinute + surplus)
  return {
    requests: all.reduce((sum, each) => sum + each, 0),
    seconds: plan.instant ? 1 : 130,
    does: `exhausts ${keys.length} keys at once`,
  }
}

export const fleet = scenario<Seen>({
  id: 'fleet',
  says: 'Many keys of several plans at once: each is served its own quota, whatever the others do.',
  needs: {
    allow: ['exhaust'],
    quota: (quotas) =>
      quotas.filter(isForBursts).length < 2 ? 'needs two keys to be exhausted at once' : undefined,
  },
  baselines: ['prism', 'reference'],
  cost,
  run,
  k6: {
    phases: (plan) => {
      const keys = keysOf(plan)
      const vus = Math.max(...plan.connections, 2 * keys.length)
      return [burstPhase({ ...plan, allow: [] }, keys, vus)]
    },
    seen: (recording) => ({
      trials: keysOf(recording.plan).map((key, _at, all) => ({
        name: `${key.label} among ${all.length} keys`,
        first: recordedRound(recording, key),
        second: null,
      })),
      shared: recording.shared,
      instant: false,
    }),
  },
  verdicts: [
    {
      id: 'load-fleet-not-more',
      requirement: 'limits.not-late',
      sends: 'All keys are exhausted at the same time, each with one call more than it announced.',
      fails: `More served to one of them than any design allows; ${twice}`,
      inconclusive: othersAsk,
      judge: ({ trials }) => expectNotMore(trials),
    },
    {
      id: 'load-fleet-not-fewer',
      requirement: 'limits.not-early',
      sends: 'The same bursts.',
      fails: fewer,
      inconclusive: othersAsk,
      judge: (seen) => expectNotFewer(seen.trials, seen),
    },
  ],
})
