// What the first minute of a Free key finds: one key, no test clock, no wait.
import { expect, test } from 'vitest'
import { dictionary } from '../../causes/dictionary.ts'
import { isViolation } from '../../engine/check/outcome.ts'
import { firstMinute, runAt } from '../../proof/kill-table.ts'
import { mutants } from '../../reference/mutants.ts'
import type { Mutant } from '../../reference/variant.ts'
import { catalogue } from '../../suites/index.ts'

/** Those of the contract that one Free key without a test clock can show at all. */
const shown = mutants.filter(
  ({ id, suite, description }) =>
    suite === undefined &&
    description === undefined &&
    dictionary().some((entry) => entry.mutants.includes(id) && entry.plain.size > 0),
)

const areaOf = ({ caughtBy }: Mutant): string =>
  catalogue.find(({ id }) => id === caughtBy)?.requirement.split('.')[0] ?? 'smoke'

/** After how many requests with a key the first failing check had all that it judged. */
const foundAfter = async (mutant: Mutant, seed: number): Promise<number> => {
  const keyed: number[] = []
  const { checks } = await runAt(mutant, 'plain', seed, {
    noWait: true,
    onExchange: (line) => {
      const { seq, key } = JSON.parse(line)
      if (key) keyed.push(seq)
    },
  })
  const decided = checks
    .filter(({ outcome }) => isViolation(outcome))
    .map(({ evidence }) => Math.max(0, ...evidence.map(({ seq }) => seq)))
  const first = Math.min(...decided)
  return first === Infinity ? first : keyed.filter((seq) => seq <= first).length
}

/** How many requests with a key it takes until a share of the mutants is found. */
const requestsFor = (share: number, after: readonly number[]): number =>
  after.toSorted((a, b) => a - b)[Math.ceil(share * after.length) - 1] ?? Infinity

const seeds = Number(process.env.PETVET_FIRST_SEEDS ?? 3)

test('most faults of the contract show in it', async () => {
  const missed = new Map<string, number>()
  for (let seed = 7; seed < 7 + seeds; seed += 1) {
    const found: Mutant[] = []
    const after: number[] = []
    for (const mutant of shown) {
      const requests = await foundAfter(mutant, seed)
      after.push(requests)
      if (requests < Infinity) found.push(mutant)
      else missed.set(mutant.id, (missed.get(mutant.id) ?? 0) + 1)
    }
    const marks = [0.5, 0.7, 0.8].map((share) => `${100 * share} %: ${requestsFor(share, after)}`)
    console.log(`seed ${seed}, requests with a key until found: ${marks.join(', ')}`)
    const areas = [...Map.groupBy(shown, areaOf)].map(
      ([area, all]) => `${area} ${all.filter((each) => found.includes(each)).length}/${all.length}`,
    )
    console.log(`seed ${seed}: ${found.length} of ${shown.length}; ${areas.join(', ')}`)
    expect.soft(found.length).toBeGreaterThanOrEqual(0.83 * shown.length)
  }
  console.log(`missed: ${[...missed].map(([id, times]) => `${id} ${times}`).join(', ')}`)
})

test('it tests each operation, authentication and limits', async () => {
  const { checks, decided } = await firstMinute({}, 7)
  const tested = checks.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id)
  for (const each of ['list-', 'create-', 'get-', 'auth-', 'header-', 'remaining-']) {
    expect(tested.filter((id) => id.startsWith(each)).length, each).toBeGreaterThan(0)
  }
  console.log(`${decided.must.join(' of ')} musts, ${tested.length} checks`)
  expect(decided.must[0]).toBeGreaterThanOrEqual(60)
})
