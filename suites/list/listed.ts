// A list as the checks ask for it, and the animals that it has to hold where it is not cut.

import type { Context } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { expectStatus } from '../../engine/expect.ts'
import type { JsonObject } from '../../engine/json.ts'
import { Untested } from '../../engine/outcome.ts'
import { withKey } from '../../engine/request.ts'
import { animalsIn, noneMatching } from '../animals.ts'
import { type ListQuery, listPets } from '../requests.ts'

export interface Listed {
  readonly answer: Answered
  readonly pets: readonly JsonObject[]
}

/** A list, and those of the animals looked for that its key has to be shown. */
export interface ListedKnown extends Listed {
  readonly known: readonly bigint[]
}

const ask = async (context: Context, query: ListQuery, key: string | undefined) => {
  const answer = await context.call(withKey(listPets(query), key))
  expectStatus(answer, 200)
  return { answer, pets: animalsIn(answer) }
}

/**
 * Asks for a list in which these animals are looked for. Where its key need not be shown any of
 * them, one that knows them is asked: whether keys share their animals is open.
 * @throws Violation unless it is answered 200
 */
export const listedFor = async (
  context: Context,
  query: ListQuery,
  ids: readonly bigint[],
): Promise<ListedKnown> => {
  const { lists } = context.herd
  const withKnown = (found: Listed) => ({
    ...found,
    known: ids.filter((id) => lists.isKnown(found.answer.key, id)),
  })
  const found = withKnown(await ask(context, query, lists.chosen(ids)))
  if (found.known.length > 0 || ids.length === 0) return found
  return withKnown(await ask(context, query, lists.knower(ids)))
}

/** As above, of all that are known to match before the list is seen, else its own measure. */
export const listedKnown = (context: Context, query: ListQuery): Promise<ListedKnown> =>
  listedFor(context, query, context.herd.matching(query.status))

/** The query of the list that holds most. */
export const longest = { limit: 100 }

/** The name under which the first list of a query is shared by the checks that look at it. */
export const sharedAs = (query: ListQuery): string => `the list ${listPets(query).path}`

/** As above, asked once in a run: several checks look at it. */
export const listedOnce = (context: Context, query: ListQuery): Promise<ListedKnown> =>
  context.once(sharedAs(query), () => listedKnown(context, query))

/** The list that is shared, and after a wait another one. */
export const firstOnce = (): typeof listedKnown => {
  let asked = 0
  return (context, query) => {
    asked += 1
    return asked === 1 ? listedOnce(context, query) : listedKnown(context, query)
  }
}

/** An empty list keeps many promises without being put to the test; a refusal breaks one. */
export const listedSome = async (
  context: Context,
  query: ListQuery,
  ask = listedKnown,
): Promise<Listed> => {
  const found = await ask(context, query)
  if (found.pets.length > 0) return found
  if (found.known.length === 0) throw noneMatching(context, query.status)
  throw new Untested('blocked', 'the list is empty although animals are known', [found.answer])
}
