// The Prism column: all of its failures are known, and none of the known ones is stale.
import { expect, onTestFinished, test } from 'vitest'
import { runColumn } from '../../cli/commands/demo.ts'
import { startPrism } from '../../reference/prism.ts'
import { judgeKnown, readKnown } from '../../reports/known-failures.ts'
import { plans } from '../../spec/plans.ts'
import { catalogue } from '../../suites/index.ts'
import { textOf } from '../layout/sources.ts'
import { idsOf, silent } from '../vet-reference.ts'

const known = textOf('reference/prism-known.txt')
/** Of numbers that are those of examples: which follows which depends on how fast it responds. */
const byChance: ReadonlySet<string> = new Set(['remaining-rises-at-reset'])

test('the mock fails as it is known to', async () => {
  const mock = await startPrism(0)
  onTestFinished(mock.close)
  const signal = new AbortController().signal
  const column = await runColumn(catalogue, { maxRequests: 5_000, signal }, mock, silent)
  // Each key has enough in one minute, so that `npm start` does not wait for a second one.
  const spent = Object.values(column.requestsByKey)
  expect(spent.length).toBeGreaterThan(0)
  expect(Math.max(...spent)).toBeLessThanOrEqual(plans.free.perMinute)
  const ids = new Set([...catalogue, ...column.checks].map(({ id }) => id))
  const listed = readKnown(known)
  expect([...listed.failures.keys()].filter((id) => !ids.has(id))).toEqual([])
  const { excused, stale } = judgeKnown(column, listed)
  const failed = idsOf(column, 'fail')
  expect(failed.filter((id) => !excused.has(id) && !byChance.has(id))).toEqual([])
  expect([...stale]).toEqual([])
  expect(column.checks.filter(({ outcome }) => outcome === 'error')).toEqual([])
  const run = new Set(column.checks.map(({ id }) => id))
  expect(catalogue.filter(({ id }) => !run.has(id))).toHaveLength(10)
})
