// The API without a socket: the response to each request, and that none is a 5xx.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { testClock } from './clock.ts'
import { compose, type Variant } from './compose.ts'
import { createKeys } from './keys.ts'
import { clockWindow, createLimiter } from './limiter.ts'
import type { ApiResponse } from './message.ts'
import { removalAtMs } from './operations.ts'
import { firstId, memoryStore } from './store.ts'

interface Sent {
  method?: string
  key?: string | undefined
  body?: string | Buffer | 'too-large'
  headers?: Record<string, string>
}

const noon = Date.UTC(2026, 10, 20, 12)
const issued = [
  { plan: 'free' as const, key: 'free' },
  { plan: 'enterprise' as const, key: 'big', perMinute: 1_000_000, perDay: 1_000_000 },
]

const create = (variant: Variant) => {
  const clock = testClock(noon, () => 0)
  const limiter = createLimiter(clockWindow)
  const store = memoryStore()
  const { handle } = compose({ clock, keys: createKeys(issued), limiter, store }, variant)
  const call = async (target: string, sent: Sent): Promise<ApiResponse> => {
    const key = 'key' in sent ? sent.key : 'big'
    const headers: Record<string, string> = { 'content-type': 'application/json', ...sent.headers }
    if (key !== undefined) headers.authorization = `Bearer ${key}`
    return handle({
      method: sent.method ?? 'GET',
      target,
      header: (name) => headers[name],
      body: sent.body === 'too-large' ? sent.body : Buffer.from(sent.body ?? ''),
      connection: {},
    })
  }
  return { call, clock, store }
}
const post = (body: string) => ({ method: 'POST', body })

describe('the operations', () => {
  test('a pet created is found by id and in lists, digit for digit', async () => {
    const { call } = create({})
    const made = await call('/v1/pets', post('{"name":"Rex","categoryId":9007199254740993}'))
    const text = `{"id":${firstId},"name":"Rex","categoryId":9007199254740993,"status":"available"}`
    expect(made).toMatchObject({ status: 201, body: text })
    expect(await call(`/v1/pets/${firstId}`, {})).toMatchObject({ status: 200, body: text })
    expect(await call('/v1/pets', {})).toMatchObject({ status: 200, body: `[${text}]` })
    expect(await call('/v1/pets?status=available&x=1', {})).toMatchObject({ body: `[${text}]` })
    expect(await call('/v1/pets?status=sold', {})).toMatchObject({ status: 200, body: '[]' })
  })

  test('a list has 20 pets, or as many as requested', async () => {
    const { call, store } = create({})
    for (let n = 0; n < 120; n++) store.add({ name: 'n', categoryId: 1n, status: 'sold' })
    const lengthOf = async (query: string): Promise<number> =>
      JSON.parse((await call(`/v1/pets${query}`, {})).body).length
    expect(await lengthOf('')).toBe(20)
    expect(await lengthOf('?limit=1&status=sold')).toBe(1)
    expect(await lengthOf('?limit=100')).toBe(100)
  })

  test.each([
    ['/v1/pets?limit=0', 400],
    ['/v1/pets?limit=101', 400],
    ['/v1/pets?limit=', 400],
    ['/v1/pets?limit=1.5', 400],
    ['/v1/pets?limit=%201', 400],
    ['/v1/pets?limit=1&limit=1', 400],
    ['/v1/pets?status=Sold', 400],
    ['/v1/pets?status=', 400],
    ['/v1/pets/1', 404],
    ['/v1/pets/-9223372036854775808', 404],
    ['/v1/pets/9223372036854775808', 400],
    ['/v1/pets/1abc', 400],
    ['/v1/pets/1/2', 404],
    ['/v1/pets/', 404],
    ['/v1/store', 404],
    ['/pets', 404],
    ['*', 404],
    [`/v1/pets?x=${'x'.repeat(9_000)}`, 414],
  ])('%.60s: %i', async (target, status) => {
    const answer = await create({}).call(target, {})
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body)).toMatchObject({ status })
  })

  test('a 405 names the methods of its address', async () => {
    const { call } = create({})
    const one = await call('/v1/pets/1', { method: 'DELETE' })
    expect(one).toMatchObject({ status: 405, headers: { Allow: 'GET' } })
    expect((await call('/v1/pets', { method: 'PUT' })).headers.Allow).toBe('GET, POST')
    expect((await call('http://host/v1/pets', {})).status).toBe(200)
  })

  test('getPet announces its removal, and then is gone', async () => {
    const { call, clock, store } = create({})
    store.add({ name: 'n', categoryId: 1n, status: 'sold' })
    clock.set(removalAtMs - 1)
    expect(await call(`/v1/pets/${firstId}`, {})).toMatchObject({
      status: 200,
      headers: { Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT', Deprecation: '@1764892800' },
    })
    clock.set(removalAtMs)
    expect((await call(`/v1/pets/${firstId}`, {})).status).toBe(410)
    expect((await call('/v1/pets?status=sold', {})).status).toBe(200)
  })
})

describe('keys and quotas', () => {
  test('401 comes before everything else, and spends nothing', async () => {
    const { call, store } = create({})
    const sent: [string, Sent][] = [
      ['/v1/pets', { key: undefined }],
      ['/v1/pets', { key: 'FREE' }],
      ['/v1/pets?limit=0', { key: undefined }],
      ['/v1/pets', { key: undefined, method: 'POST', body: 'too-large' }],
      ['/v1/pets', { key: undefined, ...post('{"name":"n","categoryId":1}') }],
      ['/v1/nothing', { key: undefined }],
    ]
    const answers = await Promise.all(sent.map(([target, how]) => call(target, how)))
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
    expect(answers[0]).toMatchObject({
      status: 401,
      headers: {
        'WWW-Authenticate': 'Bearer',
        'X-RateLimit-Limit': '60',
        'X-RateLimit-Remaining': '60',
        'X-RateLimit-Reset': String(noon / 1000 + 60),
      },
    })
    expect(store.list(undefined, 1)).toEqual([])
  })

  test('the sixty-first call of a minute is refused, and has no effect', async () => {
    const { call, clock, store } = create({})
    const key = 'free'
    for (let n = 0; n < 60; n++) expect((await call('/v1/pets', { key })).status).toBe(200)
    clock.set(noon + 100)
    const refused = await call('/v1/pets', { key, ...post('{"name":"n","categoryId":1}') })
    expect(refused.status).toBe(429)
    expect(refused.headers).toMatchObject({ 'Retry-After': '60', 'X-RateLimit-Remaining': '0' })
    expect(store.list(undefined, 1)).toEqual([])
    clock.set(noon + 60_000)
    expect((await call('/v1/pets', { key })).headers['X-RateLimit-Remaining']).toBe('59')
  })

  test('a variant may change a part, what the parts stand on, or the whole', async () => {
    const other = memoryStore()
    other.add({ name: 'other', categoryId: 1n, status: 'sold' })
    const { call } = create({
      parts: (honest) => ({ store: other, printPet: (pet) => honest.printPet(pet).slice(0, 5) }),
      handle: (honest) => async (request) => ({ ...(await honest(request)), status: 299 }),
    })
    expect(await call('/v1/pets', {})).toMatchObject({ status: 299, body: '[{"id"]' })
    const limiter = createLimiter(clockWindow)
    const limited = create({ parts: () => ({ limiter }) })
    await limited.call('/v1/pets', {})
    const quota = { perMinute: 1_000_000, perDay: 1_000_000 }
    expect(limiter.take('big', quota, noon).remaining).toBe(999_998)
  })
})

test('no request gets a 5xx, or a response that is not JSON', async () => {
  const { call } = create({})
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
      const answer = await call(address, how as Sent)
      expect(answer.status).toBeLessThan(500)
      JSON.parse(answer.body)
      for (const name of ['Limit', 'Remaining', 'Reset']) {
        expect(answer.headers[`X-RateLimit-${name}`]).toMatch(/^\d+$/)
      }
    }),
    { seed: 7, numRuns: 1_000 },
  )
})
