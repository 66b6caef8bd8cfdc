// The scenarios `burst`, `fleet` and `replicas`: the whole minute of keys and more at once. They
// differ in the keys, the connections, and how many requests are sent beyond the quota. `edge`
// spends a minute right before its end, and the next one right after it.
import type { LimitKey } from '../../engine/check/context.ts'
import type { AnsweredExchange } from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { isServed, minuteSaid, type RateHeaders } from '../../history/rate-headers.ts'
import { serverError } from '../../model/form.ts'
import {
  cheapest,
  type JudgedVerdict,
  judged,
  type Lane,
  type LoadPlan,
  type Scenario,
} from '../scenario.ts'
import {
  countSurplus,
  keyOfEachPlan,
  keysToSpend,
  noneToSpend,
  type Spending,
  send,
  spendAll,
  spendingCost,
} from '../spend.ts'

/** Keys that are spent at the same time, and how. */
interface Round extends Spending {
  readonly keys: readonly LimitKey[]
}

/** Two windows, before each round, and the probes. */
const roundSeconds = 130

interface BurstForm
  extends Pick<Scenario, 'id' | 'says' | 'needsLimiter' | 'repeats' | 'verdicts'>,
    Pick<Scenario['needs'], 'quota'> {
  readonly roundsOf: (plan: LoadPlan) => readonly Round[]
  readonly does: (plan: LoadPlan) => string
}

const burstScenario = ({ roundsOf, does, quota, ...form }: BurstForm): Scenario => ({
  ...form,
  needs: { allow: ['exhaust'], quota: quota ?? noneToSpend },
  cost: (plan) => {
    const rounds = roundsOf(plan)
    return {
      requests: rounds.reduce((sum, each) => sum + spendingCost(each.keys, each.surplus), 0),
      seconds: rounds.length * (plan.instant ? 1 : roundSeconds),
      does: does(plan),
    }
  },
  run: async function* (lane) {
    for (const { keys, ...spending } of roundsOf(lane.plan)) {
      // A target without a limiter need not be shown again.
      if (await spendAll(lane, keys, spending)) break
      yield
    }
  },
})

const same = 'The same bursts.'

/** That keys get no more than their quotas, and no less. */
const exactQuotas = (scenario: string, sends: string): readonly JudgedVerdict[] => [
  judged(`load-${scenario}-not-more`, 'limits.not-late', sends, 'limit-not-late'),
  {
    id: `load-${scenario}-not-fewer`,
    requirement: 'limits.not-early',
    sends: same,
    laws: ['limit-not-early', 'limit-not-below-quota'],
  },
]

const oneCount = (id: string, sends: string): JudgedVerdict =>
  judged(id, 'limits.one-count', sends, 'remaining-rises-at-reset', 'limit-not-late')

export const burst = burstScenario({
  id: 'burst',
  says: 'A whole minute and more at once, from several connections: exactly the quota is served.',
  repeats: 'keys',
  roundsOf: (plan) =>
    keyOfEachPlan(plan).flatMap((key) =>
      plan.connections.map((connections): Round => {
        return { keys: [key], connections, surplus: countSurplus(plan, connections), inTwo: true }
      }),
    ),
  does: ({ allow }) =>
    `exhausts a key of each plan${allow.includes('ban') ? ', and may cause a ban' : ''}`,
  verdicts: [
    ...exactQuotas(
      'burst',
      'With the full quota of a key of each plan, a burst of all calls that it announces and ' +
        'more, at each number of --connections. It goes on while all are served.',
    ),
    oneCount('load-burst-one-count', same),
    judged('load-burst-excess-429', 'limits.429', same, 'quota-429-status'),
    judged('load-burst-no-5xx', 'service.no-server-error', same, serverError),
    {
      id: 'load-burst-answered',
      requirement: 'gap.load',
      sends: same,
      records: 'How many requests got no response or could not be sent; any at all is a warning.',
      observe: ({ figures: { sent, neverSent, counts } }) => {
        const lost = counts.timeout + counts.reset
        if (lost + neverSent === 0) return `all ${sent} requests got a response`
        const unsent = `${neverSent} could not be sent`
        return { warn: `${lost} of ${sent} requests got no response, and ${unsent}` }
      },
    },
  ],
})

export const fleet = burstScenario({
  id: 'fleet',
  says: 'Many keys of several plans at once: each is served its own quota, whatever the others do.',
  repeats: 'all',
  quota: (plan) =>
    keysToSpend(plan).length < 2 ? 'needs two keys to be exhausted at once' : undefined,
  // One of each is refused, and no more: these keys must not be banned.
  roundsOf: (plan) => {
    const keys = keysToSpend(plan)
    const connections = Math.ceil(Math.max(...plan.connections) / keys.length)
    return [{ keys, connections, surplus: 1 }]
  },
  does: (plan) => `exhausts ${keysToSpend(plan).length} keys at once`,
  verdicts: exactQuotas(
    'fleet',
    'All keys are exhausted at the same time, each with one call more than it announced.',
  ),
})

export const replicas = burstScenario({
  id: 'replicas',
  says: 'Each request on a new connection, to every address of the host: they share one count.',
  repeats: 'all',
  needsLimiter: true,
  roundsOf: (plan) => [
    {
      ...{ keys: [cheapest(plan.keys)], connections: 1, surplus: 1 },
      ...{ newConnections: true, inTwo: true },
    },
  ],
  does: (plan) => `exhausts ${cheapest(plan.keys).label}`,
  verdicts: [
    oneCount(
      'load-replicas-one-count',
      'All calls that a key announces and one more, each on a connection of its own, to every ' +
        'address of the host in turn.',
    ),
  ],
})

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
  const { rest, ask, quota } = lane.handleOf(key)
  const connections = Math.max(...lane.plan.connections)
  const surplus = countSurplus(lane.plan, connections)
  await lane.ensureDay(key, 2 * quota.perMinute + surplus + 2)
  await rest()
  const first = saidBy(await ask())
  await lane.pass(Math.max(0, first.resetInMs - roundedMs - leadMs))
  const last = await ask()
  const { remaining, resetInMs } = saidBy(last)
  const edgeMs = performance.now() + resetInMs
  await send(lane, key, Math.min(remaining, quota.perMinute), { connections })
  await lane.pass(Math.max(0, edgeMs - performance.now()) + afterEdgeMs)
  await send(lane, key, quota.perMinute + surplus, { connections })
}

const keysAtEdge = (plan: LoadPlan) => {
  const keys = keyOfEachPlan(plan)
  return plan.instant ? keys : [cheapest(keys)]
}

export const edge: Scenario = {
  id: 'edge',
  says: 'A burst on each side of a window’s end: each window serves its quota, and no more.',
  needs: { allow: ['exhaust'], quota: noneToSpend },
  repeats: 'keys',
  needsLimiter: true,
  adapts: true,
  cost: (plan) => {
    const surplus = countSurplus(plan, Math.max(...plan.connections))
    const all = keysAtEdge(plan).map(({ quota }) => 2 * quota.perMinute + surplus + 2)
    return {
      requests: all.reduce((sum, each) => sum + each, 0),
      seconds: all.length * (plan.instant ? 1 : 185),
      does: 'spends two minutes of a key around the end of a window',
    }
  },
  run: async function* (lane) {
    for (const key of keysAtEdge(lane.plan)) {
      await burstAtEdge(lane, key)
      yield
    }
  },
  verdicts: exactQuotas(
    'edge',
    'All calls that a key announces right before its window ends, and more than a whole minute ' +
      'of them right after it.',
  ),
}
