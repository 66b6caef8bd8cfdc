// GET /pets: how many pets a list holds, with a limit, without one, and with a filter.

import type { Context } from '../../engine/check/context.ts'
import { check } from '../../engine/check/declare.ts'
import { violateAs } from '../../engine/check/expect.ts'
import { expectEach } from '../../engine/check/findings.ts'
import { Untested } from '../../engine/check/outcome.ts'
import { property } from '../../engine/check/property.ts'
import { limit as anyLimit } from '../pets/arbitraries.ts'
import { howMany, noneMatching, noPet, statuses, tooFew, wrongCount } from '../pets/compare-pets.ts'
import {
  brief,
  firstOnce,
  type Listed,
  listedKnown,
  listedOnce,
  listedSome,
  longest,
  sharedAs,
  shortest,
} from '../pets/lists.ts'
import { type ListQuery, noKnownPets, whenScarce } from '../pets/requests.ts'

export const reads = (keyed: number) =>
  ({ stage: 'reads', keyed, anonymous: 0, made: 'crowd' }) as const

/** How many pets a list without `limit` may hold. */
const defaultLimit = 20

const wordsFor = ({ limit, status }: ListQuery) => {
  const which = status === undefined ? 'pets' : `pets with the status ${status}`
  return `${which} (limit ${limit ?? 'not given'})`
}

const expectAtMost = ({ response, pets }: Listed, max: number) => {
  if (pets.length <= max) return
  const wrong = wrongCount(pets.length, max)
  violateAs(wrong, `at most ${howMany(max)}`, howMany(pets.length), response)
}

const emptyList = 'the list is empty, which proves nothing'

const fewerThanKnown =
  'Fewer distinct pets than are known to match, up to the limit. Known pets are those that this ' +
  'run created or has seen, if this key must see them. A list that lacks a new pet is requested ' +
  'again a second later.'

/** Several checks share this list. */
const ofLongest = { ...reads(1), shares: sharedAs(longest) } as const

/** Expects all pets that are known to match, up to the limit: nothing removes a pet. */
const expectNoFewer = (context: Context, query: ListQuery, ask = listedKnown) =>
  context.settled(async () => {
    const { response, pets, known } = await ask(context, query)
    if (known.length === 0) throw noneMatching(context, query.status)
    const wanted = Math.min(query.limit ?? defaultLimit, known.length)
    const found = tooFew(pets, wanted)
    if (!found) return { response, pets }
    const expected = `at least ${wanted} ${wordsFor(query)}, as ${known.length} are known to match`
    return violateAs(found.wrong, expected, found.actual, response)
  })

/** A list shorter than the limit does not test it; nor one of all pets, if more may be created. */
const expectFull = (
  context: Context,
  { response, pets }: Listed,
  limit: number,
  { status }: ListQuery = {},
) => {
  const { allow, knownPets } = context
  const cuts = !allow.includes('write') || knownPets.count(status) > limit
  if (pets.length >= limit && cuts) return
  const which = `is known beyond the ${pets.length} in the list, so the limit cuts nothing`
  if (!allow.includes('write')) throw noPet(context, which)
  const isKnown = knownPets.seen.size > pets.length
  const why = isKnown ? 'although more are known' : 'use a target with more'
  const found = `the list has ${howMany(pets.length)}, so its limit of ${limit} cuts nothing`
  throw new Untested('ambiguous', `${found}; ${why}`, [response])
}

const bounds = check({
  id: 'list-limit-bounds-200',
  requirement: 'bounds.limit',
  needs: { ...reads(2), sharesEach: [sharedAs(shortest), sharedAs(longest)] },
  sends: '`GET /pets` with `limit=1` and with `limit=100`.',
  fails: 'Any status other than 200, or more pets than the limit.',
  inconclusive: emptyList,
  run: async (context) => {
    await expectEach([shortest, longest], async (query) => {
      expectAtMost(await listedSome(context, query, listedOnce), query.limit)
    })
  },
})

const atMost = property({
  id: 'list-limit-most',
  requirement: 'list.limit.most',
  needs: {
    ...{ ...reads(1), pets: brief.limit + 1, sharesEach: [sharedAs(brief)] },
    ...{ runs: 1, examples: [brief.limit], shrinks: 8 },
  },
  sends: 'One `GET /pets?limit=2`.',
  fails: 'More pets than the limit. The minimal failing limit is searched for.',
  inconclusive: `${emptyList}; or there is only one pet, so a limit of 2 cuts nothing`,
  arbitrary: anyLimit,
  named: 'limit',
  run: async (context, limit) => {
    const ask = limit === brief.limit ? listedOnce : listedKnown
    const found = await listedSome(context, { limit }, ask)
    expectAtMost(found, limit)
    // For a larger limit there may not be enough pets; another requirement covers that.
    if (limit <= brief.limit) expectFull(context, found, limit)
  },
})

const exact = property({
  id: 'list-limit-no-fewer',
  requirement: 'list.limit.exact',
  needs: { ...ofLongest, runs: 1, examples: [longest.limit], shrinks: 8 },
  sends: '`GET /pets` with `limit=100` and with a generated limit.',
  fails: fewerThanKnown,
  inconclusive: noKnownPets,
  arbitrary: anyLimit,
  named: 'limit',
  run: async (context, limit) => {
    await expectNoFewer(context, { limit }, firstOnce())
  },
})

/** Close to the default and to the bounds. */
const nearEdges = [19, 21, 99, 20]

const edges = check({
  id: 'list-limit-edges-exact',
  requirement: 'list.limit.exact',
  needs: { ...reads(1), ample: 1 + nearEdges.length, sharesEach: [sharedAs(shortest)] },
  sends: `\`GET /pets\` with the limits 1, 19, 20, 21 and 99; only with 1${whenScarce}.`,
  fails: `More pets than the limit. ${fewerThanKnown}`,
  inconclusive: noKnownPets,
  run: async (context) => {
    const limits = [shortest.limit, ...context.sample(nearEdges, 0)]
    await expectEach(limits, async (limit) => {
      expectAtMost(await expectNoFewer(context, { limit }, firstOnce()), limit)
    })
  },
})

/** An odd number below that of the pets with a status: the limit cuts, and follows the filter. */
const cutting = ({ knownPets }: Context, status: string, most: number): Required<ListQuery> => {
  const below = Math.max(1, Math.min(most, knownPets.count(status) - 1))
  return { limit: below - 1 + (below % 2), status }
}

/** One is equal: a server that fetches one more than the limit may lose the last one. */
const filtered = (context: Context): readonly Required<ListQuery>[] => [
  { limit: Math.max(1, Math.min(100, context.knownPets.count('sold'))), status: 'sold' },
  cutting(context, 'pending', 19),
  cutting(context, 'available', 21),
]

/** Runs after lists have shown all pets with a status. */
export const exactFiltered = check({
  id: 'list-limit-status-no-fewer',
  requirement: 'list.limit.exact',
  needs: { ...reads(1), ample: 3 },
  sends:
    '`GET /pets?limit=N&status=sold`, where N pets are known to be sold; one with up to 19 and ' +
    'pending, and one with up to 21 and available, each with fewer than are known; one of the ' +
    `three${whenScarce}.`,
  fails: `More pets than the limit. ${fewerThanKnown}`,
  inconclusive: noKnownPets,
  run: async (context) => {
    await expectEach(context.sample(filtered(context), 1), async (query) => {
      expectAtMost(await expectNoFewer(context, query), query.limit)
    })
  },
})

const expectDefault = async (context: Context, query: ListQuery): Promise<void> => {
  const found = await expectNoFewer(context, query)
  expectAtMost(found, defaultLimit)
  expectFull(context, found, defaultLimit, query)
}

const byDefault = check({
  id: 'list-limit-default',
  requirement: 'list.limit.default',
  needs: { ...reads(1), pets: defaultLimit + 1 },
  sends: 'One `GET /pets` without `limit`.',
  fails: `More pets than the default of 20. ${fewerThanKnown}`,
  inconclusive: `${noKnownPets}, or fewer than 20 are known, so nothing is cut`,
  run: (context) => expectDefault(context, {}),
})

/** A server may forget the default limit when there is a filter. */
const byDefaultFiltered = check({
  id: 'list-status-default',
  requirement: 'list.limit.default',
  needs: { ...reads(1), ample: statuses.length, pets: 3 * (defaultLimit + 1) },
  sends:
    '`GET /pets?status=...` without `limit`, for each of the three statuses; for one ' +
    `of more than 20 pets${whenScarce}.`,
  fails: `More pets than the default of 20. ${fewerThanKnown}`,
  inconclusive: `${noKnownPets}, or at most 20 have the status, so nothing is cut`,
  run: async (context) => {
    const { knownPets, sample } = context
    const full = statuses.filter((status) => knownPets.count(status) > defaultLimit)
    const [first = statuses[0]] = sample(full.length > 0 ? full : statuses, 1)
    const others = statuses.filter((status) => status !== first)
    await expectEach([first, ...sample(others, 0)], (status) => expectDefault(context, { status }))
  },
})

export const listLimits = [bounds, atMost, exact, edges, byDefault, byDefaultFiltered]
