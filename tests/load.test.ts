// The load scenarios as a whole: what they find, what they accept, and that the sums are correct.
import { expect, test } from 'vitest'
import type { RunFile } from '../engine/check/run-file.ts'
import type { Scenario } from '../load/scenario.ts'
import { scenarios } from '../load/scenarios.ts'
import { loadMutants } from '../reference/mutants/concurrency/in-flight.ts'
import { legalVariants, mutants } from '../reference/mutants.ts'
import { everyResponse, replacedBy } from '../reference/wrappers/middleware.ts'
import { requirement } from '../spec/requirements.ts'
import { type LoadTrial, loadReference } from './load-reference.ts'
import { isProof, sample } from './sample.ts'
import { outcomesOf } from './vet-reference.ts'

const verdicts = scenarios.flatMap((scenario) => scenario.verdicts)
const verdictOf = new Map(verdicts.map((verdict) => [verdict.id, verdict]))

/** Those about the quota; the others only observe. */
const ofQuota = ['fleet', 'edge', 'replicas', 'backoff', 'burst', 'ban']

const usual = {
  scenarios: ofQuota,
  settings: { connections: [10], durationMs: null },
  plans: ['free', 'free', 'pro'],
  variant: {},
  options: { responseTimeoutMs: 2_000 },
} as const

const sums = ({ load = [] }: RunFile) =>
  load.flatMap(({ id, columns }) =>
    Object.values(columns).map(({ sent, counts, countsByKey }) => {
      const all = Object.values(countsByKey).flatMap((each) => Object.values(each))
      return { id, sent, counted: Object.values(counts).reduce((a, b) => a + b, 0), all }
    }),
  )

test('ids are unique, and name their scenario', () => {
  const ids = verdicts.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { id, verdicts: own } of scenarios) {
    for (const verdict of own) expect(verdict.id).toMatch(new RegExp(`^load-${id}-[a-z0-9-]+$`))
  }
})

test('observations are about open requirements, and verdicts about binding ones', () => {
  const wrong = verdicts.filter(
    (verdict) => 'observe' in verdict !== (requirement(verdict.requirement).level === 'open'),
  )
  expect(wrong.map(({ id }) => id)).toEqual([])
})

test('with the reference all is tested, nothing fails, and the sums are correct', async () => {
  const run = await loadReference(usual)
  expect(outcomesOf(run, 'fail', 'warn', 'error', 'untested', 'inapplicable')).toEqual([])
  expect(run.verdict).toBe('conformant')
  expect(run.requests).toBe(run.received)
  for (const { sent, counted, all } of sums(run)) {
    expect(sent).toBeGreaterThan(0)
    expect([counted, all.reduce((a, b) => a + b, 0)]).toEqual([sent, sent])
  }
})

/** Sends ten requests, and keeps the bodies of the first two responses. */
const keepingTwo: Scenario = {
  id: 'keeping-two',
  says: 'Ten requests.',
  needs: { allow: [] },
  cost: () => ({ requests: 10, seconds: 1, does: 'sends ten requests' }),
  run: async function* (lane) {
    const key = 'free-1'
    const counts = { connections: 1, amount: 10, keep: 2 }
    await lane.drive({ ...counts, durationMs: null, key, overallMs: 30_000 })
    yield
  },
  verdicts: [],
}

test('responses without a kept body are judged as far as they go', async () => {
  const run = await loadReference({ ...usual, scenarios: [keepingTwo] })
  expect(run.impossible).toBeNull()
  expect(outcomesOf(run, 'fail', 'warn', 'error', 'untested')).toEqual([])
  expect(outcomesOf(run, 'pass').length).toBeGreaterThan(3)
})

test('no load mutant has the id of another one', () => {
  const known = new Set(mutants.map(({ id }) => id))
  expect(loadMutants.filter(({ id }) => known.has(id))).toEqual([])
})

const proofs = [
  ...loadMutants.map((mutant) => ({ mutant, id: mutant.id, verdict: mutant.caughtBy })),
  ...mutants.flatMap((mutant) =>
    (mutant.loadVerdicts ?? []).map((verdict) => ({ mutant, id: mutant.id, verdict })),
  ),
]

test('each verdict is proven, and each mutant names one that exists', () => {
  const judging = verdicts.filter((verdict) => 'laws' in verdict).map(({ id }) => id)
  expect(judging.filter((id) => !proofs.some(({ verdict }) => verdict === id))).toEqual([])
  expect(proofs.filter(({ verdict }) => !verdictOf.has(verdict))).toEqual([])
})

const claimed = proofs.filter(({ verdict }) => ofQuota.includes(verdict.split('-')[1] ?? ''))

test.for(sample(claimed, 1))(
  '$verdict finds $id',
  { timeout: 30_000 },
  async ({ mutant, verdict }) => {
    const run = await loadReference({
      ...usual,
      scenarios: [verdict.split('-')[1] ?? ''],
      settings: { connections: [10, 50], durationMs: null },
      plans: ['free', 'free', 'free'],
      variant: mutant,
      options: { responseTimeoutMs: 500 },
    })
    const found = outcomesOf(run, 'fail', 'warn').map((line) => line.split(' ')[1])
    expect(found).toContain(`${verdict}:`)
  },
)

/** `npm run prove` takes all, from several numbers of connections and on a larger plan. */
const many = {
  settings: { connections: [1, 10, 50], durationMs: null },
  options: { responseTimeoutMs: 5_000 },
}
const few: Pick<LoadTrial, 'plans'> = { plans: ['free', 'free', 'free'] }
const legal = sample(
  legalVariants.filter(({ suite }) => suite === 'both'),
  60,
)

test.for(legal)('nothing fails with $id', { timeout: 60_000 }, async (variant) => {
  const run = await loadReference({ ...usual, ...(isProof ? many : few), variant })
  expect(outcomesOf(run, 'fail', 'error')).toEqual([])
})

/** A method that is not there yet: it fails each call, at any quota. */
const notImplemented = everyResponse(replacedBy(501, 'not_implemented', 'Not implemented.'))

test('a refusal of each call is not one of the limit', async () => {
  const run = await loadReference({ ...usual, scenarios: ['burst'], variant: notImplemented })
  const failed = outcomesOf(run, 'fail').map((line) => line.split(/[ :]/)[1])
  expect(failed).toEqual(['load-burst-no-5xx', 'answer-no-5xx'])
  expect(outcomesOf(run, 'untested').join()).toContain('load-burst-excess-429')
})

test('without its permissions nothing but a list is sent', async () => {
  const run = await loadReference({ ...usual, options: { allow: [] } })
  expect(outcomesOf(run, 'fail', 'error', 'warn')).toEqual([])
  expect(outcomesOf(run, 'untested').length).toBe(ofQuota.flatMap(idsOf).length)
  expect(run.requests).toBeLessThan(10)
})

test('an empty store is not mistaken for refusals', async () => {
  const run = await loadReference({ ...usual, options: { allow: ['exhaust', 'ban'] } })
  expect(outcomesOf(run, 'fail', 'error', 'warn', 'untested')).toEqual([])
})

const idsOf = (id: string) => scenarios.find((each) => each.id === id)?.verdicts ?? []
