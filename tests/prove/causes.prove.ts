// How well causes are found: at mutants by another seed, at unknown faults, and at two faults.
import { expect, test } from 'vitest'
import type { Mutant } from '../../reference/mutant.ts'
import {
  type Condition,
  causesOfBoth,
  type Diagnosed,
  diagnosedAt,
  isNamed,
  isNear,
  pairsOf,
  shuffledMutants,
} from './diagnosed.ts'

const samples = { full: 150, plain: 150 }
const pairs = 100

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
    const near = share(found, ({ withoutOwn: [first], mutant }) => isNear(first, mutant))
    const misled = share(
      found,
      ({ withoutOwn: [first], mutant }) => first?.confidence === 'high' && !isNear(first, mutant),
    )
    console.log(
      `${condition}, ${found.length} mutants with failures: ` +
        `named ${named}, near without its entry ${near}, misled ${misled}`,
    )
    expect(named).toBeGreaterThanOrEqual(0.97)
    expect(near).toBeGreaterThanOrEqual(0.85)
    expect(misled).toBeLessThanOrEqual(0.03)
  },
)

test('both of two faults are among the first three causes', async () => {
  const lost: string[] = []
  for (const [one, other] of pairsOf(shuffledMutants(), pairs)) {
    const causes = (await causesOfBoth(one, other)).slice(0, 3)
    const isFound = ({ id }: Mutant) => causes.some((cause) => isNamed(cause, id))
    if (isFound(one) && isFound(other)) continue
    const found = causes.map(({ mutant, explains }) => `${mutant} (${explains.length})`)
    lost.push(`${one.id} and ${other.id}: ${found.join(', ')}`)
  }
  console.log(`${pairs - lost.length} of ${pairs} pairs; not: ${lost.join('\n')}`)
  expect(pairs - lost.length).toBeGreaterThanOrEqual(0.8 * pairs)
})
