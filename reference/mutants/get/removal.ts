// Faults around the removal of GET by id: when it happens, its headers, and what goes with it.

import { refuse } from '../../message.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import { removalAtMs } from '../../operations.ts'
import { replacing, type Variant } from '../../variant.ts'
import { onCall, onResponse } from '../../wrappers/pet-store.ts'

const dayMs = 86_400_000

/** Removes the operation at another time than announced. */
const removedAt = (removalAtMs: number): Variant => ({
  parts: ({ deprecationHeaders, removalAtMs: announcedMs }) => ({
    removalAtMs,
    deprecationHeaders: () => deprecationHeaders(announcedMs),
  }),
})

/** Switches the operation off at times before its removal. */
const rehearsedBy = (make: () => (nowMs: number) => boolean): Variant => ({
  parts: ({ operations, removalAtMs }) => {
    const isOff = make()
    return {
      operations: {
        ...operations,
        getPet: (call, parts) =>
          call.nowMs < removalAtMs && isOff(call.nowMs)
            ? parts.error(410, 'gone', 'This operation is being removed.')
            : operations.getPet(call, parts),
      },
    }
  },
})

/** The removal in days from a time; negative after it. */
const daysLeft = (nowMs: number): number => (Date.UTC(2030, 11, 5) - nowMs) / dayMs

const endOfRemovalDay = Date.UTC(2030, 11, 6)

/** Whether the removal is past, or less than `beforeMs` ahead. */
const isPast = (nowMs: number, beforeMs: number) => nowMs >= Date.UTC(2030, 11, 5) - beforeMs

const refusingFilter = (beforeMs: number, untilMs: number): Variant =>
  replacing('readStatus', ({ readStatus, clock }, values) =>
    values.length > 0 && isPast(clock.now(), beforeMs) && clock.now() < untilMs
      ? refuse(410, 'gone', 'This was removed.')
      : readStatus(values),
  )

const refusingCreation = (beforeMs: number, untilMs: number): Variant =>
  onCall('createPet', (response, { nowMs }, { error }) =>
    isPast(nowMs, beforeMs) && nowMs < untilMs
      ? error(405, 'method_not_allowed', 'This was removed.')
      : response,
  )

const announcing = (change: (headers: Record<string, string>) => Record<string, string>): Variant =>
  replacing('deprecationHeaders', ({ deprecationHeaders }, atMs) =>
    change(deprecationHeaders(atMs)),
  )

export const removalMutants: readonly Mutant[] = [
  ...caughtBy('get-last-evening-200', {
    'removed-a-day-early': [
      'GET /pets/{petId} is removed a day early.',
      removedAt(Date.UTC(2030, 11, 4)),
    ],
    'removed-in-november': [
      'GET /pets/{petId} is removed a month early: months are counted from 0.',
      removedAt(Date.UTC(2030, 10, 5)),
    ],
  }),
  ...caughtBy('get-year-before-removal-200', {
    'removal-rehearsed-by-the-hour': [
      'In the last month GET /pets/{petId} is switched off in the first quarter of each hour.',
      rehearsedBy(() => (nowMs) => daysLeft(nowMs) < 30 && nowMs % 3_600_000 < 900_000),
    ],
    'removal-rehearsed-by-chance': [
      'In the last month every fifth GET /pets/{petId} fails.',
      rehearsedBy(() => {
        let calls = 0
        return (nowMs) => daysLeft(nowMs) < 30 && calls++ % 5 === 4
      }),
    ],
    'removal-rehearsed-in-the-year-before': [
      'In the year before its removal GET /pets/{petId} is switched off before noon.',
      rehearsedBy(() => (nowMs) => daysLeft(nowMs) < 365 && nowMs % dayMs < dayMs / 2),
    ],
  }),
  ...caughtBy('get-after-removal-gone', {
    'never-removed': [
      'GET /pets/{petId} still works after its removal date.',
      removedAt(Date.UTC(2999, 0, 1)),
    ],
    'removed-by-a-western-clock': [
      'GET /pets/{petId} is removed late, by local time instead of UTC.',
      removedAt(endOfRemovalDay + dayMs / 3),
    ],
    'removed-answers-403': [
      'The removed GET /pets/{petId} gets 403.',
      onResponse('getPet', 410, (_response, { error }) =>
        error(403, 'gone', 'This operation must not be used.'),
      ),
    ],
  }),
  ...caughtBy('version-deprecated-until-removal', {
    'removed-a-week-late': [
      'GET /pets/{petId} is removed a week late.',
      removedAt(Date.UTC(2030, 11, 5) + 7 * dayMs),
    ],
    'removed-redirects': [
      'The removed GET /pets/{petId} redirects to the list.',
      onResponse('getPet', 410, () => ({
        status: 301,
        headers: { Location: '/v1/pets' },
        body: '',
      })),
    ],
  }),
  ...caughtBy('list-after-removal-200', {
    'filter-removed-too': [
      'The status filter is removed together with GET /pets/{petId}.',
      refusingFilter(0, Number.POSITIVE_INFINITY),
      { shownBy: 'whole run' },
    ],
  }),
  ...caughtBy('list-last-evening-200', {
    'filter-off-the-evening-before': [
      'The filter is off on the day before GET /pets/{petId} is removed.',
      refusingFilter(dayMs, Date.UTC(2030, 11, 5)),
      { shownBy: 'whole run' },
    ],
  }),
  ...caughtBy('create-after-removal-201', {
    'creation-removed-too': [
      'POST /pets is removed together with GET /pets/{petId}.',
      refusingCreation(0, Number.POSITIVE_INFINITY),
    ],
  }),
  ...caughtBy('create-last-evening-201', {
    'creation-off-the-evening-before': [
      'POST /pets is off on the day before GET /pets/{petId} is removed.',
      refusingCreation(dayMs, Date.UTC(2030, 11, 5)),
    ],
  }),
  ...caughtBy('get-deprecation-header-date', {
    'deprecation-header-true': [
      'Deprecation is `true`, as in an early draft.',
      announcing((headers) => ({ ...headers, Deprecation: 'true' })),
    ],
    'deprecation-header-http-date': [
      'Deprecation is an HTTP date, like Sunset.',
      announcing((headers) => ({ ...headers, Deprecation: headers.Sunset ?? '' })),
    ],
    'deprecation-header-after-removal': [
      'The Deprecation date is in milliseconds.',
      announcing((headers) => ({ ...headers, Deprecation: `@${removalAtMs}` })),
    ],
  }),
  ...caughtBy('get-sunset-header-date', {
    'sunset-header-iso': [
      'Sunset is an ISO date, not an HTTP date.',
      announcing((headers) => ({ ...headers, Sunset: '2030-12-05' })),
    ],
    'sunset-header-a-month-late': [
      'The Sunset date is a month late: months are counted from 0.',
      announcing((headers) => ({
        ...headers,
        Sunset: new Date(Date.UTC(2030, 12, 5)).toUTCString(),
      })),
    ],
  }),
]
