// A fetch of an animal that exists: with a key for which it has to be there.
import type { Context } from './context.ts'
import type { Answered } from './exchange.ts'
import { statusOf } from './exchange.ts'
import type { ApiRequest } from './request.ts'
import { get, withKey } from './request.ts'

type Parts = Pick<Context, 'call' | 'herd'>

/** A request about an animal, with a key that knows of it where not every key does. */
export const forOneWhoKnows = ({ herd }: Parts, id: bigint, request: ApiRequest): ApiRequest =>
  withKey(request, herd.fetches.chosen([id]))

/**
 * Fetches an animal. Where it is not there for a key that was never shown it, one that was is
 * asked: whether keys share their animals is open.
 */
export const fetchKnown = async (parts: Parts, id: bigint): Promise<Answered> => {
  const request = get(`/pets/${id}`)
  const answer = await parts.call(forOneWhoKnows(parts, id, request))
  if (statusOf(answer) !== 404 || parts.herd.fetches.isKnown(answer.key, id)) return answer
  const key = parts.herd.fetches.knower([id])
  return key === undefined ? answer : parts.call(withKey(request, key))
}
