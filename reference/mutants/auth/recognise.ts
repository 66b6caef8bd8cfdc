// Changes to how a key is recognised, for one operation or several; and a cache in front of that.
import { plans } from '../../../spec/plans.ts'
import type { KeyRecord } from '../../issued-keys.ts'
import type { ApiRequest, ApiResponse } from '../../message.ts'
import type { OperationId } from '../../routes.ts'
import { replacing, type Variant } from '../../variant.ts'
import { everyResponseBy, findOperation } from '../../wrappers/middleware.ts'

/** Finds a key in a request without a valid one. */
export type Recognise = (request: ApiRequest, keys: readonly KeyRecord[]) => KeyRecord | undefined

/** Accepts more than the reference does, for the operations that `where` selects. */
export const recognising = (
  recognise: Recognise,
  where: (operation: OperationId | undefined) => boolean = () => true,
): Variant =>
  replacing('authenticate', (honest, request) => {
    const found = honest.authenticate(request)
    if (found !== undefined || !where(findOperation(request, honest))) return found
    return recognise(request, honest.keys.all)
  })

/** The record of a caller without a key; its quota is never reached. */
const callerWithoutKey: KeyRecord = {
  key: '',
  plan: 'enterprise',
  quota: { perMinute: 1_000 * plans.business.perMinute, perDay: 1_000 * plans.business.perDay },
}

const authorization = ({ header }: ApiRequest): string => header('authorization') ?? ''

/** Accepts requests that pass the test. */
export const letsIn =
  (test: (request: ApiRequest) => boolean): Recognise =>
  (request) =>
    test(request) ? callerWithoutKey : undefined

/** Reads the key from another text than the bearer token. */
export const keyIn =
  (read: (request: ApiRequest) => string | null | undefined): Recognise =>
  (request, keys) => {
    const text = read(request)
    return keys.find(({ key }) => key === text)
  }

/** The first group of a pattern, over the Authorization header. */
export const keyAfter = (pattern: RegExp): Recognise =>
  keyIn((request) => pattern.exec(authorization(request))?.[1])

/** Compares the token with the keys in another way than for equality. */
export const keyLike =
  (like: (token: string, key: string) => boolean): Recognise =>
  (request, keys) => {
    const token = /^bearer +(.+)$/i.exec(authorization(request))?.[1]
    return token === undefined ? undefined : keys.find(({ key }) => like(token, key))
  }

/** A cache in front of the keys keeps some lists by their address, and serves them to anyone. */
export const keepingLists = (isKept: (request: ApiRequest) => boolean): Variant =>
  everyResponseBy(() => {
    const kept = new Map<string, ApiResponse>()
    return (response, request) => {
      if (request.method !== 'GET' || !isKept(request)) return response
      if (response.status === 200) kept.set(request.target, response)
      return response.status === 401 ? (kept.get(request.target) ?? response) : response
    }
  })
