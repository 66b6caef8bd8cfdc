// Faults of the response to a creation, and of the media type and framing that it accepts.
import type { Variant } from '../../compose.ts'
import { parseJson, printJson } from '../../json.ts'
import { type ApiRequest, type ApiResponse, refuse } from '../../message.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import { coercing, inStore, onResponse, refusing } from '../../seams/pets.ts'
import { makePet } from '../../store.ts'

const idOf = ({ body }: ApiResponse): unknown =>
  (parseJson(body)?.value as { id?: unknown } | undefined)?.id

const onCreated = (change: (answer: ApiResponse) => ApiResponse): Variant =>
  onResponse('createPet', 201, change)

const answered: readonly Mutant[] = (
  [
    ['created-200', 'A creation is answered 200.', (answer) => ({ ...answer, status: 200 })],
    ['created-202', 'A creation is put into a queue.', (answer) => ({ ...answer, status: 202 })],
    [
      'created-empty',
      'The answer to a creation has no body.',
      (answer) => ({ ...answer, body: '' }),
    ],
    [
      'created-only-id',
      'The answer to a creation holds the new id and nothing else.',
      (answer) => ({ ...answer, body: printJson({ id: idOf(answer) }) }),
    ],
    [
      'created-bare-id',
      'The answer to a creation is the new id.',
      (answer) => ({ ...answer, body: printJson(idOf(answer)) }),
    ],
    [
      'created-in-list',
      'The new animal comes in a list of one, as the store returns it.',
      (answer) => ({ ...answer, body: `[${answer.body}]` }),
    ],
    [
      'created-in-envelope',
      'The new animal stands in an object, under data.',
      (answer) => ({ ...answer, body: `{"data":${answer.body}}` }),
    ],
    [
      'created-303',
      'A creation is answered with a redirect to the animal.',
      (answer) => ({
        status: 303,
        headers: { Location: `/v1/pets/${idOf(answer)}` },
        body: '',
      }),
    ],
    [
      'created-location-only',
      'The answer to a creation has a Location and no body.',
      (answer) => ({
        ...answer,
        headers: { Location: `/v1/pets/${idOf(answer)}` },
        body: '{}',
      }),
    ],
  ] satisfies readonly (readonly [string, string, (answer: ApiResponse) => ApiResponse])[]
).map(([id, fault, change]) => ({
  id,
  caughtBy: 'create-sound-201',
  fault,
  ...onCreated(change),
}))

/** Refuses a creation for its media type, where `isTaken` does not allow it. */
const taking = (isTaken: (mediaType: string) => boolean): Variant => ({
  parts: ({ readNewPet }) => ({
    readNewPet: (request: ApiRequest) =>
      isTaken(request.header('content-type') ?? '')
        ? readNewPet(request)
        : refuse(415, 'unsupported_media_type', 'The body has to be application/json.'),
  }),
})

const ofMediaType: readonly Mutant[] = [
  {
    id: 'media-type-charset-refused',
    caughtBy: 'create-charset-utf8-201',
    fault: 'The media type is compared with its parameters.',
    ...taking((mediaType) => !mediaType.includes(';')),
  },
  {
    id: 'media-type-case-refused',
    caughtBy: 'create-media-type-case-201',
    fault: 'The media type is compared letter for letter.',
    ...taking((mediaType) => mediaType.startsWith('application/json')),
  },
]

/** What is read of a body, where it is not framed as most clients frame it. */
const reading = (read: (body: Buffer, request: ApiRequest) => Buffer): Variant => ({
  handle: (honest) => (request) => {
    const { body } = request
    return honest(body === 'too-large' ? request : { ...request, body: read(body, request) })
  },
})

const ofFraming: readonly Mutant[] = [
  {
    id: 'body-chunked-taken-for-none',
    caughtBy: 'create-body-chunked-201',
    fault: 'So many bytes are read as Content-Length says, and none where it says nothing.',
    ...reading((body, { header }) => (header('content-length') ? body : Buffer.alloc(0))),
  },
  {
    id: 'body-read-once',
    caughtBy: 'create-body-in-two-parts-201',
    fault: 'The body is read once from its socket, which returns what has come by then.',
    ...reading((body, { firstBytes }) => body.subarray(0, firstBytes)),
  },
]

const statuses = ['available', 'pending', 'sold']

const ofWhatIsTaken: readonly Mutant[] = [
  {
    id: 'created-as-sent',
    caughtBy: 'list-animal-as-created',
    fault: 'The 201 repeats what was sent, although the column cut the name.',
    ...inStore((store) => ({
      add: (pet) => {
        const { id } = store.add({ ...pet, name: pet.name.slice(0, 12) })
        return makePet(id, pet)
      },
    })),
  },
  ...caughtBy('create-other-fault-400', [
    [
      'creation-mended',
      'What is wrong in a body is replaced by something right.',
      {
        parts: ({ readNewPet }) => ({
          readNewPet: (request) => {
            const reading = readNewPet(request)
            const mended = { name: 'unnamed', categoryId: 1n, status: 'available' } as const
            return 'refusal' in reading ? { value: mended } : reading
          },
        }),
      },
    ],
    [
      'status-number-taken',
      'A number is taken for an index into the enumeration, as a mapper does by default.',
      coercing('status', (status) =>
        status === 0n || status === 1n || status === 2n ? statuses[Number(status)] : status,
      ),
    ],
  ]),
  {
    id: 'creation-limited-to-90',
    caughtBy: 'create-hundredth-201',
    fault: 'The store is full after 90 animals.',
    parts: ({ store, readNewPet }) => ({
      readNewPet: (request) =>
        store.list(undefined, 91).length > 90
          ? refuse(403, 'bad_request', 'There is no room for more animals.')
          : readNewPet(request),
    }),
  },
  {
    id: 'creation-of-pending-refused',
    caughtBy: 'create-status-pending-kept',
    fault: 'A new animal may not be pending.',
    ...refusing(400, ({ status }) => status !== 'pending', 'A new animal cannot be pending.'),
  },
]

/** A creation is read into a record that the one before may have left behind. */
const pooled: Mutant = {
  id: 'creation-keeps-category-of-the-last',
  caughtBy: 'response-own-in-a-row',
  fault: 'Creations are read into a pooled record, whose categoryId is not cleared.',
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
  pooled,
  ...answered,
  ...ofMediaType,
  ...ofFraming,
  ...ofWhatIsTaken,
]
