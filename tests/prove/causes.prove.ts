// How well causes are found: at mutants by another seed, and at two faults.
import { expect, test } from 'vitest'
import type { Mutant } from '../../reference/mutant.ts'
import {
  type Condition,
  causesOfBoth,
  type Diagnosed,
  diagnosedAt,
  isNamed,
  pairsOf,
  shuffledMutants,
} from './diagnosed.ts'

const samples = { full: 150, plain: 150 }
const pairs = 100
/** Some faults hide each other. */
const maxPairs = 150

const share = <Item>(items: readonly Item[], holds: (item: Item) => boolean): number =>
  items.filter(holds).length / items.length

test.each(['full', 'plain'] as const)(
  'the causes of one fault, %s',
  async (condition: Condition) => {
    const found: Diagnosed[] = []
    for (const mutant of shuffledMutants().slice(0, samples[condition])) {
      const diagnosed = await diagnosedAt(mutant, condition)
      if (diagnosed.failures > 0) found.push(diagnosed)
    }
    const named = share(
      found,
      ({ causes: [first], mutant }) => !!first && isNamed(first, mutant.id),
    )
    console.log(`${condition}, ${found.length} mutants with failures: ` + `named ${named}`)
    expect(named).toBeGreaterThanOrEqual(0.97)
  },
)

test('both of two faults are among the first three causes', async () => {
  const missed: string[] = []
  let seen = 0
  for (const [one, other] of pairsOf(shuffledMutants(), maxPairs)) {
    const causes = seen < pairs ? await causesOfBoth(one, other) : null
    if (causes === null) continue
    seen += 1
    const first = causes.slice(0, 3)
    const isFound = ({ id }: Mutant) => first.some((cause) => isNamed(cause, id))
    if (!isFound(one) || !isFound(other)) missed.push(`${one.id} and ${other.id}`)
  }
  console.log(`${seen - missed.length} of ${seen} pairs; not: ${missed.join(', ')}`)
  expect(seen).toBe(pairs)
  expect(seen - missed.length).toBeGreaterThanOrEqual(0.8 * pairs)
})
