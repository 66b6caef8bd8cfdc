// Creations that keep every sentence in another way: what they refuse, what they take.
import type { Variant } from '../compose.ts'
import type { ApiRequest } from '../message.ts'
import type { LegalVariant } from '../mutant.ts'
import {
  coercing,
  membersOf,
  mending,
  onAnswer,
  refusing,
  refusingExtraMembers,
  refusingText,
  replacingBadBytes,
  rewriting,
  together,
} from '../mutants/over-animals.ts'
import { knowing, legalCategories } from './categories.ts'

const invalidName = 'name is not valid.'

const ofNames: readonly LegalVariant[] = [
  {
    id: 'name-empty-refused',
    does: 'Empty and blank names are refused.',
    ...refusing(400, ({ name }) => name.trim() !== '', invalidName),
  },
  {
    id: 'name-long-refused',
    does: 'Names of more than 100 characters are refused.',
    ...refusing(400, ({ name }) => [...name].length <= 100, invalidName),
  },
  {
    id: 'name-control-refused',
    does: 'Control characters are refused.',
    ...refusing(400, ({ name }) => !/\p{Cc}/u.test(name), invalidName),
  },
  {
    id: 'name-surrogate-replaced',
    does: 'Half of a surrogate pair becomes a replacement character.',
    ...coercing('name', (name) => (typeof name === 'string' ? name.toWellFormed() : name)),
  },
]

const ofMembers: readonly LegalVariant[] = [
  {
    id: 'extra-members-refused',
    does: 'A member that the interface does not name is refused.',
    ...refusingExtraMembers,
  },
  {
    id: 'id-in-body-refused',
    does: 'An id in the body is refused.',
    ...refusingText((text) => membersOf(text).includes('id')),
  },
  {
    id: 'repeated-members-refused',
    does: 'A member given twice is refused.',
    ...refusingText((text) => (text.match(/"name"\s*:/g) ?? []).length > 1),
  },
  {
    id: 'first-of-repeated-members-counts',
    does: 'Of a member given twice the first one counts.',
    ...rewriting((text) => text.replace(/^(\{"name":"[^"]*",)"name":"[^"]*",/, '$1')),
  },
  {
    id: 'status-null-is-none',
    does: 'A status of null counts as none.',
    ...mending((members) => {
      const { status, ...others } = members
      return status === null ? others : members
    }),
  },
]

/** Reads whatever is sent as if it came with the right media type. */
const takingAnyType: Variant = {
  parts: ({ readNewPet }) => ({
    readNewPet: (request: ApiRequest) =>
      readNewPet({
        ...request,
        header: (name) => (name === 'content-type' ? 'application/json' : request.header(name)),
      }),
  }),
}

/** As Gson, JSON5, or a decoder that stops after the first value read it. */
const asLenient = (text: string): string =>
  text
    .replace(/\/\*[^*]*\*\//, '')
    .replace(/([{,])\s*(name)\s*:/, '$1"$2":')
    .replace(/^(\{[^{}]*\})\s*\w[^{}]*$/, '$1')

const ofForm: readonly LegalVariant[] = [
  { id: 'media-type-any', does: 'The media type of a request is free.', ...takingAnyType },
  {
    id: 'media-type-400',
    does: 'Another media type is answered 400.',
    ...onAnswer('createPet', 415, (_answer, { error }) =>
      error(400, 'unsupported_media_type', 'The body has to be application/json.'),
    ),
  },
  {
    id: 'body-read-leniently',
    does: 'Comments, names without quotes, text after the object, and bad bytes are taken.',
    warns: [
      ...['create-body-comment-refused', 'create-body-unquoted-member-400'],
      ...['create-body-text-after-refused', 'create-body-invalid-utf8-400'],
    ],
    ...together(replacingBadBytes, rewriting(asLenient)),
  },
  {
    id: 'body-at-most-16-kb',
    does: 'A body of more than 16 kB is answered 413.',
    parts: ({ readNewPet }) => ({
      readNewPet: (request) =>
        readNewPet(request.body.length > 16_384 ? { ...request, body: 'too-large' } : request),
    }),
  },
]

/** The reference itself refuses another media type, `1.0`, and a status of null. */
const refusingWhatIsOpen = together(
  refusing(
    400,
    ({ name }) => /^[^\p{Cc}]{1,100}$/u.test(name) && name.trim() !== '' && name.isWellFormed(),
    invalidName,
  ),
  refusing(400, ({ categoryId }) => categoryId > 0n, 'categoryId has to be positive.'),
  refusingExtraMembers,
  refusingText((text) => (text.match(/"name"\s*:/g) ?? []).length > 1),
)

const strictest: readonly LegalVariant[] = [
  {
    id: 'creations-refused-where-open',
    does: 'Whatever is left open about a creation is refused.',
    ...refusingWhatIsOpen,
  },
  {
    id: 'creations-refused-but-for-few-categories',
    does: 'Whatever is left open is refused, and only three small categories exist.',
    ...knowing([1n, 2n, 3n]),
    ...together(refusingWhatIsOpen, knowing([1n, 2n, 3n])),
  },
]

export const legalBodies: readonly LegalVariant[] = [
  ...ofNames,
  ...legalCategories,
  ...ofMembers,
  ...ofForm,
  ...strictest,
]
