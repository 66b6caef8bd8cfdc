// The governor, over a clock of its own and over limiters of several designs.
import { describe, expect, test } from 'vitest'
import { type Answered, get } from '../exchange.ts'
import { createGovernor } from './governor.ts'
import type { Pace } from './pace.ts'

const epochMs = Date.UTC(2026, 0, 1)

/** A pace whose time passes only when it is told to. */
const createTestPace = (): Pace & { waits: number[] } => {
  let nowMs = 0
  const waits: number[] = []
  const pass = (ms: number) => {
    waits.push(ms)
    nowMs += ms
    return Promise.resolve()
  }
  return {
    waits,
    now: () => nowMs,
    pass,
    sleep: pass,
    instant: true,
    moved: () => {},
    movedMs: () => 0,
  }
}

const answer = (status: number, headers: Record<string, string>, nowMs: number): Answered => ({
  seq: 1,
  at: new Date(epochMs + nowMs).toISOString(),
  check: 'test',
  key: 'free-1',
  asked: get('/pets'),
  request: { method: 'GET', url: '', headers: [], body: null },
  response: {
    status,
    headers: [['Date', new Date(epochMs + nowMs).toUTCString()], ...Object.entries(headers)],
    bytes: new Uint8Array(),
    cut: false,
  },
  noAnswer: null,
  sentMs: 0,
  receivedMs: 0,
  movedMs: 0,
})

const rate = (limit: number, remaining: number, resetMs: number) => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(Math.ceil((epochMs + resetMs) / 1000)),
})

const quota = { perMinute: 60, perDay: 1000 }
const key = { label: 'free-1', quota }

/** Limiters as functions of the times of the served calls: how many are left, and the reset. */
const designs: Record<
  string,
  (served: number[], nowMs: number) => [left: number, resetMs: number]
> = {
  'fixed window on the clock': (served, nowMs) => {
    const start = nowMs - (nowMs % 60_000)
    return [60 - served.filter((at) => at >= start).length, start + 60_000]
  },
  'sliding log': (served, nowMs) => {
    const recent = served.filter((at) => at > nowMs - 60_000)
    return [60 - recent.length, (recent[0] ?? nowMs) + 60_000]
  },
  'sliding counter': (served, nowMs) => {
    const start = nowMs - (nowMs % 60_000)
    const before = served.filter((at) => at >= start - 60_000 && at < start).length
    const own = served.filter((at) => at >= start).length
    const weight = 1 - (nowMs - start) / 60_000
    return [Math.floor(60 - before * weight - own), start + 60_000]
  },
  'token bucket': (served, nowMs) => {
    let tokens = 60
    let last = 0
    for (const at of served) {
      tokens = Math.min(60, tokens + (at - last) / 1000) - 1
      last = at
    }
    tokens = Math.min(60, tokens + (nowMs - last) / 1000)
    return [Math.floor(tokens), nowMs + (60 - tokens) * 1000]
  },
}

describe.each(Object.entries(designs))('over a %s', (_name, design) => {
  test('300 requests draw no refusal', async () => {
    const pace = createTestPace()
    const governor = createGovernor([key], pace, () => {}, true)
    const served: number[] = []
    for (let sent = 0; sent < 300; sent += 1) {
      const label = await governor.admit(undefined)
      await pace.pass(20)
      const [left] = design(served, pace.now())
      expect(left).toBeGreaterThan(0)
      served.push(pace.now())
      const [after, resetMs] = design(served, pace.now())
      const headers = rate(60, Math.max(0, after), resetMs)
      expect(governor.learn(label, answer(200, headers, pace.now()))).toBe(false)
    }
  })
})

test('headers that never fall do not lead into a refusal', async () => {
  const pace = createTestPace()
  const governor = createGovernor([key], pace, () => {}, true)
  for (let sent = 0; sent < 61; sent += 1) {
    await governor.admit(undefined)
    governor.learn('free-1', answer(200, rate(60, 59, 60_000), pace.now()))
  }
  expect(pace.waits).toHaveLength(1)
})

test('without headers no more than the quota is sent in a minute', async () => {
  const pace = createTestPace()
  const governor = createGovernor([key], pace, () => {}, true)
  for (let sent = 0; sent < 61; sent += 1) {
    await governor.admit(undefined)
    governor.learn('free-1', answer(200, {}, pace.now()))
  }
  expect(pace.now()).toBeGreaterThan(60_000)
})

test('an unexpected 429 freezes the key for the stated time', async () => {
  const pace = createTestPace()
  const governor = createGovernor([key], pace, () => {}, true)
  await governor.admit(undefined)
  const refusal = answer(429, { ...rate(60, 0, 10_000), 'Retry-After': '30' }, 0)
  expect(governor.learn('free-1', refusal)).toBe(true)
  await governor.admit(undefined)
  expect(pace.now()).toBeGreaterThanOrEqual(30_000)
})

test('401 is an answer, and after a refusal it may be a ban', async () => {
  const governor = createGovernor([key], createTestPace(), () => {}, true)
  await governor.admit(undefined)
  expect(governor.learn('free-1', answer(401, {}, 0))).toBe(false)
  governor.learn('free-1', answer(429, {}, 0))
  expect(governor.learn('free-1', answer(401, {}, 0))).toBe(true)
})

test('work spreads over the keys, and one that is not used is left alone', async () => {
  const other = { label: 'free-2', quota }
  const governor = createGovernor([key, other], createTestPace(), () => {}, true)
  const first = await governor.admit(undefined)
  governor.learn(first, answer(200, rate(60, 10, 60_000), 0))
  expect(await governor.admit(undefined)).not.toBe(first)
  governor.use('free-2', false)
  expect(await governor.admit(undefined)).toBe('free-1')
  expect(await governor.admit('free-2')).toBe('free-2')
})

test('in real time no wait of hours is begun', async () => {
  const pace = { ...createTestPace(), instant: false }
  const governor = createGovernor([key], pace, () => {}, true)
  await governor.admit(undefined)
  governor.learn('free-1', answer(200, rate(1000, 0, 5 * 3_600_000), 0))
  await expect(governor.admit(undefined)).rejects.toThrow('no requests left')
})
