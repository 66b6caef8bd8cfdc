// A server that closes the connection while a large body is sent is not at fault.
import { expect, test } from 'vitest'
import type { Context } from '../../engine/check/context.ts'
import type { Check } from '../../engine/check/declare.ts'
import { sendRow } from '../../engine/run/send-row.ts'
import type { Session } from '../../engine/run/session.ts'
import type { ApiRequest, NoAnswer } from '../../history/exchange.ts'
import { NoResponseError, Violation } from '../../history/outcome.ts'
import { fakeExchange, fakeTrace } from '../../tests/fakes/fake-exchange.ts'
import { createHazards } from './rows.ts'

const refusal = '{"code":"c","message":"m","status":400}'

const row = createHazards.find(({ id }) => id === 'create-body-large-refused') as Check

/** How the check ends at such a target. */
const judged = async (response: number | NoAnswer): Promise<string> => {
  const context = {
    newPet: () => ({ name: 'petvet-1', categoryId: 4n }),
    control: async () => {},
    history: fakeTrace(),
    categories: { free: true, known: [], any: 4n },
    seed: 1,
    call: async (request: ApiRequest) => {
      expect(request.body).toBe('{"categoryId":5}')
      const status = typeof response === 'number' ? response : 0
      const exchange = fakeExchange(request, { status, body: refusal })
      if (typeof response === 'number') return exchange
      throw new NoResponseError({ ...exchange, response: null, noResponse: response })
    },
  } as unknown as Context
  const session = { valuesOf: () => row.values ?? [] } as unknown as Session
  return sendRow(row, context, session).then(
    () => 'pass',
    (error: Error) => (error instanceof Violation ? error.name : error.constructor.name),
  )
}

test.for([
  ['reset', 'Untested'],
  ['timeout', 'Untested'],
  ['refused', 'NoResponseError'],
] as const)('%s: %s', async ([response, ending]) => {
  expect(await judged(response)).toBe(ending)
})
