// Rows at dates that the test clock is moved to: GET by id works until it is removed, and what
// replaces it goes on.

import type { Context } from '../engine/check/context.ts'
import type { Check, Make, Needs, Value } from '../engine/check/declare.ts'
import { createPet, getPet, listPets, someId, withKnowingKey } from '../engine/check/requests.ts'
import { row } from '../engine/check/row.ts'
import type { Operation } from '../history/exchange.ts'
import type { BindingRequirementId } from '../spec/requirements.ts'

const [minuteMs, hourMs] = [60_000, 3_600_000]

/** 61 minutes apart: each minute of an hour, and each hour of a day; no month before is tried. */
const minutesAndHours = Array.from(
  { length: 60 },
  (_, at) => Date.UTC(2029, 11, 1) + at * 61 * minuteMs,
)

/** In one window across the end of an hour, a day, a month and a year at once, and after it. */
const yearsEnd = [15, 30, 45, 65, 80, 110, 140, 210].map(
  (seconds) => Date.UTC(2028, 11, 31, 23, 59) + seconds * 1_000,
)

/** The last hour in which the deprecated operation must work, and the first without it. */
const lastEvening = Date.UTC(2030, 11, 4, 23)
const removed = Date.UTC(2030, 11, 6, 0, 0, 1)

/** The oldest known pet, and the oldest that this run created as pending. */
const oldestIds = (context: Context): bigint[] => {
  const { creations, isRepeated, seen } = context.knownPets
  const [oldest = someId(context)] = seen.keys()
  const creation = creations.find(({ id, sent }) => !isRepeated(id) && sent.status === 'pending')
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
 * When the operation may be switched off for a test of its removal, ends of a year and of months
 * among them, at which dates are often computed wrong: every two months of the year
 * before; and in the last month, at hours and minutes that drift through the day.
 */
const monthsBefore = Array.from({ length: 6 }, (_, at) =>
  Date.UTC(2029, 11, 29 + 61 * at, at * 4, at * 10),
)
const daysBefore = Array.from(
  { length: 8 },
  (_, at) => Date.UTC(2030, 10, 6) + at * (83 * hourMs + 660_000),
)

const isoOf = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')

/** The status filter and creations replace GET by id. */
const listed: Make = () => listPets({ limit: 100, status: 'available' })
const short: Make = () => listPets({ limit: 1, status: 'available' })
const created: Make = (context) => createPet(context.newPet({ status: 'available' }))

const until = 'get.until-removal'
const instead = 'get.replacement'

/** It is refused for another reason than a quota that is spent. */
const getGone =
  (nth: number): Make =>
  (context, pick) => {
    const request = getOld(nth)(context, pick)
    // A gateway may know the address by its whole text.
    const path = nth < 2 ? request.path : `${request.path}?a=1`
    return { ...request, path, insists: true }
  }

/** What is sent, in words, and what it needs. */
const kinds: Readonly<Record<Operation, readonly [words: string, needs: Partial<Needs>]>> = {
  get: ['of an old pet', { getPet: true }],
  list: ['by status', {}],
  create: ['like any', { allow: ['write'] }],
}

const notGone = 'Any status other than 404, 410 and 501.'

/** The beginning of its id is its operation. */
const at = (
  id: `${Operation}-${string}`,
  requirement: BindingRequirementId,
  make: (nth: number) => Make,
  dates: readonly number[],
): Check => {
  const operation = id.split('-')[0] as Operation
  const [words, needs] = kinds[operation]
  return row(operation, {
    ...{ id, requirement, dates, ...(requirement === 'get.removed' && { fails: notGone }) },
    needs: { stage: dates.includes(removed) ? 'removal' : 'time', clock: true, ...needs },
    values: dates.map((ms, nth): Value => [`${words} at ${isoOf(ms)}`, make(nth)]),
  })
}

export const time: readonly Check[] = [
  at('list-at-any-time-200', 'list.success', () => short, [...yearsEnd, ...minutesAndHours]),
  at('get-year-before-removal-200', until, getOld, [...monthsBefore, ...daysBefore]),
  at('get-last-evening-200', until, getOld, [lastEvening, lastEvening]),
  at('list-last-evening-200', instead, () => listed, [lastEvening]),
  at('create-last-evening-201', instead, () => created, [lastEvening]),
  at('get-after-removal-gone', 'get.removed', getGone, [removed, removed, removed]),
  at('list-after-removal-200', instead, () => listed, [removed]),
  at('create-after-removal-201', instead, () => created, [removed]),
]
