// Faults of a creation: its response, the media type and framing that it accepts, categories and
// statuses.

import { isObject } from '../../json.ts'
import { type ApiResponse, refuse } from '../../message.ts'
import { petStatuses } from '../../store.ts'
import { each, family, perServer, replacing, type Variant } from '../../variant.ts'
import { receiving, rewritingBody, withoutBody, withStatus } from '../../wrappers/middleware.ts'
import {
  coercing,
  inStore,
  onBody,
  onResponse,
  reading,
  refusing,
  rewriting,
  rewritingPets,
  showing,
  storing,
} from '../../wrappers/pet-store.ts'

const location = { Location: '/v1/pets/1' }

const onCreated = family((change: (response: ApiResponse) => ApiResponse) =>
  onResponse('createPet', 201, change),
)

const taking = (isTaken: (mediaType: string) => boolean): Variant =>
  replacing('readNewPet', ({ readNewPet }, request) =>
    isTaken(request.header('content-type') ?? '')
      ? readNewPet(request)
      : refuse(415, 'unsupported_media_type', 'The body has to be application/json.'),
  )

const storingCategory = (change: (categoryId: bigint) => bigint): Variant =>
  storing((pet) => ({ ...pet, categoryId: change(pet.categoryId) }))

/** Once a category was refused, checks use only those that are known to exist. */
const known = [1n, 2n ** 31n + 7n, 2n ** 53n + 1n, 2n ** 63n - 1n]

const fraction = (value: unknown) =>
  typeof value === 'number' && !Number.isInteger(value) ? BigInt(Math.trunc(value)) : value

const onlyFor = (isMeant: (value: unknown) => boolean, value: bigint) => (sent: unknown) =>
  isMeant(sent) ? value : sent

const isString = (value: unknown) => typeof value === 'string'
const isTrue = (value: unknown) => value === true
const isNull = (value: unknown) => value === null

const converted = 'A categoryId of another JSON type is converted to an integer.'

export const creationMutants = [
  ...onCreated.caughtBy('create-plain-201', {
    'created-200': ['POST /pets responds 200 instead of 201.', withStatus(200)],
  }),
  ...onCreated.caughtBy('pet-fields', {
    'created-empty': ['The 201 has no body.', withoutBody],
    'created-only-id': ['The 201 body has only the id.', rewritingPets(({ id }) => ({ id }))],
    'created-in-envelope': ['The pet is in `data`.', rewritingBody((pet) => `{"data":${pet}}`)],
    'created-location-only': [
      'The 201 has a Location header and an empty body.',
      (response) => ({ ...response, headers: location, body: '{}' }),
    ],
  }),
  ...each({
    'media-type-charset-refused @ create-charset-utf8-201': [
      'application/json with a charset parameter is refused.',
      taking((mediaType) => !mediaType.includes(';')),
    ],
    'media-type-case-refused @ create-media-type-case-201': [
      'The media type of a request is compared case-sensitively.',
      taking((mediaType) => mediaType.startsWith('application/json')),
    ],
    'charset-read-as-latin1 @ create-each-echoed': [
      'Where the media type has a charset, the body is read as Latin-1.',
      reading((read, { header }) => {
        if ('refusal' in read || !header('content-type')?.includes('charset')) return read
        const name = Buffer.from(read.value.name).toString('latin1')
        return { value: { ...read.value, name } }
      }),
    ],
    'body-chunked-taken-for-none @ create-body-chunked-201-or-411': [
      'A chunked body is ignored, because only Content-Length bytes are read.',
      receiving(({ body, header }) => ({
        body: header('content-length') ? body : Buffer.alloc(0),
      })),
      { overSockets: true },
    ],
    'body-read-once @ create-body-in-two-parts-201': [
      'Only the first chunk of a body is read.',
      receiving(({ body, firstBytes }) => ({
        body: body === 'too-large' ? body : body.subarray(0, firstBytes),
      })),
      { overSockets: true },
    ],
    // restify/node-restify#774, graphql/graphql-http#118.
    'body-decoded-in-parts @ create-each-echoed': [
      'Each chunk of a body is decoded alone: a character on the edge of two is lost.',
      receiving(({ body, firstBytes }) => {
        if (body === 'too-large') return {}
        const parts = [body.subarray(0, firstBytes), body.subarray(firstBytes ?? body.length)]
        return { body: Buffer.from(parts.map((part) => part.toString()).join('')) }
      }),
      { overSockets: true },
    ],
    'creation-stored-twice-at-times @ list-each-as-created': [
      'A gateway retries a slow creation: each fifth is stored twice.',
      inStore((store) => ({
        added: ({ id }, fields) => {
          if (id % 6n === 1n) store.add(fields)
        },
      })),
    ],
    'creation-mended @ create-other-fault-400': [
      'Invalid bodies are repaired with default values instead of refused.',
      reading((read) =>
        'refusal' in read
          ? { value: { name: 'unnamed', categoryId: 1n, status: 'available' } }
          : read,
      ),
    ],
    'status-number-taken @ create-status-number-400': [
      'A number is accepted as a status, as an index into the enum.',
      coercing('status', (status) =>
        typeof status === 'bigint' ? (petStatuses[Number(status)] ?? status) : status,
      ),
    ],
    'creation-limited-to-90 @ create-hundredth-201': [
      'After 90 pets, creations are refused.',
      reading((read, _request, { store }) =>
        store.list(undefined, 91).length > 90 ? refuse(403, 'bad_request', 'It is full.') : read,
      ),
    ],
    'creation-of-pending-refused @ create-status-201': [
      'A new pet with status pending is refused.',
      refusing(({ status }) => status !== 'pending'),
    ],
    'creation-keeps-category-of-the-last @ create-category-missing-400': [
      'A body without categoryId gets that of the previous request, from a pooled object.',
      perServer(() => {
        let latest: unknown
        return coercing('categoryId', (own) => {
          const categoryId = own ?? latest
          latest = own
          return categoryId
        })
      }),
    ],
    'category-through-double @ create-each-echoed': [
      'categoryId is parsed into a double and loses digits.',
      // The greatest double below 2^63, where rounding would leave int64.
      storingCategory((id) => BigInt.asIntN(64, BigInt(Number(id)))),
    ],
    'status-lost-as-first-member @ create-each-echoed': [
      'A status that is the first member of the body is lost.',
      rewriting((text) => text.replace(/^\s*\{\s*"status"\s*:\s*"[a-z]+"\s*,/, '{')),
    ],
    'category-32-bits-only @ create-category-201': [
      'A categoryId that does not fit into 32 bits is refused.',
      refusing(({ categoryId: id }) => BigInt.asIntN(32, id) === id),
      { categories: known },
    ],
    'category-greatest-refused @ create-category-201': [
      'The largest int64 is refused as a categoryId.',
      refusing(({ categoryId: id }) => id < 2n ** 63n - 1n),
    ],
  }),
  ...family((read: (category: unknown) => unknown) => coercing('categoryId', read)).each({
    'category-string-taken @ create-category-string-400': [converted, onlyFor(isString, 1n)],
    'category-boolean-taken @ create-category-boolean-400': [converted, onlyFor(isTrue, 1n)],
    'category-null-taken @ create-category-null-400': [converted, onlyFor(isNull, 0n)],
    'category-object-taken @ create-category-object-400': [converted, onlyFor(isObject, 1n)],
    'category-fraction-cut @ create-category-fraction-400': [converted, fraction],
    'category-wraps-above @ create-category-beyond-int64-400': [
      'A categoryId outside int64 is wrapped instead of refused.',
      (value) => (typeof value === 'bigint' ? BigInt.asIntN(64, value) : value),
    ],
  }),
  ...each({
    'category-optional @ create-category-missing-400': [
      'A missing categoryId becomes 0.',
      coercing('categoryId', (categoryId) => categoryId ?? 0n),
    ],
    'status-missing-in-201 @ create-each-echoed': [
      'The 201 leaves out the status.',
      onBody('createPet', (body) => body.replace(/,"status":"[a-z]+"/, '')),
    ],
    'status-required @ create-status-omitted-201': [
      'A creation without a status is refused.',
      coercing('status', (status) => status ?? null),
    ],
    'category-beyond-int53-refused @ create-category-whole-range-201': [
      'A categoryId above 2^53 is refused, and no category is configured.',
      refusing(({ categoryId: id }) => id < 2n ** 53n),
    ],
    'category-beyond-int31-and-long-names-refused @ create-category-whole-range-201': [
      'A categoryId that does not fit into 32 bits is refused, and so is a name of more than 50.',
      refusing(({ categoryId: id, name }) => id < 2n ** 31n && [...String(name)].length <= 50),
    ],
    'category-unsigned @ create-category-never-changed': [
      'A negative categoryId is printed as unsigned.',
      storingCategory((id) => BigInt.asUintN(63, id)),
    ],
    'status-never-shown @ get-each-as-created': [
      'The status is never shown.',
      showing(({ status, ...pet }) => pet),
    ],
  }),
  ...family((read: (status: unknown) => unknown) => coercing('status', read)).each({
    'status-unknown-taken @ create-status-other-word-400': [
      'An unknown status is replaced with the default.',
      (status) =>
        typeof status === 'string' && !/^$|available|pending|sold/i.test(status)
          ? 'available'
          : status,
    ],
    'status-upper-case-taken @ create-status-upper-case-400': [
      'The status of a creation is compared case-insensitively.',
      (status) => (typeof status === 'string' ? status.toLowerCase() : status),
    ],
    'status-blank-taken @ create-status-blank-400': [
      'A blank status is accepted.',
      (status) => (status === '' ? 'available' : status),
    ],
    'status-trimmed @ create-status-with-space-400': [
      'A status is trimmed before it is validated.',
      (status) => (typeof status === 'string' ? status.trim() : status),
    ],
  }),
  ...each({
    'status-sold-replaced @ create-each-echoed': [
      'A pet created as sold gets another status.',
      storing((pet) => (pet.status === 'sold' ? { ...pet, status: 'available' } : pet)),
    ],
    'status-upper-case-shown @ pet-status-listed': [
      'The status is shown in upper case.',
      showing((pet) => ({ ...pet, status: String(pet.status).toUpperCase() })),
    ],
    'status-null-shown @ pet-status-listed': [
      'The status pending is shown as null.',
      showing((pet) => (pet.status === 'pending' ? { ...pet, status: null } : pet)),
    ],
  }),
]
