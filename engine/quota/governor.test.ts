// The governor, over a clock of its own and over the algorithms of common limiters.
import { describe, expect, test } from 'vitest'
import type { AnsweredExchange } from '../../history/exchange.ts'
import { fakeExchange } from '../../tests/fakes/fake-exchange.ts'
import { models, takerOf } from '../../tests/limiter-models.ts'
import type { Pace } from '../check/context.ts'
import { Governor } from './governor.ts'

const epochMs = Date.UTC(2026, 0, 1)

/** A pace whose time passes only by waits. */
const createTestPace = (instant = true): Pace & { waits: number[] } => {
  let nowMs = 0
  const waits: number[] = []
  const pass = async (ms: number) => {
    waits.push(ms)
    nowMs += ms
  }
  const still = { instant, moved: () => {}, movedMs: () => 0 }
  return { waits, now: () => nowMs, pass, sleep: pass, ...still }
}

const rate = (limit: number, remaining: number, resetMs: number) => ({
  'X-RateLimit-Limit': `${limit}`,
  'X-RateLimit-Remaining': `${remaining}`,
  'X-RateLimit-Reset': `${Math.ceil((epochMs + resetMs) / 1000)}`,
})

const response = (
  status: number,
  headers: Record<string, string>,
  nowMs: number,
): AnsweredExchange => {
  const at = new Date(epochMs + nowMs)
  const limits = { 'X-RateLimit-Limit': undefined, ...headers }
  const exchange = { status, body: '', headers: { Date: at.toUTCString(), ...limits } }
  return { ...fakeExchange('/pets', exchange), at: at.toISOString() }
}

const key = { label: 'free-1', quota: { perMinute: 60, perDay: 1_000 } }

const governing = (instant = true) => {
  const pace = createTestPace(instant)
  return { pace, governor: new Governor([key], pace, () => {}, { allow: ['day'] }) }
}

test.for(Object.entries(models))('%s: 300 requests draw no refusal', async ([, named]) => {
  const { pace, governor } = governing()
  const take = takerOf(named)
  for (let sent = 0; sent < 300; sent += 1) {
    const label = await governor.admit(undefined)
    await pace.pass(20)
    const { granted, remaining, resetAtMs } = take(epochMs + pace.now())
    expect(granted).toBe(true)
    const headers = rate(60, remaining, resetAtMs - epochMs)
    expect(governor.learn(label, response(200, headers, pace.now()))).toBe(false)
  }
})

test('of responses that overlapped the least Remaining holds, whatever their order', async () => {
  const { pace, governor } = governing()
  for (let sent = 0; sent < 3; sent += 1) await governor.admit(undefined)
  for (const [place, remaining] of [2, 0, 1].entries()) {
    await pace.pass(20)
    governor.learn('free-1', {
      ...response(200, rate(60, remaining, 60_000), pace.now()),
      sentMs: place,
      receivedMs: pace.now(),
    })
  }
  expect(governor.left()).toBe(0)
  // What is sent afterwards says what there is.
  governor.take('free-1')
  const later = { ...response(200, rate(60, 5, 60_000), pace.now()), sentMs: pace.now() }
  governor.learn('free-1', later)
  expect(governor.left()).toBe(5)
})

test('401 may be a ban only after a refusal', async () => {
  const { governor } = governing()
  const statuses = [401, 429, 401].map((status) =>
    governor.learn('free-1', response(status, {}, 0)),
  )
  expect(statuses).toEqual([false, true, true])
})

test('in real time no wait of hours is started', async () => {
  const { governor } = governing(false)
  await governor.admit(undefined)
  governor.learn('free-1', response(200, rate(1000, 0, 5 * 3_600_000), 0))
  await expect(governor.admit(undefined)).rejects.toThrow('no requests left')
})

describe('in real time a key is waited for', () => {
  /** How many waits pass for a key that has so many calls left after each of them. */
  const waitsFor = async (callsEach: readonly number[], waitMs: number, perMinute = 60) => {
    const pace = createTestPace(false)
    const small = { ...key, quota: { perMinute, perDay: 100_000 } }
    const governor = new Governor([small], pace, () => {}, { allow: ['day'] })
    const send = async (remaining: number) => {
      const label = await governor.admit(undefined)
      const headers = rate(perMinute, remaining, pace.now() + waitMs)
      governor.learn(label, response(200, headers, pace.now()))
    }
    await send(0)
    for (const calls of callsEach) {
      try {
        for (let left = calls - 1; left >= 0; left -= 1) await send(left)
      } catch (error) {
        expect(error).toMatchObject({ because: 'blocked' })
        await expect(send(0)).rejects.toThrow('5 resets in a row')
        return pace.waits.length
      }
    }
    return pace.waits.length
  }
  const always = (calls: number) => Array<number>(30).fill(calls)

  test.for([
    ['five times, where each reset yields one call', 5, always(1), 60_000, 60],
    ['five times, where each reset yields two', 5, always(2), 60_000, 60],
    ['as long as each reset yields three', 30, always(3), 60_000, 60],
    ['as long as its quota is as small', 30, always(1), 60_000, 2],
    ['as long as the waits are short', 30, always(1), 3_000, 60],
    ['again after one good minute', 10, [1, 1, 1, 1, 60, 1, 1, 1, 1, 1], 60_000, 60],
  ] as const)('%s', async ([, waits, callsEach, waitMs, perMinute]) => {
    expect(await waitsFor(callsEach, waitMs, perMinute)).toBe(waits)
  })
})

test('what waits for a Remaining: 0 after one request names it', async () => {
  const whys: string[] = []
  const say = (_ms: number, why: string) => whys.push(why)
  const governor = new Governor([key], createTestPace(false), say, { allow: [] })
  for (let sent = 0; sent < 2; sent += 1) {
    const label = await governor.admit(undefined)
    governor.learn(label, response(200, rate(60, 0, 60_000), 0))
  }
  const why = 'GET /pets got 200 with Remaining: 0 after 1 of 60 requests'
  expect(whys).toEqual([`for key free-1, as ${why}`])
})
