// What workers on several machines sent, whose clocks do not show how late one of them began.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from '../../tests/e2e/petvet.ts'
import { epochMs, fakeWorkers, limitOf, type Serve } from '../../tests/fakes/fake-workers.ts'
import { outcomesOf } from '../../tests/vet-reference.ts'
import { judgeSamples } from './judge.ts'
import { makePlan } from './plan.ts'
import { readSamples } from './samples.ts'

const quota = { perMinute: 300, perDay: 50_000 }
const key = { label: 'pro-1', plan: 'pro', key: '$KEY', variable: 'KEY', quota } as const

test('clocks that hide how late a worker began fail no bucket that fills meanwhile', async () => {
  const plan = await makePlan({
    ...{ keys: [key], variables: [], scenarios: ['burst'], baseUrl: 'https://pets.example/v1' },
    ...{ headers: [], allow: ['exhaust', 'ban'], shared: false, responseTimeoutMs: 1_000 },
    ...{ connections: [20], durationMs: null },
  })
  const limit = limitOf(plan, key.label)
  let [left, atMs] = [limit, 0]
  const bucket: Serve = (sent) => {
    if (sent.phase.key === '') return { status: 401, remaining: 0 }
    left = Math.min(limit, left + ((sent.atMs - atMs) * limit) / 60_000)
    atMs = sent.atMs
    const isServed = left >= 1
    if (isServed) left -= 1
    // It states a minute from now as its end, whatever it has.
    const resetMs = epochMs + atMs + 60_000
    return { status: isServed ? 200 : 429, remaining: Math.floor(left), resetMs }
  }
  const late = { lateMs: [20, 0, 250, 250], aheadMs: [-20, 0, -250, -250] }
  const files = [...fakeWorkers(plan, { serve: bucket, ...late })]
  const folder = folderWith(
    Object.fromEntries(files.map(([name, lines]) => [name, `${lines.join('\n')}\n`])),
  )
  const samples = await readSamples(files.map(([name]) => join(folder, name)))
  const given = { strict: false, seed: 0, thresholds: null }
  const run = await judgeSamples(samples, given, { event: () => {} })
  expect(outcomesOf(run, 'fail', 'error')).toEqual([])
  expect(outcomesOf(run, 'pass').join()).toContain('load-burst-not-more')
})
