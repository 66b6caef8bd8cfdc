// A failing walk is shrunk to the requests that matter, within its budget; a request that gets no
// response ends it.
import { expect, test } from 'vitest'
import type { Context } from '../../engine/check/context.ts'
import { report } from '../../engine/run/shrink-walk.ts'
import { type Step, walk } from '../../engine/run/walk.ts'
import type { AnsweredExchange, ApiRequest } from '../../history/exchange.ts'
import { PetIndex } from '../../history/known-pets.ts'
import { NoResponseError, Violation } from '../../history/outcome.ts'
import { fakeExchange, fakeTrace } from '../../tests/fake-exchange.ts'
import { listPets } from '../pets/requests.ts'

const isLimit = ({ path }: ApiRequest, limit: number): boolean => path === `/pets?limit=${limit}`

/** A service that fails for the limit 3 once the limit 7 was requested, so many times. */
const service = (
  unanswered: (request: ApiRequest) => boolean = () => false,
  maxFailures = Number.POSITIVE_INFINITY,
) => {
  let failures = 0
  let isBroken = false
  const knownPets = new PetIndex()
  let requests = 0
  const call = async (request: ApiRequest): Promise<AnsweredExchange> => {
    requests += 1
    isBroken ||= isLimit(request, 7)
    if (unanswered(request)) {
      const exchange = fakeExchange(request, { status: 200, body: '[]' })
      throw new NoResponseError({ ...exchange, response: null, noResponse: 'timeout' })
    }
    const status = isBroken && isLimit(request, 3) && failures < maxFailures ? 500 : 200
    if (status === 500) isBroken = false
    if (status === 500) failures += 1
    return fakeExchange(request, { status, body: '[]', seq: requests })
  }
  const context = {
    call,
    together: (requests: ApiRequest[]) => Promise.all(requests.map(call)),
    limits: { instant: false, keys: [], nowMs: () => 0 },
    ...{ knownPets, history: { ...fakeTrace(), knownPets } },
  } as unknown as Context
  return { context, count: () => requests }
}

const list = (...limits: number[]): Step => ({
  kind: 'send',
  requests: limits.map((limit) => () => listPets({ limit })),
})

const steps = [
  ...[11, 12, 13, 14].map((limit) => list(limit)),
  list(15, 7, 16),
  ...[17, 18, 19, 20, 21].map((limit) => list(limit)),
  list(3),
]

/** What the check of valid requests says of a walk. */
const failure = async (context: Context): Promise<Violation> => {
  const walked = await walk(context, steps)
  try {
    await report(context, walked, ['valid'])
  } catch (error) {
    if (error instanceof Violation) return error
    throw error
  }
  throw new Error('the walk fails')
}

test('to two requests of thirteen', async () => {
  const { context, count } = service()
  const { evidence, actual } = await failure(context)
  expect(evidence.map(({ request }) => request.url.split('?')[1])).toEqual(['limit=7', 'limit=3'])
  expect(actual).toContain('1. GET /pets?limit=7 -> 200; 2. GET /pets?limit=3 -> 500')
  expect(count()).toBeLessThanOrEqual(13 + 150)
})

test('where nothing repeats it, it shows the last requests', async () => {
  const { context } = service(() => false, 1)
  expect((await failure(context)).actual).toContain('the last ones of a walk')
})

test('a request that gets no response ends it, and is for the check of its part', async () => {
  const { context } = service((request) => isLimit(request, 12))
  const walked = await walk(context, steps.slice(0, 4))
  expect(walked.judged.get('valid')).toBe(1)
  expect(walked.lost).toMatchObject({
    part: 'valid',
    error: { exchange: { apiRequest: { path: '/pets?limit=12' } } },
  })
  expect(walked.found).toEqual([])
  // It is sent again.
  await expect(report(context, walked, ['key'])).rejects.toThrow('no such response')
  await expect(report(context, walked, ['valid'])).rejects.toThrow(NoResponseError)
})
