// The questions about limits, bans and days, and what is judged over all answers.

import type { AnyCheck } from '../../engine/declare.ts'
import { catalogue } from '../../suites/index.ts'

const stages: readonly string[] = ['limits', 'bans', 'days']

export const limitQuestions: readonly AnyCheck[] = catalogue.filter(
  (question) => question.kind === 'invariant' || stages.includes(question.needs.stage),
)
