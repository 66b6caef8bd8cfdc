// The proof of the checks: each fails with its mutants, and none with a legal server.
import { expect, test } from 'vitest'
import { smokeId } from '../engine/run/smoke.ts'
import { workThrough } from '../proof/pool.ts'
import { type Proof, type Subject, subjects } from '../proof/subjects.ts'
import { mutants } from '../reference/mutants.ts'
import { catalogue } from '../suites/index.ts'
import { sample } from './sample.ts'

const checks = new Set(catalogue.map(({ id }) => id))

const ofKind = (kind: Subject['kind'], ...suites: Subject['suite'][]) =>
  subjects.filter((subject) => subject.kind === kind && suites.includes(subject.suite))

test('each mutant names a check that exists', () => {
  const wrong = mutants.filter(({ caughtBy }) => caughtBy !== smokeId && !checks.has(caughtBy))
  expect(wrong.map(({ id, caughtBy }) => `${id}: ${caughtBy}`)).toEqual([])
})

/** A few over sockets: `npm run prove` takes all so, and the net in virtual time. */
const chosen = [
  ...sample(ofKind('mutant', 'contract'), 300),
  ...sample(ofKind('mutant', 'limits', 'days'), 160),
  ...sample(ofKind('legal', 'contract'), 120),
]

test(`the proofs of ${chosen.length} servers hold`, { timeout: 600_000 }, async () => {
  const proofs = await workThrough<Proof>({ kind: 'proof', seed: 7 }, chosen)
  expect(proofs).toHaveLength(chosen.length)
  const wrong = proofs.filter(({ complaint }) => complaint !== null)
  expect(wrong.map(({ kind, id, complaint }) => `${kind} ${id}: ${complaint}`)).toEqual([])
})
