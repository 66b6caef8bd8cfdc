// Lists in which known pets are looked up, and those that checks share: the first list of a query
// may have a legal form that another check is about, which then sends nothing more.

import type { Context } from '../../engine/check/context.ts'
import { isValidList } from '../../engine/check/control-request.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  statusCode,
  withKey,
} from '../../engine/check/exchange.ts'
import { expectStatus } from '../../engine/check/expect.ts'
import type { JsonObject } from '../../engine/check/json.ts'
import { NoResponseError, Untested } from '../../engine/check/outcome.ts'
import { noneMatching, petsWithIds } from './compare-pets.ts'
import { type ListQuery, listPets } from './requests.ts'

export interface Listed {
  readonly response: AnsweredExchange
  readonly pets: readonly JsonObject[]
}

/** A list, and those of the wanted pets that the key it was requested with must see. */
interface ListedKnown extends Listed {
  readonly known: readonly bigint[]
}

/** @throws Violation unless the list got 200 */
const lookedUp = (
  { knownPets }: Context,
  response: AnsweredExchange,
  ids: readonly bigint[],
): ListedKnown => {
  expectStatus(response, 200)
  const known = ids.filter((id) => knownPets.lists.isKnown(response.key, id))
  return { response, pets: petsWithIds(response), known }
}

/**
 * Requests a list in which these pets are looked up. If the key need not see any of them, requests
 * another with a key that must: whether keys share their pets is open.
 * @throws Violation unless it gets 200
 */
export const listedFor = async (
  context: Context,
  query: ListQuery,
  ids: readonly bigint[],
): Promise<ListedKnown> => {
  const { lists } = context.knownPets
  const ask = async (key: string | undefined) =>
    lookedUp(context, await context.call(withKey(listPets(query), key)), ids)
  const found = await ask(lists.chosen(ids))
  return found.known.length > 0 || ids.length === 0 ? found : ask(lists.knower(ids))
}

/** Lists all pets that are known to match before the list is requested. */
export const listedKnown = (context: Context, query: ListQuery): Promise<ListedKnown> =>
  listedFor(context, query, context.knownPets.matching(query.status))

/** The query of the longest list. */
export const longest = { limit: 100 }
export const shortest = { limit: 1 }
/** The query of a list that cuts. */
export const brief = { limit: 2 }

/** The query of the pets that are sold. */
export const ofSold = { ...longest, status: 'sold' }

/** The name under which checks share the first list of a query. */
export const sharedAs = (query: ListQuery): string => `the list ${listPets(query).path}`

/** JSON is one of several accepted types, named or not, as in the Accept header of a browser. */
export const accepted = [
  'text/html, application/json;q=0.9',
  'application/xml, */*;q=0.1',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
]

/** How the first list of a query is asked for, which must make no difference. */
const forms = new Map<string, (context: Context) => Partial<ApiRequest>>([
  [sharedAs(longest), () => ({ scheme: 'bearer' })],
  [sharedAs(ofSold), () => ({ scheme: 'BEARER' })],
  [
    sharedAs(brief),
    ({ sample }) => ({
      headers: sample(accepted, 1)
        .slice(0, 1)
        .map((type) => ['Accept', type]),
    }),
  ],
])

/** The first list of a query in its form, and the pets that it must have. */
export const listedInForm = (context: Context, query: ListQuery) =>
  context.once(`${sharedAs(query)} in its form`, async () => {
    const ids = context.knownPets.matching(query.status)
    const request = { ...listPets(query), ...forms.get(sharedAs(query))?.(context) }
    const key = context.knownPets.lists.chosen(ids)
    return { ids, response: await context.call(withKey(request, key)) }
  })

/** Takes a list that another check is about for the first one of its query, if it has a pet. */
export const offerList = async (
  context: Context,
  query: ListQuery,
  response: AnsweredExchange,
  ids: readonly bigint[],
): Promise<void> => {
  if (statusCode(response) !== 200 || !isValidList(response)) return
  const found = lookedUp(context, response, ids)
  if (found.pets.length > 0 && found.known.length > 0)
    await context.once(sharedAs(query), async () => found)
}

/** That list, if its form made no difference. */
const rightInForm = async (
  context: Context,
  query: ListQuery,
): Promise<ListedKnown | undefined> => {
  if (!forms.has(sharedAs(query))) return undefined
  try {
    const { ids, response } = await listedInForm(context, query)
    if (statusCode(response) !== 200 || !isValidList(response)) return undefined
    const found = lookedUp(context, response, ids)
    return found.known.length > 0 ? found : undefined
  } catch (error) {
    if (error instanceof NoResponseError || error instanceof Untested) return undefined
    throw error
  }
}

/** `listedKnown`, requested once per run for all checks that share the query. */
export const listedOnce = (context: Context, query: ListQuery): Promise<ListedKnown> =>
  context.once(
    sharedAs(query),
    async () => (await rightInForm(context, query)) ?? listedKnown(context, query),
  )

/** Returns the shared list first; when called again after a wait, requests a new one. */
export const firstOnce = (): typeof listedKnown => {
  let sent = 0
  return (context, query) => {
    sent += 1
    return sent === 1 ? listedOnce(context, query) : listedKnown(context, query)
  }
}

/** A list that is not empty: an empty one meets many requirements without testing any. */
export const listedSome = async (
  context: Context,
  query: ListQuery,
  ask = listedKnown,
): Promise<Listed> => {
  const found = await ask(context, query)
  if (found.pets.length > 0) return found
  if (found.known.length === 0) throw noneMatching(context, query.status)
  throw new Untested('blocked', 'the list is empty although pets are known', [found.response])
}
