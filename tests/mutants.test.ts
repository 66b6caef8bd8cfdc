// The proof of the checks over sockets: each fails with its mutants, and none with a legal server.
import { expect, test } from 'vitest'
import { smokeId } from '../engine/run/smoke.ts'
import { complaintOf, runOverSockets, type Subject, servers } from '../proof/subjects.ts'
import { mutants } from '../reference/mutants.ts'
import { catalogue } from '../suites/index.ts'
import { sample } from './sample.ts'

const checks = new Set(catalogue.map(({ id }) => id))

test('each mutant names a check that exists', () => {
  const wrong = mutants.filter(({ caughtBy }) => caughtBy !== smokeId && !checks.has(caughtBy))
  expect(wrong.map(({ id, caughtBy }) => `${id}: ${caughtBy}`)).toEqual([])
})

const some = (kind: Subject['kind'], suite: Subject['suite'], every: number) =>
  sample(
    servers.filter((server) => server.kind === kind && server.suite === suite),
    every,
  )

/** `npm run prove` takes all, and the net in virtual time. */
const chosen = [
  ...some('mutant', 'contract', 300),
  ...some('mutant', 'limits', 90),
  ...some('legal', 'contract', 120),
].map((server) => [server.id, server] as const)

test.for(chosen)('the proof of %s holds', { timeout: 120_000 }, async ([, server]) => {
  expect(complaintOf(server, await runOverSockets(server, 7))).toBeNull()
})
