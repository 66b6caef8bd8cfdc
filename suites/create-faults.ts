// POST /pets: creations that are to be refused, each with one fault in an otherwise sound body.

import { check } from '../engine/check.ts'
import type { Context } from '../engine/context.ts'
import { statusOf } from '../engine/exchange.ts'
import { told, violate } from '../engine/expect.ts'
import type { Json, JsonObject } from '../engine/json.ts'
import { printJson } from '../engine/json.ts'
import type { BindingRequirementId } from '../spec/requirements.ts'
import { createPet } from './requests.ts'

type Body = JsonObject | string | Uint8Array | null

interface Fault {
  readonly id: string
  readonly requirement: BindingRequirementId
  /** Any 4xx will do where none is given: then the sentence speaks of refusal alone. */
  readonly answers: readonly number[] | 'any 4xx'
  readonly body: (context: Context) => Body
}

const only400 = [400] as const

const without = (member: string) => (context: Context) => {
  const { [member]: _, ...rest } = context.newPet()
  return rest
}

const missing: readonly Fault[] = [
  ['create-name-missing-400', 'new-pet.name.required', without('name')],
  ['create-category-missing-400', 'new-pet.category.required', without('categoryId')],
  ['create-empty-object-400', 'errors.400', () => ({})],
].map(([id, requirement, body]) => ({ id, requirement, answers: only400, body }) as Fault)

/** One member replaced by a value of the wrong type, range or spelling. */
const wrong = (
  member: string,
  requirement: BindingRequirementId,
  values: Readonly<Record<string, Json>>,
): Fault[] =>
  Object.entries(values).map(([kind, value]) => ({
    id: `create-${member === 'categoryId' ? 'category' : member}-${kind}-400`,
    requirement,
    answers: only400,
    body: (context) => context.newPet({ [member]: value }),
  }))

const members: readonly Fault[] = [
  ...wrong('name', 'new-pet.name.type', {
    number: 1n,
    null: null,
    array: ['Rex'],
  }),
  ...wrong('categoryId', 'new-pet.category.type', {
    string: '1',
    boolean: true,
    null: null,
    object: { id: 1n },
    fraction: 1.5,
  }),
  ...wrong('categoryId', 'new-pet.category.range', {
    'above-int64': 2n ** 63n,
    'forty-digits': 10n ** 39n,
  }),
  ...wrong('status', 'new-pet.status.enum', {
    'other-word': 'asleep',
    'upper-case': 'AVAILABLE',
    blank: '',
    'with-space': ' sold',
  }),
]

const nonObjects: readonly Fault[] = Object.entries({
  array: (context: Context) => printJson([context.newPet()]),
  text: () => '"Rex"',
  null: () => 'null',
}).map(([kind, body]) => ({
  id: `create-body-${kind}-400`,
  requirement: 'create.body-object',
  answers: only400,
  body,
}))

const sound = (context: Context): string => printJson(context.newPet())

/** A byte that no UTF-8 text has, inside the name. */
const withoutUtf8 = (context: Context): Uint8Array => {
  const bytes = new TextEncoder().encode(sound(context))
  const inName = new TextDecoder().decode(bytes).indexOf(context.names.mark) + 2
  bytes[inName] = 0xff
  return bytes
}

const noJson: readonly Fault[] = [
  ['truncated', (context: Context) => sound(context).slice(0, -1)],
  ['words', () => 'Rex the dog'],
].map(
  ([kind, body]) =>
    ({
      id: `create-body-${kind}-400`,
      requirement: 'create.body-json',
      answers: only400,
      body,
    }) as Fault,
)

const noBody: Fault = {
  id: 'create-body-missing-400',
  requirement: 'create.body-required',
  answers: only400,
  body: () => null,
}

const depth = 10_000
const deepArray = '['.repeat(depth) + ']'.repeat(depth)
const tooDeep: readonly Fault[] = [
  {
    id: 'create-body-deep-refused',
    requirement: 'create.too-large',
    answers: [400, 413],
    body: (context) =>
      printJson(context.newPet({ name: 0n })).replace(/"name":0/, `"name":${deepArray}`),
  },
]

/** Read by JSON5, by Gson, by Go's decoder or Express: a must would fail legal servers. */
const lenient: readonly Fault[] = (
  [
    ['trailing-comma-refused', (context) => sound(context).replace(/\}$/, ',}')],
    ['comment-refused', (context) => sound(context).replace('{', '{/* an animal */')],
    ['text-after-refused', (context) => `${sound(context)} Rex`],
    ['unquoted-member-400', (context) => sound(context).replace('"name"', 'name')],
    ['invalid-utf8-400', withoutUtf8],
  ] satisfies [string, Fault['body']][]
).map(([kind, body]) => ({
  id: `create-body-${kind}`,
  requirement: 'create.strict-json',
  answers: 'any 4xx',
  body,
}))

const isRefusedBy = (status: number, answers: Fault['answers']): boolean =>
  answers === 'any 4xx' ? status >= 400 && status <= 499 : answers.includes(status)

const needs = { stage: 'refusals', keyed: 1, anonymous: 0, allow: ['write'] } as const

const faults: readonly Fault[] = [
  ...missing,
  ...members,
  ...nonObjects,
  noBody,
  ...noJson,
  ...tooDeep,
  ...lenient,
]

export const createFaults = faults.map(({ id, requirement, answers, body }) =>
  check(id, requirement, needs, async (context) => {
    const control = await context.control('create')
    const answer = await context.call(createPet(body(context)))
    if (isRefusedBy(statusOf(answer), answers)) return
    const expected = answers === 'any 4xx' ? 'a 4xx answer' : `status ${answers.join(' or ')}`
    violate(expected, told(answer), control, answer)
  }),
)
