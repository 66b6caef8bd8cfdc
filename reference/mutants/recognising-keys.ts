// Faults in recognising a key: each takes for a key what is none, on one operation or on several.
import { plans } from '../../spec/plans.ts'
import type { RequirementId } from '../../spec/requirements.ts'
import type { Variant } from '../compose.ts'
import type { KeyRecord } from '../keys.ts'
import type { ApiRequest } from '../message.ts'
import { splitTarget } from '../message.ts'
import type { Mutant } from '../mutant.ts'
import type { OperationId } from '../routes.ts'
import { operationOf } from './over.ts'

/** Finds a key in a request that holds no valid one. */
export type Recognise = (request: ApiRequest, keys: readonly KeyRecord[]) => KeyRecord | undefined

/** Recognises more than the honest server does, where `where` says so. */
export const recognising = (
  where: (operation: OperationId | undefined) => boolean,
  recognise: Recognise,
): Variant => ({
  parts: (honest) => ({
    authenticate: (request) => {
      const found = honest.authenticate(request)
      if (found !== undefined || !where(operationOf(request, honest))) return found
      return recognise(request, honest.keys.all)
    },
  }),
})

/** Whoever is let in without a key; its quota is out of the way. */
const nobody: KeyRecord = {
  key: '',
  plan: 'enterprise',
  quota: { perMinute: 1_000 * plans.business.perMinute, perDay: 1_000 * plans.business.perDay },
}

const authorization = ({ header }: ApiRequest): string => header('authorization') ?? ''

/** Lets in whoever the test finds good. */
export const letsIn =
  (test: (request: ApiRequest) => boolean): Recognise =>
  (request) =>
    test(request) ? nobody : undefined

/** The key is looked for in another text than a bearer token. */
export const keyIn =
  (read: (request: ApiRequest) => string | null | undefined): Recognise =>
  (request, keys) => {
    const text = read(request)
    return keys.find(({ key }) => key === text)
  }

/** The first group of a pattern, over the Authorization header. */
export const keyAfter = (pattern: RegExp): Recognise =>
  keyIn((request) => pattern.exec(authorization(request))?.[1])

/** The token is compared with the keys otherwise than for equality. */
export const keyLike =
  (like: (token: string, key: string) => boolean): Recognise =>
  (request, keys) => {
    const token = /^bearer +(.+)$/i.exec(authorization(request))?.[1]
    return token === undefined ? undefined : keys.find(({ key }) => like(token, key))
  }

export const queryOf = ({ target }: ApiRequest): URLSearchParams =>
  new URLSearchParams(splitTarget(target).query)

export const bodyOf = ({ body }: ApiRequest): string =>
  body === 'too-large' ? '' : body.toString('utf8')

/** The operations in the words of the checks' ids. */
const operations = { list: 'listPets', create: 'createPet', get: 'getPet' } as const
export type OperationName = keyof typeof operations

export const everywhere: readonly OperationName[] = ['list', 'create', 'get']

export interface KeyFault {
  /** What is taken for a key, in the words of the checks' ids. */
  readonly takes: string
  readonly on: readonly OperationName[]
  readonly fault: string
  readonly recognise: Recognise
}

/** One mutant for each operation: a server may well look at its keys in three places. */
export const perOperation = (breaks: RequirementId, faults: readonly KeyFault[]): Mutant[] =>
  faults.flatMap(({ takes, on, fault, recognise }) =>
    on.map((name) => ({
      id: `auth-${takes}-taken-by-${name}`,
      breaks,
      caughtBy: `auth-${takes}-${name}-401`,
      fault,
      ...recognising((operation) => operation === operations[name], recognise),
    })),
  )
