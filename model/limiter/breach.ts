// What a law of the limiter reports: calls that no legal limiter answers so, or only with calls of
// other clients.

import type { Wrong } from '../../history/outcome.ts'
import type { Call } from './calls.ts'

/** The clauses that the laws are judged under. */
export type LawId =
  | 'limit-not-early'
  | 'refusal-remaining-zero'
  | 'limit-not-late'
  | 'refills-minute-apart'
  | 'limit-not-below-quota'
  | 'remaining-falls-by-one'
  | 'remaining-rises-at-reset'
  | 'reset-not-moved-back'
  | 'retry-after-each-served'
  | 'ban-only-after-refusals'
  | 'ban-temporary'
  | 'quota-429-status'
  | 'retry-after-present'
  | 'ban-retry-after'
  | 'retry-after-not-excessive'

export interface Breach {
  readonly law: LawId
  /** Calls of other clients leave no trace at the same place twice. */
  readonly place: string | number
  /** No number of calls of other clients explains it. */
  readonly sure: boolean
  /** Other clients explain it only if they call at that moment, which their calls would show. */
  readonly unseen?: boolean
  /** So many calls between the two explain it: lost requests of the run may have counted. */
  readonly missing?: number
  /** The last one shows it. */
  readonly calls: readonly Call[]
  readonly expected: string
  readonly actual: string
  readonly wrong: Wrong
}

export interface Findings {
  readonly breach: (breach: Breach) => void
  /** Notes a call that could have violated a law, as not every call can. */
  readonly tried: (law: LawId, call: Call) => void
}

const headers = {
  remaining: 'X-RateLimit-Remaining',
  reset: 'X-RateLimit-Reset',
  wait: 'Retry-After',
} as const

export const asStatus: Wrong = { aspect: 'status' }
export const asCount: Wrong = { aspect: 'behaviour', kind: 'too many served' }
/** Of one key, whatever was requested. */
export const asRefills: Wrong = { aspect: 'behaviour', kind: 'refilled too soon' }
export const asBehaviour: Wrong = { aspect: 'behaviour' }
export const asHeader = (name: keyof typeof headers, kind: string): Wrong => ({
  aspect: 'header',
  name: headers[name],
  kind,
})
