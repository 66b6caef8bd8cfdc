// The scenario `edge`: a minute is spent right before its end, and the next one right after it.
import type { LimitKey } from '../../engine/check/context.ts'
import type { AnsweredExchange } from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { isServed, minuteSaid, type RateHeaders } from '../../history/rate-headers.ts'
import { cheapest, type Lane, type LoadPlan, scenario } from '../scenario.ts'
import { countSurplus, keyOfEachPlan, noneToSpend, send } from '../spend.ts'

/** Date has whole seconds, so the edge may be nearer by one. */
const roundedMs = 1_000
/** For the burst before the edge. */
const leadMs = 400
const afterEdgeMs = 50

/** What a response says of the minute of its key. */
const saidBy = (response: AnsweredExchange): RateHeaders => {
  const evidence = [response]
  if (!isServed(response)) {
    throw new Untested('blocked', 'a key with its full quota was refused: see burst', evidence)
  }
  const said = minuteSaid(response)
  if (said) return said
  const message = `responses to key ${response.key} do not state when its minute ends`
  throw new Untested('ambiguous', message, evidence)
}

const burstAtEdge = async (lane: Lane, key: LimitKey): Promise<void> => {
  const { label, quota } = key
  const connections = Math.max(...lane.plan.connections)
  const surplus = countSurplus(lane.plan, connections)
  await lane.ensureDay(key, 2 * quota.perMinute + surplus + 2)
  await lane.waitForFullQuota(label)
  const first = saidBy(await lane.ask(label))
  await lane.pass(Math.max(0, first.resetInMs - roundedMs - leadMs))
  const last = await lane.ask(label)
  const { remaining, resetInMs } = saidBy(last)
  const edgeMs = performance.now() + resetInMs
  await send(lane, key, Math.min(remaining, quota.perMinute), { connections })
  await lane.pass(Math.max(0, edgeMs - performance.now()) + afterEdgeMs)
  await send(lane, key, quota.perMinute + surplus, { connections })
}

const keysOf = (plan: LoadPlan) => {
  const keys = keyOfEachPlan(plan)
  return plan.instant ? keys : [cheapest(keys)]
}

const cost = (plan: LoadPlan) => {
  const surplus = countSurplus(plan, Math.max(...plan.connections))
  const all = keysOf(plan).map(({ quota }) => 2 * quota.perMinute + surplus + 2)
  return {
    requests: all.reduce((sum, each) => sum + each, 0),
    seconds: all.length * (plan.instant ? 1 : 185),
    does: 'spends two minutes of a key around the end of a window',
  }
}

export const edge = scenario<null>({
  id: 'edge',
  says: 'A burst on each side of a window’s end: each window serves its quota, and no more.',
  needs: { allow: ['exhaust'], key: true, quota: noneToSpend },
  repeats: true,
  baselines: ['reference'],
  adapts: true,
  cost,
  run: async function* (lane, again) {
    for (const key of keysOf(lane.plan)) {
      if (again && !again.includes(key.label)) continue
      await burstAtEdge(lane, key)
      yield
    }
    return null
  },
  verdicts: [
    {
      id: 'load-edge-not-more',
      requirement: 'limits.not-late',
      sends:
        'All calls that a key announces right before its window ends, and more than a whole ' +
        'minute of them right after it.',
      laws: ['limit-not-late'],
    },
    {
      id: 'load-edge-not-fewer',
      requirement: 'limits.not-early',
      sends: 'The same bursts.',
      laws: ['limit-not-early', 'limit-not-below-quota'],
    },
  ],
})
