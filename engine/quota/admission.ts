// Admission: which key a request leaves with, and when, so that none is sent to be refused.

import { Untested } from '../outcome.ts'
import { createBarrenWaits } from './barren-waits.ts'
import type { Ledger } from './ledger.ts'
import { dayLeft, freeAtMs, graceMs, isUnsure, leftOf, minuteFreeAtMs, spend } from './ledger.ts'
import type { Pace } from './pace.ts'
import { createRoomFor } from './room-for.ts'
import type { Wait } from './waits.ts'

/** Each wait ends at a reset; more of them in a row mean that the target never refills. */
const waitsMost = 5

/** Choosing a key that has requests left, and waiting until one has. */
export const createAdmission = (ledgers: ReadonlyMap<string, Ledger>, pace: Pace, wait: Wait) => {
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

  const barrenWaits = createBarrenWaits()

  /** The clock of a test is moved on at no cost, so nothing is lost by waiting. */
  const expectWorth = (label: string | undefined, waitMs: number): void => {
    if (pace.instant) return
    const calls = [...ledgers.values()].reduce((sum, { ownDay }) => sum + ownDay.length, 0)
    const perMinute = Math.min(...candidates(label).map(({ quota }) => quota.perMinute))
    barrenWaits.expectWorth(waitMs, calls, perMinute)
  }

  const admit = async (label: string | undefined): Promise<string> => {
    for (let waits = 0; waits < waitsMost; waits += 1) {
      const ledger = best(label)
      if (ledger) {
        spend(ledger, pace.now())
        return ledger.label
      }
      const waitMs = waitFor(label)
      expectWorth(label, waitMs)
      await wait(waitMs, 'the quota is spent until its reset')
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
    roomFor: createRoomFor(candidates, pace, wait),
    minuteOf,
    isUnsure: () => candidates(undefined).every((ledger) => isUnsure(ledger, pace.now())),
    waitMs: (label?: string) => waitFor(label),
  }
}

/** Of a day that a run may not spend, the last calls are left to others. */
export const expectDay = (ledger: Ledger, nowMs: number): void => {
  if (ledger.leftOfDay === 0 || dayLeft(ledger, nowMs) > 0) return
  const message = `${ledger.leftOfDay} calls of the day of key ${ledger.label} are left to others`
  throw new Untested('permission', `${message}: --allow day lets a run spend them`)
}
