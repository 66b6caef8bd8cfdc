// The servers that the checks are proven on: each with what must be found, or nothing.
import type { Variant } from '../../reference/compose.ts'
import { constants } from '../../reference/constants.ts'
import { legalVariants, mutants } from '../../reference/mutants.ts'
import { type SuiteName, type Vetting, vettingOf } from './vetting.ts'

export interface Subject {
  readonly kind: 'mutant' | 'legal' | 'constant'
  readonly id: string
  /** The fault, or what it does otherwise. */
  readonly says: string
  /** The check that has to fail; null where none may. */
  readonly caughtBy: string | null
  /** Checks of a `should` that may warn of a legal variant. */
  readonly warns: readonly string[]
  /** The checks that a legal variant was built for: they have to run there. */
  readonly exercises: readonly string[]
  /** Categories known to exist there, where it knows only some. */
  readonly categories: readonly bigint[]
  readonly suite: SuiteName
  readonly vetting: Vetting
  readonly variant: Variant
}

const none: readonly bigint[] = []
const silent: readonly string[] = []

export const subjects: readonly Subject[] = [
  ...mutants.map(
    (mutant): Subject => ({
      kind: 'mutant',
      id: mutant.id,
      says: mutant.fault,
      caughtBy: mutant.caughtBy,
      warns: silent,
      exercises: silent,
      categories: mutant.categories ?? none,
      suite: mutant.suite ?? 'contract',
      vetting: vettingOf(mutant.suite ?? 'contract', mutant.keys ?? []),
      variant: mutant,
    }),
  ),
  ...legalVariants.map(
    (legal): Subject => ({
      kind: 'legal',
      id: legal.id,
      says: legal.does,
      caughtBy: null,
      warns: legal.warns ?? silent,
      exercises: legal.exercises,
      categories: legal.categories ?? none,
      suite: legal.suite ?? 'contract',
      vetting: vettingOf(legal.suite ?? 'contract', []),
      variant: legal,
    }),
  ),
  ...constants.map(
    (constant): Subject => ({
      kind: 'constant',
      id: constant.id,
      says: constant.answers,
      caughtBy: null,
      warns: silent,
      exercises: silent,
      categories: none,
      suite: 'both',
      vetting: vettingOf('both', []),
      variant: constant,
    }),
  ),
]
