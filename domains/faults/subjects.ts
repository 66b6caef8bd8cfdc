// Every variant of the demonstration that `petvet mutants` proves the checks on.
import type { DomainLegal, DomainMutant } from './changes.ts'
import { domainLegal } from './legal.ts'
import { domainMutants } from './mutants.ts'
import { domainUnsure } from './unsure.ts'

export type DomainSubject = DomainMutant | DomainLegal

export const domainSubjects: readonly DomainSubject[] = [
  ...domainMutants,
  ...domainLegal,
  ...domainUnsure,
]
