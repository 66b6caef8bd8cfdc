// Faults around the removal of GET by id: when it happens, its headers, and what goes with it.

import { dayMs } from '../../limiter.ts'
import { removalAtMs } from '../../operations.ts'
import { caughtBy, each, family, replacing, type Variant } from '../../variant.ts'
import { allPets, inStore, refusingCalls } from '../../wrappers/pet-store.ts'

/** Removes the operation at another time than announced. */
const removed = family(
  (atMs: number): Variant => ({
    parts: ({ deprecationHeaders, removalAtMs: announcedMs }) => ({
      removalAtMs: atMs,
      deprecationHeaders: () => deprecationHeaders(announcedMs),
    }),
  }),
  'GET /pets/{petId}',
)

const daysLeft = (nowMs: number): number => (removalAtMs - nowMs) / dayMs

const isRemoved = (nowMs: number): boolean => daysLeft(nowMs) <= 0
const isLastDay = (nowMs: number): boolean => !isRemoved(nowMs) && daysLeft(nowMs) <= 1

/** Another value of one of the headers that announce the removal. */
const announcing = (name: 'Deprecation' | 'Sunset') =>
  family(
    (value: string) =>
      replacing('deprecationHeaders', ({ deprecationHeaders }, atMs) => ({
        ...deprecationHeaders(atMs),
        [name]: value,
      })),
    name,
  )

export const removalMutants = [
  ...removed.caughtBy('get-last-evening-200', {
    'removed-a-day-early': ['is removed a day early', removalAtMs - dayMs],
    'removed-in-november': ['is removed a month early', Date.UTC(2030, 10, 5)],
  }),
  ...caughtBy('get-year-before-removal-200', {
    'removal-rehearsed-in-the-year-before': [
      'In the year before its removal GET /pets/{petId} is switched off before noon.',
      refusingCalls('getPet', 410, ({ nowMs }) => {
        const isInYear = daysLeft(nowMs) > 0 && daysLeft(nowMs) < 365
        return isInYear && nowMs % dayMs < dayMs / 2
      }),
    ],
  }),
  ...removed.caughtBy('get-after-removal-gone', {
    'never-removed': ['still works after its removal date', Date.UTC(2999, 0, 1)],
    'removed-by-a-western-clock': ['is removed by local time', removalAtMs + dayMs + dayMs / 3],
  }),
  ...each({
    'filter-removed-too': [
      'list-after-removal-200',
      'The status filter is removed together with GET /pets/{petId}.',
      refusingCalls('listPets', 410, ({ nowMs, query }) => query.has('status') && isRemoved(nowMs)),
    ],
    'filter-off-the-evening-before': [
      'list-last-evening-200',
      'The filter is off on the day before GET /pets/{petId} is removed.',
      refusingCalls('listPets', 410, ({ nowMs, query }) => query.has('status') && isLastDay(nowMs)),
    ],
    'old-pets-removed-too': [
      'list-limit-no-fewer',
      'With GET /pets/{petId} the pets of before are archived: lists have only newer ones.',
      inStore((store, clock) => {
        let before: ReadonlySet<bigint> | undefined
        return {
          lists: ({ id }) => {
            if (clock.now() < removalAtMs) return true
            before ??= new Set(store.list(undefined, allPets).map((pet) => pet.id))
            return !before.has(id)
          },
        }
      }),
    ],
    'creation-removed-too': [
      'create-after-removal-201',
      'POST /pets is removed together with GET /pets/{petId}.',
      refusingCalls('createPet', 405, ({ nowMs }) => isRemoved(nowMs)),
    ],
    'creation-off-the-evening-before': [
      'create-last-evening-201',
      'POST /pets is off on the day before GET /pets/{petId} is removed.',
      refusingCalls('createPet', 405, ({ nowMs }) => isLastDay(nowMs)),
    ],
    'removed-answers-403': [
      'get-after-removal-gone',
      'The removed GET /pets/{petId} gets 403.',
      refusingCalls('getPet', 403, (_call, { status }) => status === 410),
    ],
  }),
  ...announcing('Deprecation').caughtBy('get-deprecation-header-date', {
    'deprecation-header-true': ['is `true`, as in an early draft', 'true'],
    'deprecation-header-after-removal': ['is in milliseconds', `@${removalAtMs}`],
  }),
  ...announcing('Sunset').caughtBy('get-sunset-header-date', {
    'sunset-header-iso': ['is an ISO date, not an HTTP date', '2030-12-05'],
    'sunset-header-a-month-late': [
      'is a month late: months are counted from 0',
      new Date(Date.UTC(2030, 12, 5)).toUTCString(),
    ],
  }),
]
