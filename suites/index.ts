// The catalogue: every check, in the order of the interface.

import type { AnyCheck } from '../engine/check/declare.ts'
import { plainClauses } from '../model/clauses.ts'
import { rateLimitHeaders } from '../model/limiter/headers.ts'
import { limiterClauses } from '../model/limiter/relation.ts'
import { authentication } from './authentication.ts'
import { create, unknownCategory } from './create/open.ts'
import { description } from './description.ts'
import { addresses } from './get/addresses.ts'
import { get } from './get/ids.ts'
import { list } from './get/list.ts'
import order from './order.json' with { type: 'json' }
import { requestForms } from './pets/forms.ts'
import { ban } from './rate-limit/bans.ts'
import { quotas, quotasAfterRemoval } from './rate-limit/bursts.ts'
import { counts } from './rate-limit/counts.ts'
import { dayQuotas } from './rate-limit/day.ts'
import { observed } from './rate-limit/observed.ts'
import { keysInTurn, keysSpentTogether } from './rate-limit/turns.ts'
import { ownResponse } from './response-matching.ts'
import { fill } from './set-up.ts'
import { time } from './time.ts'
import { walkLate, walks } from './walks.ts'

/** In the order of the interface. */
const allChecks: readonly AnyCheck[] = [
  unknownCategory, // Finds out which categories all other checks may use.
  ...list,
  ...ownResponse, // Before other creations: while there are few pets, lists are not cut.
  ...get, // Calls of two operations in turn, once many have counted: each may have its own count.
  ...create,
  ...requestForms,
  fill, // After all other creations of its stage.
  ...authentication,
  ...addresses,
  ...description,
  ...counts,
  keysInTurn,
  keysSpentTogether,
  ...quotas,
  ban,
  ...dayQuotas,
  ...observed, // After all that it looks at.
  ...walks,
  ...time,
  ...quotasAfterRemoval,
  walkLate,
  // These send nothing: they judge the responses to all others.
  ...rateLimitHeaders,
  ...limiterClauses,
  ...plainClauses,
]

const ranks = new Map(order.checks.map((id, rank) => [id, rank]))

/** Of the mutants that one Free key can show, how many its first minute shows. */
export const knownFaults = { found: order.found, of: order.of } as const

/** Every check, with its place in the first minute if it has one. */
export const catalogue: readonly AnyCheck[] = allChecks.map((check) => {
  const rank = ranks.get(check.id)
  return rank === undefined ? check : { ...check, rank }
})
