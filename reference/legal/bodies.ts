// Legal differences of POST /pets: what it refuses and what it accepts.

import { type LegalVariant, legal, replacing, together, type Variant } from '../variant.ts'
import {
  coercing,
  listMembers,
  onResponse,
  refusing,
  refusingExtraMembers,
  refusingText,
  replacingBadBytes,
  rewriting,
  rewritingMembers,
} from '../wrappers/pet-store.ts'

const known = [1n, 2n ** 31n + 7n, 2n ** 53n + 1n, 2n ** 63n - 1n]

const knownOnly = (categories: readonly bigint[]): Variant =>
  refusing(({ categoryId }) => categories.includes(categoryId), 'There is no such category.')

const knowing = (categories: readonly bigint[]) => ({ categories, ...knownOnly(categories) })

/** `12.0` and `12e0` become `12`. */
const asInteger = (text: string): string =>
  text.replace(/("categoryId"\s*:\s*-?\d+)(?:\.0+|[eE]\+?0+)(?=\s*[,}])/, '$1')

/** Numbers with a point or an exponent pass through a double, as JSON allows. */
const throughDouble = (text: string): string =>
  text.replace(/("categoryId"\s*:\s*)(-?\d+(?:\.0+|[eE]\+?0+))(?=\s*[,}])/, (_, name, number) => {
    const max = 2n ** 63n - 1n
    const value = BigInt(Number(number))
    return `${name}${value > max ? max : value}`
  })

const positive = refusing(({ categoryId: id }) => id > 0n, 'categoryId has to be positive.')

const invalidName = 'name is not valid.'

/** Reads any body as if it had the right media type. */
const takingAnyType = replacing('readNewPet', ({ readNewPet }, request) =>
  readNewPet({
    ...request,
    header: (name) => (name === 'content-type' ? 'application/json' : request.header(name)),
  }),
)

/** As Gson, JSON5, or a decoder that stops after the first value reads it. */
const asLenient = (text: string): string =>
  text
    .replace(/\/\*[^*]*\*\//, '')
    .replace(/([{,])\s*(name)\s*:/, '$1"$2":')
    .replace(/^(\{[^{}]*\})\s*\w[^{}]*$/, '$1')

const refusingRepeated = refusingText((text) => (text.match(/"name"\s*:/g) ?? []).length > 1)

/** The reference itself refuses another media type, `1.0`, and a status of null. */
const refusingWhatIsOpen = together(
  refusing(
    ({ name }) => /^[^\p{Cc}]{1,100}$/u.test(name) && name.trim() !== '' && name.isWellFormed(),
    invalidName,
  ),
  positive,
  refusingExtraMembers,
  refusingRepeated,
)

export const bodyVariants: readonly LegalVariant[] = [
  ...legal(['create-category-unknown', 'create-sound-201', 'create-each-echoed'], {
    'categories-known': ['Only some categories exist.', knowing(known)],
    'categories-small': ['Only three small categories exist.', knowing([1n, 2n, 3n])],
    'categories-table-of-100': [
      'There are the categories 1 to 100, none of which is configured.',
      knownOnly(Array.from({ length: 100 }, (_, at) => BigInt(at + 1))),
    ],
  }),
  ...legal(['create-category-point-zero', 'create-category-exponent', 'create-category-negative'], {
    'categories-scattered': [
      'There are four categories with random ids, none of which is configured.',
      knownOnly([918_273n, 48_201_733n, 2n ** 40n + 77n, 2n ** 62n + 5n]),
    ],
    'categories-positive': ['Zero and negative categories are refused.', positive],
    'categories-spelled-freely': ['A category may be written as 1.0 or 1e0.', rewriting(asInteger)],
    'categories-spelled-as-doubles': [
      'A category written as 1.0 or 1e0 is read as the nearest double.',
      rewriting(throughDouble),
    ],
  }),
  ...legal(
    ['create-name-empty', 'create-name-101', 'create-name-control', 'create-name-lone-surrogate'],
    {
      'name-empty-refused': [
        'Empty and blank names are refused.',
        refusing(({ name }) => name.trim() !== '', invalidName),
      ],
      'name-long-refused': [
        'Names of more than 100 characters are refused.',
        refusing(({ name }) => [...name].length <= 100, invalidName),
      ],
      'name-control-refused': [
        'Control characters are refused.',
        refusing(({ name }) => !/\p{Cc}/u.test(name), invalidName),
      ],
      'name-surrogate-replaced': [
        'A lone surrogate becomes a replacement character.',
        coercing('name', (name) => (typeof name === 'string' ? name.toWellFormed() : name)),
      ],
    },
  ),
  ...legal(['create-member-extra', 'create-id-sent', 'create-name-twice', 'create-status-null'], {
    'extra-members-refused': [
      'A member that the interface does not name is refused.',
      refusingExtraMembers,
    ],
    'id-in-body-refused': [
      'An id in the body is refused.',
      refusingText((text) => listMembers(text).includes('id')),
    ],
    'repeated-members-refused': ['A repeated member is refused.', refusingRepeated],
    'first-of-repeated-members-counts': [
      'Of a repeated member the first one is used.',
      rewriting((text) => text.replace(/^(\{"name":"[^"]*",)"name":"[^"]*",/, '$1')),
    ],
    'status-null-is-none': [
      'A status of null counts as none.',
      rewritingMembers((members) => {
        const { status, ...others } = members
        return status === null ? others : members
      }),
    ],
  }),
  ...legal(['create-media-type-text', 'create-charset-utf8-201'], {
    'media-type-any': ['Any media type of a request is accepted.', takingAnyType],
    'media-type-400': [
      'Another media type gets 400.',
      onResponse('createPet', 415, (_response, { error }) =>
        error(400, 'unsupported_media_type', 'The body has to be application/json.'),
      ),
    ],
  }),
  ...legal(['create-body-large-refused', 'create-body-deep-refused', 'create-refused-no-trace'], {
    'body-read-leniently': [
      'Comments, names without quotes, text after the object, and invalid UTF-8 are accepted.',
      together(replacingBadBytes, rewriting(asLenient)),
      {
        warns: [
          ...['create-body-comment-refused', 'create-body-unquoted-member-refused'],
          ...['create-body-text-after-refused', 'create-body-invalid-utf8-refused'],
          'create-body-lenient-refused',
          'walk-broken-json-refused',
        ],
      },
    ],
    'body-at-most-16-kb': [
      'A body of more than 16 kB gets 413.',
      replacing('readNewPet', ({ readNewPet }, request) =>
        readNewPet(request.body.length > 16_384 ? { ...request, body: 'too-large' } : request),
      ),
    ],
  }),
  ...legal(
    ['create-name-empty', 'create-hundredth-201', 'list-limit-no-fewer', 'list-length-most'],
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
