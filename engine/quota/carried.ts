// What runs of one process leave each other: how their keys stand, so that none is asked in vain.
import type { Quota } from '../../spec/plans.ts'
import type { Ledger } from './ledger.ts'
import type { Pace } from './pace.ts'

interface CarriedKey {
  readonly label: string
  readonly quota: Quota
}

export interface Carried {
  /**
   * The keys of a run that begins, each with its ledger as the run before left it.
   * @param pace that of the run that begins
   */
  readonly open: <K extends CarriedKey>(
    keys: readonly K[],
    pace: Pace,
    openLedger: (key: K) => Ledger,
  ) => ReadonlyMap<string, Ledger>
  /** The target has begun anew: how its keys stand is to be asked. */
  readonly forget: () => void
}

/** Calls that were under way when a run ended were counted, or will be. */
const moved = (ledger: Ledger, byMs: number): Ledger => {
  const { minute, day, ownDay } = ledger
  return {
    ...ledger,
    used: true,
    underWay: 0,
    minute: minute && { ...minute, resetAtMs: minute.resetAtMs + byMs },
    day: day && { ...day, resetAtMs: day.resetAtMs + byMs },
    ownDay: ownDay.map((atMs) => atMs + byMs),
    frozenUntilMs: ledger.frozenUntilMs + byMs,
    sentAtMs: ledger.sentAtMs.map((atMs) => atMs + byMs),
  }
}

export const createCarried = (): Carried => {
  let ledgers: ReadonlyMap<string, Ledger> = new Map()
  let last: Pace | undefined
  return {
    open: (keys, pace, openLedger) => {
      // Each run counts anew how far it moved the clock of the target.
      const byMs = last ? pace.now() - last.now() : 0
      const left = ledgers
      ledgers = new Map(
        keys.map((key) => {
          const known = left.get(key.label)
          return [key.label, known ? moved(known, byMs) : openLedger(key)]
        }),
      )
      last = pace
      return ledgers
    },
    forget: () => {
      ledgers = new Map()
    },
  }
}
