// The schema of a journal accepts every entry that a run writes.
import { expect, test } from 'vitest'
import type { NoAnswer } from '../engine/exchange.ts'
import { compileSchema } from '../spec/schemas.ts'
import { exchangeSchema } from './journal-schema.ts'

const check = compileSchema(exchangeSchema)
const exchange = {
  ...{ seq: 1, at: '2026-11-20T12:00:00.000Z', check: 'list-sound-200', key: 'free-1', ms: 1 },
  request: { method: 'GET', url: 'https://127.0.0.1/v1/pets', headers: [], body: null },
  response: null,
  sentMs: 0,
}

test.for<NoAnswer>(['timeout', 'proxy'])('an exchange without a response: %s', (noAnswer) => {
  expect(check({ ...exchange, noAnswer })).toBeUndefined()
})

test('an unknown reason is refused', () => {
  expect(check({ ...exchange, noAnswer: 'sleepy' })).toContain('noAnswer')
})
