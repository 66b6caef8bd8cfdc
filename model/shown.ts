// What a list or a GET by id shows, compared with its own request and with all that was sent and
// received before: as clauses over the responses to valid keys.

import { usableBody } from '../history/body.ts'
import { type AnsweredExchange, recognizeOperation, statusCode } from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { type Json, type JsonObject, printJson } from '../history/json.ts'
import { petsIn, requestedId } from '../history/known-pets.ts'
import { Inapplicable } from '../history/outcome.ts'
import { describeChange } from '../history/value-kinds.ts'
import type { Wrong } from '../history/wrong.ts'
import { type Clause, describeMember, ofKeys, violateAs } from './clause.ts'
import { asCreated, asSent, findDifference, howMany, wrongCount } from './compare-pets.ts'
import { Unexplained } from './explanation.ts'
import { describeMissing } from './missing.ts'
import { asksForAnotherForm, describeRequest, servedQuery } from './read.ts'
import { statuses } from './read-body.ts'

const isList = (exchange: AnsweredExchange): boolean =>
  recognizeOperation(exchange) === 'list' && statusCode(exchange) === 200
const isListed = (exchange: AnsweredExchange): boolean => servedQuery(exchange) !== undefined
/** A body of another type is another fault. */
const isArray = (exchange: AnsweredExchange): boolean => {
  const body = usableBody(exchange)
  return 'value' in body && Array.isArray(body.value)
}
const isFilled = (exchange: AnsweredExchange): boolean =>
  isListed(exchange) && petsIn(exchange).length > 0
export const isFetched = (exchange: AnsweredExchange): boolean =>
  recognizeOperation(exchange) === 'get' &&
  statusCode(exchange) === 200 &&
  !asksForAnotherForm(exchange)

const creationOf = ({ id }: JsonObject, { knownPets }: History) =>
  typeof id === 'bigint' ? knownPets.creationOf(id) : undefined

/** The creation of a pet, where it is one of this run. */
export const makerOf = (id: bigint | undefined, { knownPets }: History): AnsweredExchange[] => {
  const creation = id === undefined ? undefined : knownPets.creationOf(id)
  return creation ? [creation.exchange] : []
}

const withLimitOf = ({ request }: AnsweredExchange): string => {
  const limit = new URL(request.url).searchParams.get('limit')
  return limit === null ? 'without limit' : `with limit=${limit}`
}

/** Of a query that is not valid, or asks for more, no limit but the greatest is due. */
const judgeLimit = (list: AnsweredExchange): void => {
  const limit = servedQuery(list)?.limit ?? 100
  const { length } = petsIn(list)
  if (length <= limit) return
  const expected = `at most ${howMany(limit)} ${withLimitOf(list)}`
  const wrong = { ...wrongCount(length, limit), says: 'limit' } as const
  violateAs(wrong, expected, howMany(length), list)
}

const judgeFilter = (list: AnsweredExchange): void => {
  const status = servedQuery(list)?.status
  const other = status && petsIn(list).find((pet) => pet.status !== status)
  if (!status || !other) return
  const isOther = statuses.some((each) => each === other.status)
  const kind = isOther ? 'not of the filter' : describeChange(status, other.status)
  const wrong = { aspect: 'member', name: 'status', kind, says: 'status' } as const
  const actual = `a pet with ${describeMember(other, 'status')}`
  violateAs(wrong, `only ${status} pets with status=${status}`, actual, list)
}

const noneKnown = 'no list was requested a second after a pet that it must show was known'

/** Two pets with one id are another fault; a pet that is listed twice is one pet. */
const countDiffering = (list: AnsweredExchange, { knownPets }: History): number => {
  const isGivenTwice = ({ id }: JsonObject) => typeof id === 'bigint' && knownPets.isRepeated(id)
  return new Set(petsIn(list).map((pet) => (isGivenTwice(pet) ? pet : printJson(pet)))).size
}

/** A new pet may be missing for a second. */
const expectAtOnce = (list: AnsweredExchange, known: readonly bigint[], isShown: boolean): void => {
  if (known.length === 0) throw new Inapplicable(noneKnown)
  if (isShown) return
  throw new Unexplained('late in lists', 'a new pet need not be listed yet', list)
}

/** What a list lacks of the pets that must be in it, unless its limit cuts it. */
const judgeLacking: Clause['judge'] = (list, history) => {
  const { limit = 100, status } = servedQuery(list) ?? {}
  const { length } = petsIn(list)
  const ids = new Set(petsIn(list).map(({ id }) => id))
  const differ = ids.size === length ? length : countDiffering(list, history)
  // A list that is as long as its limit lacks no pet, however many are known.
  const isFull = differ >= limit
  const enough = isFull ? 1 : limit + 1
  const { dueIn } = history.knownPets
  const missing = isFull ? undefined : dueIn(list, status, { enough }).find((id) => !ids.has(id))
  if (missing === undefined) {
    const atOnce = dueIn(list, status, { enough, lagMs: 0 })
    return expectAtOnce(list, atOnce, isFull || atOnce.every((id) => ids.has(id)))
  }
  const known = dueIn(list, status)
  const wanted = Math.min(limit, known.length)
  if (differ >= wanted) {
    const room = `as the list has fewer pets than its limit (${differ} of ${limit})`
    const wrong = { aspect: 'count', kind: 'a pet is missing' } as const
    const shown = [...makerOf(missing, history), list]
    violateAs(wrong, `pet ${missing}, ${room}`, `no pet ${missing}`, ...shown)
  }
  const isRepeated = differ < length
  const actual = `${howMany(length)}${isRepeated ? `, of which ${differ} differ` : ''}`
  const wrong: Wrong = isRepeated
    ? { aspect: 'count', kind: 'pets are repeated' }
    : { ...wrongCount(length, wanted), ...(wanted === limit && { says: 'limit' }) }
  // Which pets a list lacks that its limit cuts is open.
  const shown = known.length > limit && length >= limit ? undefined : missing
  const others = describeMissing(list, known, ids, history)
  const which = shown === undefined ? '' : `, without pet ${shown}${others}`
  const since = `${howMany(known.length)} ${known.length === 1 ? 'is' : 'are'} known to match`
  const asked = wrong.says === undefined ? '' : ` ${withLimitOf(list)}`
  const expected = `at least ${howMany(wanted)}${asked}, since ${since}`
  violateAs(wrong, expected, `${actual}${which}`, ...makerOf(shown, history), list)
}

/** More pets of a name than requests that had it: a creation was stored twice. */
const judgeOnce = (list: AnsweredExchange, history: History): void => {
  // A name that is cut, or changed in another way, may become that of another pet.
  const own = petsIn(list).filter((pet) => {
    const creation = creationOf(pet, history)
    return creation === undefined || creation.sent.name === pet.name
  })
  for (const [name, pets] of Map.groupBy(own, (pet) => pet.name)) {
    const { size } = new Set(pets.map(({ id }) => id))
    const times = size === 1 ? 1 : history.names.timesSent(name)
    if (size <= times) continue
    const expected = `${howMany(times)}, as so many creations had that name`
    violateAs(wrongCount(size, times), expected, `${howMany(size)} named ${name}`, list)
  }
}

/** Other clients may change their pets: only those of this run are known to stay. */
export const judgeChanged = (exchange: AnsweredExchange, history: History): void => {
  const asked = requestedId(exchange)
  for (const pet of petsIn(exchange)) {
    // Another pet than was asked for is another fault.
    if (asked !== undefined && pet.id !== asked) continue
    const creation = creationOf(pet, history)
    // Two creations with the same id are another fault.
    if (!creation || history.knownPets.isRepeated(creation.id)) continue
    const found = findDifference(asCreated(creation), pet)
    // What is as it was sent, and not as in the 201, is wrong there.
    if (!found || !findDifference(asSent(creation), pet)) continue
    const expected = `${found.expected}, as pet ${pet.id} was created`
    violateAs({ ...found.wrong, ofPet: true }, expected, found.actual, creation.exchange, exchange)
  }
}

/** A run numbers the categories of creations that it has to recognize next to its own. */
const ownCategories = 1_000_000n

/** Whether no other run, and no other client, is likely to have used a category. */
const isMark = (id: Json | undefined, own: bigint): boolean =>
  typeof id === 'bigint' && id !== own && id - own < ownCategories && own - id < ownCategories

/** The refused creation of a pet, if it must be one: by its name, or a category only that had. */
const refusalOf = (pet: JsonObject, shown: AnsweredExchange, history: History) => {
  const { knownPets, names, categories } = history
  const { name, categoryId } = pet
  const isNamed = typeof name === 'string' && name.startsWith(names.mark)
  if (knownPets.isOfCreation(pet, shown)) return undefined
  if (!isNamed && !(categories.free && isMark(categoryId, categories.any))) return undefined
  return knownPets.refusals.findLast(({ sent, exchange }) => {
    // A valid key that gets 401 is another fault, whatever became of its creation.
    if (exchange.key !== null && statusCode(exchange) === 401) return false
    if (isNamed) return sent.name === name
    return typeof sent.name !== 'string' && sent.categoryId === categoryId
  })
}

/** A refused creation leaves no trace. */
const judgeTrace: Clause['judge'] = (exchange, history) => {
  if (history.knownPets.refusals.length === 0) throw new Inapplicable('no creation was refused')
  for (const pet of petsIn(exchange)) {
    const made = refusalOf(pet, exchange, history)?.exchange
    if (!made) continue
    const refused = `${describeRequest(made)}, which got ${statusCode(made)}`
    const actual = `pet ${pet.id} was stored by ${refused}`
    const wrong = { aspect: 'count', kind: 'a refused pet is stored' } as const
    violateAs(wrong, 'no pet of a refused creation', actual, made, exchange)
  }
}

const plainLists = 'Every 200 to a list with a valid key and at most a limit and a status'
export const asIn201 = 'Another name, category or given status than in its 201.'
export const shownClauses: readonly Clause[] = ofKeys([
  {
    id: 'list-limit-most',
    sentBy: ['list-limit-200', 'list-no-query-200', 'list-no-limit-200'],
    requirement: 'list.limit.most',
    judges: 'Every 200 to a list with a valid key, if pets are returned.',
    fails: 'More pets than the limit, than 20 without one, or than 100 whatever the query.',
    applies: (exchange) => isList(exchange) && petsIn(exchange).length > 0,
    judge: judgeLimit,
  },
  {
    id: 'list-each-filtered',
    requirement: 'list.status.filter',
    judges: `${plainLists}, if it gives a status and pets are returned.`,
    fails: 'A pet with another status.',
    sentBy: statuses.map((status) => `list-status-${status}-200`),
    applies: (exchange) => isFilled(exchange) && servedQuery(exchange)?.status !== undefined,
    judge: judgeFilter,
  },
  {
    id: 'list-each-as-created',
    requirement: 'list.faithful',
    judges: `${plainLists}: every pet that this run created before, or that has a name of its.`,
    fails: `${asIn201} More pets with such a name than creations that were sent with it.`,
    sentBy: ['list-no-limit-200'],
    applies: isFilled,
    judge: (list, history) => {
      judgeOnce(list, history)
      judgeChanged(list, history)
    },
  },
  {
    id: 'list-limit-no-fewer',
    sentBy: ['list-limit-bounds-200', 'list-status-sold-200'],
    requirement: 'list.limit.exact',
    judges: `${plainLists}, compared with the pets known to its key for at least a second.`,
    fails: 'Fewer pets than match, up to the limit; or a match is missing from an uncut list.',
    inconclusive: 'no list was requested a second after a pet was known (inapplicable)',
    optional: noneKnown,
    applies: (exchange) => isListed(exchange) && isArray(exchange),
    judge: judgeLacking,
  },
  {
    id: 'create-refused-no-trace',
    requirement: 'create.refused-no-trace',
    judges: 'Every list and GET after a creation that was refused, also for want of a key.',
    fails: 'A pet that has the name of a refused creation, or the category that only it had.',
    sentBy: ['list-after-refusals-200'],
    optional: 'no creation was refused, or nothing was read afterwards',
    applies: (exchange) => isFilled(exchange) || isFetched(exchange),
    judge: judgeTrace,
  },
])
