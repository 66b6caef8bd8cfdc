// Legal differences of GET /pets: invalid parameters, order and delay.

import type { Reading } from '../message.ts'
import { defaultLimit } from '../routes.ts'
import type { Pet } from '../store.ts'
import { type LegalVariant, legal, replacing, type Variant } from '../variant.ts'
import { allPets, inStore, listing, onCall, onResponse } from '../wrappers/pet-store.ts'

/** Reads a limit that the reference refuses. */
const badLimit = (read: (text: string) => Reading<number>): Variant =>
  replacing('readLimit', ({ readLimit }, values) => {
    const reading = readLimit(values)
    return 'refusal' in reading ? read(values.at(-1) ?? '') : reading
  })

const clamp = (text: string): Reading<number> => {
  const limit = Number.parseInt(text, 10)
  const isNumber = Number.isSafeInteger(limit)
  return { value: isNumber ? Math.min(Math.max(limit, 1), 100) : defaultLimit }
}

const emptyList = { status: 200, headers: {}, body: '[]' }

const ordered = (compare: (a: Pet, b: Pet) => number): Variant =>
  listing((_pets, { status, limit, store }) =>
    [...store.list(status, allPets)].sort(compare).slice(0, limit),
  )

/** Another order for each list, and yet the same in every run. */
const shuffled = (): Variant => {
  let turn = 0n
  const rank = ({ id }: Pet) => (id * 6_364_136_223_846_793_005n + turn * 1_442_695n) % 8_191n
  const byRank = (a: Pet, b: Pet) => Number(rank(a) - rank(b))
  return listing((_pets, { status, limit, store }) => {
    turn += 1n
    return [...store.list(status, allPets)].sort(byRank).slice(0, limit)
  })
}

export const legalLists: readonly LegalVariant[] = [
  ...legal(['list-limit-zero', 'list-limit-101', 'list-limit-text', 'list-length-most'], {
    'limit-clamped': ['An invalid limit is clamped.', badLimit(clamp)],
    'limit-ignored-if-bad': [
      'An invalid limit is ignored.',
      badLimit(() => ({ value: defaultLimit })),
    ],
    'limit-bad-lists-none': [
      'An invalid limit gives an empty list.',
      onCall('listPets', (response) => (response.status === 400 ? emptyList : response)),
    ],
  }),
  ...legal(
    ['list-status-unknown', 'list-limit-twice', 'list-parameter-unknown', 'list-each-filtered'],
    {
      'parameters-refused-422': [
        'Invalid parameters get 422.',
        onResponse('listPets', 400, (_response, { error }) =>
          error(422, 'invalid_parameter', 'The parameters are not valid.'),
        ),
      ],
      'status-unknown-empty': [
        'An unknown status matches no pet.',
        onCall('listPets', (response, { query }) =>
          response.status === 400 && query.has('status') ? emptyList : response,
        ),
      ],
      'status-unknown-ignored': [
        'An unknown status is ignored.',
        replacing('readStatus', ({ readStatus }, values) => {
          const reading = readStatus(values)
          return 'refusal' in reading ? { value: undefined } : reading
        }),
      ],
      'status-in-any-case': [
        'The status filter is case-insensitive.',
        replacing('readStatus', ({ readStatus }, values) =>
          readStatus(values.map((value) => value.toLowerCase())),
        ),
      ],
      'last-parameter-counts': [
        'Of a repeated parameter the last one is used.',
        {
          parts: ({ readLimit, readStatus }) => ({
            readLimit: (values) => readLimit(values.slice(-1)),
            readStatus: (values) => readStatus(values.slice(-1)),
          }),
        },
      ],
      'extra-parameters-refused': [
        'A parameter that the interface does not name is refused.',
        onCall('listPets', (response, { query }, { error }) =>
          [...query.keys()].every((name) => name === 'limit' || name === 'status')
            ? response
            : error(400, 'invalid_parameter', 'There is no such parameter.'),
        ),
      ],
    },
  ),
  ...legal(['list-limit-no-fewer', 'list-each-as-created', 'list-order', 'walk-valid-served'], {
    'list-oldest-first': [
      'A list starts with the oldest pet.',
      ordered((a, b) => (a.id < b.id ? -1 : 1)),
    ],
    'list-shuffled': ['Every list has another order.', shuffled()],
    'list-lags-half-a-second': [
      'A new pet is listed half a second after its creation.',
      inStore((_store, clock) => {
        const fromMs = new Map<bigint, number>()
        return {
          added: ({ id }) => fromMs.set(id, clock.now() + 500),
          lists: ({ id }) => (fromMs.get(id) ?? 0) <= clock.now(),
        }
      }),
    ],
  }),
]
