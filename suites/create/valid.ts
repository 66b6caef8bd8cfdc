// POST /pets that must be accepted, as rows: names, categories, statuses, media types, transports.
// Clauses judge whether the members come back as they were sent.

import type { Context } from '../../engine/check/context.ts'
import type { AnyCheck, Make, Value } from '../../engine/check/declare.ts'
import { allKeys } from '../../engine/check/spendable-keys.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  type Header,
  headerValues,
  json,
} from '../../history/exchange.ts'
import { type JsonObject, maxInt64 } from '../../history/json.ts'
import { Inapplicable } from '../../history/outcome.ts'
import { statuses } from '../../model/read-body.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'
import { draft, riskyNames } from '../pets/arbitraries.ts'
import { longCategory, scarcestStatus } from '../pets/compare-pets.ts'
import { createPet, makeBody } from '../pets/requests.ts'
import { row } from '../pets/rows.ts'

/** The sizes at which servers lose digits; a double takes 2^53 for 2^53+1. */
const riskyCategories: readonly bigint[] = [
  ...[2n ** 53n + 1n, maxInt64, 2n ** 31n, 2n ** 32n + 1n, 1n, 2n ** 53n + 3n, 2n ** 53n],
]

/** Lists need pets of each status. */
const withMembers =
  (members: JsonObject): Make =>
  (context) =>
    createPet(context.newPet({ status: scarcestStatus(context), ...members }))

/** A charset matters to what is not ASCII. */
const typed =
  (type: string): Make =>
  (context, pick) => ({
    ...withMembers({ name: 'é' })(context, pick),
    headers: [['Content-Type', type]],
  })

const withHeaders =
  (...headers: readonly Header[]): Make =>
  (context, pick) => ({ ...withMembers({})(context, pick), headers })

/** HTTP/1.0 closes each connection after its response, and says nothing of it. */
const speaksHttp10 = ({ limits }: Context): boolean => {
  const responses = allKeys(limits).flatMap(({ label }) => limits.responsesTo(label))
  const isClosedUnsaid = (exchange: AnsweredExchange) =>
    exchange.response.opened === true && headerValues(exchange, 'Connection').length === 0
  return responses.length > 1 && responses.every(isClosedUnsaid)
}

/** A server that speaks HTTP/1.0 must not get a chunked body (RFC 9112, 6.1). */
const chunked: Make = (context) => {
  if (speaksHttp10(context)) {
    throw new Inapplicable('the server closes each connection, as HTTP/1.0 does: no chunked body')
  }
  return { ...createPet(context.newPet()), framing: 'chunked' }
}

const inTwoParts: Make = (context): ApiRequest => ({
  ...createPet(context.newPet()),
  framing: 'in two parts',
})

/** TRACE changes nothing at a server that obeys. */
const overriding: readonly Header[] = [
  json,
  ['X-HTTP-Method-Override', 'TRACE'],
  ['X-Original-URL', '/petvet'],
  ['X-Rewrite-URL', '/petvet'],
]

/** Also where the target wrongly demands one, and all other creations have it. */
const withoutStatus: Make = ({ newPet }) => {
  const { status: _, ...others } = newPet()
  return createPet(others)
}

type Entry = readonly [
  id: string,
  requirement: BindingRequirementId,
  few: number,
  ...values: readonly Value[],
]

const drafts = Array.from(
  { length: 12 },
  (): Value => [
    'with a name, a category and a status by the seed',
    (context, pick) => createPet(makeBody(context, pick(draft))),
  ],
)

const plain: Make = ({ newPet }) => createPet(newPet())

const entries: readonly Entry[] = [
  ['plain-201', 'create.success', 1, ['with its required members', plain]],
  ['sound-201', 'create.success', 10, ...drafts],
  [
    'name-ordinary-201',
    'new-pet.name.ordinary',
    riskyNames.length,
    ...riskyNames.map((name): Value => [`with the name ${name}`, withMembers({ name })]),
  ],
  [
    'category-201',
    'new-pet.category.exact',
    riskyCategories.length,
    ...riskyCategories.map(
      (wanted): Value => [
        `with the categoryId ${wanted}`,
        (context, pick) =>
          withMembers({ categoryId: longCategory(context, wanted) })(context, pick),
      ],
    ),
  ],
  [
    'status-201',
    'create.success',
    statuses.length,
    ...statuses.map((status): Value => [`with the status ${status}`, withMembers({ status })]),
  ],
  ['status-omitted-201', 'new-pet.status.optional', 1, ['without status', withoutStatus]],
  ...(
    [
      ['charset-utf8-201', 'application/json; charset=utf-8'],
      ['media-type-case-201', 'Application/JSON'],
    ] as const
  ).map(
    ([id, type]): Entry => [
      id,
      'service.json-request',
      1,
      [`with Content-Type: ${type}, and a name in Latin-1`, typed(type)],
    ],
  ),
  [
    'override-ignored-201',
    'service.override',
    1,
    ['with fields that ask for another method and address', withHeaders(...overriding)],
  ],
  ['body-chunked-201-or-411', 'create.success', 1, ['with a chunked body', chunked]],
  ['body-in-two-parts-201', 'create.success', 1, ['with a body in two parts', inTwoParts]],
]

export const createValid: readonly AnyCheck[] = entries.map(([id, requirement, few, ...values]) =>
  row(
    'create',
    id.endsWith('411') ? 'Any status other than 201 and 411.' : 'Any status other than 201.',
    {
      ...{
        id: `create-${id}`,
        requirement,
        few,
        values,
        ...(id === 'plain-201' && { isPlain: true }),
      },
      needs: { stage: 'creations', allow: ['write'] },
    },
  ),
)
