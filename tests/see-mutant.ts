// A mutant as `petvet explain` says to see it: what the check that claims it says of it.
import { wayToSee } from '../cli/explain/explain-all.ts'
import { keysOf, vettingOf } from '../cli/proving/subject.ts'
import type { Mutant } from '../reference/mutant.ts'
import { withSetUp } from '../suites/fill.ts'
import { catalogue } from '../suites/index.ts'
import { vetReference } from './vet-reference.ts'

const checkOf = ({ caughtBy }: Mutant) => catalogue.find(({ id }) => id === caughtBy)

/** How `petvet explain` shows a mutant. */
export const shownHow = (mutant: Mutant) => wayToSee(mutant, checkOf(mutant))

/** @returns the outcome, with its detail where it is neither a fail nor a warning */
export const seenAs = async (mutant: Mutant): Promise<string> => {
  const question = checkOf(mutant)
  const isAlone = question !== undefined && shownHow(mutant) === 'alone'
  const keys = keysOf(vettingOf(mutant.suite ?? 'contract', mutant.keys ?? []))
  const isDescribed = question && 'needs' in question && question.needs.description
  const { run } = await vetReference(
    {
      keys: keys.map(({ plan, key, quota }) => ({ plan, key, ...quota })),
      variant: mutant,
      onFault: () => {},
    },
    {
      keys,
      categories: mutant.categories ?? [],
      maxRequests: 6_000,
      ...(isDescribed ? {} : { descriptionUrl: null }),
    },
    isAlone ? withSetUp(catalogue, [question]) : catalogue,
  )
  const { outcome, detail } = run.checks.find(({ id }) => id === mutant.caughtBy) ?? {}
  return outcome === 'fail' || outcome === 'warn' ? outcome : `${outcome}: ${detail}`
}
