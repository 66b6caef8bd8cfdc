// The governor: every request with a key passes it, and none passes that would be refused.
import type { Quota } from '../../spec/plans.ts'
import type { Answered } from './exchange.ts'
import { statusOf } from './exchange.ts'
import { createRest } from './key-rest.ts'
import type { Standing } from './key-work.ts'
import type { Ledger } from './ledger.ts'
import {
  freeAtMs,
  freeze,
  graceMs,
  hear,
  isUnsure,
  leftOf,
  minuteFreeAtMs,
  openLedger,
  spend,
} from './ledger.ts'
import type { Room } from './order.ts'
import { Untested } from './outcome.ts'
import type { Pace } from './pace.ts'
import type { Wait } from './waits.ts'
import { createWait } from './waits.ts'

/** Each wait ends at a reset; more of them in a row mean that the target never refills. */
const waitsMost = 5

export interface Governor {
  /**
   * Waits until a key (this one, or any) has a request left, and takes it.
   * @throws Untested (blocked) where that would take too long
   */
  readonly admit: (label: string | undefined) => Promise<string>
  /**
   * Waits until the minute of a key has a request left, whatever its day has; takes none.
   * @throws Untested (blocked) where that would take too long
   */
  readonly minuteOf: (label: string) => Promise<void>
  /** Takes a request of a key whether it has one left or not. */
  readonly take: (label: string) => void
  /** Waits until a key may be used again after a refusal, as its latest answer stated. */
  readonly thaw: (label: string) => Promise<void>
  /** Lets time pass at the target, however long: for who knows why. */
  readonly pass: (ms: number) => Promise<void>
  /** Waits until nothing that was sent with a key can count any more: two windows. */
  readonly rest: (label: string) => Promise<void>
  /** Takes in what an answer says. @returns whether the key was refused for its quota */
  readonly learn: (label: string, exchange: Answered) => boolean
  /** A request under way ended without an answer. */
  readonly lost: (label: string) => void
  /** Keeps a key silent for so long, as an earlier run was told. */
  readonly silence: (label: string, ms: number) => void
  /** Whether a key may be chosen where any will do. */
  readonly use: (label: string, used: boolean) => void
  /** Whether a reset has passed since every key was last heard of: one request will tell. */
  readonly isUnsure: () => boolean
  /** Milliseconds until a request could be sent: 0 now. */
  readonly waitMs: () => number
  /** The minute of a key, as far as its answers told; none is known before the first one. */
  readonly standingOf: (label: string) => Standing | undefined
  /** The same, with how much it is granted in a minute. */
  readonly room: (label: string) => Room | undefined
}

export interface GovernedKey {
  readonly label: string
  readonly quota: Quota
}

type Ledgers = ReadonlyMap<string, Ledger>

/** Choosing a key that has requests left, and waiting until one has. */
const createAdmission = (ledgers: Ledgers, pace: Pace, wait: Wait) => {
  const candidates = (label: string | undefined): Ledger[] =>
    [...ledgers.values()].filter((ledger) =>
      label === undefined ? ledger.used : ledger.label === label,
    )

  /** The key that has most left, so that the work spreads over the keys. */
  const best = (label: string | undefined): Ledger | undefined =>
    candidates(label)
      .filter((ledger) => leftOf(ledger, pace.now()) > 0)
      .sort((a, b) => leftOf(b, pace.now()) - leftOf(a, pace.now()))[0]

  const waitFor = (label: string | undefined): number => {
    if (best(label)) return 0
    const nowMs = pace.now()
    const soonestMs = Math.min(...candidates(label).map((ledger) => freeAtMs(ledger, nowMs)))
    return Math.max(graceMs, soonestMs - nowMs)
  }

  const admit = async (label: string | undefined): Promise<string> => {
    for (let waits = 0; waits < waitsMost; waits += 1) {
      const ledger = best(label)
      if (ledger) {
        spend(ledger, pace.now())
        return ledger.label
      }
      await wait(waitFor(label), 'the quota is spent until its reset')
    }
    throw new Untested('blocked', 'the key is not served again at the resets that were announced')
  }

  const minuteOf = async (label: string): Promise<void> => {
    const ledger = ledgers.get(label)
    for (let waits = 0; ledger && waits <= waitsMost; waits += 1) {
      const nowMs = pace.now()
      const freeMs = minuteFreeAtMs(ledger, nowMs)
      if (freeMs <= nowMs) return
      await wait(Math.max(graceMs, freeMs - nowMs), 'the minute is spent until its reset')
    }
    throw new Untested('blocked', 'the key has no minute left at the resets that were announced')
  }

  return {
    admit,
    minuteOf,
    isUnsure: () => candidates(undefined).every((ledger) => isUnsure(ledger, pace.now())),
    waitMs: () => waitFor(undefined),
  }
}

/** What is known of the minutes in which the keys stand. */
const createOutlook = (ledgers: Ledgers, pace: Pace) => {
  const standingOf = (label: string): Standing | undefined => {
    const ledger = ledgers.get(label)
    if (!ledger?.minute) return undefined
    const nowMs = pace.now()
    // What a refused key will have once its rest is over is what it has to work with.
    const left = leftOf(ledger, Math.max(nowMs, ledger.frozenUntilMs))
    return { left, resetInMs: ledger.minute.resetAtMs - nowMs }
  }
  const room = (label: string): Room | undefined => {
    const standing = standingOf(label)
    return standing && { ...standing, perMinute: ledgers.get(label)?.quota.perMinute ?? 0 }
  }
  return { standingOf, room }
}

/** @param waiting told before each wait, with its length and its reason */
export const createGovernor = (
  keys: readonly GovernedKey[],
  pace: Pace,
  waiting: (ms: number, why: string) => void,
): Governor => {
  const ledgers = new Map(keys.map(({ label, quota }) => [label, openLedger(label, quota)]))
  const wait = createWait(pace, waiting)

  /** Does something to the ledger of a key that the run has. */
  const withLedger = (label: string, change: (ledger: Ledger) => void) => {
    const ledger = ledgers.get(label)
    if (ledger) change(ledger)
  }

  const learn = (label: string, exchange: Answered): boolean => {
    const ledger = ledgers.get(label)
    if (!ledger) return false
    ledger.underWay -= 1
    hear(ledger, exchange, pace.now())
    const status = statusOf(exchange)
    // After a refusal 401 and 403 may be a ban; without one they are an answer.
    const refused = status === 429 || (ledger.refused > 0 && (status === 401 || status === 403))
    if (refused) freeze(ledger, exchange, pace.now())
    return refused
  }

  return {
    ...createAdmission(ledgers, pace, wait),
    ...createRest(ledgers, pace, wait),
    ...createOutlook(ledgers, pace),
    pass: async (ms) => {
      if (!pace.instant) waiting(ms, 'time has to pass at the target')
      await pace.pass(ms)
    },
    take: (label) => withLedger(label, (ledger) => spend(ledger, pace.now())),
    learn,
    lost: (label) =>
      withLedger(label, (ledger) => {
        ledger.underWay -= 1
      }),
    silence: (label, ms) =>
      withLedger(label, (ledger) => {
        ledger.frozenUntilMs = Math.max(ledger.frozenUntilMs, pace.now() + ms)
      }),
    use: (label, used) =>
      withLedger(label, (ledger) => {
        ledger.used = used
      }),
  }
}
