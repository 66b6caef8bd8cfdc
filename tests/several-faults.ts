// Servers with several faults at once.

import { mutants } from '../reference/mutants.ts'
import type { Mutant } from '../reference/variant.ts'
import { catalogue } from '../suites/index.ts'

/** Numbers that follow from the seed alone. */
export const numbersFrom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state
  }
}

/** Mutants that need no description, base address or categories of their own, shuffled. */
export const shuffledMutants = (seed: number): readonly Mutant[] => {
  const next = numbersFrom(seed)
  return mutants
    .filter(
      ({ description, basePath, categories }) =>
        (description ?? basePath ?? categories) === undefined,
    )
    .map((mutant) => ({ mutant, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ mutant }) => mutant)
}

/** The heading of the requirement that a mutant violates first. */
const headingOf = ({ caughtBy }: Mutant) =>
  catalogue.find(({ id }) => id === caughtBy)?.requirement.split('.')[0]

/** Sets of so many mutants that violate requirements under different headings; each is in one. */
export const setsOf = (all: readonly Mutant[], size: number): readonly (readonly Mutant[])[] => {
  const left = all.filter((mutant) => headingOf(mutant) !== undefined)
  const sets: Mutant[][] = []
  for (;;) {
    const set: Mutant[] = []
    while (set.length < size) {
      const at = left.findIndex((each) => set.every((one) => headingOf(one) !== headingOf(each)))
      if (at < 0) return sets
      set.push(...left.splice(at, 1))
    }
    sets.push(set)
  }
}
