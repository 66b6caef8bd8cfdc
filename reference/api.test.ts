// The API without a socket: the response to each request, and that none is a 5xx.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compose } from './api.ts'
import { testClock } from './clock.ts'
import { createKeys } from './issued-keys.ts'
import { clockWindow, createLimiter } from './limiter.ts'
import type { ApiResponse } from './message.ts'
import { memoryStore } from './store.ts'

interface Sent {
  method: string
  key?: string | undefined
  body: string | Buffer
  headers: Record<string, string>
}

const issued = [
  { plan: 'enterprise' as const, key: 'big', quota: { perMinute: 1_000_000, perDay: 1_000_000 } },
]

const create = () => {
  const clock = testClock(Date.UTC(2026, 10, 20, 12), () => 0)
  const limiter = createLimiter(clockWindow)
  const { handle } = compose({ clock, keys: createKeys(issued), limiter, store: memoryStore() }, {})
  return async (target: string, sent: Partial<Sent>): Promise<ApiResponse> => {
    const { method = 'GET', body = '' } = sent
    const key = 'key' in sent ? sent.key : 'big'
    const headers: Record<string, string> = { 'content-type': 'application/json', ...sent.headers }
    if (key !== undefined) headers.authorization = `Bearer ${key}`
    return handle({
      ...{ method, target, connection: {} },
      header: (name) => headers[name],
      body: body === 'too-large' ? body : Buffer.from(body),
    })
  }
}

test('no request gets a 5xx, or a response that is not JSON', async () => {
  const call = create()
  const fields = fc.record({
    name: fc.anything(),
    categoryId: fc.anything(),
    status: fc.anything(),
  })
  const body = fc.oneof(
    fc.json(),
    fields.map((value) => JSON.stringify(value, (_key, v) => (typeof v === 'bigint' ? 0 : v))),
    fc.string({ unit: 'binary' }),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc.constant('too-large' as const),
  )
  const target = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webQueryParameters().map((query) => `/v1/pets?${query}`),
    fc.string().map((text) => `/v1/pets?limit=${text}&status=${text}`),
    fc.string().map((text) => `/v1/pets/${text}`),
    fc.bigInt().map((id) => `/v1/pets/${id}`),
  )
  const sent = fc.record(
    {
      method: fc.constantFrom('GET', 'POST', 'PUT', 'HEAD', 'OPTIONS', ''),
      key: fc.oneof(fc.constant('big'), fc.string(), fc.constant(undefined)),
      body,
      headers: fc.dictionary(fc.constantFrom('content-type', 'content-encoding'), fc.string()),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(target, sent, async (address, how) => {
      const answer = await call(address, how as Partial<Sent>)
      expect(answer.status).toBeLessThan(500)
      JSON.parse(answer.body)
      for (const name of ['Limit', 'Remaining', 'Reset']) {
        expect(answer.headers[`X-RateLimit-${name}`]).toMatch(/^\d+$/)
      }
    }),
    { seed: 7, numRuns: 1_000 },
  )
})
