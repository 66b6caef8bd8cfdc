// Faults that show now and then: one response in several is that of another request, or spoilt.
import { parseJson, printJson } from '../json.ts'
import type { ApiRequest, ApiResponse, Handle } from '../message.ts'
import type { Mutant } from '../mutant.ts'
import type { Parts } from '../parts.ts'
import type { OperationId } from '../routes.ts'
import { operationOf } from './over.ts'
import type { Members } from './over-animals.ts'

type Serve = (request: ApiRequest, honest: Handle) => ApiResponse | Promise<ApiResponse>

/** Serves every nth valid request of an operation otherwise. */
const everyNth =
  (nth: number, operation: OperationId, serve: Serve, isOne = (_: ApiRequest) => true) =>
  (honest: Handle, parts: Parts): Handle => {
    let count = 0
    return (request) => {
      const isValid = parts.authenticate(request) !== undefined && isOne(request)
      if (!isValid || operationOf(request, parts) !== operation) return honest(request)
      count += 1
      return count % nth === 0 ? serve(request, honest) : honest(request)
    }
  }

const asking =
  (change: (target: string) => string): Serve =>
  (request, honest) =>
    honest({ ...request, target: change(request.target) })

const showing =
  (change: (pet: Members) => Members): Serve =>
  async (request, honest) => {
    const answer = await honest(request)
    if (answer.status >= 300) return answer
    const value = parseJson(answer.body)?.value as Members | Members[]
    const changed = Array.isArray(value) ? value.map(change) : change(value)
    return { ...answer, body: printJson(changed) }
  }

const others = showing((pet) => ({ ...pet, name: `${pet.name}-of-another` }))

const hasFilter = ({ target }: ApiRequest) => /[?&]status=(available|pending|sold)\b/.test(target)
const hasLimit = ({ target }: ApiRequest) => /[?&]limit=\d\d?(&|$)/.test(target)
const unknownId = '7046029254386353087'

const nowAndThen = (
  id: string,
  breaks: Mutant['breaks'],
  caughtBy: string,
  fault: string,
  handle: Mutant['handle'],
): Mutant => ({ id, breaks, caughtBy, fault, ...(handle && { handle }) })

export const nowAndThenMutants: readonly Mutant[] = [
  nowAndThen(
    'list-limit-lost-now-and-then',
    'list.limit.most',
    'list-each-within-limit',
    'One replica of several does not read the limit.',
    everyNth(
      5,
      'listPets',
      asking((target) => target.replace(/limit=\d+/, 'limit=100')),
      hasLimit,
    ),
  ),
  nowAndThen(
    'list-filter-lost-now-and-then',
    'list.status.filter',
    'list-each-filtered',
    'One replica of several does not read the filter.',
    everyNth(
      3,
      'listPets',
      asking((target) => target.replace(/status=\w+/, '')),
      hasFilter,
    ),
  ),
  nowAndThen(
    'list-short-now-and-then',
    'list.limit.exact',
    'list-each-no-fewer',
    'One replica of several has a lower limit of its own.',
    everyNth(
      4,
      'listPets',
      asking((target) => target.replace(/limit=\d+/, 'limit=1')),
    ),
  ),
  nowAndThen(
    'list-names-mixed-now-and-then',
    'list.faithful',
    'list-each-as-created',
    'The names of a list come from another query, which may be one row off.',
    everyNth(5, 'listPets', others),
  ),
  nowAndThen(
    'get-neighbour-now-and-then',
    'get.own-id',
    'get-each-own-id',
    'The row that a cursor shows may be the one before.',
    everyNth(
      4,
      'getPet',
      showing((pet) => ({ ...pet, id: (pet.id as bigint) - 1n })),
    ),
  ),
  nowAndThen(
    'get-name-mixed-now-and-then',
    'get.faithful',
    'get-each-as-created',
    'The name comes from a cache whose entry may be that of another pet.',
    everyNth(4, 'getPet', others),
  ),
  nowAndThen(
    'get-lost-now-and-then',
    'get.success',
    'get-each-known-200',
    'One replica of several lags far behind.',
    everyNth(
      5,
      'getPet',
      asking((target) => target.replace(/\/\d+$/, `/${unknownId}`)),
    ),
  ),
  nowAndThen(
    'create-echo-mixed-now-and-then',
    'create.echo',
    'create-each-echoed',
    'The answer to a creation is read back, and may be the pet of another one.',
    everyNth(11, 'createPet', others),
  ),
]
