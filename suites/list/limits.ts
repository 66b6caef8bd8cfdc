// GET /pets: how many pets a list holds, with a limit, without one, and with a filter.

import type { Context } from '../../engine/context.ts'
import { check } from '../../engine/declare.ts'
import { violate } from '../../engine/expect.ts'
import { Untested } from '../../engine/outcome.ts'
import { property } from '../../engine/property.ts'
import { limit as anyLimit } from '../arbitraries.ts'
import { howMany, noneMatching, noPet, statuses } from '../pets.ts'
import {
  firstOnce,
  type Listed,
  type ListQuery,
  listedKnown,
  listedSome,
  longest,
  noKnownPets,
  sharedAs,
  whenScarce,
} from '../requests.ts'

const reads = (keyed: number) => ({ stage: 'reads', keyed, anonymous: 0, made: 'crowd' }) as const

const wordsFor = ({ limit, status }: ListQuery) => {
  const which = status === undefined ? 'pets' : `pets with the status ${status}`
  return `${which} (limit ${limit ?? 'not given'})`
}

const expectAtMost = ({ answer, pets }: Listed, max: number) => {
  if (pets.length > max) violate(`at most ${howMany(max)}`, howMany(pets.length), answer)
}

export const emptyList = 'the list is empty, so nothing in it could violate the requirement'

const fewerThanKnown =
  'Fewer distinct pets than the smaller of the limit and the number known to match: those that ' +
  'this run created or has seen, with this key or with one whose pets it is shown. A list that ' +
  'lacks a new pet is requested again a second later.'

/** Judged by several checks. */
export const ofLongest = { ...reads(1), shares: sharedAs(longest) } as const

/** As many as are known to match, up to the limit: nothing removes a pet. */
const expectNoFewer = (context: Context, query: ListQuery, ask = listedKnown) =>
  context.settled(async () => {
    const { answer, pets, known } = await ask(context, query)
    if (known.length === 0) throw noneMatching(context, query.status)
    const wanted = Math.min(query.limit ?? 20, known.length)
    const distinct = new Set(pets.map(({ id }) => id)).size
    if (distinct >= wanted) return { answer, pets }
    const expected = `at least ${wanted} ${wordsFor(query)}, as ${known.length} are known to match`
    return violate(expected, `${distinct} distinct ones`, answer)
  })

/** With fewer pets than the limit, the limit is met without being tested. */
const expectFull = (context: Context, { answer, pets }: Listed, limit: number) => {
  if (pets.length >= limit) return
  const which = `beyond the ${pets.length} of the list is known: nothing could be cut`
  if (!context.allow.includes('write')) throw noPet(context, which)
  throw new Untested('ambiguous', `no pet ${which}; use a target with more`, [answer])
}

const bounds = check({
  id: 'list-limit-bounds-200',
  requirement: 'bounds.limit',
  needs: reads(2),
  sends: '`GET /pets` with `limit=1` and with `limit=100`.',
  fails: 'Any status but 200, or more pets than the limit.',
  inconclusive: emptyList,
  run: async (context) => {
    for (const limit of [1, 100]) expectAtMost(await listedSome(context, { limit }), limit)
  },
})

/** Sent in every run. */
const minLimit = 2

const atMost = property({
  id: 'list-limit-most',
  requirement: 'list.limit.most',
  needs: { ...reads(1), pets: minLimit + 1, runs: 1, examples: [minLimit], shrinks: 8 },
  sends: 'One `GET /pets?limit=2`.',
  fails: 'More pets than the limit. The smallest failing limit is searched for.',
  inconclusive: `${emptyList}; or only one pet exists, so a limit of 2 cuts nothing`,
  arbitrary: anyLimit,
  run: async (context, limit) => {
    const found = await listedSome(context, { limit })
    expectAtMost(found, limit)
    // Fewer than a larger limit may be all there are; other requirements cover that.
    if (limit <= minLimit) expectFull(context, found, limit)
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
  run: async (context, limit) => {
    await expectNoFewer(context, { limit }, firstOnce())
  },
})

/** Next to the default, and to the bounds. */
const nearEdges = [19, 21, 99, 20]

const edges = check({
  id: 'list-limit-edges-exact',
  requirement: 'list.limit.exact',
  needs: { ...reads(1), ample: 1 + nearEdges.length },
  sends: `\`GET /pets\` with the limits 1, 19, 20, 21 and 99; only with 1${whenScarce}.`,
  fails: `More pets than the limit. ${fewerThanKnown}`,
  inconclusive: noKnownPets,
  run: async (context) => {
    for (const limit of [1, ...context.sample(nearEdges, 0)]) {
      expectAtMost(await expectNoFewer(context, { limit }), limit)
    }
  },
})

/**
 * Limits below what a status has, and one equal to the number known: a server that looks for one
 * more may lose the last one.
 */
const filtered = ({ herd }: Context): readonly Required<ListQuery>[] => [
  { limit: Math.max(1, Math.min(100, herd.count('sold'))), status: 'sold' },
  { limit: 19, status: 'pending' },
  { limit: 21, status: 'available' },
]

/** Runs when lists have shown all pets of a status. */
export const exactFiltered = check({
  id: 'list-limit-status-no-fewer',
  requirement: 'list.limit.exact',
  needs: { ...reads(1), ample: 3 },
  sends:
    '`GET /pets?limit=N&status=sold` with `N` as many as are known to be sold, one with 19 ' +
    `and pending, and one with 21 and available; one of the three${whenScarce}.`,
  fails: `More pets than the limit. ${fewerThanKnown}`,
  inconclusive: noKnownPets,
  run: async (context) => {
    for (const query of context.sample(filtered(context), 1)) {
      expectAtMost(await expectNoFewer(context, query), query.limit)
    }
  },
})

const byDefault = check({
  id: 'list-limit-default',
  requirement: 'list.limit.default',
  needs: reads(1),
  sends: 'One `GET /pets` without a limit.',
  fails: `More than 20 pets. ${fewerThanKnown} The limit counts as 20.`,
  inconclusive: `${noKnownPets}, or fewer than 20, so nothing could be cut`,
  run: async (context) => {
    const found = await expectNoFewer(context, {})
    expectAtMost(found, 20)
    expectFull(context, found, 20)
  },
})

/** A server may lose its default as soon as there is a filter. */
const byDefaultFiltered = check({
  id: 'list-status-default',
  requirement: 'list.limit.default',
  needs: { ...reads(1), ample: statuses.length },
  sends:
    '`GET /pets?status=...` without a limit, for each of the three statuses; for ' +
    `one${whenScarce}.`,
  fails: `More than 20 pets. ${fewerThanKnown} The limit counts as 20.`,
  inconclusive: `${noKnownPets}, or at most 20 with the status, so nothing could be cut`,
  run: async (context) => {
    for (const status of context.sample(statuses, 1)) {
      const found = await expectNoFewer(context, { status })
      expectAtMost(found, 20)
      expectFull(context, found, 20)
    }
  },
})

export const listLimits = [bounds, atMost, exact, edges, byDefault, byDefaultFiltered]
