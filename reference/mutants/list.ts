// Faults of the list: its limit, its default, its form.

import type { Variant } from '../compose.ts'
import { refuse } from '../errors.ts'
import type { Mutant } from '../mutant.ts'
import { defaultLimit } from '../parameters.ts'
import { answering, everyPet, listing, onAnswer } from './over-animals.ts'

/** Reads the limit otherwise: from its text, or undefined for what the honest reading gives. */
const readingLimit = (change: (text: string | undefined) => number | undefined): Variant => ({
  parts: ({ readLimit }) => ({
    readLimit: (values) => {
      const value = change(values[0])
      return value === undefined ? readLimit(values) : { value }
    },
  }),
})

const refusingLimit = (limit: string): Variant => ({
  parts: ({ readLimit }) => ({
    readLimit: (values) =>
      values[0] === limit
        ? refuse(400, 'invalid_parameter', 'limit is out of bounds.')
        : readLimit(values),
  }),
})

/** Of the header Accept the first range alone is looked at. */
const acceptingFirst: Variant = {
  handle: (honest) => async (request) => {
    const [first = '*/*'] = (request.header('accept') ?? '*/*').split(/[,;]/)
    if (['*/*', 'application/json'].includes(first.trim())) return honest(request)
    const { headers } = await honest(request)
    const error = { code: 'not_acceptable', message: 'JSON is sent alone.', status: 406 }
    return { status: 406, headers, body: JSON.stringify(error) }
  },
}

const byDefault = (limit: number): Variant =>
  readingLimit((text) => (text === undefined ? limit : undefined))

/** A bad limit that a store takes for none at all. */
const unlimitedFor = (wrong: string): Variant =>
  readingLimit((text) => (text === wrong ? everyPet : undefined))

const ofLimit: readonly Mutant[] = [
  {
    id: 'list-limit-one-more',
    breaks: 'list.limit.most',
    caughtBy: 'list-limit-most',
    fault: 'One animal more is fetched, to see whether there is a next page, and not cut off.',
    ...listing((_pets, { status, limit, store }) => store.list(status, limit + 1)),
  },
  {
    id: 'list-limit-ignored',
    breaks: 'list.limit.most',
    caughtBy: 'list-limit-most',
    fault: 'The limit is validated, and then the default is used.',
    ...listing((_pets, { status, store }) => store.list(status, defaultLimit)),
  },
  {
    id: 'list-limit-one-short',
    breaks: 'list.limit.exact',
    caughtBy: 'list-limit-no-fewer',
    fault: 'The last animal of a page is lost.',
    ...listing((pets, { limit }) =>
      pets.length === limit && limit > 1 ? pets.slice(0, -1) : pets,
    ),
  },
  {
    id: 'list-limit-capped-at-50',
    breaks: 'list.limit.exact',
    caughtBy: 'list-limit-no-fewer',
    fault: 'A page never holds more than 50 animals.',
    ...listing((pets) => pets.slice(0, 50)),
  },
  {
    id: 'list-page-repeats-an-animal',
    breaks: 'list.limit.exact',
    caughtBy: 'list-limit-no-fewer',
    fault: 'The last animal of a page is the first one again, as where pages overlap.',
    ...listing((pets) => (pets.length > 1 ? [...pets.slice(0, -1), ...pets.slice(0, 1)] : pets)),
  },
  {
    id: 'list-limit-1-refused',
    breaks: 'bounds.limit',
    caughtBy: 'list-limit-bounds-200',
    fault: 'The lower bound is taken for exclusive.',
    ...refusingLimit('1'),
  },
  {
    id: 'list-limit-100-refused',
    breaks: 'bounds.limit',
    caughtBy: 'list-limit-bounds-200',
    fault: 'The upper bound is taken for exclusive.',
    ...refusingLimit('100'),
  },
  {
    id: 'list-limit-1-empty',
    breaks: 'list.limit.exact',
    caughtBy: 'list-limit-edges-exact',
    fault: 'A page ends before its last pet, where that is the first one too.',
    ...listing((pets, { limit }) => (limit === 1 ? [] : pets)),
  },
  {
    id: 'list-partial-content',
    breaks: 'list.success',
    caughtBy: 'list-sound-200',
    fault: 'A list with a limit is answered 206.',
    ...answering('listPets', (answer, { query }) =>
      query.has('limit') && answer.status === 200 ? { ...answer, status: 206 } : answer,
    ),
  },
  {
    id: 'list-first-accept-range-alone',
    breaks: 'list.success',
    caughtBy: 'list-accept-several-200',
    fault: 'Of the header Accept the first range alone is compared.',
    ...acceptingFirst,
  },
  ...[10, 19].map(
    (limit): Mutant => ({
      id: `list-default-${limit}`,
      breaks: 'list.limit.default',
      caughtBy: 'list-limit-default',
      fault: `Without a limit ${limit} animals are returned.`,
      ...byDefault(limit),
    }),
  ),
  ...[21, 50, 100].map(
    (limit): Mutant => ({
      id: `list-default-${limit}`,
      breaks: 'list.limit.default',
      caughtBy: 'list-limit-default',
      fault: `Without a limit ${limit} animals are returned.`,
      ...byDefault(limit),
    }),
  ),
]

const unbounded: readonly Mutant[] = (
  [
    ['list-limit-zero-is-all', '0', 'The last 0 of an array are taken, which are all of it.'],
    [
      'list-limit-negative-is-all',
      '-1',
      'A negative limit reaches the store, where it means none.',
    ],
    ['list-limit-101-taken', '101', 'The upper bound is never looked at.'],
    [
      'list-limit-text-is-all',
      'ten',
      'A limit that is no number becomes one that is never reached.',
    ],
    ['list-limit-blank-is-all', '', 'A blank limit counts as a wish for everything.'],
  ] as const
).map(([id, wrong, fault]) => ({
  id,
  breaks: 'list.limit.maximum',
  caughtBy: 'list-length-most',
  fault,
  ...unlimitedFor(wrong),
}))

const emptyBody = '[]'

/** Answers the list of no animals otherwise. */
const whenEmpty = (status: number, body: string): Variant =>
  onAnswer('listPets', 200, (answer) =>
    answer.body === emptyBody ? { ...answer, status, body } : answer,
  )

const ofForm: readonly Mutant[] = [
  {
    id: 'list-in-envelope',
    breaks: 'pets.array',
    caughtBy: 'list-body-array',
    fault: 'The list stands in an object, beside a place for paging.',
    ...onAnswer('listPets', 200, (answer) => ({ ...answer, body: `{"data":${answer.body}}` })),
  },
  {
    id: 'list-of-one-without-array',
    breaks: 'pets.array',
    caughtBy: 'list-body-array',
    fault: 'A list of one animal is that animal, as some writers of XML turned JSON have it.',
    ...onAnswer('listPets', 200, (answer) => {
      const one = /^\[(\{[^{}]*\})\]$/.exec(answer.body)?.[1]
      return { ...answer, body: one ?? answer.body }
    }),
  },
  {
    id: 'list-null-when-empty',
    breaks: 'pets.array',
    caughtBy: 'list-body-array',
    fault: 'An empty list is printed as null, as a nil slice is.',
    ...whenEmpty(200, 'null'),
  },
  {
    id: 'list-404-when-empty',
    breaks: 'list.success',
    caughtBy: 'smoke-list-200',
    fault: 'No animals are taken for an address that does not exist.',
    ...onAnswer('listPets', 200, (answer, { error }) =>
      answer.body === emptyBody ? error(404, 'not_found', 'There are no animals.') : answer,
    ),
  },
  {
    id: 'list-204-when-empty',
    breaks: 'list.success',
    caughtBy: 'list-sound-200',
    fault: 'An empty list is answered 204.',
    ...whenEmpty(204, ''),
  },
]

export const listMutants: readonly Mutant[] = [...ofLimit, ...unbounded, ...ofForm]
