// Pets of creations that were refused: a refused creation leaves no trace.
import { type AnsweredExchange, memoized, statusCode } from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import type { JsonObject } from '../history/json.ts'
import { petsIn, type Refusal } from '../history/known-pets.ts'
import { Inapplicable } from '../history/outcome.ts'
import { refusedStored } from './compare-pets.ts'
import type { MisfitOf } from './misfits.ts'
import { describeRequest } from './read.ts'

/** What marks the pets of refused creations: their names, or categories that no other has. */
const refusedIn = memoized((refusals: readonly Refusal[]) => {
  const byName = new Map<string, Refusal>()
  const byCategory = new Map<bigint, Refusal>()
  let known = 0
  return () => {
    for (; known < refusals.length; known += 1) {
      const refusal = refusals[known] as Refusal
      const { name, categoryId } = refusal.sent
      // A valid key that gets 401 is another fault, whatever became of its creation.
      if (refusal.exchange.key !== null && statusCode(refusal.exchange) === 401) continue
      if (typeof name === 'string') byName.set(name, refusal)
      else if (typeof categoryId === 'bigint') byCategory.set(categoryId, refusal)
    }
    return { byName, byCategory }
  }
})

/** The refused creation of a pet, if it must be one: no other of this run has its mark. */
const refusalOf = (pet: JsonObject, shown: AnsweredExchange, history: History) => {
  const { knownPets, names, categories } = history
  const { name, categoryId } = pet
  if (knownPets.isOfCreation(pet, shown)) return undefined
  const { byName, byCategory } = refusedIn(knownPets.refusals)()
  if (typeof name === 'string' && name.startsWith(names.mark)) return byName.get(name)
  if (!categories.free || typeof categoryId !== 'bigint') return undefined
  return categoryId === categories.any ? undefined : byCategory.get(categoryId)
}

export const traceOf: MisfitOf = (exchange, history, { sinceMs = 0 } = {}) => {
  if (history.knownPets.refusals.length === 0) throw new Inapplicable('no creation was refused')
  for (const pet of petsIn(exchange)) {
    const refusal = refusalOf(pet, exchange, history)
    if (!refusal || refusal.exchange.sentMs < sinceMs) continue
    const got = statusCode(refusal.exchange)
    const refused = `${describeRequest(refusal.exchange)}, which got ${got}`
    const actual = `pet ${pet.id} was stored by ${refused}`
    const before = [refusal.exchange]
    return { expected: 'no pet of a refused creation', actual, wrong: refusedStored, before }
  }
  return undefined
}
