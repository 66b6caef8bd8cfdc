// Which checks come first in real time: those that find the most known faults per request with a
// key, by the kill table. Written to suites/first-minute.json.
import { type AnyCheck, type SendingCheck, sendsRequests } from '../engine/check/declare.ts'
import { controlId } from '../engine/check/exchange.ts'
import { isViolation } from '../engine/check/outcome.ts'
import type { PlanOptions } from '../engine/check/spendable-keys.ts'
import { priced } from '../engine/quota/planned-experiments.ts'
import { smokeId } from '../engine/run/smoke.ts'
import { plans } from '../spec/plans.ts'
import { type RequirementId, requirement } from '../spec/requirements.ts'
import { catalogue } from '../suites/index.ts'
import { firstMinute, isServerMutant, type KillLine, runAt } from './kill-table.ts'
import { workThrough } from './pool.ts'
import { makeTarget, type Server, servers } from './subjects.ts'

const seed = 7
/** How often an order is improved. */
const maxSteps = 5
/** How often the order is made anew without what did not find a mutant in its place. */
const rounds = 2
/** The smoke call, the controls of creations and of GETs, and the probe of categories. */
const firstCalls = 6

/** A mutant of the contract, and the checks of which a request may show its fault. */
interface Row {
  readonly id: string
  /** The requirement that it violates, up to its first point: `list`. */
  readonly area: string
  readonly senders: Set<string>
}

const contract = new Set(
  servers
    .filter(({ suite, variant }) => suite === 'contract' && variant.description === undefined)
    .map(({ id }) => id),
)

const rowsOf = (lines: readonly KillLine[]): Row[] =>
  lines
    .filter(isServerMutant)
    .filter(({ id, plain }) => contract.has(id) && Object.keys(plain).length > 0)
    .map(({ id, plain, shownBy, requirement: violated }) => ({
      id,
      area: violated.split('.')[0] ?? violated,
      senders: new Set([...Object.keys(plain), ...shownBy]),
    }))

const early = ['probes', 'unauthenticated', 'refusals', 'creations', 'reads', 'hazards']

const oneFree: PlanOptions = {
  allow: ['write'],
  clockUrl: null,
  descriptionUrl: null,
  keys: [{ plan: 'free', key: '', quota: plans.free }],
}

const sending = catalogue.filter(sendsRequests).map((check) => priced(check, oneFree))

/** Whether a check can come first: with one Free key, and at a price. */
const mayLead = ({ needs }: SendingCheck): boolean =>
  early.includes(needs.stage) &&
  needs.keyed > 0 &&
  ![needs.clock, needs.experiment, needs.looksAt, needs.plan, needs.keys].some(Boolean) &&
  ![needs.secondKey, needs.furtherKeys].some(Boolean)

/** What the checks of a must cost, if one Free key can afford them all: together they test it. */
const costOfMust = (id: RequirementId): number => {
  const paid = sending.filter((each) => each.requirement === id && each.needs.keyed > 0)
  const isPossible = requirement(id).level === 'must' && paid.every(mayLead)
  return isPossible
    ? paid.reduce((sum, { needs }) => sum + needs.keyed, 0)
    : Number.POSITIVE_INFINITY
}

/** A must that is tested counts as much as so many mutants that are found. */
const mustWeight = 4

/** What other checks create or have refused is judged at the end. */
const judges = ({ needs }: SendingCheck): boolean =>
  needs.made === 'refusals' || needs.made === 'creations'

/** What each has in common with those that are sent already. */
const sharedWith = ({ needs }: SendingCheck, sent: ReadonlySet<string>): number => {
  if (needs.shares !== undefined && sent.has(needs.shares)) return needs.keyed
  return (needs.sharesEach ?? []).filter((id) => sent.has(id)).length
}

const sharesOf = ({ needs: { shares, sharesEach = [] } }: SendingCheck): readonly string[] =>
  shares === undefined ? sharesEach : [shares, ...sharesEach]

/** A check that adds nothing to what is sent costs next to nothing. */
const minCost = 0.1

/** What an order is made for. */
interface Aim {
  readonly rows: readonly Row[]
  /** What a mutant of an area counts, if not 1. */
  readonly weights: ReadonlyMap<string, number>
  /** What a creation counts for itself: lists need pets. */
  readonly petWeight: number
  /** Checks that the reference leaves untested in its first minute. */
  readonly without: ReadonlySet<string>
}

/** What is sent before all others. */
const runsFirst = ({ needs }: SendingCheck): boolean =>
  (needs.keyed === 0 && needs.anonymous > 0) ||
  (needs.stage === 'probes' && needs.allow !== undefined)

interface Picks {
  readonly picked: readonly SendingCheck[]
  /** What they do not find. */
  readonly left: ReadonlySet<Row>
}

/** Greedily: each time the check that adds most per request. */
const pickGreedily = ({ rows, weights, petWeight, without }: Aim): Picks => {
  const first = sending.filter(runsFirst)
  const sent = new Set(first.flatMap(sharesOf))
  const left = new Set(rows)
  const cover = (id: string) => {
    for (const row of left) if (row.senders.has(id)) left.delete(row)
  }
  for (const id of [smokeId, controlId, ...first.map((check) => check.id)]) cover(id)
  const costOf = (check: SendingCheck) => check.needs.keyed - sharedWith(check, sent)
  const possible = new Set(
    sending.filter((each) => mayLead(each) && !first.includes(each) && !without.has(each.id)),
  )
  const worthOf = (check: SendingCheck) => {
    const { id, needs } = check
    const found = [...left]
      .filter(({ senders }) => senders.has(id))
      .reduce((sum, { area }) => sum + (weights.get(area) ?? 1), 0)
    const alike = [...possible].filter(
      (each) =>
        each === check || (needs.shares !== undefined && each.needs.shares === needs.shares),
    )
    const tested = alike.reduce(
      (sum, each) => sum + (mustWeight * each.needs.keyed) / costOfMust(each.requirement),
      0,
    )
    const pets = needs.stage === 'creations' ? petWeight * costOf(check) : 0
    return (found + tested + pets) / Math.max(costOf(check), minCost)
  }
  const picked: SendingCheck[] = []
  for (let room = plans.free.perMinute - firstCalls; room > 0; ) {
    const [best] = [...possible]
      .filter((check) => costOf(check) <= room && worthOf(check) > 0)
      .sort((a, b) => worthOf(b) - worthOf(a))
    if (!best) break
    room -= costOf(best)
    picked.push(best)
    possible.delete(best)
    cover(best.id)
    for (const id of sharesOf(best)) sent.add(id)
  }
  return { picked, left }
}

/** Whether a check sends more than the creations that it shares: it has to send these itself. */
const sendsMore = ({ needs: { keyed, sharesEach } }: SendingCheck): boolean =>
  sharesEach !== undefined && keyed > sharesEach.length

/** Lists are about the pets of creations; what judges others comes last. */
const groupOf = (check: SendingCheck): number => {
  if (judges(check)) return 4
  if (check.needs.stage === 'probes') return 0
  if (check.needs.stage === 'creations') return sendsMore(check) ? 1 : 2
  return 3
}

/** Groups, each in the order of the picks; but reads in that of the catalogue. */
const orderOf = (picked: readonly SendingCheck[]): string[] => {
  const isRead = ({ needs }: SendingCheck) => needs.stage === 'reads'
  return [...picked]
    .sort(
      (a, b) =>
        groupOf(a) - groupOf(b) ||
        Number(isRead(a)) - Number(isRead(b)) ||
        (isRead(a) && isRead(b) ? sending.indexOf(a) - sending.indexOf(b) : 0),
    )
    .map(({ id }) => id)
}

/** The catalogue with these checks first, in this order. */
const ranked = (order: readonly string[]): readonly AnyCheck[] =>
  catalogue.map(({ rank: _, ...check }) => {
    const rank = order.indexOf(check.id)
    return rank < 0 ? check : { ...check, rank }
  })

interface FoundFirst {
  readonly id: string
  readonly isFound: boolean
}

/** Whether the first minute shows the fault of a server with these checks first. */
export const isFoundFirst = async (
  server: Server,
  order: readonly string[],
): Promise<FoundFirst> => {
  const { checks } = await firstMinute(makeTarget(server), seed, ranked(order))
  return { id: server.id, isFound: checks.some(({ outcome }) => isViolation(outcome)) }
}

/** The checks that come first, in their order, and how many of the mutants they find there. */
interface FirstMinute {
  readonly found: number
  readonly of: number
  readonly checks: readonly string[]
}

/** What a creation may count for itself: a list that takes many pets may not be worth them. */
const petWeights = [0, 0.5, 1, 1.5, 2, 3]

/** What the reference leaves untested in a first minute with these checks first. */
const lackingAt = async (picked: readonly SendingCheck[]): Promise<ReadonlySet<string>> => {
  const order = orderOf(picked)
  const { checks } = await runAt({}, 'plain', seed, { noWait: true }, ranked(order))
  const untested = checks.filter(({ because }) => because !== null && because !== 'budget')
  return new Set(untested.map(({ id }) => id).filter((id) => order.includes(id)))
}

type Weighing = Omit<Aim, 'petWeight' | 'without'>

/** Greedily, without those that the reference leaves untested; undefined if some always are. */
const pickTested = async (
  aim: Weighing,
  petWeight: number,
  hopeless: Set<string>,
): Promise<Picks | undefined> => {
  const without = new Set(hopeless)
  for (let step = 0; step < maxSteps; step += 1) {
    const pick = pickGreedily({ ...aim, petWeight, without })
    const lacking = await lackingAt(pick.picked)
    if (lacking.size === 0) return pick
    for (const { id, needs } of pick.picked.filter((check) => lacking.has(check.id))) {
      without.add(id)
      // More pets help only those that say how many they need.
      if (needs.pets === undefined) hopeless.add(id)
    }
  }
  return undefined
}

/** The picks that find most, however many pets they take. */
const pickFeasibly = async (aim: Weighing): Promise<Picks> => {
  const hopeless = new Set<string>()
  const leftWeight = ({ left }: Picks) =>
    [...left].reduce((sum, { area }) => sum + (aim.weights.get(area) ?? 1), 0)
  let best: Picks = { picked: [], left: new Set(aim.rows) }
  for (const petWeight of petWeights) {
    const pick = await pickTested(aim, petWeight, hopeless)
    if (pick && leftWeight(pick) < leftWeight(best)) best = pick
  }
  return best
}

/** No area is to fall behind the others as far as this. */
const minShare = 0.72
const weightStep = 1.4

/** Counts the mutants of an area more until enough of them are found. */
const balancedOrder = async (rows: readonly Row[]): Promise<string[]> => {
  const weights = new Map<string, number>()
  const areas = Map.groupBy(rows, ({ area }) => area)
  for (let step = 0; ; step += 1) {
    const { picked, left } = await pickFeasibly({ rows, weights })
    const behind = [...areas].filter(
      ([, all]) => all.filter((row) => !left.has(row)).length < minShare * all.length,
    )
    if (behind.length === 0 || step === maxSteps) return orderOf(picked)
    for (const [area] of behind) weights.set(area, weightStep * (weights.get(area) ?? 1))
  }
}

/** @param lines of the kill table */
export const makeFirstMinute = async (
  lines: readonly KillLine[],
  report: (line: string) => void,
): Promise<FirstMinute> => {
  const rows = rowsOf(lines)
  let best: FirstMinute = { found: 0, of: rows.length, checks: [] }
  for (let round = 0; round < rounds; round += 1) {
    const order = await balancedOrder(rows)
    const { checks: results } = await firstMinute({}, seed, ranked(order))
    const ran = results.filter(({ outcome }) => outcome !== 'untested').map(({ id }) => id)
    const judged = await workThrough<FoundFirst>({ kind: 'first minute', order }, rows)
    const missed = new Set(judged.filter(({ isFound }) => !isFound).map(({ id }) => id))
    const found = rows.length - missed.size
    // A check that ran and did not show it would show only what another one or a later one causes.
    for (const { id, senders } of rows)
      if (missed.has(id)) for (const each of ran) senders.delete(each)
    report(`${found} of ${rows.length} with ${order.length} checks first`)
    if (found > best.found) best = { found, of: rows.length, checks: order }
  }
  return best
}
