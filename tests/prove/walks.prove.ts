// Walks over every legal variant: nothing is found at any of them, however far they go. With 10,000
// steps (`PETVET_WALK_STEPS`) it takes most of an hour.
import { expect, test } from 'vitest'
import type { RunFile } from '../../engine/check/run-file.ts'
import { runAt } from '../../proof/conditions.ts'
import { legalVariants } from '../../reference/mutants.ts'
import { catalogue } from '../../suites/index.ts'
import { withSetUp } from '../../suites/set-up.ts'
import { sample } from '../sample.ts'
import { outcomesOf } from '../vet-reference.ts'

const steps = Number(process.env.PETVET_WALK_STEPS ?? 10_000)
/** What a step takes on a slow machine, many times over. */
const msPerStep = 30

const seeds = [1, 2, 3]

const isWalk = ({ id }: { readonly id: string }): boolean => id.startsWith('walk')
const checks = withSetUp(catalogue, catalogue.filter(isWalk))

/** A walk leaves out requests for which there is no pet yet, and ends a row with its window. */
const drawnPerSent = 1.1

/** What a run of these steps sends: a walk fetches and lists more to confirm what it finds. */
const walking = () => {
  const walk = Math.ceil((drawnPerSent * steps) / seeds.length)
  return { walk, maxRequests: 2 * walk + 2_000 }
}

/** What walks found, one line each. */
const foundBy = (run: RunFile): readonly string[] =>
  outcomesOf(run, 'fail', 'warn', 'error').filter((line) => / walk-/.test(line))

test.for(
  sample(legalVariants, legalVariants.length).flatMap((legal) =>
    seeds.map((seed) => [legal.id, seed, legal] as const),
  ),
)(
  'no walk finds anything at %s with the seed %i',
  { timeout: 60_000 + steps * msPerStep },
  async ([, seed, legal]) => {
    for (const condition of ['full', 'oneKey'] as const) {
      const run = await runAt(legal, condition, seed, walking(), checks)
      const isMeant = (line: string) => legal.warns?.some((id) => line.startsWith(`warn ${id}:`))
      expect(foundBy(run).filter((line) => !isMeant(line))).toEqual([])
      expect(run.impossible).toBeNull()
    }
  },
)
