// POST /pets with one fault in an otherwise valid body, which must be refused.

import { check } from '../../engine/check/declare.ts'
import { type AnsweredExchange, statusCode } from '../../engine/check/exchange.ts'
import { violateStatus } from '../../engine/check/expect.ts'
import { type Json, type JsonObject, printJson } from '../../engine/check/json.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'
import {
  afterControl,
  asHazard,
  createPet,
  creating,
  offeredOr,
  oneCreation,
} from '../pets/requests.ts'
import { incomplete, invalid } from '../response-matching/specimens.ts'

/** Puts one fault into a valid pet, or into its JSON text. */
type Fault = (pet: JsonObject, text: string) => JsonObject | string | Uint8Array | null

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

/** JSON5, Gson or the decoder of Go accept such bodies, so refusing them is only a should. */
const any4xx: Refusal = {
  expected: 'a 4xx response',
  fails: 'Anything other than a 4xx response. It is a should: a lenient parser is a warning.',
  allows: (status) => status >= 400 && status <= 499,
}

const needs = { stage: 'refusals', keyed: 1, anonymous: 0, allow: ['write'] } as const

/**
 * `words` follow `` One `POST /pets` ``.
 * @param sharedAs what checks that send the same among others call it
 */
const refused = (
  requirement: BindingRequirementId,
  { expected, fails, allows }: Refusal,
  faults: readonly (readonly [id: string, words: string, fault: Fault, members?: JsonObject])[],
  sharedAs?: string,
) =>
  faults.map(([id, words, fault, members]) =>
    check({
      id: `create-${id}`,
      requirement,
      needs: sharedAs === undefined ? needs : { ...creating(1), sharesEach: [sharedAs] },
      sends: oneCreation(words),
      fails,
      ...afterControl('create', async (context, control) => {
        const send = () => {
          const pet = context.newPet(members)
          return context.call(createPet(fault(pet, printJson(pet))))
        }
        const isRight = (one: AnsweredExchange) => allows(statusCode(one))
        const response = await (sharedAs ? offeredOr(context, sharedAs, isRight, send) : send())
        if (!allows(statusCode(response))) violateStatus(expected, control, response)
      }),
    }),
  )

/** One member replaced by a value of the wrong type, range or spelling. */
const wrong = (
  member: 'name' | 'categoryId' | 'status',
  requirement: BindingRequirementId,
  values: readonly (readonly [kind: string, words: string, value: Json])[],
) =>
  refused(
    requirement,
    only400,
    values.map(([kind, words, value]) => [
      `${member === 'categoryId' ? 'category' : member}-${kind}-400`,
      `whose \`${member}\` is ${words}`,
      (pet) => pet,
      { [member]: value },
    ]),
  )

/** What breaks the JSON of an Error that repeats it without escapes. */
export const awkward = 'as"leep\\ \u0001\u2028'

const depth = 10_000
const deepArray = '['.repeat(depth) + ']'.repeat(depth)

/** A byte that never occurs in UTF-8, inside the name. */
const withoutUtf8: Fault = ({ name }, text) => {
  const bytes = new TextEncoder().encode(text)
  bytes[text.indexOf(String(name)) + 2] = 0xff
  return bytes
}

export const createFaults = [
  ...refused(
    'new-pet.name.required',
    only400,
    [['name-missing-400', 'without `name`', ({ name: _, ...rest }) => rest]],
    invalid.name,
  ),
  ...refused(
    'new-pet.category.required',
    only400,
    [['category-missing-400', 'without `categoryId`', ({ categoryId: _, ...rest }) => rest]],
    incomplete.name,
  ),
  ...refused('errors.400', only400, [['empty-object-400', 'whose body is `{}`', () => ({})]]),
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
  ...wrong('status', 'new-pet.status.enum', [
    ['other-word', 'a word with a quote, a backslash and a line separator', awkward],
    ['upper-case', '`AVAILABLE`', 'AVAILABLE'],
    ['blank', 'the empty string', ''],
    ['with-space', '` sold`, with a space in front', ' sold'],
  ]),
  ...refused('create.body-object', only400, [
    ['body-array-400', 'whose body is a valid pet in an array', (_, text) => `[${text}]`],
    ['body-text-400', 'whose body is `"Rex"`', () => '"Rex"'],
    ['body-null-400', 'whose body is `null`', () => 'null'],
  ]),
  ...refused('create.body-required', only400, [['body-missing-400', 'without a body', () => null]]),
  ...refused('create.body-json', only400, [
    ['body-truncated-400', 'whose body lacks its last brace', (_, text) => text.slice(0, -1)],
    ['body-words-400', 'whose body is `Rex the dog`', () => 'Rex the dog'],
  ]),
  ...refused('create.too-large', tooLarge, [
    [
      'body-deep-refused',
      'whose `name` is an array nested 10,000 deep',
      ({ name }, text) => text.replace(printJson(name ?? null), deepArray),
    ],
  ]).map(asHazard),
  ...refused('create.strict-json', any4xx, [
    [
      'body-trailing-comma-refused',
      'with a comma after its last member',
      (_, text) => `${text.slice(0, -1)},}`,
    ],
    [
      'body-comment-refused',
      'with a comment in its body',
      (_, text) => text.replace('{', '{/* a pet */'),
    ],
    ['body-text-after-refused', 'with the word Rex after its body', (_, text) => `${text} Rex`],
    [
      'body-unquoted-member-refused',
      'whose body has `name` without its quotes',
      (_, text) => text.replace('"name"', 'name'),
    ],
    ['body-invalid-utf8-refused', 'with the byte 0xff inside its name', withoutUtf8],
  ]),
]
