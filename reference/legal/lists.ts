// Legal differences of GET /pets and POST /pets: invalid parameters, order and delay; and what a
// creation may refuse and accept.
import type { Reading } from '../message.ts'
import { defaultLimit } from '../routes.ts'
import type { Pet } from '../store.ts'
import { legal, replacing, together, type Variant } from '../variant.ts'
import { receiving } from '../wrappers/middleware.ts'
import {
  allPets,
  coercing,
  inStore,
  listing,
  listMembers,
  onCall,
  refusing,
  refusingCalls,
  refusingText,
  replacingBadBytes,
  rewriting,
  withoutComments,
} from '../wrappers/pet-store.ts'

/** Reads a limit that the reference refuses. */
const badLimit = (read: (text: string) => Reading<number>): Variant =>
  replacing('readLimit', ({ readLimit }, values) => {
    const reading = readLimit(values)
    return 'refusal' in reading ? read(values.at(-1) ?? '') : reading
  })

const emptyList = { status: 200, headers: {}, body: '[]' }

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

const known = [1n, 2n ** 31n + 7n, 2n ** 53n + 1n, 2n ** 63n - 1n]

const knownOnly = (categories: readonly bigint[]): Variant =>
  refusing(({ categoryId }) => categories.includes(categoryId))

const knowing = (categories: readonly bigint[]) => ({ categories, ...knownOnly(categories) })

const positive = refusing(({ categoryId: id }) => id > 0n)

const named = ['name', 'categoryId', 'status']

const refusingExtraMembers: Variant = refusingText((text) =>
  listMembers(text).some((name) => !named.includes(name)),
)

const refusingRepeated = refusingText((text) => (text.match(/"name"\s*:/g) ?? []).length > 1)

/** The reference itself refuses another media type, `1.0`, and a status of null. */
const refusingWhatIsOpen = together(
  refusing(
    ({ name }) =>
      /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Zs}]{1,100}$/u.test(name) && name.trim() !== '',
  ),
  positive,
  refusingExtraMembers,
  refusingRepeated,
)

export const bodyVariants = [
  ...legal(['list-limit-out-of-range', 'list-limit-no-integer', 'list-limit-most'], {
    'limit-clamped': [
      'An invalid limit is clamped.',
      badLimit((text: string): Reading<number> => {
        const limit = Number.parseInt(text, 10)
        const isNumber = Number.isSafeInteger(limit)
        return { value: isNumber ? Math.min(Math.max(limit, 1), 100) : defaultLimit }
      }),
    ],
    'limit-ignored-if-bad': ['A bad limit is ignored.', badLimit(() => ({ value: defaultLimit }))],
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
        refusingCalls('listPets', 422, (_call, { status }) => status === 400),
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
        refusingCalls('listPets', 400, ({ query }) =>
          [...query.keys()].some((name) => name !== 'limit' && name !== 'status'),
        ),
      ],
    },
  ),
  ...legal(['list-limit-no-fewer', 'list-each-as-created', 'list-order', 'walk-statuses'], {
    'list-oldest-first': [
      'A list starts with the oldest pet.',
      listing((_pets, { status, limit, store }) =>
        store.list(status, allPets).toReversed().slice(0, limit),
      ),
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
  ...legal(['create-category-unknown', 'create-valid-201', 'create-each-echoed'], {
    'categories-known': ['Only some categories exist.', knowing(known)],
    'categories-table-of-100': [
      'There are the categories 1 to 100, none of which is configured.',
      knownOnly(Array.from({ length: 100 }, (_, at) => BigInt(at + 1))),
    ],
  }),
  ...legal(['create-category-unknown', 'error-shape'], {
    'categories-scattered': [
      'There are four categories with random ids, none of which is configured.',
      knownOnly([918_273n, 48_201_733n, 2n ** 40n + 77n, 2n ** 62n + 5n]),
    ],
  }),
  ...legal(['create-category-point-zero', 'create-category-exponent', 'create-category-negative'], {
    'categories-positive': ['Zero and negative categories are refused.', positive],
    'categories-spelled-freely': [
      'A category may be written as 1.0 or 1e0.',
      rewriting((text: string): string =>
        text.replace(/("categoryId"\s*:\s*-?\d+)(?:\.0+|[eE]\+?0+)(?=\s*[,}])/, '$1'),
      ),
    ],
    'categories-spelled-as-doubles': [
      'A category written as 1.0 or 1e0 is read as a double, where that is exact.',
      coercing('categoryId', (value) => {
        return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value
      }),
    ],
  }),
  ...legal(
    ['create-name-empty', 'create-name-101', 'create-name-control', 'create-name-lone-surrogate'],
    {
      'name-empty-refused': [
        'Blank names are refused.',
        refusing(({ name }) => name.trim() !== ''),
      ],
      'name-surrogate-replaced': [
        'A lone surrogate becomes a replacement character.',
        coercing('name', (name) => (typeof name === 'string' ? name.toWellFormed() : name)),
      ],
    },
  ),
  ...legal(['create-member-extra', 'create-id-sent', 'create-name-twice', 'create-status-null'], {
    'extra-members-refused': ['Other members of a pet are refused.', refusingExtraMembers],
    'first-of-repeated-members-counts': [
      'Of a repeated member the first one is used.',
      rewriting((text) => text.replace(/^(\{"name":"[^"]*",)"name":"[^"]*",/, '$1')),
    ],
    'status-null-is-none': ['A null is no status.', coercing('status', (own) => own ?? undefined)],
  }),
  ...legal(['create-media-type-text', 'create-charset-utf8-201'], {
    'media-type-any': [
      'Any media type of a request is accepted.',
      receiving(({ header }) => ({
        header: (name) => (name === 'content-type' ? 'application/json' : header(name)),
      })),
    ],
    'media-type-400': [
      'Another media type gets 400.',
      refusingCalls('createPet', 400, (_call, { status }) => status === 415),
    ],
  }),
  ...legal(['create-body-large-refused', 'create-body-deep-refused', 'create-refused-no-trace'], {
    'body-read-leniently': [
      'Comments, names without quotes, text after the object, and invalid UTF-8 are accepted.',
      together(
        replacingBadBytes,
        rewriting((text: string): string =>
          withoutComments(text)
            .replace(/([{,])\s*(name)\s*:/, '$1"$2":')
            .replace(/^(\{[^{}]*\})\s*\w[^{}]*$/, '$1'),
        ),
      ),
      {
        warns: [
          ...['create-body-comment-refused', 'create-body-unquoted-member-refused'],
          ...['create-body-text-after-refused', 'create-body-invalid-utf8-refused'],
          'create-body-lenient-refused',
          ...['walk-statuses', 'walk-after-removal'],
        ],
      },
    ],
    'body-at-most-16-kb': [
      'A body of more than 16 kB gets 413.',
      receiving(({ body }) => ({ body: body.length > 16_384 ? 'too-large' : body })),
    ],
  }),
  ...legal(
    ['create-name-empty', 'create-hundredth-201', 'list-limit-no-fewer', 'list-limit-most'],
    {
      'creations-refused-where-open': [
        'Everything that the interface leaves open about POST /pets is refused.',
        refusingWhatIsOpen,
      ],
      'creations-refused-but-for-few-categories': [
        'Everything that is left open is refused, and only three small categories exist.',
        { ...knowing([1n, 2n, 3n]), ...together(refusingWhatIsOpen, knowing([1n, 2n, 3n])) },
      ],
    },
  ),
]
