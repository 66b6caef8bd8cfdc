// The order of checks where a run ends with its first minute: greedily by the kill table, each time
// what finds the most known faults per request with a key, less what earlier checks found.
import { type AnyCheck, type SendingCheck, sendsRequests } from '../engine/check/declare.ts'
import type { Sent } from '../engine/run/run-options.ts'
import { smokeId } from '../engine/run/smoke.ts'
import { controlId } from '../history/exchange.ts'
import { plans } from '../spec/plans.ts'
import { manyPets } from '../suites/get/list.ts'

/** Of the minute, without the smoke call, the controls and the probe of categories. */
const maxCalls = plans.free.perMinute - 4

/** Its place is by what it finds. */
const mayLead = ({ needs: { stage } }: SendingCheck): boolean =>
  ['refusals', 'creations', 'reads', 'hazards'].includes(stage)

/** What needs no key is sent before all others. */
const isFree = ({ needs }: SendingCheck) => needs.stage === 'unauthenticated'

/**
 * Lists need the pets of creations; what judges the requests of others comes after both, then a
 * program, which may take many requests to shrink what it finds, and what needs all pets there are.
 */
const placeOf = (check: SendingCheck): number => {
  const { stage, pets = 0 } = check.needs
  if (stage === 'hazards') return 6
  if (pets >= manyPets) return 5
  if (check.sentBy !== undefined) return 3
  if (check.kind === 'check' && check.values === undefined) return 4
  if (stage === 'reads') return 2
  return stage === 'creations' ? 0 : 1
}

/**
 * @param finders of each known fault, the checks that find it
 * @param sent how many requests with a key each check sends
 * @returns the ids of the checks that come first
 */
export const makeOrder = (
  checks: readonly AnyCheck[],
  finders: readonly ReadonlySet<string>[],
  sent: ReadonlyMap<string, Sent>,
): readonly string[] => {
  const sending = checks.filter(sendsRequests)
  const callsOf = ({ id }: SendingCheck): number => sent.get(id)?.keyed ?? 0
  const candidates = new Set(sending.filter((each) => mayLead(each) && callsOf(each) > 0))
  const first = new Set([smokeId, controlId, ...sending.filter(isFree).map(({ id }) => id)])
  let left = finders.filter((each) => each.isDisjointFrom(first))
  const picked: SendingCheck[] = []
  for (let calls = 0; ; ) {
    const worthOf = (check: SendingCheck): number =>
      left.filter((each) => each.has(check.id)).length / callsOf(check)
    const [best] = [...candidates]
      .filter((each) => calls + callsOf(each) <= maxCalls)
      .sort((a, b) => worthOf(b) - worthOf(a))
    if (best === undefined || worthOf(best) === 0) break
    calls += callsOf(best)
    candidates.delete(best)
    picked.push(best)
    left = left.filter((each) => !each.has(best.id))
  }
  // In the order of the catalogue, as their requests were counted in it.
  const place = (check: SendingCheck): number => sending.indexOf(check)
  return picked.sort((a, b) => placeOf(a) - placeOf(b) || place(a) - place(b)).map(({ id }) => id)
}
