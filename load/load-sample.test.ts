// The fate of a request, classified by the earlier responses to its key.
import { expect, test } from 'vitest'
import { createFates, type Sample } from './load-sample.ts'

const sample = (status: number, sentMs: number): Sample => ({
  key: 'free-1',
  response: { status, headers: [], bytes: Buffer.of(), cut: false },
  ...{ noResponse: null, sentMs, receivedMs: sentMs + 1 },
})

/** The fates of statuses in turn, one a second, with these waits in the refusals. */
const fatesOf = (given: readonly (readonly [status: number, waitMs?: number])[]) => {
  const waits = new Map<Sample, number | undefined>()
  const fateOf = createFates((one) => waits.get(one))
  return given.map(([status, waitMs], at) => {
    const one = sample(status, at * 1_000)
    waits.set(one, waitMs)
    return fateOf(one)
  })
}

test.for<[string, Parameters<typeof fatesOf>[0], string]>([
  ['each 2xx is served', [[200], [201]], 'served served'],
  [
    'each other response has one fate',
    [[302], [404], [401], [403], [503]],
    'otherClientError otherClientError otherClientError otherClientError serverError',
  ],
  [
    'a wait that ends later than the first one is that of a ban',
    [30_000, 29_000, 90_000].map((ms) => [429, ms]),
    'refused refused banned',
  ],
  [
    'a bucket states a later moment each time, and bans nobody',
    [1_000, 1_000, 1_000].map((ms) => [429, ms]),
    'refused refused refused',
  ],
  [
    '401 and 403 are a ban after a refusal, and not before',
    [[403], [429, 30_000], [403], [401]],
    'otherClientError refused banned banned',
  ],
  [
    'a key that is served again begins anew',
    [[429, 2_000], [200], [403], [429, 60_000]],
    'refused served otherClientError refused',
  ],
])('%s', ([, given, fates]) => {
  expect(fatesOf(given).join(' ')).toBe(fates)
})

test('what was lost is what it was lost by', () => {
  const fateOf = createFates(() => undefined)
  for (const noResponse of ['timeout', 'reset'] as const) {
    expect(fateOf({ ...sample(0, 0), response: null, noResponse })).toBe(noResponse)
  }
})

test('a request in flight with a refusal does not end it', () => {
  const fateOf = createFates(() => 30_000)
  expect(fateOf(sample(429, 10))).toBe('refused')
  expect(fateOf(sample(200, 10))).toBe('served')
  expect(fateOf(sample(403, 12))).toBe('banned')
})
