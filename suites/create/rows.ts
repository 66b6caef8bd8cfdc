// POST /pets as rows: what must be accepted (names, categories, statuses, media types, transports),
// and one fault each. Clauses judge whether the members come back as they were sent.

import type { Context } from '../../engine/check/context.ts'
import type { AnyCheck, Check, Make, Pick, Value } from '../../engine/check/declare.ts'
import { withFields, withName } from '../../engine/check/parts.ts'
import { createPet } from '../../engine/check/requests.ts'
import { type Packed, packedRow, row } from '../../engine/check/row.ts'
import { allKeys } from '../../engine/check/spendable-keys.ts'
import { type AnsweredExchange, type Header, headerValues } from '../../history/exchange.ts'
import { type Json, maxInt64, printJson } from '../../history/json.ts'
import { Inapplicable } from '../../history/outcome.ts'
import { statuses } from '../../model/read-body.ts'
import { draft, furtherTails, longNames, riskyNames, wholeNames } from '../pets/arbitraries.ts'
import { longCategory, makeBody } from '../pets/requests.ts'
import { bodies, type Entry, type Fault, lenient, members, without } from './faults.ts'
import { furtherFaults, furtherLenient } from './vocabulary.ts'

/** The sizes at which servers lose digits; a double takes 2^53 for 2^53+1. */
const riskyCategories: readonly bigint[] = [
  ...[2n ** 53n + 1n, maxInt64, 2n ** 31n, 2n ** 32n + 1n, 1n, 2n ** 53n + 3n, 2n ** 53n],
]

/** HTTP/1.0 closes each connection after its response, and says nothing of it. */
const speaksHttp10 = ({ limits }: Context): boolean => {
  const responses = allKeys(limits).flatMap((key) => key.responses())
  const isClosedUnsaid = (exchange: AnsweredExchange) =>
    exchange.response.opened === true && headerValues(exchange, 'Connection').length === 0
  return responses.length > 1 && responses.every(isClosedUnsaid)
}

/** A server that speaks HTTP/1.0 must not get a chunked body (RFC 9112, 6.1). */
const chunked: Make = (context) => {
  if (speaksHttp10(context)) {
    throw new Inapplicable('the server closes each connection, as HTTP/1.0 does: no chunked body')
  }
  const name = `${context.names.fresh()} café`
  return { ...createPet(context.newPet({ name })), framing: 'chunked' }
}

/** TRACE changes nothing at a server that obeys. */
const overriding: readonly Header[] = [
  ['X-HTTP-Method-Override', 'TRACE'],
  ['X-Original-URL', '/petvet'],
  ['X-Rewrite-URL', '/petvet'],
]

const valid = { stage: 'creations', allow: ['write'] } as const

const served = (id: string, values: readonly Packed[], more: readonly Packed[] = []): Check =>
  packedRow('create', { id: `create-${id}-201`, needs: valid, values, more })

const named = (name: string): Packed => {
  const length = [...name].length
  const isLong = new Set(name).size === 1 && length > 3
  return [`with the name ${isLong ? `of ${length} times ${[...name][0]}` : name}`, withName(name)]
}

/** By the kind of their core values. */
const furtherNames = {
  scripts: longNames.map(named),
  words: wholeNames.map(named),
  markup: furtherTails.map(
    (tail): Packed => [
      `with ${tail} in the name`,
      withName(({ names }: Context) => `${names.fresh()} ${tail}`),
    ],
  ),
} as const

const drafted =
  (member: 'name' | 'categoryId' | 'status') =>
  (context: Context, pick: Pick): unknown =>
    makeBody(context, pick(draft))[member]

const drafts = Array.from(
  { length: 8 },
  (): Packed => [
    'with a name, a category and a status by the seed',
    { ...withName(drafted('name')), categoryId: drafted('categoryId'), status: drafted('status') },
  ],
)

const ofCategory = (wanted: bigint): Packed => [
  `with the categoryId ${wanted}`,
  { categoryId: (context: Context) => longCategory(context, wanted) },
]

const ofStatus = (status: string): Packed => [`with the status ${status}`, { status }]

export const createValid: readonly AnyCheck[] = [
  row('create', {
    ...{ id: 'create-plain-201', requirement: 'create.success', isPlain: true, needs: valid },
    values: [['with its required members', ({ newPet }) => createPet(newPet())]],
  }),
  row('create', {
    ...{ id: 'create-body-chunked-201-or-411', requirement: 'create.success', needs: valid },
    values: [['with a chunked body', chunked]],
  }),
  ...(['scripts', 'words', 'markup'] as const).map((kind) =>
    served(
      `name-${kind}`,
      riskyNames[kind].map(([name, column]) => [
        column === undefined ? `with the name ${name}` : `with ${name} in the name`,
        withName(name, column),
      ]),
      furtherNames[kind],
    ),
  ),
  served('category', riskyCategories.map(ofCategory)),
  served('status', statuses.map(ofStatus)),
  // Also where the target wrongly demands one.
  served('status-omitted', [['without status', { status: undefined }]]),
  packedRow('create', {
    ...{ id: 'create-charset-utf8-201', requirement: 'service.json-request', needs: valid },
    values: [
      [
        'with Content-Type: application/json; charset=utf-8, and the name é',
        // A charset matters to what is not ASCII; a single character leaves the body in Latin-1.
        { ...withName('é'), ...withFields(['Content-Type', 'application/json; charset=utf-8']) },
      ],
      ...[';charset=utf-8', '; charset=UTF-8', '; charset="utf-8"'].map((charset) => {
        const type = `application/json${charset}`
        return [`with Content-Type: ${type}`, withFields(['Content-Type', type])] as const
      }),
    ],
  }),
  served('media-type-case', [
    ['with Content-Type: Application/JSON', withFields(['Content-Type', 'Application/JSON'])],
  ]),
  served('override-ignored', [
    ['with fields that ask for another method and address', withFields(...overriding)],
  ]),
  served('body-in-two-parts', [
    ['with a body in two parts', { ...withName('café', 0), framing: 'in two parts' }],
  ]),
  served('valid', drafts),
]

/** A category that no other creation has: where the name is the fault, the pet is known by it. */
const ownCategory = ({ categories: { free, any } }: Context, name: Json | undefined): bigint =>
  free ? any + BigInt(/\d+$/.exec(String(name))?.[0] ?? 1) : any

const faulty =
  (fault: Fault): Make =>
  (context, pick) => {
    const pet = context.newPet()
    return createPet(fault({ ...pet, categoryId: ownCategory(context, pet.name) }, pick))
  }

const needs = { stage: 'refusals', allow: ['write'] } as const

const single = (all: readonly Entry[]): readonly Check[] =>
  all.flatMap(([words, fault, id]) =>
    id === undefined
      ? []
      : [row('create', { id: `create-${id}`, needs, values: [[words, faulty(fault)]] })],
  )

const valuesOf = (all: readonly Entry[]): readonly Value[] =>
  all.flatMap(([words, fault, id]) => (id === undefined ? [[words, faulty(fault)]] : []))

/** A row of a vocabulary: its first value is sent in each run. */
const firstOf = (all: readonly Value[]) => ({ values: all.slice(0, 1), more: all.slice(1) })

export const createFaults: readonly AnyCheck[] = [
  ...single([...members, ...bodies, ...lenient]),
  row('create', {
    ...{ id: 'create-body-lenient-refused', needs },
    ...firstOf(valuesOf([...lenient, ...furtherLenient])),
  }),
  row('create', {
    ...{ id: 'create-other-fault-400', requirement: 'errors.400', needs },
    fails: 'Any status other than 400.',
    ...firstOf(valuesOf([...bodies, ...members, ...furtherFaults])),
  }),
]

const depth = 10_000

/** Beyond what Python reads of an integer. */
const manyDigits: Fault = (pet) =>
  printJson(pet).replace(/"categoryId":\d+/, `"categoryId":${'9'.repeat(5_000)}`)

/** Beyond the limits of Express; of nginx and Fastify; of axum and Django; and 10 MB. */
const paddings = [300_000, 1_572_864, 3_145_728, 11_534_336]

const hazard = (size: 'deep' | 'large', ...values: readonly Value[]): Check =>
  row('create', {
    ...{ id: `create-body-${size}-refused`, ...firstOf(values) },
    needs: { stage: 'hazards', allow: ['write'] },
  })

const nested: Fault = (pet) =>
  printJson(pet).replace(printJson(pet.name ?? null), '['.repeat(depth) + ']'.repeat(depth))

/** They may crash the target, so they come late. */
export const createHazards: readonly Check[] = [
  hazard('deep', ['with a name that is an array nested 10,000 deep', faulty(nested)]),
  hazard(
    'large',
    ...paddings.map(
      (padding): Value => [
        `without name, after ${padding} spaces`,
        // On a new connection, since unread bytes of the body would precede the next request.
        (context, pick) => ({ ...faulty(without('name'))(context, pick), padding, fresh: true }),
      ],
    ),
    ['with a categoryId of 5,000 digits', faulty(manyDigits)],
  ),
]
