// Every mutant shows with the commands that `petvet explain` prints.
import { expect, test } from 'vitest'
import { mutants } from '../../reference/mutants.ts'
import { seenAs, shownHow } from '../see-mutant.ts'

/** The others are shown by `petvet mutants`, which is proven itself. */
const shown = mutants.filter((mutant) => shownHow(mutant) !== 'proof')

test.for(shown)('$id shows in $caughtBy', { timeout: 60_000 }, async (mutant) => {
  expect(await seenAs(mutant)).toMatch(/^(?:fail|warn)$/)
})
