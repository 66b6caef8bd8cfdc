// The scenario `replicas`: each request on a connection of its own, to every address in turn; what
// stands behind them counts together.

import { Suspicion, Untested, Violation } from '../engine/outcome.ts'
import { isServed } from '../engine/quota/key-minute.ts'
import { judgeMore } from '../engine/quota/quota-judgements.ts'
import { announcedBy, type Round } from '../engine/quota/round.ts'
import type { Lane } from './lane.ts'
import { burstOf, cheapest, driveInto, noneForBursts, probe, probesMost } from './rounds.ts'
import { type LoadPlan, scenario } from './scenario.ts'

interface Seen {
  /** All on one connection, and each on its own: one at a time, so that nothing races. */
  readonly one: Round
  readonly each: Round
}

const surplus = 1

const hold = async (lane: Lane, newConnections: boolean): Promise<Round> => {
  const key = cheapest(lane.keys)
  await lane.ensureDay(key.label, probesMost + key.quota.perMinute + surplus)
  const round = await probe(lane, key)
  if (!round.probes.every(isServed)) return round
  const load = burstOf(key.label, announcedBy(round) + surplus, 1)
  return driveInto(lane, round, { ...load, newConnections })
}

const run = async function* (lane: Lane): AsyncGenerator<void, Seen> {
  const each = await hold(lane, true)
  yield
  // What is exceeded on one connection as well has nothing to do with replicas.
  const isClear = lane.column !== 'target' || judgeMore(each).kind === 'holds'
  const one = isClear ? each : await hold(lane, false)
  return { one, each }
}

const expectOneCount = ({ one, each }: Seen): void => {
  const found = judgeMore(each)
  if (found.kind === 'holds') {
    if (each.lost === 0 || each.burst.some((answer) => !isServed(answer))) return
    throw new Untested('ambiguous', `${each.lost} requests got no answer`, each.probes)
  }
  if (found.kind === 'unclear') throw new Suspicion(found.why, found.evidence)
  const { expected, actual, evidence } = found
  if (judgeMore(one).kind !== 'holds') {
    throw new Suspicion(`${actual}, and so it is on one connection: burst tells more`, evidence)
  }
  const seen = `${each.key.label}, each request on a new connection: ${actual}`
  if (found.kind === 'breach') throw new Violation(expected, seen, evidence)
  throw new Suspicion(`${seen}; a window may have ended in between`, evidence)
}

const cost = (plan: LoadPlan) => ({
  requests: 2 * (probesMost + (cheapest(plan.keys).quota.perMinute + surplus)),
  seconds: plan.instant ? 1 : 130,
  does: `exhausts ${cheapest(plan.keys).label}, twice where a count is exceeded`,
})

export const replicas = scenario<Seen>({
  id: 'replicas',
  says: 'Each request on a new connection, to every address of the host: they share one count.',
  needs: { allow: ['exhaust'], key: true, quota: noneForBursts },
  beside: ['reference'],
  cost,
  run,
  verdicts: [
    {
      id: 'load-replicas-one-count',
      requirement: 'limits.one-count',
      sends:
        'All that a key announces and one call more, each on a connection of its own, to every ' +
        'address of the host in turn.',
      fails: 'More served than any design grants, though not so on one connection.',
      inconclusive:
        'so it is on one connection as well, or a window may have ended in between (ambiguous)',
      judge: expectOneCount,
    },
  ],
})
