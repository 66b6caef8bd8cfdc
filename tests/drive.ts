// A load put on a small server of a test, and all that came of it.
import { expect } from 'vitest'
import { direct } from '../engine/http/connection-options.ts'
import type { DriveTarget, Load, Sample } from '../load/connection.ts'
import { drive } from '../load/driver.ts'
import { type Act, opened, type ReceivedRequest, serveActs } from './raw-server.ts'

export { opened }

export const ok: Act = { status: 200, headers: [['X-RateLimit-Remaining', '5']], body: '[1]' }

export const serving = (act: (heard: ReceivedRequest, before: number) => Act) =>
  opened(serveActs(act))

export const plain: Load = {
  connections: 5,
  amount: 23,
  durationMs: null,
  key: 'free-1',
  overallMs: 20_000,
  keep: 100,
}

export const targetAt = (origin: string, differing: Partial<DriveTarget>): DriveTarget => ({
  request: {
    url: `${origin}/v1/pets?limit=1`,
    headers: [['Authorization', 'Bearer key-of-free-1']],
  },
  reach: direct,
  responseTimeoutMs: 2_000,
  signal: new AbortController().signal,
  ...differing,
})

export const driven = async (
  origin: string,
  load: Partial<Load> = {},
  differing: Partial<DriveTarget> = {},
) => {
  const samples: Sample[] = []
  const result = await drive(targetAt(origin, differing), { ...plain, ...load }, (sample) => {
    samples.push(sample)
  })
  expect(result.sent).toBe(samples.length)
  const lost = samples.filter(({ response }) => response === null).length
  return { ...result, all: samples, lost, answered: samples.length - lost }
}

/** The status of each, or what it was lost by. */
export const statuses = (all: readonly Sample[]) =>
  all.map(({ response, noResponse }) => response?.status ?? noResponse)
