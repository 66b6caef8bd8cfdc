// The line of a failure shows it again on a server that was vetted before; `npm run prove`: all.
import { expect, test } from 'vitest'
import type { Mutant } from '../reference/mutant.ts'
import { mutants } from '../reference/mutants.ts'
import { foundByAll, shownAgain } from './again-shows.ts'

/** Every fortieth, from a fixed start; of the limits, whose runs are long, there is the proof. */
const sample = foundByAll.filter(({ suite }, at) => suite === undefined && at % 40 === 3)

/** What a check broke the sentence with rests on what was refused before. */
const oneMore = mutants.find(({ id }) => id === 'list-limit-one-more') as Mutant

test.for([oneMore, ...sample])('$id shows by its lines', { timeout: 30_000 }, async (mutant) => {
  const { broken, lost, whole } = await shownAgain(mutant)
  expect(lost).toEqual([])
  expect(broken).toContain(mutant === oneMore ? 'list-length-most' : mutant.caughtBy)
  // How a count falls over time shows in a whole run.
  expect(whole).toBe(mutant.caughtBy === 'remaining-falls-by-one' ? 1 : 0)
})
