// Which checks come first in real time: those that find the most known faults per request with a
// key, by what runs at the mutants of the contract show. Written to suites/first-minute.json.
import { type AnyCheck, type SendingCheck, sendsRequests } from '../engine/check/declare.ts'
import { isViolation } from '../engine/check/outcome.ts'
import type { RunFile } from '../engine/check/run-file.ts'
import type { Mutant } from '../reference/mutant.ts'
import { mutants } from '../reference/mutants.ts'
import { plans } from '../spec/plans.ts'
import { catalogue } from '../suites/index.ts'
import { firstMinute, runAt } from './signatures.ts'

const seed = 7
/** How often the order is made anew without what did not find a mutant in its place. */
const rounds = 3
/** A little more than the minute holds, as some checks need fewer requests than they declare. */
const maxKeyed = plans.free.perMinute + 4

/** A mutant of the contract, and the checks of which a request may show its fault. */
interface Row {
  readonly mutant: Mutant
  readonly senders: Set<string>
  readonly weight: number
}

const contract = mutants.filter(
  ({ suite, description }) => suite === undefined && description === undefined,
)

/** The checks that failed, and those that sent what shows any failure. */
const sendersIn = ({ checks }: RunFile, checkOf: (seq: number) => string): Set<string> => {
  const failed = checks.filter(({ outcome }) => isViolation(outcome))
  const shown = failed.flatMap(({ findings = [], evidence }) => [
    ...findings.flatMap(({ exchanges }) => exchanges),
    ...evidence.map(({ seq }) => seq),
  ])
  return new Set([...failed.map(({ id }) => id), ...shown.map(checkOf)])
}

const rowsOf = async (): Promise<Row[]> => {
  const found: Omit<Row, 'weight'>[] = []
  for (const mutant of contract) {
    const checks = new Map<number, string>()
    const run = await runAt(mutant, 'plain', seed, {
      onExchange: (line) => {
        const { seq, check } = JSON.parse(line)
        checks.set(seq, check)
      },
    })
    const senders = sendersIn(run, (seq) => checks.get(seq) ?? '')
    if (senders.size > 0) found.push({ mutant, senders })
  }
  const requirementOf = ({ caughtBy }: Mutant) =>
    catalogue.find(({ id }) => id === caughtBy)?.requirement
  const alike = Map.groupBy(found, ({ mutant }) => requirementOf(mutant))
  // Each requirement counts the same, whatever number of mutants it has.
  return found.map((row) => ({
    ...row,
    weight: 1 / (alike.get(requirementOf(row.mutant))?.length ?? 1),
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

const isFoundIn = ({ checks }: RunFile): boolean =>
  checks.some(({ outcome }) => isViolation(outcome))

/** The checks that come first, in their order, and how many of the mutants they find there. */
interface FirstMinute {
  readonly found: number
  readonly of: number
  readonly checks: readonly string[]
}

export const makeFirstMinute = async (report: (line: string) => void): Promise<FirstMinute> => {
  const rows = await rowsOf()
  const honest = await runAt({}, 'plain', seed)
  const requests = new Map(honest.checks.map((each) => [each.id, each.requests]))
  const costOf = ({ id, needs }: SendingCheck) => Math.max(needs.keyed, requests.get(id) ?? 0)
  let best: FirstMinute = { found: 0, of: rows.length, checks: [] }
  for (let round = 0; round < rounds; round += 1) {
    const order = orderOf(rows, costOf)
    const checks = ranked(order)
    const { checks: results } = await firstMinute({}, seed, checks)
    const ran = results.filter(({ outcome }) => outcome !== 'untested').map(({ id }) => id)
    let found = 0
    for (const { mutant, senders } of rows) {
      if (isFoundIn(await firstMinute(mutant, seed, checks))) found += 1
      // It showed only what another check had caused, or what a later one does.
      else for (const id of ran) senders.delete(id)
    }
    report(`${found} of ${rows.length} with ${order.length} checks first`)
    if (found > best.found) best = { found, of: rows.length, checks: order }
  }
  return best
}
