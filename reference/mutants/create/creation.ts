// Faults of the response to a creation, and of the media type and framing that it accepts.

import { type ApiResponse, refuse } from '../../message.ts'
import { petStatuses } from '../../store.ts'
import { each, family, perServer, replacing, type Variant } from '../../variant.ts'
import { receiving, rewritingBody, withoutBody, withStatus } from '../../wrappers/middleware.ts'
import {
  coercing,
  inStore,
  onResponse,
  reading,
  refusing,
  rewritingPets,
} from '../../wrappers/pet-store.ts'

const location = { Location: '/v1/pets/1' }

const onCreated = family((change: (response: ApiResponse) => ApiResponse) =>
  onResponse('createPet', 201, change),
)

/** Refuses a creation whose media type is not accepted. */
const taking = (isTaken: (mediaType: string) => boolean): Variant =>
  replacing('readNewPet', ({ readNewPet }, request) =>
    isTaken(request.header('content-type') ?? '')
      ? readNewPet(request)
      : refuse(415, 'unsupported_media_type', 'The body has to be application/json.'),
  )

export const creationMutants = [
  ...onCreated.caughtBy('create-plain-201', {
    'created-303': [
      'POST /pets responds with a redirect to the pet.',
      () => ({ status: 303, headers: location, body: '' }),
    ],
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
    'media-type-charset-refused': [
      'create-charset-utf8-201',
      'application/json with a charset parameter is refused.',
      taking((mediaType) => !mediaType.includes(';')),
    ],
    'media-type-case-refused': [
      'create-media-type-case-201',
      'The media type of a request is compared case-sensitively.',
      taking((mediaType) => mediaType.startsWith('application/json')),
    ],
    'charset-read-as-latin1': [
      'create-each-echoed',
      'Where the media type has a charset, the body is read as Latin-1.',
      reading((read, { header }) => {
        if ('refusal' in read || !header('content-type')?.includes('charset')) return read
        const name = Buffer.from(read.value.name).toString('latin1')
        return { value: { ...read.value, name } }
      }),
    ],
    'body-chunked-taken-for-none': [
      'create-body-chunked-201-or-411',
      'A chunked body is ignored, because only Content-Length bytes are read.',
      receiving(({ body, header }) => ({
        body: header('content-length') ? body : Buffer.alloc(0),
      })),
    ],
    'body-read-once': [
      'create-body-in-two-parts-201',
      'Only the first chunk of a body is read.',
      receiving(({ body, firstBytes }) => ({
        body: body === 'too-large' ? body : body.subarray(0, firstBytes),
      })),
    ],
    'creation-stored-twice-at-times': [
      'list-each-as-created',
      'A gateway retries a slow creation: each fifth is stored twice.',
      inStore((store) => ({
        added: ({ id }, fields) => {
          if (id % 6n === 1n) store.add(fields)
        },
      })),
    ],
    'creation-mended': [
      'create-other-fault-400',
      'Invalid bodies are repaired with default values instead of refused.',
      reading((read) =>
        'refusal' in read
          ? { value: { name: 'unnamed', categoryId: 1n, status: 'available' } }
          : read,
      ),
    ],
    'status-number-taken': [
      'create-status-number-400',
      'A number is accepted as a status, as an index into the enum.',
      coercing('status', (status) =>
        typeof status === 'bigint' ? (petStatuses[Number(status)] ?? status) : status,
      ),
    ],
    'creation-limited-to-90': [
      'create-hundredth-201',
      'After 90 pets, creations are refused.',
      reading((read, _request, { store }) =>
        store.list(undefined, 91).length > 90 ? refuse(403, 'bad_request', 'It is full.') : read,
      ),
    ],
    'creation-of-pending-refused': [
      'create-status-201',
      'A new pet with status pending is refused.',
      refusing(({ status }) => status !== 'pending'),
    ],
    'creation-keeps-category-of-the-last': [
      'response-own-in-a-row',
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
  }),
]
