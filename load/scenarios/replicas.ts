// The scenario `replicas`: each request on a connection of its own, to every address in turn; the
// replicas behind them share one count.

import { judgeMore, type Round } from '../../engine/quota/round.ts'
import { Suspicion, Untested, Violation } from '../../history/outcome.ts'
import { isServed } from '../../history/rate-headers.ts'
import { holdRounds, noneForBursts, roundsCost } from '../burst-rounds.ts'
import { cheapest, type Lane, type LoadPlan, scenario } from '../scenario.ts'

interface Seen {
  /** All on one connection, and each on its own: one at a time, to avoid races. */
  readonly one: Round
  readonly each: Round
}

const surplus = 1
/** From several machines one is sent at a time too, and all within part of a minute. */
const maxEveryMs = 10
const maxBurstMs = 20_000

const burstFrom = async (lane: Lane, newConnections: boolean): Promise<Round> => {
  const shape = { connections: 1, surplus, newConnections }
  const [round] = await holdRounds(lane, [cheapest(lane.plan.keys)], shape)
  return round as Round
}

const run = async function* (lane: Lane): AsyncGenerator<void, Seen> {
  const each = await burstFrom(lane, true)
  yield
  // A quota that is exceeded on one connection as well has nothing to do with replicas.
  const isClear = lane.column !== 'target' || judgeMore(each).kind === 'holds'
  const one = isClear ? each : await burstFrom(lane, false)
  return { one, each }
}

const expectOneCount = ({ one, each }: Seen): void => {
  const found = judgeMore(each)
  if (found.kind === 'holds') {
    if (each.lost === 0 || each.burst.some((response) => !isServed(response))) return
    throw new Untested('ambiguous', `${each.lost} requests got no response`, each.probes)
  }
  if (found.kind === 'unclear') throw new Suspicion(found.why, found.evidence)
  const { expected, actual, evidence } = found
  if (judgeMore(one).kind !== 'holds') {
    throw new Suspicion(`${actual}, and the same on one connection: see burst`, evidence)
  }
  const seen = `${each.key.label}, each request on a new connection: ${actual}`
  if (found.kind === 'violation') throw new Violation(expected, seen, evidence)
  throw new Suspicion(`${seen}; a window may have ended in between`, evidence)
}

const cost = (plan: LoadPlan) => ({
  requests: 2 * roundsCost([cheapest(plan.keys)], surplus),
  seconds: plan.instant ? 1 : 130,
  does: `exhausts ${cheapest(plan.keys).label}, twice where a count is exceeded`,
})

export const replicas = scenario<Seen>({
  id: 'replicas',
  says: 'Each request on a new connection, to every address of the host: they share one count.',
  needs: { allow: ['exhaust'], key: true, quota: noneForBursts },
  baselines: ['reference'],
  cost,
  run,
  distributed: {
    phases: (plan, schedule) => {
      const key = cheapest(plan.keys)
      const everyMs = Math.min(maxEveryMs, maxBurstMs / key.quota.perMinute)
      const users = Math.max(...plan.connections)
      schedule.bursts([key], surplus, { part: 'each', users, everyMs, fresh: true })
      schedule.bursts([key], surplus, { part: 'one', users: 1 })
    },
    see: (sent, { keys }) => ({
      one: sent.round('one', cheapest(keys)),
      each: sent.round('each', cheapest(keys)),
    }),
  },
  verdicts: [
    {
      id: 'load-replicas-one-count',
      requirement: 'limits.one-count',
      sends:
        'All calls that a key announces and one more, each on a connection of its own, to every ' +
        'address of the host in turn.',
      fails: 'More served than any design allows, but not on one connection.',
      inconclusive: 'the same on one connection, or a window may have ended in between (ambiguous)',
      judge: expectOneCount,
    },
  ],
})
