// One model of the service as a relation: given all that was sent and received so far, which
// responses to a request are legal. It is made of what the targeted checks judge by.

import { usableObject } from '../../engine/check/body.ts'
import type { Context } from '../../engine/check/context.ts'
import { type AnsweredExchange, isSuccess, statusCode } from '../../engine/check/exchange.ts'
import { describeResponse, shownValue } from '../../engine/check/expect.ts'
import { isInt64, type JsonObject, printJson } from '../../engine/check/json.ts'
import { petsIn, type Refusal, requestedId, sentObject } from '../../engine/check/known-pets.ts'
import { recognizeOperation } from '../../engine/check/operations.ts'
import { Untested, Violation } from '../../engine/check/outcome.ts'
import { findDifference, idAsSent, idRepeated, refusedStored } from '../pets/compare-pets.ts'
import {
  changedPet,
  fewerThan,
  type Misfit,
  otherEcho,
  otherId,
  otherList,
  queryOfList,
  validBody,
} from '../response-matching/judge-own-response.ts'
import { findDue, type Part } from './legal-statuses.ts'

export type Judged = Part | 'store' | 'trace'

/** A response that is not legal, and what it is about. */
export interface Breach {
  readonly part: Judged
  readonly violation: Violation
}

/** What was known when a request was sent. */
interface Before {
  readonly matching: (status: string | undefined) => readonly bigint[]
}

/** What marks the pets of refused creations: their names, and categories that no other has. */
class Refused {
  readonly #context: Context
  readonly #byName = new Map<string, Refusal>()
  readonly #byCategory = new Map<bigint, Refusal>()
  readonly #taken = new Set<unknown>()
  #refusals: number
  #creations = 0

  constructor(context: Context, isOwn: boolean) {
    this.#context = context
    this.#refusals = isOwn ? context.knownPets.refusals.length : 0
  }

  #learn(): void {
    const { creations, refusals } = this.#context.knownPets
    for (; this.#creations < creations.length; this.#creations += 1) {
      const { sent, pet } = creations[this.#creations] as (typeof creations)[number]
      for (const each of [sent.name, pet.name, sent.categoryId]) this.#taken.add(each)
    }
    for (; this.#refusals < refusals.length; this.#refusals += 1) {
      const refusal = refusals[this.#refusals] as Refusal
      const { name, categoryId } = refusal.sent
      if (typeof name === 'string') this.#byName.set(name, refusal)
      else if (typeof categoryId === 'bigint') this.#byCategory.set(categoryId, refusal)
    }
  }

  /** The refused creation of a pet, if it must be one: no other of this run has its mark. */
  of({ name, categoryId }: JsonObject): Refusal | undefined {
    this.#learn()
    if (typeof name === 'string' && name.startsWith(this.#context.names.mark)) {
      const { keylessNames } = this.#context.knownPets
      const isTaken = this.#taken.has(name) || keylessNames.has(name)
      return isTaken ? undefined : this.#byName.get(name)
    }
    const { free } = this.#context.categories
    if (!free || typeof categoryId !== 'bigint' || this.#taken.has(categoryId)) return undefined
    return this.#byCategory.get(categoryId)
  }
}

/** Another check reports a body that is not read. */
const unlessUnread = (judge: () => Breach | undefined): Breach | undefined => {
  try {
    return judge()
  } catch (error) {
    if (error instanceof Untested) return undefined
    throw error
  }
}

/** The same id for two creations, or an id that was sent. */
const otherThanAssigned = (exchange: AnsweredExchange, { knownPets }: Context) => {
  const [pet] = petsIn(exchange)
  if (typeof pet?.id !== 'bigint') return undefined
  const first = knownPets.creationOf(pet.id)
  if (first && first.exchange !== exchange) {
    const actual = `the id ${pet.id} of an earlier pet`
    return { expected: 'a new id', actual, wrong: idRepeated, first: first.exchange }
  }
  const own = knownPets.creations.findLast((creation) => creation.exchange === exchange)
  if (own?.sent.id !== pet.id) return undefined
  const actual = `the id ${shownValue(pet.id)} that was sent`
  return { expected: 'an id assigned by the service', actual, wrong: idAsSent, first: undefined }
}

/** What need not be accepted, as an extreme name, is returned unchanged where it was. */
const otherThanTaken = (exchange: AnsweredExchange): Misfit | undefined => {
  const sent = sentObject(exchange)
  const [pet] = petsIn(exchange)
  // Of two members with one name, or of a number with a fraction, it is open what is taken.
  if (!sent || !pet || printJson(sent) !== exchange.request.body) return undefined
  const { name, categoryId } = sent
  const taken = {
    ...(typeof name === 'string' && 'name' in pet && { name }),
    ...(isInt64(categoryId) && 'categoryId' in pet && { categoryId }),
  }
  const found = findDifference(taken, pet)
  return found && { expected: 'the values that were sent', actual: found.says, wrong: found.wrong }
}

/** A status that was given is part of the pet; one that was not may be left out (ruling 8). */
const withoutStatus = (exchange: AnsweredExchange): Misfit | undefined => {
  const given = validBody(exchange)?.status
  const pet = usableObject(exchange)
  if (given === undefined || pet === undefined || 'status' in pet) return undefined
  const wrong = { aspect: 'member', name: 'status', kind: 'missing' } as const
  return { expected: `status ${shownValue(given)}`, actual: 'no status', wrong }
}

export class ServiceModel {
  readonly #context: Context
  readonly #refused: Refused
  /** Pets that were seen before are not looked for. */
  readonly #first: number

  /** @param isOwn whether only what is sent from now on is looked for */
  constructor(context: Context, isOwn: boolean) {
    this.#context = context
    this.#refused = new Refused(context, isOwn)
    this.#first = isOwn ? context.knownPets.seen.size : 0
  }

  /** To be called before requests are sent: what is created meanwhile need not be listed. */
  before(): Before {
    const { seen } = this.#context.knownPets
    const { size } = seen
    return {
      // Pets that were seen later come later.
      matching: (status) =>
        [...seen]
          .slice(this.#first, size)
          .filter(([, pet]) => status === undefined || pet.status === status)
          .map(([id]) => id),
    }
  }

  /** What its status is about. */
  partOf(exchange: AnsweredExchange): Judged {
    return findDue(exchange, this.#context).part
  }

  /** What is not legal about a response; of its status first, else of its content. */
  judge(exchange: AnsweredExchange, before: Before): Breach | undefined {
    const due = findDue(exchange, this.#context)
    if (!due.allows(statusCode(exchange))) {
      // A creation succeeds with 201; another success is reported by checks of its own.
      const actual = describeResponse(exchange)
      const id = recognizeOperation(exchange) === 'get' ? requestedId(exchange) : undefined
      const evidence = [...this.#creationOf(id), exchange]
      const violation = new Violation(due.expected, actual, evidence, { aspect: 'status' })
      return { part: due.part, violation }
    }
    return unlessUnread(() => this.#judgeKeyless(exchange) ?? this.#judgeContent(exchange, before))
  }

  /** Whatever gives out or creates a pet needs a valid key, at any spelling of an address. */
  #judgeKeyless(exchange: AnsweredExchange): Breach | undefined {
    if (exchange.key !== null || !isSuccess(exchange)) return undefined
    const shown = petsIn(exchange).some(({ id }) => typeof id === 'bigint')
    if (!shown || exchange.apiRequest.carries !== undefined) return undefined
    const violation = new Violation('status 401', describeResponse(exchange), [exchange], {
      aspect: 'status',
    })
    return { part: 'key', violation }
  }

  #judgeContent(exchange: AnsweredExchange, before: Before): Breach | undefined {
    if (exchange.key === null || !isSuccess(exchange)) return undefined
    const operation = recognizeOperation(exchange)
    if (operation === 'create') return this.#judgeCreation(exchange)
    if (operation === undefined) return undefined
    const { knownPets } = this.#context
    const misfit =
      operation === 'get'
        ? (otherId(exchange) ?? changedPet(exchange, knownPets))
        : otherList(exchange, this.#context)
    if (misfit) return breachOf('store', misfit, exchange)
    return this.#judgeMissing(exchange, before) ?? this.#judgeTrace(exchange)
  }

  /** The creation of a pet that is not there shows that it has to be. */
  #creationOf(id: bigint | undefined): readonly AnsweredExchange[] {
    const creation = id === undefined ? undefined : this.#context.knownPets.creationOf(id)
    return creation ? [creation.exchange] : []
  }

  #judgeCreation(exchange: AnsweredExchange): Breach | undefined {
    const assigned = otherThanAssigned(exchange, this.#context)
    if (assigned) {
      const before = assigned.first ? [assigned.first] : []
      return breachOf('store', assigned, ...before, exchange)
    }
    const misfit = withoutStatus(exchange) ?? otherEcho(exchange) ?? otherThanTaken(exchange)
    return misfit && breachOf('store', misfit, exchange)
  }

  /** The pets that a list lacks although its key must be shown them. */
  #judgeMissing(exchange: AnsweredExchange, before: Before): Breach | undefined {
    const query = queryOfList(exchange)
    if (query === undefined) return undefined
    const { lists } = this.#context.knownPets
    const known = before.matching(query.status).filter((id) => lists.isKnown(exchange.key, id))
    const misfit = fewerThan(exchange, known)
    if (!misfit) return undefined
    const listed = new Set(petsIn(exchange).map(({ id }) => id))
    const missing = known.findLast((id) => !listed.has(id))
    return breachOf('store', misfit, ...this.#creationOf(missing), exchange)
  }

  #judgeTrace(exchange: AnsweredExchange): Breach | undefined {
    for (const pet of petsIn(exchange)) {
      const refusal = this.#refused.of(pet)
      if (!refusal) continue
      const misfit = {
        expected: 'no pet of a refused creation',
        actual: `pet ${pet.id} was stored`,
        wrong: refusedStored,
      }
      return breachOf('trace', misfit, refusal.exchange, exchange)
    }
    return undefined
  }
}

const breachOf = (
  part: Judged,
  { expected, actual, wrong }: Misfit,
  ...evidence: readonly AnsweredExchange[]
): Breach => ({ part, violation: new Violation(expected, actual, evidence, wrong) })
