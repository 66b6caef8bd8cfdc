// The data of the limiter's charts: which responses were refused, and at what time.
import { describe, expect, test } from 'vitest'
import { fakeExchanges } from '../../tests/fake-recorded.ts'
import type { RecordedExchange } from '../exchanges.ts'
import { gatherRates } from './rate-facts.ts'

const noonMs = Date.UTC(2026, 10, 20, 12)

interface SendingCheck {
  readonly status: number
  readonly atMs: number
  /** How far the target's clock is ahead of the run's. */
  readonly aheadMs?: number
  readonly retryAfter?: string
  readonly key?: string | null
}

const recorded = ({ status, atMs, aheadMs = 0, retryAfter, key = 'free-1' }: SendingCheck) => ({
  ...[...fakeExchanges(1, '[]')][0],
  at: new Date(noonMs + atMs).toISOString(),
  ms: 0,
  key,
  response: {
    status,
    headers: [
      ['Date', new Date(noonMs + atMs + aheadMs).toUTCString()],
      ...(retryAfter === undefined ? [] : [['Retry-After', retryAfter]]),
    ],
    body: '',
  },
})

const gather = (...sent: SendingCheck[]) =>
  gatherRates(sent.map(recorded) as unknown as RecordedExchange[]).responses.get('free-1') ?? []

const fatesOf = (...sent: SendingCheck[]) => gather(...sent).map(({ fate }) => fate)

test('windows begin and end, and a ban is distinguished from a refusal', () => {
  const { responses } = gatherRates(fakeExchanges(620, '[]'))
  const fates = Map.groupBy(responses.get('free-1') ?? [], ({ fate }) => fate)
  expect(fates.get('served')).toHaveLength(600)
  expect(fates.get('refused')).toHaveLength(19)
  expect(fates.get('banned')).toHaveLength(1)
  expect(fates.get('banned')?.[0]).toMatchObject({ status: 429, limit: 60, remaining: 0 })
})

describe('a refusal is a ban', () => {
  const first = { status: 429, atMs: 0, retryAfter: '30' }

  test.for([
    ['with another status of a key that was good', [first, { status: 403, atMs: 10 }]],
    ['that puts off the stated time', [first, { status: 429, atMs: 10, retryAfter: '90' }]],
  ] as const)('%s', ([, sent]) => {
    expect(fatesOf(...sent)).toEqual(['refused', 'banned'])
  })

  test.for([
    ['that states the same end', [first, { status: 429, atMs: 5_000, retryAfter: '25' }]],
    ['in another window', [first, { status: 429, atMs: 61_000, retryAfter: '30' }]],
    ['without a stated time', [first, { status: 429, atMs: 10 }]],
  ] as const)('not: one %s', ([, sent]) => {
    expect(fatesOf(...sent)).toEqual(['refused', 'refused'])
  })

  test('not without a refusal before it', () => {
    expect(fatesOf({ status: 200, atMs: 0 }, { status: 403, atMs: 1 })).toEqual([
      'served',
      'served',
    ])
  })
})

describe('the time', () => {
  test('follows a test clock that is moved', () => {
    const responses = gather(
      { status: 200, atMs: 0 },
      { status: 200, atMs: 100, aheadMs: 61_000 },
      { status: 200, atMs: 1_500, aheadMs: 61_000 },
    )
    expect(responses.map(({ atMs }) => atMs - noonMs)).toEqual([0, 61_000, 62_400])
  })

  test('is that of the run if the target has whole seconds only', () => {
    const responses = gather({ status: 200, atMs: 900 }, { status: 200, atMs: 2_100 })
    expect(responses.map(({ atMs }) => atMs - noonMs)).toEqual([900, 2_100])
  })
})

test('a call without a valid key, or without a response, is not counted', () => {
  expect(gather({ status: 401, atMs: 0, key: null })).toEqual([])
  const unanswered = { ...recorded({ status: 200, atMs: 0 }), response: null }
  expect(gatherRates([unanswered as unknown as RecordedExchange]).responses.size).toBe(0)
})

test('beyond the bound responses are counted, not kept', () => {
  const { responses, leftOut } = gatherRates(fakeExchanges(200_010, '[]'))
  expect(responses.get('free-1')).toHaveLength(200_000)
  expect(leftOut).toBe(10)
})
