// The scenario `edge`: a minute is spent right before its end, and the next one right behind it.
import type { Answered } from '../engine/exchange.ts'
import { Untested, Violation } from '../engine/outcome.ts'
import { isServed, minuteMs, minuteSaid, spanMs } from '../engine/quota/key-minute.ts'
import type { LimitKey } from '../engine/quota/limits.ts'
import { judgeWindows } from '../engine/quota/quota-judgements.ts'
import { announcedBy, type Round } from '../engine/quota/round.ts'
import { type Circumstances, expectNotFewer, fewer, othersAsk, type Trial } from './judge-rounds.ts'
import type { Lane } from './lane.ts'
import { burstOf, cheapest, driveInto, keysOfBursts, noneForBursts, surplusOf } from './rounds.ts'
import { type LoadPlan, scenario } from './scenario.ts'

interface Seen extends Circumstances {
  /** Before the edge: what was announced is spent, and no more. */
  readonly before: readonly Trial[]
  /** The same with what follows behind the edge. */
  readonly across: readonly Round[]
}

/** A Date tells whole seconds, so the edge may be nearer by one. */
const roundedMs = 1_000
/** So much is left for the burst before the edge. */
const leadMs = 400
const behindMs = 50

const msToReset = (answer: Answered, { quota, label }: LimitKey): number => {
  const said = minuteSaid(answer, quota)
  if (said) return said.resetInMs
  throw new Untested('ambiguous', `key ${label} is not told when its minute ends`, [answer])
}

const unlessServed = (answer: Answered): Answered => {
  if (isServed(answer)) return answer
  throw new Untested('blocked', 'a rested key was refused: burst tells more', [answer])
}

const holdEdge = async (lane: Lane, key: LimitKey) => {
  const { label, quota } = key
  const connections = Math.max(...lane.settings.connections)
  const surplus = surplusOf(lane, connections)
  await lane.ensureDay(label, 2 * quota.perMinute + surplus + 2)
  await lane.rest(label)
  const first = unlessServed(await lane.ask(label))
  await lane.pass(Math.max(0, msToReset(first, key) - roundedMs - leadMs))
  const probes = [first, unlessServed(await lane.ask(label))]
  const begun = { key, probes, burst: [], lost: 0 }
  const before = await driveInto(lane, begun, burstOf(label, announcedBy(begun), connections))
  const last = before.burst.at(-1) ?? first
  await lane.pass(msToReset(last, key) + behindMs)
  const load = burstOf(label, quota.perMinute + surplus, connections)
  return { before, across: await driveInto(lane, before, load) }
}

const keysOf = (plan: Pick<LoadPlan, 'keys' | 'instant'>) => {
  const keys = keysOfBursts(plan.keys)
  return plan.instant ? keys : [cheapest(keys)]
}

const run = async function* (lane: Lane): AsyncGenerator<void, Seen> {
  const before: Trial[] = []
  const across: Round[] = []
  for (const key of keysOf(lane)) {
    const held = await holdEdge(lane, key)
    before.push({ name: `${key.label} before the edge`, first: held.before, second: null })
    across.push(held.across)
    yield
  }
  return { before, across, shared: lane.shared, instant: lane.instant }
}

const expectWindows = ({ across }: Seen): void => {
  for (const round of across) {
    const found = judgeWindows(round)
    if (found.kind !== 'breach') continue
    throw new Violation(found.expected, `${round.key.label}: ${found.actual}`, found.evidence)
  }
}

/** A double burst is legal; more than that in less than a window no design grants. */
const expectDouble = ({ across }: Seen): void => {
  for (const { key, probes, burst } of across) {
    const all = [...probes.slice(-1), ...burst].filter(isServed)
    const most = 2 * key.quota.perMinute
    if (all.length <= most || spanMs(all) >= minuteMs) continue
    const expected = `at most ${most} requests served in less than a minute`
    const actual = `${key.label}: ${all.length} served in ${Math.ceil(spanMs(all))} ms`
    throw new Violation(expected, actual, all.slice(-1))
  }
}

const cost = (plan: LoadPlan) => {
  const surplus = surplusOf(plan, Math.max(...plan.connections))
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
  beside: ['reference'],
  cost,
  run,
  verdicts: [
    {
      id: 'load-edge-window-not-more',
      requirement: 'limits.not-late',
      sends:
        'What a key announces is spent right before its window ends, and a whole minute and more ' +
        'is asked right behind it.',
      fails:
        'More served in one window, by its Reset, than the plan has and a bucket gives back ' +
        'meanwhile.',
      inconclusive: 'the end of the minute is not told (ambiguous)',
      judge: expectWindows,
    },
    {
      id: 'load-edge-double-not-more',
      requirement: 'limits.not-late',
      sends: 'The same two bursts.',
      fails: 'More than twice the number of the plan served in less than a minute.',
      inconclusive: 'the end of the minute is not told (ambiguous)',
      judge: expectDouble,
    },
    {
      id: 'load-edge-not-fewer',
      requirement: 'limits.not-early',
      sends: 'The burst before the edge.',
      fails: fewer,
      inconclusive: othersAsk,
      judge: (seen) => expectNotFewer(seen.before, seen),
    },
  ],
})
