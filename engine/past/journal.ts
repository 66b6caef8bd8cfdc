// The journal of a run: what cannot be derived from its exchanges, a line for each thing as it
// happens, so that a run that was broken off can be told again and go on. No key stands in it.
import type { Plan, Quota } from '../../spec/plans.ts'
import type { Exchange } from '../exchange.ts'
import type { Permission } from '../permission.ts'
import type { CheckResult } from '../run-file.ts'

/** The number of the form; a reader refuses numbers it does not know. */
export const journalForm = 1

export interface JournalKey {
  readonly label: string
  readonly plan: Plan
  readonly quota: Quota
  readonly use: 'ban' | null
  /** A digest with the salt of the journal. */
  readonly print: string
}

/** What a run was begun with, so that it goes on with the same. */
export interface Head {
  readonly kind: 'head'
  readonly form: typeof journalForm
  readonly petvet: string
  readonly runId: string
  readonly seed: number
  readonly salt: string
  readonly startedAt: string
  /** Monotonic milliseconds of the run; all times of a journal are. */
  readonly nowMs: number
  readonly baseUrl: string
  readonly clockUrl: string | null
  readonly descriptionUrl: string | null
  readonly categories: readonly string[]
  readonly allow: readonly Permission[]
  readonly shared: boolean
  readonly strict: boolean
  readonly maxRequests: number
  readonly answerTimeoutMs: number
  readonly keys: readonly JournalKey[]
  /** A digest of the further headers. */
  readonly headers: string
  readonly questions: readonly string[]
}

export type ClockWord = 'now' | 'advance' | 'set'

export type Entry =
  | Head
  /** The run goes on in another process. */
  | { readonly kind: 'sitting'; readonly at: string; readonly nowMs: number }
  /** Where the clock stood when the first question of a sitting was put. */
  | { readonly kind: 'start'; readonly clockMs: number }
  | { readonly kind: 'check'; readonly id: string; readonly nowMs: number }
  | {
      readonly kind: 'sending'
      readonly seq: number
      readonly check: string
      readonly key: string | null
      readonly from?: 'origin'
      readonly insists?: true
    }
  | {
      readonly kind: 'answered'
      readonly seq: number
      readonly sentMs: number
      readonly receivedMs: number
      readonly movedMs: number
      readonly meanwhileMs?: number
      readonly cut?: true
      readonly encoded?: 'unknown' | 'faulty'
    }
  /** The test clock answered: after which request, what, and how far it has been moved in all. */
  | {
      readonly kind: 'clock'
      readonly word: ClockWord
      readonly after: number
      readonly clockMs: number
      readonly movedMs: number
      readonly nowMs: number
    }
  | { readonly kind: 'result'; readonly result: CheckResult; readonly nowMs: number }

export interface Journal {
  readonly add: (entry: Entry) => void
  /** Told of an exchange before it is written down, so that none is written that is not known. */
  readonly answered: (exchange: Exchange) => void
}

/** @param write null: nothing is kept */
export const createJournal = (write: ((line: string) => void) | null): Journal => {
  const add = (entry: Entry) => write?.(JSON.stringify(entry))
  return {
    add,
    answered: ({ seq, sentMs, receivedMs, movedMs, meanwhileMs, response }) =>
      add({
        kind: 'answered',
        seq,
        sentMs,
        receivedMs,
        movedMs,
        ...(meanwhileMs !== undefined && { meanwhileMs }),
        ...(response?.cut && { cut: true }),
        ...(response?.encoded && { encoded: response.encoded }),
      }),
  }
}
