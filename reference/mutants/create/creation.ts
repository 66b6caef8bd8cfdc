// Faults of the response to a creation, and of the media type and framing that it accepts.

import { parseJson, printJson } from '../../json.ts'
import { type ApiRequest, type ApiResponse, refuse } from '../../message.ts'
import { caughtBy, type Mutant, madeBy } from '../../mutant.ts'
import { makePet } from '../../store.ts'
import { replacing, type Variant } from '../../variant.ts'
import { coercing, inStore, onResponse, reading, refusing } from '../../wrappers/pet-store.ts'

const idOf = ({ body }: ApiResponse): unknown =>
  (parseJson(body)?.value as { id?: unknown } | undefined)?.id

const onCreated = (change: (response: ApiResponse) => ApiResponse): Variant =>
  onResponse('createPet', 201, change)

/** Refuses a creation whose media type is not accepted. */
const taking = (isTaken: (mediaType: string) => boolean): Variant =>
  replacing('readNewPet', ({ readNewPet }, request) =>
    isTaken(request.header('content-type') ?? '')
      ? readNewPet(request)
      : refuse(415, 'unsupported_media_type', 'The body has to be application/json.'),
  )

/** Changes what is read of a body. */
const takingBody = (read: (body: Buffer, request: ApiRequest) => Buffer): Variant => ({
  handle: (honest) => (request) => {
    const { body } = request
    return honest(body === 'too-large' ? request : { ...request, body: read(body, request) })
  },
})

const statuses = ['available', 'pending', 'sold']

/** Creations are read into a pooled object, which may hold members of the previous one. */
const pooled: Variant = {
  handle: (honest) => {
    let left: unknown
    return async (request) => {
      if (request.method !== 'POST' || request.body === 'too-large') return honest(request)
      const members = parseJson(request.body.toString())?.value
      if (typeof members !== 'object' || members === null) return honest(request)
      const own = 'categoryId' in members
      const body = Buffer.from(printJson({ ...(left ? { categoryId: left } : {}), ...members }))
      const response = await honest(own ? request : { ...request, body })
      left = response.status === 201 && own ? members.categoryId : undefined
      return response
    }
  },
}

export const creationMutants: readonly Mutant[] = [
  ...caughtBy('response-own-in-a-row', {
    'creation-keeps-category-of-the-last': [
      'A body without categoryId gets that of the previous request, from a pooled object.',
      pooled,
    ],
  }),
  ...madeBy(onCreated, 'create-each-201', {
    'created-202': [
      'POST /pets responds 202: the creation is queued.',
      (response) => ({ ...response, status: 202 }),
    ],
  }),
  ...madeBy(onCreated, 'create-sound-201', {
    'created-200': [
      'POST /pets responds 200 instead of 201.',
      (response) => ({ ...response, status: 200 }),
    ],
    'created-empty': ['The 201 has no body.', (response) => ({ ...response, body: '' })],
    'created-only-id': [
      'The 201 body has only the id.',
      (response) => ({ ...response, body: printJson({ id: idOf(response) }) }),
    ],
    'created-bare-id': [
      'The 201 body is only the new id.',
      (response) => ({ ...response, body: printJson(idOf(response)) }),
    ],
    'created-in-list': [
      'The 201 body is an array of one pet.',
      (response) => ({ ...response, body: `[${response.body}]` }),
    ],
    'created-in-envelope': [
      'The 201 body wraps the pet in `data`.',
      (response) => ({ ...response, body: `{"data":${response.body}}` }),
    ],
    'created-303': [
      'POST /pets responds with a redirect to the pet.',
      (response) => ({
        status: 303,
        headers: { Location: `/v1/pets/${idOf(response)}` },
        body: '',
      }),
    ],
    'created-location-only': [
      'The 201 has a Location header and an empty body.',
      (response) => ({
        ...response,
        headers: { Location: `/v1/pets/${idOf(response)}` },
        body: '{}',
      }),
    ],
  }),
  ...caughtBy('create-charset-utf8-201', {
    'media-type-charset-refused': [
      'application/json with a charset parameter is refused.',
      taking((mediaType) => !mediaType.includes(';')),
    ],
  }),
  ...caughtBy('create-media-type-case-201', {
    'media-type-case-refused': [
      'The media type of a request is compared case-sensitively.',
      taking((mediaType) => mediaType.startsWith('application/json')),
    ],
  }),
  ...caughtBy('create-body-chunked-201', {
    'body-chunked-taken-for-none': [
      'A chunked body is ignored, because only Content-Length bytes are read.',
      takingBody((body, { header }) => (header('content-length') ? body : Buffer.alloc(0))),
    ],
  }),
  ...caughtBy('create-body-in-two-parts-201', {
    'body-read-once': [
      'Only the first chunk of a body is read.',
      takingBody((body, { firstBytes }) => body.subarray(0, firstBytes)),
    ],
  }),
  ...caughtBy('list-animal-as-created', {
    'created-as-sent': [
      'The 201 repeats what was sent, although the stored name was truncated.',
      inStore((store) => ({
        add: (pet) => {
          const { id } = store.add({ ...pet, name: pet.name.slice(0, 12) })
          return makePet(id, pet)
        },
      })),
    ],
  }),
  ...caughtBy('create-other-fault-400', {
    'creation-mended': [
      'Invalid bodies are repaired with default values instead of refused.',
      reading((read) =>
        'refusal' in read
          ? { value: { name: 'unnamed', categoryId: 1n, status: 'available' } }
          : read,
      ),
    ],
    'status-number-taken': [
      'A number is accepted as a status, as an index into the enum.',
      coercing('status', (status) =>
        status === 0n || status === 1n || status === 2n ? statuses[Number(status)] : status,
      ),
    ],
  }),
  ...caughtBy('create-hundredth-201', {
    'creation-limited-to-90': [
      'After 90 pets, creations are refused.',
      replacing('readNewPet', ({ store, readNewPet }, request) =>
        store.list(undefined, 91).length > 90
          ? refuse(403, 'bad_request', 'There is no room for more pets.')
          : readNewPet(request),
      ),
    ],
  }),
  ...caughtBy('create-status-pending-kept', {
    'creation-of-pending-refused': [
      'A new pet with status pending is refused.',
      refusing(400, ({ status }) => status !== 'pending', 'A new pet cannot be pending.'),
    ],
  }),
]
