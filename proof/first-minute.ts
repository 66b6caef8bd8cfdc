// Which checks come first in real time: those that find the most known faults per request with a
// key, by the kill table. Written to suites/first-minute.json.
import { type AnyCheck, type SendingCheck, sendsRequests } from '../engine/check/declare.ts'
import { isViolation } from '../engine/check/outcome.ts'
import { plans } from '../spec/plans.ts'
import { catalogue } from '../suites/index.ts'
import { firstMinute, isServerMutant, type KillLine, runAt } from './kill-table.ts'
import { workThrough } from './pool.ts'
import { type Server, servers, targetOf } from './subjects.ts'

const seed = 7
/** How often the order is made anew without what did not find a mutant in its place. */
const rounds = 3
/** A little more than the minute holds, as some checks need fewer requests than they declare. */
const maxKeyed = plans.free.perMinute + 4

/** A mutant of the contract, and the checks of which a request may show its fault. */
interface Row {
  readonly id: string
  readonly senders: Set<string>
  readonly weight: number
}

const contract = new Set(
  servers
    .filter(({ suite, variant }) => suite === 'contract' && variant.description === undefined)
    .map(({ id }) => id),
)

const rowsOf = (lines: readonly KillLine[]): Row[] => {
  const found = lines
    .filter(isServerMutant)
    .filter(({ id, plain }) => contract.has(id) && Object.keys(plain).length > 0)
  const alike = Map.groupBy(found, ({ requirement }) => requirement)
  return found.map(({ id, plain, shownBy, requirement }) => ({
    id,
    senders: new Set([...Object.keys(plain), ...shownBy]),
    // Each requirement counts the same, whatever number of mutants it has.
    weight: 1 / (alike.get(requirement)?.length ?? 1),
  }))
}

const early = ['probes', 'unauthenticated', 'refusals', 'creations', 'reads']

/** Whether a check can come first: with one Free key, and before what other checks create. */
const mayLead = ({ needs }: SendingCheck): boolean =>
  early.includes(needs.stage) &&
  needs.keyed > 0 &&
  ![needs.clock, needs.experiment, needs.looksAt, needs.plan, needs.keys].some(Boolean) &&
  ![needs.secondKey, needs.furtherKeys].some(Boolean) &&
  (needs.made === undefined || needs.made === 'crowd')

const creates = ({ stage }: SendingCheck['needs']): boolean => stage === 'creations'

/** Greedily: each time the check that adds most per request. */
const orderOf = (rows: readonly Row[], costOf: (check: SendingCheck) => number): string[] => {
  const left = new Set(rows)
  const cover = (id: string) => {
    for (const row of left) if (row.senders.has(id)) left.delete(row)
  }
  const gainOf = ({ id }: SendingCheck) =>
    [...left].reduce((sum, { senders, weight }) => sum + (senders.has(id) ? weight : 0), 0)
  const sending = catalogue.filter(sendsRequests)
  for (const { id, needs } of sending) if (needs.keyed === 0 && needs.anonymous > 0) cover(id)
  const order: string[] = []
  for (let keyed = 3; keyed < maxKeyed; ) {
    const [best] = sending
      .filter((check) => mayLead(check) && !order.includes(check.id))
      .map((check) => ({ check, value: gainOf(check) / costOf(check) }))
      .filter(({ value }) => value > 0)
      .sort((a, b) => b.value - a.value)
    if (!best) break
    keyed += costOf(best.check)
    order.push(best.check.id)
    cover(best.check.id)
  }
  // The others judge the pets that these create.
  const creating = new Set(sending.flatMap(({ id, needs }) => (creates(needs) ? [id] : [])))
  return [...order.filter((id) => creating.has(id)), ...order.filter((id) => !creating.has(id))]
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
  const { checks } = await firstMinute(targetOf(server), seed, ranked(order))
  return { id: server.id, isFound: checks.some(({ outcome }) => isViolation(outcome)) }
}

/** The checks that come first, in their order, and how many of the mutants they find there. */
interface FirstMinute {
  readonly found: number
  readonly of: number
  readonly checks: readonly string[]
}

/** @param lines of the kill table */
export const makeFirstMinute = async (
  lines: readonly KillLine[],
  report: (line: string) => void,
): Promise<FirstMinute> => {
  const rows = rowsOf(lines)
  const honest = await runAt({}, 'plain', seed)
  const requests = new Map(honest.checks.map((each) => [each.id, each.requests]))
  const costOf = ({ id, needs }: SendingCheck) => Math.max(needs.keyed, requests.get(id) ?? 0)
  let best: FirstMinute = { found: 0, of: rows.length, checks: [] }
  for (let round = 0; round < rounds; round += 1) {
    const order = orderOf(rows, costOf)
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
