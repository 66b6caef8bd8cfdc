// What is asked alone gets what it judges, and no more than is missing.
import { expect, test } from 'vitest'
import { startReference } from '../reference/start.ts'
import { testKey, testOptions, told } from '../tests/vet-reference.ts'
import { withSetUp } from './fill.ts'
import { catalogue } from './index.ts'
import { runSuites } from './kit/run.ts'

/** Asks these alone, one after the other, of the same server. */
const askedAlone = async (...ids: string[]) => {
  const { url, close } = await startReference({
    keys: [{ plan: 'pro', key: testKey, perMinute: 300, perDay: 50_000 }],
    ...{ store: 'memory', port: 0, onFault: () => {} },
  })
  const quota = { perMinute: 300, perDay: 50_000 }
  const keys = [{ plan: 'pro', key: testKey, quota }] as const
  const runs = []
  try {
    for (const id of ids) {
      const chosen = withSetUp(
        catalogue,
        catalogue.filter((each) => each.id === id),
      )
      const sink = { exchange: () => {}, event: () => {} }
      runs.push(await runSuites(chosen, testOptions(url, { keys }), sink))
    }
  } finally {
    await close()
  }
  return runs
}

test('animals that are there are not created again', async () => {
  const [first, second] = await askedAlone('list-limit-zero', 'list-limit-most')
  expect([first, second].map((run) => run && told(run, 'fail', 'untested'))).toEqual([[], []])
  expect(first?.requests).toBeGreaterThan(100)
  expect(second?.requests).toBeLessThan(20)
})

test('what becomes of refused creations is judged after some were refused', async () => {
  const [run] = await askedAlone('create-refused-no-trace')
  expect(run?.checks.find(({ id }) => id === 'create-refused-no-trace')?.outcome).toBe('pass')
  expect(run && told(run, 'fail', 'untested')).toEqual([])
})
