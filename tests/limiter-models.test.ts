// The design of a limiter is recognised, or left open, whenever in a minute the burst begins.
import { expect, test } from 'vitest'
import type { Context } from '../engine/check/context.ts'
import { sendsRequests } from '../engine/check/declare.ts'
import { type AnsweredExchange, get } from '../history/exchange.ts'
import { plans } from '../spec/plans.ts'
import { observed } from '../suites/rate-limit/observed.ts'
import { fakeExchange } from './fakes/fake-exchange.ts'
import { models, takerOf } from './limiter-models.ts'

const noonMs = Date.UTC(2026, 10, 20, 12)

/** What the observation says of these responses to the only key. */
const designOf = (heard: readonly AnsweredExchange[]): unknown => {
  const keys = [{ label: 'free-1', plan: 'free', quota: plans.free, responses: () => heard }]
  const context = { limits: { keys } } as unknown as Context
  const observation = observed.find(({ id }) => id === 'limiter-design')
  return observation && sendsRequests(observation) ? observation.run?.(context, 0) : undefined
}

/**
 * A call some minutes before, two probes, the burst with one call too many, one after the wait, and
 * one a little later.
 */
const replay = (take: ReturnType<typeof takerOf>, startMs: number) => {
  const heard: AnsweredExchange[] = []
  let nowMs = startMs
  const call = (afterMs: number) => {
    nowMs += afterMs
    const taken = take(noonMs + nowMs)
    const headers = {
      Date: new Date(noonMs + nowMs).toUTCString(),
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': `${taken.remaining}`,
      'X-RateLimit-Reset': `${Math.ceil(taken.resetAtMs / 1_000)}`,
    }
    const answer = taken.granted ? { status: 200, body: '[{"id":1}]' } : { status: 429, body: '{}' }
    const exchange = fakeExchange(get('/pets?limit=1'), {
      ...{ ...answer, headers, seq: heard.length + 1 },
    })
    heard.push({ ...exchange, sentMs: nowMs, receivedMs: nowMs + 1 })
    return taken
  }
  call(-200_700)
  const probes = [call(200_700), call(3_500)]
  const left = probes.at(-1)?.remaining ?? 0
  let last = probes[0]
  for (let at = 0; at <= left; at += 1) last = call(4)
  while (last?.granted) last = call(4)
  const again = call(Math.max(1_000, Math.ceil((last?.retryAfterMs ?? 0) / 1_000) * 1_000) + 50)
  if (again.granted && again.remaining < 59) call(4_800)
  return designOf(heard)
}

/** Not within the seconds before a minute ends: there the next one is waited for. */
const starts = Array.from({ length: 17 }, (_, at) => at * 3_037 + 300)

test.each(Object.entries(models))('%s', async (_name, model) => {
  const { is, isUnsure } = model
  const named = await Promise.all(starts.map((startMs) => replay(takerOf(model), startMs)))
  const right = named.filter((name) => name === is).length
  expect(new Set([...named, is, 'inconclusive'])).toEqual(new Set([is, 'inconclusive']))
  if (!isUnsure) expect(right).toBeGreaterThan(0.8 * starts.length)
})
