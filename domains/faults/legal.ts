// Published projects that keep every rule in another way, and those of which nothing can be told.

import type { DomainLegal } from '../demo/variant.ts'
import { legalAnswers } from './legal-answers.ts'
import { legalRecords } from './legal-records.ts'
import { unsureAnswers } from './legal-unsure.ts'

export const domainLegal: readonly DomainLegal[] = [...legalRecords, ...legalAnswers]

/** No fault can be told of these, and no virtue: a check has to say so. */
export const domainUnsure: readonly DomainLegal[] = unsureAnswers
