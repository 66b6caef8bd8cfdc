// Servers under load: baselines that cannot be used.
import { expect, onTestFinished, test } from 'vitest'
import { startReference } from '../reference/start.ts'
import { serveActs } from '../tests/raw-server.ts'
import { testKey, testOptions } from '../tests/vet-reference.ts'
import { runLoad } from './run-load.ts'
import { scenarios } from './scenarios.ts'

test.each([
  ['refuses its keys', () => ({ status: 401 }), /all keys were|the key was refused/],
  ['does not respond', () => 'drop' as const, /gave no answer/],
])('a baseline that %s', async (_does, act, why) => {
  const other = await serveActs(act)
  onTestFinished(other.close)
  const keys = [{ plan: 'free' as const, key: testKey }]
  const server = await startReference({ keys, onFault: () => {} })
  onTestFinished(server.close)
  const target = testOptions(server.url, {})
  const options = { ...target, baseUrl: `${other.origin}/v1` }
  const run = await runLoad(
    {
      scenarios: scenarios.filter(({ id }) => id === 'steady'),
      settings: { connections: [2], durationMs: 100 },
      target,
      baselines: [{ column: 'prism', options }],
      missing: ['the column reference is empty: it did not start'],
      thresholds: null,
    },
    { event: () => {} },
  )
  expect(run.impossible).toBeNull()
  expect(run.notes.join('\n')).toMatch(/the column reference is empty/)
  expect(run.notes.find((text) => text.startsWith('the column prism is empty'))).toMatch(why)
  expect(Object.keys(run.load?.[0]?.columns ?? {})).toEqual(['target'])
})
