// The rate-limit headers: what violates each requirement about them, and what legal servers send.
import { describe, expect, test } from 'vitest'
import { get, post, unauthorized } from '../../engine/exchange.ts'
import { fakeExchange, invariantNamed, judged } from '../../tests/fake-exchange.ts'
import { rateLimitHeaders } from './rate-limit-headers.ts'

const noon = Date.UTC(2026, 10, 20, 12) / 1000
const limit = 'X-RateLimit-Limit'
const remaining = 'X-RateLimit-Remaining'
const reset = 'X-RateLimit-Reset'

type Headers = Record<string, string | readonly string[] | undefined>

const listed = (headers: Headers, seq = 1) =>
  fakeExchange('/pets', { status: 200, body: '[]', headers, seq })

const judge = (id: string, ...headers: Headers[]) =>
  judged(invariantNamed(rateLimitHeaders, id), ...headers.map((each, i) => listed(each, i + 1)))

const refused = (path: string, status: number, headers: Headers) =>
  fakeExchange(path, { status, body: '{}', headers })

describe('a missing header', () => {
  const present = invariantNamed(rateLimitHeaders, 'header-reset-present')
  const elsewhere = invariantNamed(rateLimitHeaders, 'headers-elsewhere-present')
  const bare = { [reset]: undefined }

  test.for([
    ['/pets', 200],
    ['/pets?limit=0', 400],
    ['/pets/1', 404],
    ['/pets/abc', 405],
    ['/pets', 429],
  ] as const)('is a violation at %s with %i', ([path, status]) => {
    expect(judged(present, refused(path, status, bare))).toContain('no such header')
  })

  test('is one without a key too, and with another method', () => {
    const stranger = unauthorized(get('/pets'))
    const response = { status: 401, body: '{}', headers: bare, key: null }
    expect(judged(present, fakeExchange(stranger, response))).toContain('no such header on a 401')
    const put = { ...get('/pets'), method: 'PUT' }
    expect(judged(present, fakeExchange(put, { ...response, status: 405 }))).toContain('405')
  })

  test.for([
    ['/store', 404],
    ['/pets/', 404],
    ['/pets', 413],
  ] as const)('is only unwise at %s with %i', ([path, status]) => {
    const response = refused(path, status, bare)
    expect(judged(present, response)).toBe('not judged')
    expect(judged(elsewhere, response)).toContain('no such header')
  })

  test("is nothing on a redirect from an address that is not the interface's own", () => {
    const redirect = refused('/pets/', 301, bare)
    expect(judged(elsewhere, redirect)).toBe('not judged')
    expect(judged(present, redirect)).toBe('not judged')
    expect(judged(present, refused('/pets', 301, bare))).toContain('no such header')
  })

  test.for(['/pets/%zz', '/pets/%00', '/pets?status=%ff'])('is only unwise at %s', (path) => {
    expect(judged(present, refused(path, 400, bare))).toBe('not judged')
    expect(judged(elsewhere, refused(path, 400, bare))).toContain('no such header')
    expect(judged(present, refused(path, 200, bare))).toContain('no such header')
  })

  test.for(['HEAD', 'OPTIONS'])('is nothing on %s', (method) => {
    const response = { status: 204, body: '', headers: bare }
    expect(judged(present, fakeExchange({ ...get('/pets'), method }, response))).toBe('not judged')
  })
})

test.for(['-1', '59.0', '60, 1000', '', 'none', '1e1'])('"%s" is no decimal integer', (value) => {
  expect(judge('header-remaining-integer', { [remaining]: value })).toContain('one decimal integer')
})

test('two values are not one integer', () => {
  expect(judge('header-limit-integer', { [limit]: ['60', '60'] })).toContain('60, 60')
  expect(judge('header-limit-integer', { [limit]: '60' })).toBe('holds')
})

describe('the numbers', () => {
  test('Limit is the number of the plan, per minute or per day', () => {
    expect(judge('header-limit-of-plan', { [limit]: '1000' })).toBe('holds')
    expect(judge('header-limit-of-plan', { [limit]: '300' })).toContain('60 or 1000')
  })

  test('Remaining lies between 0 and Limit, and below it once a request was served', () => {
    expect(judge('header-remaining-bounds', { [remaining]: '60' })).toBe('holds')
    expect(judge('header-remaining-bounds', { [remaining]: '61' })).toContain('at most Limit')
    expect(judge('header-remaining-counts', { [remaining]: '60' })).toContain('below Limit')
    expect(judge('header-remaining-counts', { [remaining]: '0' })).toBe('holds')
  })

  test.for([
    ['header-limit-of-plan', 401, 'free-1'],
    ['header-remaining-counts', 404, 'free-1'],
    ['header-reset-unix-seconds', 200, null],
    ['header-limit-of-plan', 200, null],
  ] as const)('%s says nothing of a %i to %s', ([id, status, key]) => {
    const headers = { [limit]: '7', [remaining]: '7', [reset]: '7' }
    const response = fakeExchange('/pets', { status, body: '[]', headers, key })
    expect(judged(invariantNamed(rateLimitHeaders, id), response)).toBe('not judged')
  })
})

describe('Reset', () => {
  test.for(['30', String(noon * 1000)])('%s is no Unix time in seconds', (value) => {
    expect(judge('header-reset-unix-seconds', { [reset]: value })).toContain('Unix seconds')
    expect(judge('header-reset-ahead', { [reset]: value })).toBe('not judged')
  })

  // The response is of 12:00:30, rounded down to its second.
  test.for([
    [27, 'holds'],
    [26, '4 s before Date'],
    [155, 'holds'],
    [156, 'at most two windows of 60 s'],
  ] as const)('%i s past noon: %s', ([second, says]) => {
    expect(judge('header-reset-ahead', { [reset]: String(noon + second) })).toContain(says)
  })

  test('of a day lies up to two days ahead', () => {
    const day = { [limit]: '1000', [remaining]: '900' }
    const inHours = (hours: number) => ({ ...day, [reset]: String(noon + hours * 3600) })
    expect(judge('header-reset-ahead', inHours(48))).toBe('holds')
    expect(judge('header-reset-ahead', inHours(49))).toContain('two windows of 86400 s')
  })

  test('is not judged without a Date, nor how far it lies on a 429', () => {
    expect(judge('header-reset-ahead', { Date: undefined })).toContain('no reliable Date')
    const ban = refused('/pets', 429, { [remaining]: '0', [reset]: String(noon + 3600) })
    expect(judged(invariantNamed(rateLimitHeaders, 'header-reset-ahead'), ban)).toBe('holds')
  })
})

describe('a declared window', () => {
  const served = (count: number, at: (i: number) => Headers) =>
    judge('window-served-most', ...Array.from({ length: count }, (_, i) => at(i)))

  test('serves one key no more than the number of its plan', () => {
    expect(served(60, () => ({}))).toBe('holds')
    expect(served(61, () => ({}))).toContain('61 served under X-RateLimit-Limit: 60')
  })

  test('ends where Reset changes', () => {
    expect(served(120, (i) => ({ [reset]: String(noon + 60 + 60 * (i % 2)) }))).toBe('holds')
  })

  test('counts keys apart, and what was refused not at all', () => {
    const window = invariantNamed(rateLimitHeaders, 'window-served-most')
    const apiRequest = post('/pets', '{}')
    const others = Array.from({ length: 60 }, (_, i) =>
      i % 2 === 0
        ? fakeExchange(apiRequest, { status: 400, body: '{}' })
        : fakeExchange(apiRequest, { status: 201, body: '{}', key: 'free-2' }),
    )
    expect(judged(window, ...others, listed({}, 61))).toBe('holds')
  })
})
