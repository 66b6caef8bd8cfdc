// Compares a pet with what is known of it from earlier responses; finds known pets.

import { type Context, permissions } from '../../engine/check/context.ts'
import { expectAllRead } from '../../engine/check/control-request.ts'
import type { JsonObject } from '../../history/json.ts'
import { Untested } from '../../history/outcome.ts'
import { short, shownValue as show } from '../../model/clause.ts'
import { statuses } from '../../model/read-body.ts'

/** The status of a pet for an observation; `none` if it has no status. */
export const describeStatus = ({ status = null }: JsonObject, none: string): string => {
  if (status === null) return none
  return typeof status === 'string' ? short(status) : show(status)
}

/**
 * Explains why a check that needs a pet cannot run, and what to do.
 * @param which what follows `no pet` in the message
 * @throws Unread where a body that was not read may show one
 */
export const noPet = ({ allow, categories, knownPets }: Context, which: string): Untested => {
  expectAllRead(knownPets)
  if (!allow.includes('write')) {
    const allowed = permissions.filter((word) => word === 'write' || allow.includes(word)).join(',')
    return new Untested('permission', `no pet ${which}; add one, or --allow ${allowed}`)
  }
  if (!categories.free && categories.known.length === 0) {
    const message = `no pet ${which}, and none can be created without a category`
    return new Untested('category', `${message}; configure \`categories\` (--category ID)`)
  }
  return new Untested('blocked', `no pet ${which}; add one, or fix the creation`)
}

/** The status that the fewest known pets have, so that there are enough of each. */
export const scarcestStatus = ({ knownPets }: Context): (typeof statuses)[number] =>
  [...statuses].sort((a, b) => knownPets.count(a) - knownPets.count(b))[0] ?? statuses[0]

/** So many pets of a status show what its filter does. */
const enoughToFilter = 3

/**
 * A status that the target has accepted. All pets beyond a few of each have one, so that early in a
 * run its list is already longer than the default limit.
 */
export const acceptedStatus = ({ knownPets }: Context): (typeof statuses)[number] => {
  const accepted = new Set(knownPets.creations.map(({ sent }) => sent.status))
  const known = statuses.filter((status) => accepted.has(status))
  const scarce = known.find((status) => knownPets.count(status) < enoughToFilter)
  return scarce ?? known.find((status) => status === 'pending') ?? known[0] ?? statuses[0]
}

export const someId = (context: Context): bigint => {
  const id = context.knownPets.someId()
  if (id === undefined) throw noPet(context, 'is known')
  return id
}

/** The wanted category if every category is accepted, else a known one beyond 2^31. */
export const longCategory = ({ categories }: Context, wanted: bigint): bigint => {
  if (categories.free) return wanted
  const long = categories.known.filter((id) => id >= 2n ** 31n)
  const found = long[Number(wanted % BigInt(Math.max(1, long.length)))]
  if (found !== undefined) return found
  const message =
    'unknown categories are refused; configure existing ones beyond 2^31 and 2^53 (--category ID)'
  throw new Untested('category', message)
}
