// Faults of what is shared between requests in flight: a module variable that is read after an
// await, work that is done once for several requests, a response that goes to another request.

import { parseJson, printJson } from '../json.ts'
import type { Mutant } from '../mutant.ts'
import { operationOf } from './over.ts'
import {
  type Around,
  batched,
  headersOfTheLatest,
  isOf,
  ofTheLatest,
  onceFor,
  query,
  rolledBack,
  statusOfTheLatest,
  withKeyOf,
} from './over-flight.ts'

const shared = (id: string, fault: string, handle: Around): Mutant => ({
  id,
  breaks: 'service.own-response',
  caughtBy: 'response-own-together',
  fault,
  handle,
})

export const inFlightMutants: readonly Mutant[] = [
  shared(
    'in-flight-filter-of-the-latest',
    'The query of a list stands in a module variable, and is read once the database is ready.',
    ofTheLatest('listPets', (own, { target }) => ({ ...own, target })),
  ),
  shared(
    'in-flight-body-of-the-latest',
    'The body of a creation stands in a module variable while the transaction begins.',
    ofTheLatest('createPet', (own, { body }) => ({ ...own, body })),
  ),
  shared(
    'in-flight-key-of-the-latest',
    'The caller stands in a module variable, and is looked at after the keys were read.',
    ofTheLatest('any', withKeyOf),
  ),
  shared(
    'in-flight-status-of-the-latest-refusal',
    'The status of an error stands in a module variable until the log is written.',
    statusOfTheLatest,
  ),
  shared(
    'in-flight-fetches-mixed-up',
    'Fetches of one moment are loaded with one query, whose rows are given out one off.',
    batched,
  ),
  shared(
    'in-flight-lists-made-once',
    'Lists that are asked for at the same time are made once, whatever their query.',
    onceFor((request, parts) => (isOf('listPets', request, parts) ? 'a list' : undefined)),
  ),
  shared(
    'in-flight-response-by-path',
    'Requests of one path at the same time are answered once, whoever asks.',
    onceFor((request, parts) =>
      operationOf(request, parts) === 'listPets' ? request.target.split('?')[0] : undefined,
    ),
  ),
  shared(
    'in-flight-status-kept-for-others',
    'The status of a creation is set on a record that is made once for all of them.',
    (honest, parts) => {
      let status: unknown
      return async (request) => {
        const isOne = operationOf(request, parts) === 'createPet' && request.body !== 'too-large'
        const members = isOne ? parseJson(String(request.body))?.value : undefined
        if (typeof members !== 'object' || members === null || !('status' in members)) {
          return honest(request)
        }
        status = members.status
        await query()
        return honest({ ...request, body: Buffer.from(printJson({ ...members, status })) })
      }
    },
  ),
  {
    ...shared(
      'in-flight-headers-of-the-latest',
      'The count of a key stands in a module variable until the response is written.',
      headersOfTheLatest('any'),
    ),
    caughtBy: 'response-own-key',
    suite: 'limits',
  },
  {
    ...shared(
      'in-flight-creation-headers-of-the-latest',
      'A creation reads the count after its transaction, from a variable that all keys share.',
      headersOfTheLatest('createPet'),
    ),
    caughtBy: 'response-own-key',
    suite: 'limits',
    keys: ['pro'],
  },
  {
    id: 'in-flight-equal-creations-joined',
    breaks: 'pet.id.unique',
    caughtBy: 'create-together-distinct-ids',
    fault: 'An equal creation that is under way counts as the same one, sent twice.',
    handle: onceFor((request, parts) =>
      isOf('createPet', request, parts) ? String(request.body) : undefined,
    ),
  },
  {
    id: 'in-flight-creation-rolled-back',
    breaks: 'list.status.complete',
    caughtBy: 'list-status-available-all',
    fault: 'One transaction serves all creations in flight, and a refused one rolls it back.',
    handle: rolledBack,
  },
  {
    id: 'in-flight-ids-equal',
    breaks: 'pet.id.unique',
    caughtBy: 'create-together-distinct-ids',
    fault: 'The next id is read before the insertion, and written after it.',
    handle: (honest, parts) => {
      let underWay: string | undefined
      return async (request) => {
        const answer = await honest(request)
        if (!isOf('createPet', request, parts) || answer.status !== 201) return answer
        const pet = parseJson(answer.body)?.value as { id: bigint }
        underWay ??= `${pet.id}`
        const body = printJson({ ...pet, id: BigInt(underWay) })
        await query()
        underWay = undefined
        return { ...answer, body }
      }
    },
  },
]
