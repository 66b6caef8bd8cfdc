// The scenario `fleet`: many keys of several plans at once, each of which has its own quota.
import {
  expectNotFewer,
  expectNotMore,
  fewer,
  holdRounds,
  holdTwice,
  keysOfBursts,
  othersAsk,
  roundsCost,
  type Trial,
  twice,
} from '../burst-rounds.ts'
import { scenario } from '../scenario.ts'

/** One of each is refused, and no more: these keys must not be banned. */
const surplus = 1

const nameOf = (label: string, keys: readonly unknown[]) => `${label} among ${keys.length} keys`

export const fleet = scenario<readonly Trial[]>({
  id: 'fleet',
  says: 'Many keys of several plans at once: each is served its own quota, whatever the others do.',
  needs: {
    allow: ['exhaust'],
    quota: (plan) =>
      keysOfBursts(plan).length < 2 ? 'needs two keys to be exhausted at once' : undefined,
  },
  baselines: ['prism', 'reference'],
  cost: (plan) => {
    const keys = keysOfBursts(plan)
    const does = `exhausts ${keys.length} keys at once`
    return { requests: roundsCost(keys, surplus), seconds: plan.instant ? 1 : 130, does }
  },
  /** All bursts at the same time; each key has its own connections. */
  run: async function* (lane) {
    const keys = keysOfBursts(lane.plan)
    const connections = Math.ceil(Math.max(...lane.plan.connections) / keys.length)
    const hold = () => holdRounds(lane, keys, { connections, surplus })
    return yield* holdTwice(lane, hold, ({ label }) => nameOf(label, keys))
  },
  distributed: {
    phases: (plan, schedule) => {
      const keys = keysOfBursts(plan)
      const users = Math.ceil(Math.max(...plan.connections) / keys.length)
      schedule.bursts(keys, surplus, { part: 'burst', users })
    },
    see: (sent, plan) =>
      keysOfBursts(plan).map((key, _at, keys) => ({
        name: nameOf(key.label, keys),
        first: sent.round('burst', key),
        second: null,
      })),
  },
  verdicts: [
    {
      id: 'load-fleet-not-more',
      requirement: 'limits.not-late',
      sends: 'All keys are exhausted at the same time, each with one call more than it announced.',
      fails: `More served to one of them than any design allows; ${twice}`,
      inconclusive: othersAsk,
      judge: expectNotMore,
    },
    {
      id: 'load-fleet-not-fewer',
      requirement: 'limits.not-early',
      sends: 'The same bursts.',
      fails: fewer,
      inconclusive: othersAsk,
      judge: (trials, { plan }) => expectNotFewer(trials, plan),
    },
  ],
})
