// POST /pets with one fault in an otherwise valid body, which must be refused.

import type { Context } from '../../engine/context.ts'
import { check } from '../../engine/declare.ts'
import { statusOf } from '../../engine/exchange.ts'
import { describeResponse, violate } from '../../engine/expect.ts'
import { type Json, type JsonObject, printJson } from '../../engine/json.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'
import { controlFailed, createPet, oneCreation } from '../requests.ts'

/** `words` follow `` One `POST /pets` ``. */
type Row = readonly [
  id: string,
  requirement: BindingRequirementId,
  words: string,
  body: (context: Context) => JsonObject | string | Uint8Array | null,
]

const without = (member: string) => (context: Context) => {
  const { [member]: _, ...rest } = context.newPet()
  return rest
}

/** One member replaced by a value of the wrong type, range or spelling. */
const wrong = (
  member: 'name' | 'categoryId' | 'status',
  requirement: BindingRequirementId,
  values: readonly (readonly [kind: string, words: string, value: Json])[],
): Row[] =>
  values.map(([kind, words, value]) => [
    `create-${member === 'categoryId' ? 'category' : member}-${kind}-400`,
    requirement,
    `whose \`${member}\` is ${words}`,
    (context) => context.newPet({ [member]: value }),
  ])

const members: readonly Row[] = [
  ...wrong('name', 'new-pet.name.type', [
    ['number', 'the number 1', 1n],
    ['null', 'null', null],
    ['array', '`["Rex"]`', ['Rex']],
  ]),
  ...wrong('categoryId', 'new-pet.category.type', [
    ['string', 'the string `"1"`', '1'],
    ['boolean', 'true', true],
    ['null', 'null', null],
    ['object', '`{"id": 1}`', { id: 1n }],
    ['fraction', '1.5', 1.5],
  ]),
  ...wrong('categoryId', 'new-pet.category.range', [
    ['above-int64', '2^63, one more than int64 holds', 2n ** 63n],
    ['forty-digits', '10^39', 10n ** 39n],
  ]),
  ...wrong('status', 'new-pet.status.enum', [
    ['other-word', '`asleep`', 'asleep'],
    ['upper-case', '`AVAILABLE`', 'AVAILABLE'],
    ['blank', 'the empty string', ''],
    ['with-space', '` sold`, with a space in front', ' sold'],
  ]),
]

const valid = (context: Context): string => printJson(context.newPet())

const answered400: readonly Row[] = [
  ['create-name-missing-400', 'new-pet.name.required', 'without `name`', without('name')],
  [
    'create-category-missing-400',
    'new-pet.category.required',
    'without `categoryId`',
    without('categoryId'),
  ],
  ['create-empty-object-400', 'errors.400', 'whose body is `{}`', () => ({})],
  ...members,
  [
    'create-body-array-400',
    'create.body-object',
    'whose body is a valid pet in an array',
    (context) => printJson([context.newPet()]),
  ],
  ['create-body-text-400', 'create.body-object', 'whose body is `"Rex"`', () => '"Rex"'],
  ['create-body-null-400', 'create.body-object', 'whose body is `null`', () => 'null'],
  ['create-body-missing-400', 'create.body-required', 'without a body', () => null],
  [
    'create-body-truncated-400',
    'create.body-json',
    'whose body lacks its last brace',
    (context) => valid(context).slice(0, -1),
  ],
  ['create-body-words-400', 'create.body-json', 'whose body is `Rex the dog`', () => 'Rex the dog'],
]

const depth = 10_000
const deepArray = '['.repeat(depth) + ']'.repeat(depth)

const tooDeep: Row = [
  'create-body-deep-refused',
  'create.too-large',
  'whose `name` is an array nested 10,000 deep',
  (context) => printJson(context.newPet({ name: 0n })).replace(/"name":0/, `"name":${deepArray}`),
]

/** A byte that never occurs in UTF-8, inside the name. */
const withoutUtf8 = (context: Context): Uint8Array => {
  const bytes = new TextEncoder().encode(valid(context))
  const inName = new TextDecoder().decode(bytes).indexOf(context.names.mark) + 2
  bytes[inName] = 0xff
  return bytes
}

/** JSON5, Gson or the decoder of Go accept these, so refusing them is only a should. */
const lenient: readonly Row[] = [
  [
    'create-body-trailing-comma-refused',
    'create.strict-json',
    'with a comma after its last member',
    (context) => valid(context).replace(/\}$/, ',}'),
  ],
  [
    'create-body-comment-refused',
    'create.strict-json',
    'with a comment in its body',
    (context) => valid(context).replace('{', '{/* a pet */'),
  ],
  [
    'create-body-text-after-refused',
    'create.strict-json',
    'with the word Rex after its body',
    (context) => `${valid(context)} Rex`,
  ],
  [
    'create-body-unquoted-member-400',
    'create.strict-json',
    'whose body has `name` without its quotes',
    (context) => valid(context).replace('"name"', 'name'),
  ],
  [
    'create-body-invalid-utf8-400',
    'create.strict-json',
    'with the byte 0xff inside its name',
    withoutUtf8,
  ],
]

interface Refusal {
  readonly expected: string
  readonly fails: string
  readonly allows: (status: number) => boolean
}

const only400: Refusal = {
  expected: 'status 400',
  fails: 'Any status other than 400.',
  allows: (status) => status === 400,
}

const tooLarge: Refusal = {
  expected: 'status 400 or 413',
  fails: 'Any status other than 400 and 413: it was accepted, or the server failed.',
  allows: (status) => status === 400 || status === 413,
}

const any4xx: Refusal = {
  expected: 'a 4xx response',
  fails: 'Anything other than a 4xx response. It is a should: a lenient parser is a warning.',
  allows: (status) => status >= 400 && status <= 499,
}

const faulty = (rows: readonly Row[], { expected, fails, allows }: Refusal) =>
  rows.map(([id, requirement, words, body]) =>
    check({
      id,
      requirement,
      needs: { stage: 'refusals', keyed: 1, anonymous: 0, allow: ['write'] },
      sends: oneCreation(words),
      fails,
      inconclusive: controlFailed.create,
      run: async (context) => {
        const control = await context.control('create')
        const response = await context.call(createPet(body(context)))
        if (!allows(statusOf(response)))
          violate(expected, describeResponse(response), control, response)
      },
    }),
  )

export const createFaults = [
  ...faulty(answered400, only400),
  ...faulty([tooDeep], tooLarge),
  ...faulty(lenient, any4xx),
]
