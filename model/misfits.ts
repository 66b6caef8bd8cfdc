// How a success differs from what its request, and all that was sent and received before, demand.
import { usableObject } from '../history/body.ts'
import {
  type AnsweredExchange,
  type Exchange,
  recognizeOperation,
  statusCode,
} from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { isInt64, type JsonObject, printJson } from '../history/json.ts'
import { type Creation, petsIn, requestedId, sentObject } from '../history/known-pets.ts'
import { Inapplicable, Untested, type Wrong } from '../history/outcome.ts'
import { describeChange } from '../history/value-kinds.ts'
import { describeMember, describeResponse, shownValue } from './clause.ts'
import {
  asCreated,
  findDifference,
  howMany,
  idAsSent,
  idRepeated,
  otherStatus,
  petMissing,
  shortBy,
  wrongCount,
} from './compare-pets.ts'
import { dueFor } from './due.ts'
import { read, servedQuery } from './read.ts'

/** A difference between a response and what its request must get. */
export interface Misfit {
  readonly expected: string
  readonly actual: string
  readonly wrong: Wrong
  /** What was sent before, and shows that it must be so. */
  readonly before?: readonly Exchange[]
}

/** How strictly a response is judged that has just come. */
export interface How {
  /** Pets are due at once: a violation is then judged again later. */
  readonly atOnce?: boolean
  /** What was sent earlier is not looked for. */
  readonly sinceMs?: number
}

/** What of a response does not fit. @throws Inapplicable, Untested */
export type MisfitOf = (
  exchange: AnsweredExchange,
  history: History,
  how?: How,
) => Misfit | undefined

const createdBy = (exchange: Exchange | undefined): Pick<Misfit, 'before'> =>
  exchange ? { before: [exchange] } : {}

export const beyondLimit = (list: AnsweredExchange): Misfit | undefined => {
  const limit = servedQuery(list)?.limit ?? 100
  const { length } = petsIn(list)
  if (length <= limit) return undefined
  const wrong = wrongCount(length, limit)
  const isGiven = new URL(list.request.url).searchParams.has('limit')
  const expected = `at most ${howMany(limit)} ${isGiven ? `with limit=${limit}` : 'without limit'}`
  return { expected, actual: howMany(length), wrong }
}

export const beyondFilter = (list: AnsweredExchange): Misfit | undefined => {
  const status = servedQuery(list)?.status
  const other = status && petsIn(list).find((pet) => pet.status !== status)
  if (!status || !other) return undefined
  return {
    expected: `only ${status} pets with status=${status}`,
    actual: `a pet with ${describeMember(other, 'status')}`,
    wrong: otherStatus(status, other),
  }
}

/** @param known the ids that the list must have, unless its limit cuts it */
const fewerThan = (
  list: AnsweredExchange,
  known: readonly bigint[],
  { knownPets }: History,
): Misfit | undefined => {
  const query = servedQuery(list)
  const found = query && shortBy(petsIn(list), known, query.limit)
  if (!found) return undefined
  const { missing, actual, ...misfit } = found
  if (missing === undefined) return { ...misfit, actual }
  const isNamed = misfit.wrong.kind === petMissing.kind
  const which = isNamed ? '' : `, without pet ${missing}`
  return {
    ...misfit,
    actual: `${actual}${which}`,
    ...createdBy(knownPets.creationOf(missing)?.exchange),
  }
}

export const noneKnown = 'no list was requested a second after a pet that it must show was known'

export const lacking: MisfitOf = (list, history, how = {}) => {
  const { limit = 100, status } = servedQuery(list) ?? {}
  // A list that is as long as its limit lacks no pet, however many are known.
  const isFull = new Set(petsIn(list).map(({ id }) => id)).size >= limit
  const due = { ...how, ...(isFull && { enough: 1 }) }
  const known = history.knownPets.dueIn(list, status, due)
  if (known.length === 0) throw new Inapplicable(noneKnown)
  return fewerThan(list, known, history)
}

/** More pets of a name than requests that had it: a creation was stored twice. */
export const createdAgain = (list: AnsweredExchange, { names, knownPets }: History) => {
  // A name that is cut, or changed in another way, may become that of another pet.
  const isOfOther = ({ id, name }: JsonObject): boolean => {
    const creation = typeof id === 'bigint' ? knownPets.creationOf(id) : undefined
    return creation !== undefined && creation.sent.name !== name
  }
  const named = Map.groupBy(
    petsIn(list).filter((pet) => !isOfOther(pet)),
    ({ name }) => name,
  )
  for (const [name, pets] of named) {
    const times = names.timesSent(name)
    const { size } = new Set(pets.map(({ id }) => id))
    if (size <= times) continue
    const expected = `${howMany(times)}, as so many creations had that name`
    return { expected, actual: `${howMany(size)} named ${name}`, wrong: wrongCount(size, times) }
  }
  return undefined
}

/** Other clients may change their pets: only those of this run are known to stay. */
export const changedPet = (
  exchange: AnsweredExchange,
  { knownPets }: History,
): Misfit | undefined => {
  const asked = requestedId(exchange)
  for (const pet of petsIn(exchange)) {
    // Another pet than was asked for is another fault.
    if (asked !== undefined && pet.id !== asked) continue
    const creation = typeof pet.id === 'bigint' ? knownPets.creationOf(pet.id) : undefined
    // Two creations with the same id are another fault.
    if (!creation || creation.exchange === exchange || knownPets.isRepeated(creation.id)) continue
    const found = findDifference(asCreated(creation), pet)
    if (!found) continue
    const expected = `${found.expected}, as pet ${pet.id} was created`
    const before = [creation.exchange]
    return { ...found, wrong: { ...found.wrong, ofPet: true }, expected, before }
  }
  return undefined
}

export const otherId: MisfitOf = (fetched, history) => {
  const [id, found] = [requestedId(fetched), usableObject(fetched)?.id]
  // A body without an id is another fault.
  if (id === undefined || found === undefined || found === id) return undefined
  // That an id of no pet is served is another fault.
  if (!dueFor(fetched, history).allows(200)) return undefined
  const isDouble = Number(found) === Number(id)
  const kind = isDouble ? 'another one, the same as a double' : describeChange(id, found)
  const wrong = { aspect: 'member', name: 'id', kind } as const
  return { expected: `a pet with id ${id}`, actual: `id ${shownValue(found)}`, wrong }
}

export const notFound = (
  exchange: AnsweredExchange,
  { knownPets }: History,
): Misfit | undefined => {
  const id = requestedId(exchange) ?? 0n
  const fromMs = knownPets.fetchedFromMs(exchange.key, id)
  if (fromMs === undefined || fromMs > exchange.sentMs || knownPets.isRepeated(id)) {
    throw new Untested('ambiguous', 'no pet was fetched that was known before')
  }
  if (statusCode(exchange) === 200) return undefined
  const wrong = { aspect: 'status' } as const
  const creation = createdBy(knownPets.creationOf(id)?.exchange)
  return {
    expected: `200 for the pet ${id}`,
    actual: describeResponse(exchange),
    wrong,
    ...creation,
  }
}

/** Compares the pet of a 201 with the body that was sent; a missing member is another fault. */
export const otherEcho = (created: AnsweredExchange): Misfit | undefined => {
  const pet = usableObject(created)
  const sent = Object.entries(read(created).pet ?? {})
  const shown = sent.filter(([member]) => pet && member in pet)
  const found = pet && findDifference(Object.fromEntries(shown), pet)
  if (found) return { ...found, expected: `${found.expected}, as sent` }
  // A status that was given is part of the pet; one that was not may be left out (ruling 8).
  const status = read(created).pet?.status
  if (!pet || status === undefined || 'status' in pet) return undefined
  const wrong = { aspect: 'member', name: 'status', kind: 'missing' } as const
  return { expected: `status ${shownValue(status)}`, actual: 'no status', wrong }
}

const categoryIn = ({ sent: { categoryId: id } }: Pick<Creation, 'sent'>): bigint =>
  isInt64(id) && id > 0n ? id : 0n

/** Whether nothing but its category may be why a creation was refused. */
export const isRefusedCategory = (exchange: AnsweredExchange): boolean =>
  recognizeOperation(exchange) === 'create' &&
  [400, 422].includes(statusCode(exchange)) &&
  read(exchange).parts.every(({ is }) => is === 'valid')

/**
 * A server that accepts three or more random categories, so does not look them up, but refuses all
 * larger ones: its integers are too short.
 */
export const outOfRange: MisfitOf = (exchange, { knownPets, categories: { configured } }) => {
  const isRandom = (id: bigint) => id > 0n && !configured.includes(id)
  const accepted = new Set(knownPets.creations.map(categoryIn).filter(isRandom))
  const largest = [...accepted].reduce((a, b) => (a > b ? a : b), 0n)
  const own = categoryIn({ sent: sentObject(exchange) ?? {} })
  if (accepted.size < 3 || !isRandom(own)) throw new Inapplicable('no category was accepted')
  const refused = knownPets.refusals.filter(
    (one) => isRandom(categoryIn(one)) && isRefusedCategory(one.exchange),
  )
  if (refused.length < 2 || refused.some((one) => categoryIn(one) < largest)) return undefined
  const ids = [...accepted].slice(0, 4).join(', ')
  return {
    expected: `201 for every positive int64 category, as for ${ids}`,
    actual: `${describeResponse(exchange)} for ${own}`,
    wrong: { aspect: 'status' },
    ...createdBy(knownPets.creations.find((one) => categoryIn(one) === largest)?.exchange),
  }
}

const isRemoval = ({ apiRequest: { method, path }, response }: Exchange, address: string) =>
  method === 'DELETE' && path === address && (response?.status ?? 0) < 300

export const newId = (
  exchange: AnsweredExchange,
  { knownPets, exchanges }: History,
): Misfit | undefined => {
  const [pet] = petsIn(exchange)
  const first = typeof pet?.id === 'bigint' ? knownPets.creationOf(pet.id) : undefined
  if (!first || first.exchange === exchange) return undefined
  // That a pet can be removed is another fault.
  if (exchanges.some((one) => isRemoval(one, `/pets/${pet?.id}`))) return undefined
  const actual = `two pets with id ${pet?.id}`
  return { expected: 'a new id', actual, wrong: idRepeated, before: [first.exchange] }
}

/** In which ways a server may take an id that was sent, and not keep all of it. */
const inexact: readonly string[] = ['rounded to a double', 'cut to 32 bits', 'clamped']

export const idTaken = (exchange: AnsweredExchange, { knownPets }: History): Misfit | undefined => {
  const sent = sentObject(exchange)?.id
  const got = petsIn(exchange)[0]?.id
  if (!isInt64(sent) || typeof got !== 'bigint') throw new Inapplicable('no id was sent')
  const change = sent === got ? 'as sent' : describeChange(sent, got)
  // A new id may lie close to one that exists: a double is the same for both.
  const isTaken = sent === got || (inexact.includes(change) && !knownPets.seen.has(sent))
  if (!isTaken) return undefined
  const how = sent === got ? '' : `, ${change} (${got})`
  const actual = `the id ${sent} that was sent${how}`
  return { expected: 'an id assigned by the service', actual, wrong: idAsSent }
}

export const changedMember = (exchange: AnsweredExchange, member: string): Misfit | undefined => {
  const [pet = {}] = petsIn(exchange)
  const sent = sentObject(exchange)?.[member]
  if (sent === undefined || !(member in pet)) throw new Inapplicable('no such member was returned')
  if (printJson(sent) === printJson(pet[member] ?? null)) return undefined
  const kind = describeChange(sent, pet[member])
  const wrong = { aspect: 'member', name: member, kind } as const
  return { expected: `${member} ${shownValue(sent)}`, actual: describeMember(pet, member), wrong }
}
