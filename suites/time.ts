// Rows at dates that the test clock is moved to: GET by id works until it is removed, and what
// replaces it goes on.

import type { Context } from '../engine/check/context.ts'
import { withKnowingKey } from '../engine/check/control-request.ts'
import type { AnyCheck, Make, Needs, Value } from '../engine/check/declare.ts'
import type { Operation } from '../history/exchange.ts'
import type { BindingRequirementId } from '../spec/requirements.ts'
import { someId } from './pets/compare-pets.ts'
import { createPet, getPet, listPets } from './pets/requests.ts'
import { row } from './pets/rows.ts'

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
  { length: 8 },
  (_, at) => Date.UTC(2030, 10, 6) + at * (83 * hourMs + 660_000),
)

const isoOf = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')

/** What is sent at a date; several dates are about the same. */
interface Dated {
  readonly operation: Operation
  readonly requirement: BindingRequirementId
  readonly due: string
  readonly words: string
  readonly make: (nth: number) => Make
  readonly needs: Partial<Needs>
}

const old: Dated = {
  ...{ operation: 'get', requirement: 'get.until-removal', due: '200', words: 'of an old pet' },
  make: getOld,
  needs: { getPet: true },
}

const gone: Dated = {
  ...{ ...old, requirement: 'get.removed', due: '404, 410 and 501' },
  // It is refused for another reason than a quota that is spent.
  make: (nth) => (context, pick) => ({ ...getOld(nth)(context, pick), insists: true }),
}

/** The status filter and creations, which replace GET by id. */
const listed: Dated = {
  ...{ operation: 'list', requirement: 'get.replacement', due: '200', words: 'by status' },
  make: () => () => listPets({ limit: 100, status: 'available' }),
  needs: {},
}

const created: Dated = {
  ...{ operation: 'create', requirement: 'get.replacement', due: '201', words: 'like any' },
  make: () => (context) => createPet(context.newPet({ status: 'available' })),
  needs: { allow: ['write'] },
}

const entries: readonly (readonly [id: string, Dated, dates: readonly number[]])[] = [
  ['get-year-before-removal-200', old, [...monthsBefore, ...daysBefore]],
  ['get-last-evening-200', old, [lastEvening, lastEvening]],
  ['list-last-evening-200', listed, [lastEvening]],
  ['create-last-evening-201', created, [lastEvening]],
  ['get-after-removal-gone', gone, [removed, removed]],
  ['list-after-removal-200', listed, [removed]],
  ['create-after-removal-201', created, [removed]],
]

export const time: readonly AnyCheck[] = entries.map(
  ([id, { operation, requirement, due, words, make, needs }, dates]) =>
    row(operation, `Any status other than ${due}.`, {
      ...{ id, requirement, dates, few: dates.length },
      needs: { stage: dates.includes(removed) ? 'removal' : 'time', clock: true, ...needs },
      values: dates.map((ms, nth): Value => [`${words} at ${isoOf(ms)}`, make(nth)]),
    }),
)
