// The governor: every request with a key passes it, and none passes that would be refused.
import type { Quota } from '../../spec/plans.ts'
import type { Answered } from '../exchange.ts'
import { statusOf } from '../exchange.ts'
import { createAdmission, expectDay } from './admission.ts'
import type { Carried } from './carried.ts'
import { createCarried } from './carried.ts'
import { createRest } from './key-rest.ts'
import type { Ledger } from './ledger.ts'
import { freeze, hear, leftOf, openLedger, presume, spend } from './ledger.ts'
import type { Pace } from './pace.ts'
import { createWait } from './waits.ts'

export interface Governor {
  /**
   * Waits until a key (this one, or any) has a request left, and takes it.
   * @throws Untested (blocked) where that would take too long
   */
  readonly admit: (label: string | undefined) => Promise<string>
  /**
   * Waits where less is left than is to be sent at once, so that it need not be sent apart. Takes
   * none, and says nothing of what is left behind the wait.
   * @throws Untested (blocked) where that would take too long
   */
  readonly roomFor: (count: number, label: string | undefined) => Promise<void>
  /**
   * Waits until the minute of a key has a request left, whatever its day has; takes none.
   * @throws Untested (blocked) where that would take too long
   */
  readonly minuteOf: (label: string) => Promise<void>
  /** Takes a request of a key whether it has one left or not; `nowMs` where it was sent before. */
  readonly take: (label: string, nowMs?: number) => void
  /**
   * Whether what a key's day has left may be spent, where a request is not asked for its quota.
   * @throws Untested (permission) where it may not
   */
  readonly expectDay: (label: string) => void
  /** Waits until a key may be used again after a refusal, as its latest answer stated. */
  readonly thaw: (label: string) => Promise<void>
  /** Lets time pass at the target, however long: for who knows why. */
  readonly pass: (ms: number) => Promise<void>
  /** Waits until nothing that was sent with a key can count any more: two windows. */
  readonly rest: (label: string) => Promise<void>
  /** Takes in what an answer says. @returns whether the key was refused for its quota */
  readonly learn: (label: string, exchange: Answered, nowMs?: number) => boolean
  /** A request under way ended without an answer. */
  readonly lost: (label: string) => void
  /** A request with a key may just have been counted. */
  readonly presume: (label: string) => void
  /** Whether a key is used, and need not rest. */
  readonly isAtWork: (label: string) => boolean
  /** Whether a key may be chosen where any will do. */
  readonly use: (label: string, used: boolean) => void
  /** Whether a reset has passed since every key was last heard of: one request will tell. */
  readonly isUnsure: () => boolean
  /** Milliseconds until a request could be sent, with this key or with any: 0 now. */
  readonly waitMs: (label?: string) => number
  /** How many calls of the present minute are spent, over all keys. */
  readonly spent: () => number
}

export interface GovernedKey {
  readonly label: string
  readonly quota: Quota
}

/**
 * @param waiting told before each wait, with its length and its reason
 * @param mayEndDays whether a key's day may be spent to its end
 * @param carried how the keys stand after earlier runs, where there were any
 */
export const createGovernor = (
  keys: readonly GovernedKey[],
  pace: Pace,
  waiting: (ms: number, why: string) => void,
  mayEndDays: boolean,
  carried: Carried = createCarried(),
): Governor => {
  const ledgers = carried.open(keys, pace, ({ label, quota }) =>
    openLedger(label, quota, mayEndDays),
  )
  const wait = createWait(pace, waiting)

  /** Does something to the ledger of a key that the run has. */
  const withLedger = (label: string, change: (ledger: Ledger) => void) => {
    const ledger = ledgers.get(label)
    if (ledger) change(ledger)
  }

  const learn = (label: string, exchange: Answered, nowMs = pace.now()): boolean => {
    const ledger = ledgers.get(label)
    if (!ledger) return false
    ledger.underWay -= 1
    hear(ledger, exchange, nowMs)
    const status = statusOf(exchange)
    // After a refusal 401 and 403 may be a ban; without one they are an answer.
    const refused = status === 429 || (ledger.refused > 0 && (status === 401 || status === 403))
    if (refused) freeze(ledger, exchange, nowMs)
    return refused
  }

  return {
    ...createAdmission(ledgers, pace, wait),
    ...createRest(ledgers, pace, wait),
    spent: () =>
      [...ledgers.values()].reduce((sum, ledger) => {
        const left = leftOf(ledger, Math.max(pace.now(), ledger.frozenUntilMs))
        return sum + Math.max(0, ledger.quota.perMinute - left)
      }, 0),
    pass: async (ms) => {
      if (!pace.instant) waiting(ms, 'time has to pass at the target')
      await pace.pass(ms)
    },
    expectDay: (label) => withLedger(label, (ledger) => expectDay(ledger, pace.now())),
    take: (label, nowMs = pace.now()) => withLedger(label, (ledger) => spend(ledger, nowMs)),
    learn,
    lost: (label) =>
      withLedger(label, (ledger) => {
        ledger.underWay -= 1
      }),
    isAtWork: (label) => {
      const ledger = ledgers.get(label)
      return ledger?.used === true && pace.now() >= ledger.frozenUntilMs
    },
    presume: (label) => withLedger(label, (ledger) => presume(ledger, pace.now())),
    use: (label, used) =>
      withLedger(label, (ledger) => {
        ledger.used = used
      }),
  }
}
