// The Prism column: all of its failures are known, and none of the known ones is stale.
import { expect, test } from 'vitest'
import { runColumn } from '../../cli/column.ts'
import { judgeColumn } from '../../cli/column-known.ts'
import { catalogue } from '../../suites/index.ts'

test('the mock fails as it is known to', { timeout: 60_000 }, async () => {
  const signal = new AbortController().signal
  const sink = { exchange: () => {}, event: () => {} }
  const limits = { seed: 1, maxRequests: 5_000, signal }
  const column = await runColumn(catalogue, limits, sink)
  const ids = new Set([...catalogue, ...column.checks].map(({ id }) => id))
  const { excused, stale } = judgeColumn(column, (id) => ids.has(id))
  const failed = column.checks.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)
  expect(failed.filter((id) => !excused.has(id))).toEqual([])
  expect([...stale]).toEqual([])
  expect(column.checks.filter(({ outcome }) => outcome === 'error')).toEqual([])
})
