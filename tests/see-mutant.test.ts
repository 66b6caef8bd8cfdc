// The commands by which `petvet explain` shows a mutant work; `npm run prove` tries all.
import { expect, test } from 'vitest'
import { mutants } from '../reference/mutants.ts'
import { seenAs, shownHow } from './see-mutant.ts'

const alone = mutants.filter((mutant) => shownHow(mutant) === 'alone')

/** Every thirtieth, from a fixed start. */
const sample = alone.filter((_mutant, at) => at % 30 === 11)

test.for(sample)('$id shows in $caughtBy alone', { timeout: 30_000 }, async (mutant) => {
  expect(await seenAs(mutant)).toMatch(/^(?:fail|warn)$/)
})
