// Every mutant shows by the commands that `petvet explain` tells.
import { expect, test } from 'vitest'
import { wayToSee } from '../../cli/explain/seeing.ts'
import { mutants } from '../../reference/mutants.ts'
import { catalogue } from '../../suites/index.ts'
import { seenAs } from '../see-mutant.ts'

const questions = new Map(catalogue.map((question) => [question.id, question]))

/** The others are shown by `petvet mutants`, which is proven itself. */
const shown = mutants.filter((one) => wayToSee(one, questions.get(one.caughtBy)) !== 'proof')

test.for(shown)('$id shows in $caughtBy', { timeout: 60_000 }, async (mutant) => {
  expect(await seenAs(mutant)).toMatch(/^(?:fail|warn)$/)
})
