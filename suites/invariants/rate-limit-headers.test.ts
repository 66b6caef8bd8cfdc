// The rate-limit headers: what violates each requirement about them, and what legal servers send.
import { describe, expect, test } from 'vitest'
import { get } from '../../engine/check/exchange.ts'
import { fakeExchange, invariantNamed, judged } from '../../tests/fake-exchange.ts'
import { rateLimitHeaders } from './rate-limit-headers.ts'

const noon = Date.UTC(2026, 10, 20, 12) / 1000
const limit = 'X-RateLimit-Limit'
const remaining = 'X-RateLimit-Remaining'
const reset = 'X-RateLimit-Reset'

type Headers = Record<string, string | readonly string[] | undefined>

const responding = (path: string, status: number, headers: Headers) =>
  fakeExchange(path, { status, body: '{}', headers })

const judge = (id: string, headers: Headers) =>
  judged(invariantNamed(rateLimitHeaders, id), responding('/pets', 200, headers))

describe('a missing header', () => {
  const present = invariantNamed(rateLimitHeaders, 'header-reset-present')
  const elsewhere = invariantNamed(rateLimitHeaders, 'headers-elsewhere-present')
  const bare = { [reset]: undefined }

  test.for([
    ['/store', 404],
    ['/pets/', 404],
    ['/pets', 413],
  ] as const)('is only unwise at %s with %i', ([path, status]) => {
    const response = responding(path, status, bare)
    expect(judged(present, response)).toBe('not judged')
    expect(judged(elsewhere, response)).toContain('no such header')
  })

  test("is nothing on a redirect from an address that is not the interface's own", () => {
    const redirect = responding('/pets/', 301, bare)
    expect(judged(elsewhere, redirect)).toBe('not judged')
    expect(judged(present, redirect)).toBe('not judged')
    expect(judged(present, responding('/pets', 301, bare))).toContain('no such header')
  })

  test.for(['/pets/%zz', '/pets/%00', '/pets?status=%ff'])('is only unwise at %s', (path) => {
    expect(judged(present, responding(path, 400, bare))).toBe('not judged')
    expect(judged(elsewhere, responding(path, 400, bare))).toContain('no such header')
    expect(judged(present, responding(path, 200, bare))).toContain('no such header')
  })

  test.for(['HEAD', 'OPTIONS'])('is nothing on %s', (method) => {
    const response = { status: 204, body: '', headers: bare }
    expect(judged(present, fakeExchange({ ...get('/pets'), method }, response))).toBe('not judged')
  })
})

test.for(['-1', '59.0', '60, 1000', '', 'none', '1e1'])('"%s" is no decimal integer', (value) => {
  expect(judge('header-remaining-integer', { [remaining]: value })).toContain('one decimal integer')
})

test.for([
  ['header-limit-of-plan', 401, 'free-1'],
  ['header-remaining-counts', 404, 'free-1'],
  ['header-reset-unix-seconds', 200, null],
  ['header-limit-of-plan', 200, null],
] as const)('the numbers %s says nothing of a %i to %s', ([id, status, key]) => {
  const headers = { [limit]: '7', [remaining]: '7', [reset]: '7' }
  const response = fakeExchange('/pets', { status, body: '[]', headers, key })
  expect(judged(invariantNamed(rateLimitHeaders, id), response)).toBe('not judged')
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

  test('is not judged by a wrong Date while the test clock is moved', () => {
    const headers = { Date: new Date((noon - 7 * 3600) * 1000).toUTCString() }
    const late = responding('/pets', 200, { ...headers, [reset]: String(noon + 3660) })
    const ahead = invariantNamed(rateLimitHeaders, 'header-reset-ahead')
    expect(judged(ahead, late)).toContain('at most two windows of 60 s')
    expect(judged(ahead, { ...late, meanwhileMs: 3_600_000 })).toContain('right by the local clock')
  })

  test('is not judged without a Date, nor how far it lies on a 429', () => {
    expect(judge('header-reset-ahead', { Date: undefined })).toContain('no reliable Date')
    const ban = responding('/pets', 429, { [remaining]: '0', [reset]: String(noon + 3600) })
    expect(judged(invariantNamed(rateLimitHeaders, 'header-reset-ahead'), ban)).toBe('holds')
  })
})
