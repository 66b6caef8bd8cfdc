// The proof of the checks over sockets: a fault that shows there alone, and one of the limits. The
// net proves all in virtual time, and `npm run prove` all over sockets.
import { expect, test } from 'vitest'
import { smokeId } from '../engine/run/smoke.ts'
import { complaintOf, runOverSockets, servers } from '../proof/subjects.ts'
import { mutants } from '../reference/mutants.ts'
import { catalogue } from '../suites/index.ts'
import { withSetUp } from '../suites/set-up.ts'

const checks = new Set(catalogue.map(({ id }) => id))

test('each mutant names a check that exists', () => {
  const wrong = mutants.filter(({ caughtBy }) => caughtBy !== smokeId && !checks.has(caughtBy))
  expect(wrong.map(({ id, caughtBy }) => `${id}: ${caughtBy}`)).toEqual([])
})

const chosen = servers.filter(({ id }) => ['body-read-once', 'window-never-ends'].includes(id))

test.for(chosen)('the proof of $id holds', { timeout: 300_000 }, async (server) => {
  const claimed = catalogue.filter(({ id }) => id === server.caughtBy)
  const isRow = server.suite === 'contract'
  const checks = isRow ? withSetUp(catalogue, claimed) : server.vetting.checks
  const vetting = { ...server.vetting, checks }
  expect(complaintOf(server, await runOverSockets({ ...server, vetting }, 7))).toBeNull()
})
