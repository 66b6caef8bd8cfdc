// The checks about limits, bans and days, and the invariants.

import type { AnyCheck } from '../../engine/declare.ts'
import { catalogue } from '../../suites/index.ts'

const stages: readonly string[] = ['limits', 'bans', 'days']

export const limitChecks: readonly AnyCheck[] = catalogue.filter(
  (check) => check.kind === 'invariant' || stages.includes(check.needs.stage),
)
