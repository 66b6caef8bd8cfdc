// The commands by which `petvet explain` shows a mutant work: the check that claims it fails.
import { expect, test } from 'vitest'
import { explainAll } from '../cli/explain/explain-all.ts'
import { chooseVetting, makeKeys } from '../proof/subjects.ts'
import { mutants } from '../reference/mutants.ts'
import type { Mutant } from '../reference/variant.ts'
import { catalogue } from '../suites/index.ts'
import { withSetUp } from '../suites/many-pets.ts'
import { isProof } from './sample.ts'
import { vetReference } from './vet-reference.ts'

const checkOf = ({ caughtBy }: Mutant) => catalogue.find(({ id }) => id === caughtBy)

const explained = explainAll()

/** How `petvet explain` shows a mutant, by the commands that it gives. */
const shownHow = ({ id, caughtBy }: Mutant): 'alone' | 'whole run' | 'proof' => {
  const check = explained.get(caughtBy)
  const mutant = check && 'mutants' in check ? check.mutants.find((each) => each.id === id) : null
  const [, command] = mutant?.commands ?? []
  if (command === undefined) return 'proof'
  return command.includes(' --only ') ? 'alone' : 'whole run'
}

/** @returns the outcome, with its detail where it is neither a fail nor a warning */
const seenAs = async (mutant: Mutant): Promise<string> => {
  const proof = checkOf(mutant)
  const isAlone = proof !== undefined && shownHow(mutant) === 'alone'
  const keys = makeKeys(chooseVetting(mutant.suite ?? 'contract', mutant.keys ?? []))
  const isDescribed = proof && 'needs' in proof && proof.needs.description
  const { run } = await vetReference(
    {
      keys,
      variant: mutant,
      onFault: () => {},
    },
    {
      keys,
      categories: mutant.categories ?? [],
      maxRequests: 6_000,
      ...(isDescribed ? {} : { descriptionUrl: null }),
    },
    isAlone ? withSetUp(catalogue, [proof]) : catalogue,
  )
  const { outcome, detail } = run.checks.find(({ id }) => id === mutant.caughtBy) ?? {}
  return outcome === 'fail' || outcome === 'warn' ? outcome : `${outcome}: ${detail}`
}

/** The others are shown by `petvet mutants`, which is proven itself. */
const shown = mutants.filter((mutant) => shownHow(mutant) !== 'proof')
const alone = mutants.filter((mutant) => shownHow(mutant) === 'alone')

/** `npm run prove` tries all. */
const chosen = isProof ? shown : alone.filter((_mutant, at) => at % 30 === 11)

test.for(chosen)('$id shows in $caughtBy', { timeout: 60_000 }, async (mutant) => {
  expect(await seenAs(mutant)).toMatch(/^(?:fail|warn)$/)
})
