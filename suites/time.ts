// Rows at dates that the test clock is moved to: GET by id works until it is removed, and what
// replaces it goes on.

import type { Context } from '../engine/check/context.ts'
import { withKnowingKey } from '../engine/check/control-request.ts'
import type { AnyCheck, Make, Value } from '../engine/check/declare.ts'
import type { Operation } from '../history/exchange.ts'
import type { BindingRequirementId } from '../spec/requirements.ts'
import { someId } from './pets/compare-pets.ts'
import { createPet, getPet, listPets } from './pets/requests.ts'
import { row } from './pets/rows.ts'
import { quotasAfterRemoval } from './rate-limit/bursts.ts'

const hourMs = 3_600_000

/** The last hour in which the deprecated operation must work, and the first without it. */
const lastEvening = Date.UTC(2030, 11, 4, 23)
const removed = Date.UTC(2030, 11, 6, 0, 0, 1)

/** The oldest known pet, and the oldest that this run created: many were created since. */
const oldestIds = (context: Context): bigint[] => {
  const { creations, isRepeated, seen } = context.knownPets
  const [oldest = someId(context)] = seen.keys()
  const creation = creations.find(({ id }) => !isRepeated(id))
  return [...new Set([oldest, ...(creation ? [creation.id] : [])])]
}

/** Of two old pets in turn, as an operation may fail by chance, or for what is old. */
const getOld =
  (nth: number): Make =>
  (context) => {
    const ids = oldestIds(context)
    const id = ids[nth % ids.length] ?? someId(context)
    return withKnowingKey(context, id, getPet(id))
  }

/**
 * When the operation may be switched off for a test of its removal: every two months of the year
 * before; and in the last month, at hours and minutes that drift through the day.
 */
const monthsBefore = Array.from({ length: 6 }, (_, at) =>
  Date.UTC(2029, 11 + 2 * at, 6, at * 4, at * 10),
)
const daysBefore = Array.from(
  { length: 12 },
  (_, at) => Date.UTC(2030, 10, 6) + at * (55 * hourMs + 660_000),
)

const isoOf = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')

interface Dated {
  readonly id: string
  readonly requirement: BindingRequirementId
  readonly due: string
  readonly dates: readonly number[]
  readonly words: string
  readonly make: (nth: number) => Make
}

const dated = (
  operation: Operation,
  { id, requirement, due, dates, words, make }: Dated,
): AnyCheck =>
  row(operation, `Any status other than ${due}.`, {
    ...{ id, requirement, dates, few: dates.length },
    needs: {
      stage: dates.includes(removed) ? 'removal' : 'time',
      clock: true,
      ...(operation === 'create' && { allow: ['write'] }),
      ...(operation === 'get' && { getPet: true }),
    },
    values: dates.map((ms, nth): Value => [`${words} at ${isoOf(ms)}`, make(nth)]),
  })

const listAll: Make = () => listPets({ limit: 100, status: 'available' })
const createOne: Make = ({ newPet }) => createPet(newPet({ status: 'available' }))

/** The status filter and creations, which replace GET by id. */
const replacements = (when: string, date: number): readonly AnyCheck[] => {
  const shared = { requirement: 'get.replacement', dates: [date] } as const
  const [list, create] = [`list-${when}-200`, `create-${when}-201`]
  return [
    dated('list', { ...shared, id: list, due: '200', words: 'by status', make: () => listAll }),
    dated('create', {
      ...shared,
      id: create,
      due: '201',
      words: 'like any',
      make: () => createOne,
    }),
  ]
}

const works: Pick<Dated, 'requirement' | 'due' | 'words' | 'make'> = {
  ...{ requirement: 'get.until-removal', due: '200', words: 'of an old pet', make: getOld },
}

export const time: readonly AnyCheck[] = [
  dated('get', {
    ...{ ...works, id: 'get-year-before-removal-200', dates: [...monthsBefore, ...daysBefore] },
  }),
  dated('get', { ...works, id: 'get-last-evening-200', dates: [lastEvening, lastEvening] }),
  ...replacements('last-evening', lastEvening),
  dated('get', {
    ...{ id: 'get-after-removal-gone', requirement: 'get.removed', due: '404, 410 and 501' },
    ...{ dates: [removed, removed], words: 'of an old pet' },
    // It is refused for another reason than a quota that is spent.
    make: (nth) => (context, pick) => ({ ...getOld(nth)(context, pick), insists: true }),
  }),
  ...replacements('after-removal', removed),
  ...quotasAfterRemoval,
]
