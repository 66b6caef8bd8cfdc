// GET /pets: how many animals a list holds, with a limit, without one, and with a filter.

import { check } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import { violate } from '../../engine/expect.ts'
import { Untested } from '../../engine/outcome.ts'
import { property } from '../../engine/property.ts'
import { howMany, noAnimal, noneMatching } from '../animals.ts'
import { limit as anyLimit } from '../arbitraries.ts'
import { type ListQuery, statuses } from '../requests.ts'
import { firstOnce, type Listed, listedKnown, listedSome, longest, sharedAs } from './listed.ts'

const reads = (keyed: number) => ({ stage: 'reads', keyed, anonymous: 0, made: 'crowd' }) as const

const wordsFor = ({ limit, status }: ListQuery) => {
  const which = status === undefined ? 'animals' : `animals with the status ${status}`
  return `${which} (limit ${limit ?? 'not given'})`
}

const expectAtMost = ({ answer, pets }: Listed, most: number) => {
  if (pets.length > most) violate(`at most ${howMany(most)}`, howMany(pets.length), answer)
}

/** Looked at by several checks. */
export const ofLongest = { ...reads(1), shares: sharedAs(longest) } as const

/** As many as are known to match, up to the limit: nothing removes an animal. */
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

/** Where there are fewer animals, a limit is kept without being put to the test. */
const expectFull = (context: Context, { answer, pets }: Listed, limit: number) => {
  if (pets.length >= limit) return
  const which = `beyond the ${pets.length} of the list is known: nothing could be cut`
  if (!context.allow.includes('write')) throw noAnimal(context, which)
  throw new Untested('ambiguous', `no animal ${which}; use a target with more`, [answer])
}

const bounds = check('list-limit-bounds-200', 'bounds.limit', reads(2), async (context) => {
  for (const limit of [1, 100]) expectAtMost(await listedSome(context, { limit }), limit)
})

/** Asked in every run. */
const leastLimit = 2

const most = property(
  'list-limit-most',
  'list.limit.most',
  { ...reads(1), runs: 1, examples: [leastLimit], shrinks: 8 },
  anyLimit,
  async (context, limit) => {
    const found = await listedSome(context, { limit })
    expectAtMost(found, limit)
    // Fewer than a larger limit may be all there are, which other sentences ask about.
    if (limit <= leastLimit) expectFull(context, found, limit)
  },
)

const exact = property(
  'list-limit-no-fewer',
  'list.limit.exact',
  { ...ofLongest, runs: 1, examples: [longest.limit], shrinks: 8 },
  anyLimit,
  async (context, limit) => {
    await expectNoFewer(context, { limit }, firstOnce())
  },
)

/** Next to the default, and to the bounds. */
const nearEdges = [19, 21, 99, 20]

const edges = check(
  'list-limit-edges-exact',
  'list.limit.exact',
  { ...reads(1), ample: 1 + nearEdges.length },
  async (context) => {
    for (const limit of [1, ...context.sample(nearEdges, 0)]) {
      expectAtMost(await expectNoFewer(context, { limit }), limit)
    }
  },
)

/**
 * Limits below what a status has, and one of just as many as are known: a server that looks for one
 * more may lose the last one.
 */
const filtered = ({ herd }: Context): readonly Required<ListQuery>[] => [
  { limit: Math.max(1, Math.min(100, herd.count('sold'))), status: 'sold' },
  { limit: 19, status: 'pending' },
  { limit: 21, status: 'available' },
]

/** Run when lists have shown all pets of a status. */
export const exactFiltered = check(
  'list-limit-status-no-fewer',
  'list.limit.exact',
  { ...reads(1), ample: 3 },
  async (context) => {
    for (const query of context.sample(filtered(context), 1)) {
      expectAtMost(await expectNoFewer(context, query), query.limit)
    }
  },
)

const byDefault = check('list-limit-default', 'list.limit.default', reads(1), async (context) => {
  const found = await expectNoFewer(context, {})
  expectAtMost(found, 20)
  expectFull(context, found, 20)
})

/** A server may lose its default as soon as there is a filter. */
const byDefaultFiltered = check(
  'list-status-default',
  'list.limit.default',
  { ...reads(1), ample: statuses.length },
  async (context) => {
    for (const status of context.sample(statuses, 1)) {
      const found = await expectNoFewer(context, { status })
      expectAtMost(found, 20)
      expectFull(context, found, 20)
    }
  },
)

export const listLimits = [bounds, most, exact, edges, byDefault, byDefaultFiltered]
