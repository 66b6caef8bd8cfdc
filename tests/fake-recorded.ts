// Recorded exchanges of a key that meets its limit again and again, made up for tests of reports.
import type { RecordedExchange } from '../engine/http/recorder.ts'

const startMs = Date.UTC(2026, 10, 20, 12)
const minuteMs = 60_000
const perMinute = 60

/** Calls of one window: all that are served, and two that are refused. */
const perWindow = perMinute + 2

/**
 * The `index`-th exchange: a call each 100 ms until the key is refused twice, then a pause until
 * the next minute. The second refusal of every tenth minute states a ban.
 */
const fakeRecorded = (index: number, body: string): RecordedExchange => {
  const window = Math.floor(index / perWindow)
  const call = index % perWindow
  const atMs = startMs + window * minuteMs + call * 100
  const resetMs = startMs + (window + 1) * minuteMs
  const isRefused = call >= perMinute
  const waitS = Math.ceil((resetMs - atMs) / 1_000)
  const isBan = call > perMinute && window % 10 === 9
  const rate: [string, string][] = [
    ['X-RateLimit-Limit', String(perMinute)],
    ['X-RateLimit-Remaining', String(Math.max(0, perMinute - 1 - call))],
    ['X-RateLimit-Reset', String(resetMs / 1_000)],
  ]
  return {
    seq: index + 1,
    at: new Date(atMs).toISOString(),
    check: 'quota-free',
    key: 'free-1',
    request: {
      method: 'GET',
      url: 'http://127.0.0.1:8080/v1/pets',
      headers: [['Authorization', 'Bearer $PETVET_KEY']],
      body: null,
    },
    response: {
      status: isRefused ? 429 : 200,
      headers: [
        ['Content-Type', 'application/json'],
        ['Date', new Date(atMs).toUTCString()],
        ...rate,
        ...(isRefused ? [['Retry-After', String(isBan ? waitS + 90 : waitS)] as const] : []),
      ],
      body,
    },
    ms: 1.5,
  }
}

export function* fakeExchanges(count: number, body: string): Iterable<RecordedExchange> {
  for (let index = 0; index < count; index += 1) yield fakeRecorded(index, body)
}
