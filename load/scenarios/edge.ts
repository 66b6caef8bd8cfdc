// The scenario `edge`: a minute is spent right before its end, and the next one right after it.
import type { LimitKey } from '../../engine/check/context.ts'
import { announcedBy, judgeTwoWindows, judgeWindows, type Round } from '../../engine/quota/round.ts'
import type { AnsweredExchange } from '../../history/exchange.ts'
import { Untested, Violation } from '../../history/outcome.ts'
import { isServed, minuteSaid } from '../../history/rate-headers.ts'
import {
  countSurplus,
  driveInto,
  expectNotFewer,
  fewer,
  keyOfEachPlan,
  noneForBursts,
  othersAsk,
  type Trial,
} from '../burst-rounds.ts'
import { cheapest, type Lane, type LoadPlan, scenario } from '../scenario.ts'

interface Seen {
  /** Before the edge: what was announced is spent, no more. */
  readonly before: readonly Trial[]
  /** The rounds before the edge, with what follows after it. */
  readonly across: readonly Round[]
}

/** Date has whole seconds, so the edge may be nearer by one. */
const roundedMs = 1_000
/** For the burst before the edge. */
const leadMs = 400
const afterEdgeMs = 50

const msToReset = (response: AnsweredExchange, { label }: LimitKey): number => {
  const said = minuteSaid(response)
  if (said) return said.resetInMs
  throw new Untested('ambiguous', `responses to key ${label} do not state when its minute ends`, [
    response,
  ])
}

const unlessServed = (response: AnsweredExchange): AnsweredExchange => {
  if (isServed(response)) return response
  throw new Untested('blocked', 'a key with its full quota was refused: see burst', [response])
}

const burstAtEdge = async (lane: Lane, key: LimitKey) => {
  const { label, quota } = key
  const connections = Math.max(...lane.plan.connections)
  const surplus = countSurplus(lane.plan, connections)
  await lane.ensureDay(key, 2 * quota.perMinute + surplus + 2)
  await lane.waitForFullQuota(label)
  const first = unlessServed(await lane.ask(label))
  await lane.pass(Math.max(0, msToReset(first, key) - roundedMs - leadMs))
  const probes = [first, unlessServed(await lane.ask(label))]
  const begun = { key, probes, burst: [], lost: 0 }
  const before = await driveInto(lane, begun, announcedBy(begun), connections)
  const last = before.burst.at(-1) ?? first
  await lane.pass(msToReset(last, key) + afterEdgeMs)
  return { before, across: await driveInto(lane, before, quota.perMinute + surplus, connections) }
}

const keysOf = (plan: LoadPlan) => {
  const keys = keyOfEachPlan(plan)
  return plan.instant ? keys : [cheapest(keys)]
}

const nameOf = ({ label }: LimitKey) => `${label} before the edge`

const run = async function* (lane: Lane): AsyncGenerator<void, Seen> {
  const before: Trial[] = []
  const across: Round[] = []
  for (const key of keysOf(lane.plan)) {
    const rounds = await burstAtEdge(lane, key)
    before.push({ name: nameOf(key), first: rounds.before, second: null })
    across.push(rounds.across)
    yield
  }
  return { before, across }
}

/** Twice the quota is legal; no design serves more in less than a window. */
const expectNotMore = ({ across }: Seen): void => {
  for (const round of across) {
    const served = [...round.probes.slice(-1), ...round.burst].filter(isServed)
    for (const found of [judgeWindows(round), judgeTwoWindows(round, served)]) {
      if (found.kind !== 'violation') continue
      throw new Violation(found.expected, `${round.key.label}: ${found.actual}`, found.evidence)
    }
  }
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

export const edge = scenario<Seen>({
  id: 'edge',
  says: 'A burst on each side of a window’s end: each window serves its quota, and no more.',
  needs: { allow: ['exhaust'], key: true, quota: noneForBursts },
  baselines: ['reference'],
  cost,
  run,
  verdicts: [
    {
      id: 'load-edge-not-more',
      requirement: 'limits.not-late',
      sends:
        'All calls that a key announces right before its window ends, and more than a whole ' +
        'minute of them right after it.',
      fails:
        'More served in one window, by its Reset, than the quota of the plan and what a bucket ' +
        'refills meanwhile; or more than twice the quota in less than a minute.',
      inconclusive: 'the end of the minute is not stated (ambiguous)',
      judge: expectNotMore,
    },
    {
      id: 'load-edge-not-fewer',
      requirement: 'limits.not-early',
      sends: 'The burst before the edge.',
      fails: fewer,
      inconclusive: othersAsk,
      judge: ({ before }, { plan }) => expectNotFewer(before, plan),
    },
  ],
})
