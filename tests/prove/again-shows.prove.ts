// Each line of a failure of all answers together shows it again, on a server vetted before.
import { expect, test } from 'vitest'
import { foundByAll, shownAgain } from '../again-shows.ts'

test.for(foundByAll)('$id shows by its lines', { timeout: 120_000 }, async (mutant) => {
  const { lost } = await shownAgain(mutant)
  expect(lost).toEqual([])
})
