// Faults of GET by id: unknown ids, ids that are not integers, what the pet shows, and its removal:
// when it happens, its headers, and what goes with it.

import { dayMs } from '../limiter.ts'
import { type ApiResponse, ConnectionLost } from '../message.ts'
import { removalAtMs } from '../operations.ts'
import type { Pet } from '../store.ts'
import { caughtBy, each, family, perServer, replacing, together, type Variant } from '../variant.ts'
import { serverError } from '../wrappers/middleware.ts'
import {
  allPets,
  inStore,
  type Members,
  numbering,
  onBody,
  onCall,
  onResponse,
  readingId,
  refusingCalls,
  rewritingPets,
  rounding,
} from '../wrappers/pet-store.ts'

const whenUnknown = family(([status, body]: readonly [status: number, body: string]) =>
  onResponse('getPet', 404, (response) => ({ ...response, status, body })),
)

const fetched = family(
  (change: (pet: Members) => Members) => onResponse('getPet', 200, rewritingPets(change)),
  'GET /pets/{petId}',
)

const whole = { status: 200, headers: {}, body: '[]' }
const failed = serverError({ ...whole, body: '' })

const respondingTo = (petIds: RegExp, response: ApiResponse): Variant =>
  onCall('getPet', (honest, { petId }) => (petIds.test(petId) ? response : honest))

const unreadable = /^.{101}|^\w{8}-|%(?!2)/

const leadingDigits = (text: string) => {
  const [digits] = /^-?\d{1,30}/.exec(text) ?? []
  return digits === undefined ? undefined : BigInt(digits)
}

export const getMutants = [
  ...whenUnknown.caughtBy('get-unknown-404', {
    'get-unknown-null': ['An unknown petId gets 200 with null instead of 404.', [200, 'null']],
    'get-unknown-empty-object': ['An unknown petId gets 200 with {} instead of 404.', [200, '{}']],
  }),
  ...each({
    'get-unknown-unanswered @ get-unknown-404': [
      'At a petId that no pet has the worker dies, and the connection is closed.',
      onResponse('getPet', 404, () => {
        throw new ConnectionLost()
      }),
    ],
    'get-unknown-nearest @ get-unknown-404': [
      'An unknown petId returns the nearest pet.',
      inStore((store) => ({ get: (id) => store.get(id) ?? store.list(undefined, 1)[0] })),
    ],
    'get-negative-400 @ get-unknown-404': [
      'A negative petId gets 400 instead of 404.',
      refusingCalls('getPet', 400, ({ petId }) => petId.startsWith('-')),
    ],
    'get-sign-lost @ get-unknown-404': [
      'The sign of a negative petId is ignored.',
      readingId((text) => (/^-\d{1,19}$/.test(text) ? BigInt(text.slice(1)) : undefined)),
    ],
    'get-by-double @ get-id-not-truncated': [
      'petId is parsed into a double and finds another pet.',
      inStore(() => {
        const byId = new Map<number, Pet>()
        return {
          added: (pet) => byId.set(Number(pet.id), pet),
          get: (id) => byId.get(Number(id)),
        }
      }),
    ],
    'get-by-32-bits @ get-id-not-truncated': [
      'petId is truncated to 32 bits.',
      together(
        numbering((position) => position + 1n),
        readingId((text) =>
          /^-?\d{1,19}$/.test(text) ? BigInt.asIntN(32, BigInt(text)) : undefined,
        ),
      ),
    ],
  }),
  ...fetched.caughtBy('get-each-as-created', {
    'get-lacks-status': ['leaves out the status', ({ status, ...pet }) => pet],
    'get-rounds-category': ['rounds categoryId to a double', rounding('categoryId')],
    'get-shows-old-encoding': [
      'replaces characters that are not ASCII with question marks',
      (pet) => ({ ...pet, name: String(pet.name).replace(/[^ -~]/g, '?') }),
    ],
  }),
  ...fetched.caughtBy('get-each-own-id', {
    'get-rounds-id': ['rounds the id to a double', rounding('id')],
  }),
  ...each({
    'get-unknown-again-500 @ answer-no-5xx': [
      'That there is no pet with an id is kept, as null, at which the next GET of it fails.',
      perServer(() => {
        const kept = new Set<string>()
        return onCall('getPet', (honest, { petId }) => {
          if (honest.status !== 404) return honest
          const isKept = kept.has(petId)
          kept.add(petId)
          return isKept ? failed : honest
        })
      }),
    ],
    'get-shows-neighbour @ get-each-own-id': [
      'GET /pets/{petId} returns the next pet: an index is off by one.',
      inStore((store) => ({
        get: (id) => store.get(id) && (store.get(id + 1n) ?? store.list(undefined, allPets).at(-1)),
      })),
    ],
    'get-in-list @ pet-fields': [
      'GET /pets/{petId} returns an array of one pet.',
      onBody('getPet', (body) => `[${body}]`),
    ],
    'get-zero-lists @ get-id-zero-404-or-own': ['/pets/0 lists pets.', respondingTo(/^0$/, whole)],
    'get-greatest-400 @ get-id-most-404-or-own': [
      'The largest int64 as petId gets 400 instead of 404.',
      refusingCalls('getPet', 400, ({ petId }) => petId === `${2n ** 63n - 1n}`),
    ],
    'get-least-500 @ get-id-least-404-or-own': [
      'The smallest int64 as petId gets 500 instead of 404.',
      respondingTo(/^-9223372036854775808$/, failed),
    ],
    'get-id-wraps @ get-id-beyond-int64-refused': [
      'A petId outside int64 is wrapped into it.',
      readingId((text) => (/^\d{1,30}$/.test(text) ? BigInt.asIntN(64, BigInt(text)) : undefined)),
    ],
    'get-word-is-first @ get-id-word-refused': [
      'A word as petId returns the first pet.',
      readingId((text, { store }) =>
        leadingDigits(text) === undefined ? store.list(undefined, 1)[0]?.id : undefined,
      ),
    ],
    'get-fraction-cut @ get-id-fraction-refused': [
      'The fraction of a petId is cut off.',
      readingId((text) => (/^\d{1,20}\.\d+$/.test(text) ? leadingDigits(text) : undefined)),
    ],
    'get-blank-lists @ get-id-blank-refused': [
      'GET /pets/%20 lists all pets.',
      respondingTo(/^%20$/, whole),
    ],
    'get-unreadable-500 @ get-id-other-refused': [
      'A petId that cannot be decoded gets 500.',
      respondingTo(unreadable, failed),
    ],
    'get-unreadable-lists @ get-id-other-refused': [
      'A petId that cannot be read lists all pets.',
      respondingTo(unreadable, whole),
    ],
    'get-prefix-taken @ walk-statuses': [
      'Characters after the digits of a petId are ignored.',
      readingId((text) => (/^\d{1,30}[^\d.]/.test(text) ? leadingDigits(text) : undefined)),
    ],
    'get-format-suffix-dropped @ get-id-prefix-refused': [
      'A router takes .json at the end of a path for a format, and drops it.',
      readingId((text) => (/^\d{1,30}\.json$/.test(text) ? leadingDigits(text) : undefined)),
    ],
  }),
]

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
  }),
  ...each({
    'filter-removed-too @ list-after-removal-200': [
      'The status filter is removed together with GET /pets/{petId}.',
      refusingCalls('listPets', 410, ({ nowMs, query }) => query.has('status') && isRemoved(nowMs)),
      { condition: 'with a status at 2030-12-06T00:00:01Z' },
    ],
    'filter-off-the-evening-before @ list-last-evening-200': [
      'The filter is off on the day before GET /pets/{petId} is removed.',
      refusingCalls('listPets', 410, ({ nowMs, query }) => query.has('status') && isLastDay(nowMs)),
    ],
    'old-pets-removed-too @ list-limit-no-fewer': [
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
    'lists-off-in-the-last-minute @ list-at-any-time-200': [
      'In the last minute of each hour there are no lists.',
      refusingCalls('listPets', 410, ({ nowMs }) => new Date(nowMs).getUTCMinutes() === 59),
      { condition: 'in minute 59 of an hour' },
    ],
    'creation-removed-too @ create-after-removal-201': [
      'POST /pets is removed together with GET /pets/{petId}.',
      refusingCalls('createPet', 405, ({ nowMs }) => isRemoved(nowMs)),
    ],
    'creation-gone-a-month-later @ walk-after-removal': [
      'A month after GET /pets/{petId} POST /pets is removed as well.',
      refusingCalls('createPet', 405, ({ nowMs }) => nowMs >= removalAtMs + 29 * dayMs),
    ],
    'creation-off-the-evening-before @ create-last-evening-201': [
      'POST /pets is off on the day before GET /pets/{petId} is removed.',
      refusingCalls('createPet', 405, ({ nowMs }) => isLastDay(nowMs)),
    ],
    'removed-answers-403 @ get-after-removal-gone': [
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
