// What of a request may decide where it is no status that is wrong: what lists asked for, what the
// pets have in common, what those that keep a value lack.
import { isUnread } from '../history/body.ts'
import { type Exchange, isAnswered, isSuccess } from '../history/exchange.ts'
import { petsIn, sentObject } from '../history/known-pets.ts'
import type { Violation } from '../history/outcome.ts'
import { listedOnce, maxListed, unique } from '../history/quote.ts'
import { showsIn } from '../history/value-kinds.ts'
import { askedOf, has, minNoChance, passes } from '../model/conditions.ts'
import { isMiscount, limitIn } from '../model/isolation/by-size.ts'
import { withAnyValue } from '../model/isolation/by-value.ts'
import { partsOfPairs } from '../model/isolation/isolate.ts'
import { isNotFull, missingApart, namesApart, shownApart } from '../model/isolation/pets.ts'
import { repeatedBody } from '../model/isolation/repeats.ts'
import type { Seen } from '../model/isolation/seen.ts'
import { read } from '../model/read.ts'
import type { Part } from '../model/read-body.ts'
import { isOfAnyMember } from './keys.ts'

export const isOfStatus = (aspect: Violation['wrong']['aspect']): boolean =>
  aspect === 'status' || aspect === 'silence'

const isOfMissing = ({ kind }: Violation['wrong']): boolean =>
  kind === 'too few' || kind === 'a pet is missing'

/** Whether all of these have some value of a parameter, and those that pass none. */
const isOfAny = (
  { part }: Part,
  exchanges: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  seen: Seen,
): boolean => {
  const hasValue = (one: Exchange) => read(one).parts.some((each) => each.part === part)
  const isRight = (one: Exchange) => passes(one) && !failing.has(one)
  const passing = seen.trace.filter((one) => read(one).operation === 'list' && isRight(one))
  const isApart = passing.length > 0 && !passing.some(hasValue)
  return exchanges.length >= minNoChance && exchanges.every(hasValue) && isApart
}

/** Whether pets are missing in lists of a status alone, of which a limit may be taken first. */
const isOfFilter = (
  exchanges: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  seen: Seen,
): boolean => {
  const isFiltered = (one: Exchange) => read(one).query?.status !== undefined
  const isRight = (one: Exchange) => isNotFull(one) && !failing.has(one)
  const others = seen.trace.filter((one) => isRight(one) && !isFiltered(one) && passes(one))
  return exchanges.every(isFiltered) && others.length >= minNoChance
}

/** What the pets have in common that lists lack, or a GET by id shows wrongly. */
const partsOfPets = (
  wrong: Violation['wrong'],
  exchanges: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  seen: Seen,
): readonly Part[] => {
  if (wrong.aspect === 'count' && isOfMissing(wrong)) {
    return isOfFilter(exchanges, failing, seen) ? [] : missingApart(exchanges, failing, seen)
  }
  const [exchange] = exchanges
  if (wrong.aspect !== 'member' || !exchange) return []
  const ofName = wrong.name === 'name' ? namesApart(exchange, seen) : []
  return ofName.length > 0 ? ofName : shownApart(exchanges, failing, seen)
}

/** Those that kept a value; of a change to any member only such as the change would show in. */
const keptValues = (
  { name = '', kind }: Violation['wrong'],
  passing: readonly Exchange[],
): readonly Exchange[] =>
  passing.filter((one) => {
    const sent = sentObject(one)?.[name]
    const isRead = isAnswered(one) && isSuccess(one) && !isUnread(one)
    const isKept = isRead && (sent === undefined || petsIn(one)[0]?.[name] === sent)
    return isKept && (showsIn(`${kind}`, sent) ?? !isOfAnyMember(kind))
  })

/** What creations have in common that change a member, and none that keeps it. */
const keptApart = (
  wrong: Violation['wrong'],
  exchanges: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  seen: Seen,
): readonly Part[] => {
  const [exchange] = exchanges
  if (!exchange) return []
  const kept = seen.passing(exchange).filter((one) => !failing.has(one))
  const apart = partsOfPairs(exchanges, keptValues(wrong, kept))
  const words = listedOnce(unique(apart.map((each) => each.words)), maxListed)
  return apart.slice(0, 1).map((part) => ({ ...part, words }))
}

/** Of lists what all asked for matters; of a member's value what those that keep it lack. */
export const conditionsOf = (
  { wrong, evidence }: Violation,
  exchanges: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  seen: Seen,
): readonly Part[] => {
  const { trace } = seen
  const { aspect, inSequence, ofKey, says } = wrong
  const exchange = evidence.at(-1)
  if (!exchange || ofKey || isOfStatus(aspect)) return []
  const { operation, parts } = read(exchange)
  if (inSequence) return parts.filter(({ is }) => is !== 'valid')
  const ofLimit = isMiscount(wrong) ? limitIn(exchanges, trace) : []
  if (ofLimit.length > 0) return ofLimit
  const ofPets = partsOfPets(wrong, exchanges, failing, seen)
  if (ofPets.length > 0) return ofPets
  const again = operation === 'create' && wrong.name === 'id' ? repeatedBody(failing, seen) : []
  if (again.length > 0) return again
  if (operation === 'create' && aspect === 'member')
    return keptApart(wrong, exchanges, failing, seen)
  const isOfLists = exchanges.every((one) => read(one).operation === 'list')
  if (operation !== 'list' || !isOfLists || aspect === 'header' || aspect === 'member') return []
  if (wrong.kind === 'a refused pet is stored') return []
  const asked = askedOf(exchange).filter(({ part }) => part !== says)
  if (aspect === 'count') return asked
  return asked.flatMap((each) => {
    if (exchanges.every((one) => has(one, each))) return [each]
    return isOfAny(each, exchanges, failing, seen) ? [withAnyValue(each)] : []
  })
}
