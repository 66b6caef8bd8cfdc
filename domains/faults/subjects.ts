// Every variant of the demonstration that `petvet mutants` proves the checks on.
import type { DomainLegal, DomainMutant } from './changes.ts'
import { domainLegal } from './legal.ts'
import { domainMutants } from './mutants.ts'
import { domainUnsure } from './unsure.ts'

export interface DomainSubject {
  readonly id: string
  /** Of an unsure one a check has to be inconclusive, and others may warn. */
  readonly kind: 'mutant' | 'legal' | 'unsure'
  readonly variant: DomainMutant | DomainLegal
}

const subjectsOf = (
  kind: DomainSubject['kind'],
  variants: readonly DomainSubject['variant'][],
): DomainSubject[] => variants.map((variant) => ({ id: variant.id, kind, variant }))

export const domainSubjects: readonly DomainSubject[] = [
  ...subjectsOf('mutant', domainMutants),
  ...subjectsOf('legal', domainLegal),
  ...subjectsOf('unsure', domainUnsure),
]
