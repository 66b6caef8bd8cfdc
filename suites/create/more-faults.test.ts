// Further faults: each body has one, each run sends some of them, and a server that closes the
// connection while a large body is sent is not at fault.
import { expect, test } from 'vitest'
import type { Context } from '../../engine/context.ts'
import type { ApiRequest, NoAnswer } from '../../engine/exchange.ts'
import { isInt64, isObject, type JsonObject, parseJson } from '../../engine/json.ts'
import { takenFrom } from '../../engine/naming.ts'
import { NoResponseError } from '../../engine/outcome.ts'
import { fakeExchange } from '../../tests/fake-exchange.ts'
import { statuses } from '../pets.ts'
import { largeBodies, otherFaults } from './more-faults.ts'

const refusal = '{"code":"c","message":"m","status":400}'

/** The bodies that one run sends. */
const sentWith = async (seed: number): Promise<string[]> => {
  const sent: string[] = []
  const context = {
    seed,
    names: { mark: 'petvet-', fresh: () => 'petvet-1' },
    newPet: (members: JsonObject = {}) => ({ name: 'petvet-1', categoryId: 5n, ...members }),
    control: () => Promise.resolve(),
    sample: <T>(all: readonly T[], count: number) => takenFrom(all, count, seed),
    call: async (request: ApiRequest) => {
      sent.push(String(request.body))
      return fakeExchange(request, { status: 400, body: refusal })
    },
  } as unknown as Context
  await otherFaults.run(context)
  return sent
}

/** More runs than faults, so that each is sent. */
const runs = await Promise.all(Array.from({ length: 60 }, (_, seed) => sentWith(seed)))

const isJson = (text: string): boolean => {
  try {
    parseJson(text)
    return true
  } catch {
    return false
  }
}

const isValid = (text: string): boolean => {
  const value = isJson(text) ? parseJson(text) : null
  if (!isObject(value) || typeof value.name !== 'string' || !isInt64(value.categoryId)) return false
  const { status } = value
  return status === undefined || statuses.some((each) => each === status)
}

test('none of them is a valid pet', () => {
  expect(runs.flat().filter(isValid)).toEqual([])
})

/** How the checks end at such a target, and the sizes that were sent. */
const judged = async (response: number | NoAnswer, isPlenty = false) => {
  const sent: number[] = []
  const context = {
    newPet: () => ({ name: 'petvet-1', categoryId: 5n }),
    control: async () => {},
    sample: <T>(all: readonly T[]) => (isPlenty ? all : []),
    call: async (request: ApiRequest) => {
      sent.push(request.padding ?? 0)
      expect(request.body).toBe('{"categoryId":5}')
      const status = typeof response === 'number' ? response : 0
      const exchange = fakeExchange(request, { status, body: refusal })
      if (typeof response === 'number') return exchange
      throw new NoResponseError({ ...exchange, response: null, noAnswer: response })
    },
  } as unknown as Context
  const endings: string[] = []
  for (const { run } of largeBodies) {
    const ending = await run(context).then(
      () => 'pass',
      (error: Error) => error.constructor.name,
    )
    endings.push(ending)
  }
  return { endings, sent }
}

test.for([
  [400, 'pass'],
  [413, 'pass'],
  [201, 'Violation'],
  [500, 'Violation'],
  ['reset', 'Untested'],
  ['timeout', 'Untested'],
  ['refused', 'NoResponseError'],
] as const)('%s: %s', async ([response, ending]) => {
  expect((await judged(response)).endings).toEqual([ending, ending])
})
