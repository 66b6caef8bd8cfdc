// A check that runs alone gets the pets that it judges, and no more than are missing.
import { expect, test } from 'vitest'
import { runSuites } from '../engine/run/run.ts'
import { legalVariants, mutants } from '../reference/mutants.ts'
import { together, type Variant } from '../reference/variant.ts'
import { listing } from '../reference/wrappers/pet-store.ts'
import { idsOf, keyOf, outcomesOf, silent } from '../tests/vet-reference.ts'
import { lateByChance, openVirtually, vetVariant, withoutClock } from '../tests/virtual/vet.ts'
import { catalogue } from './index.ts'
import { withSetUp } from './set-up.ts'

/** Runs each check alone, one after the other, against the same server. */
const runAlone = async (...ids: string[]) => {
  const keys = [keyOf('pro', 'alone', { quota: { perMinute: 300, perDay: 50_000 } })]
  const { options, time, wires } = openVirtually({}, keys, withoutClock)
  const runs = []
  for (const id of ids) {
    const chosen = withSetUp(
      catalogue,
      catalogue.filter((each) => each.id === id),
    )
    runs.push(await runSuites(chosen, options, silent, wires()))
  }
  time.stop()
  return runs
}

test('existing pets are not created again', async () => {
  const [first, second] = await runAlone('list-limit-out-of-range', 'list-each-filtered')
  expect([first, second].map((run) => run && outcomesOf(run, 'fail', 'untested'))).toEqual([[], []])
  expect(first?.requests).toBeGreaterThan(100)
  expect(second?.requests).toBeLessThan(20)
  const [alone] = await runAlone('list-each-filtered')
  expect(alone && outcomesOf(alone, 'fail', 'untested')).toEqual([])
  expect(alone?.requests).toBeLessThan(20)
})

test('refused creations are judged after some were refused', async () => {
  const [run] = await runAlone('create-refused-no-trace')
  expect(run?.checks.find(({ id }) => id === 'create-refused-no-trace')?.outcome).toBe('pass')
  expect(run && outcomesOf(run, 'fail', 'untested')).toEqual([])
})

test('a clause that is selected alone judges what other checks send', async () => {
  for (const id of ['list-each-filtered', 'list-each-as-created', 'get-each-own-id']) {
    const [run] = await runAlone(id)
    expect(run?.checks.find((each) => each.id === id)?.outcome).toBe('pass')
  }
})

const cut = listing((pets, { limit }) => pets.slice(0, limit === 100 ? 99 : limit))

/**
 * Even if few creations are accepted, there are more than a hundred pets before lists are judged.
 */
test.for<[string, string[], Variant | undefined]>([
  [
    'creations-refused-where-open',
    ['list-limit-most'],
    mutants.find(({ id }) => id === 'list-limit-101-taken'),
  ],
  ['creations-refused-but-for-few-categories', ['list-limit-no-fewer'], cut],
])('at %s, %j finds its fault', async ([id, fails, fault]) => {
  const legal = legalVariants.find((each) => each.id === id)
  const { run } = await vetVariant(
    together(legal ?? {}, fault ?? {}),
    [keyOf('free', 'one')],
    { ...lateByChance, allow: ['write'], categories: legal?.categories ?? [] },
    // Walks create so many pets that none is missing.
    catalogue
      .filter(({ id }) => /^(?:smoke|response|create|list)-/.test(id))
      // So do the larger vocabularies.
      .map((each) => ('more' in each ? { ...each, more: [] } : each)),
  )
  const failed = idsOf(run, 'fail')
  expect(failed).toEqual(fails)
  const sent = run.checks.find((each) => each.id === 'create-hundredth-201')?.requests
  expect(sent).toBeLessThanOrEqual(101)
  expect(sent).toBeGreaterThan(0)
})
