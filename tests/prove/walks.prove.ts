// Walks over every legal variant: nothing is found at any of them, however far they go. CI takes
// fewer steps (`PETVET_WALK_STEPS`); with 10,000 it takes most of an hour.
import { expect, test } from 'vitest'
import { runAt } from '../../proof/kill-table.ts'
import { legalVariants } from '../../reference/mutants.ts'
import { catalogue } from '../../suites/index.ts'
import { withSetUp } from '../../suites/many-pets.ts'
import { sample } from '../sample.ts'
import { outcomesOf } from '../vet-reference.ts'

const steps = Number(process.env.PETVET_WALK_STEPS ?? 10_000)
/** What a step takes on a slow machine, many times over. */
const msPerStep = 30

const seeds = [1, 2, 3]

const isWalk = ({ id }: { readonly id: string }): boolean => id.startsWith('walk-')
const checks = withSetUp(catalogue, catalogue.filter(isWalk))

test.for(
  sample(legalVariants, legalVariants.length).flatMap((legal) =>
    seeds.map((seed) => [legal.id, seed, legal] as const),
  ),
)(
  'no walk finds anything at %s with the seed %i',
  { timeout: 60_000 + steps * msPerStep },
  async ([, seed, legal]) => {
    const walk = Math.ceil(steps / seeds.length)
    const own = { walk, maxRequests: 2 * walk + 2_000 }
    const run = await runAt(legal, 'full', seed, own, checks)
    const wrong = outcomesOf(run, 'fail', 'warn', 'error').filter((line) =>
      / walk-/.test(` ${line}`),
    )
    const isMeant = (line: string) => legal.warns?.some((id) => line.startsWith(`warn ${id}:`))
    expect(wrong.filter((line) => !isMeant(line))).toEqual([])
    expect(run.impossible).toBeNull()
  },
)
