// Bodies that are too large: a server that closes before all was sent is not at fault.
import { expect, test } from 'vitest'
import type { Context } from '../../engine/context.ts'
import type { NoAnswer } from '../../engine/exchange.ts'
import { NoAnswerError } from '../../engine/no-answer.ts'
import type { ApiRequest } from '../../engine/request.ts'
import { fakeExchange } from '../../tests/fake-exchange.ts'
import { largeBodies } from './large-bodies.ts'

const body = '{"code":"c","message":"m","status":413}'

/** How the checks end at a target that answers so, or not at all; and the sizes that were sent. */
const judged = async (answer: number | NoAnswer, isPlenty = false) => {
  const sent: number[] = []
  const context = {
    newPet: () => ({ name: 'petvet-1', categoryId: 5n }),
    control: async () => {},
    sample: <T>(all: readonly T[]) => (isPlenty ? all : []),
    call: async (request: ApiRequest) => {
      sent.push(request.padding ?? 0)
      expect(request.body).toBe('{"categoryId":5}')
      const status = typeof answer === 'number' ? answer : 0
      const exchange = fakeExchange(request, { status, body })
      if (typeof answer === 'number') return exchange
      throw new NoAnswerError({ ...exchange, response: null, noAnswer: answer })
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
  ['refused', 'NoAnswerError'],
] as const)('%s: %s', async ([answer, ending]) => {
  expect((await judged(answer)).endings).toEqual([ending, ending])
})

test('where requests are plentiful, sizes between are sent too', async () => {
  expect((await judged(413)).sent).toEqual([300_000, 11_534_336])
  expect((await judged(413, true)).sent).toEqual([300_000, 1_572_864, 3_145_728, 11_534_336])
})
