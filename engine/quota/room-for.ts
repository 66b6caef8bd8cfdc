// Room for what is sent at once: a part of it that waits for a reset is not sent with the others.
import type { Ledger } from './ledger.ts'
import { leftOf, wholeAtMs } from './ledger.ts'
import type { Pace } from './pace.ts'
import type { Wait } from './waits.ts'

/** @param candidates the keys that a request may leave with: one that is named, or any */
export const createRoomFor = (
  candidates: (label: string | undefined) => readonly Ledger[],
  pace: Pace,
  wait: Wait,
) => {
  const lacks = (count: number, keys: readonly Ledger[]): boolean => {
    const most = keys.reduce((sum, { quota }) => sum + quota.perMinute, 0)
    const left = keys.reduce((sum, ledger) => sum + Math.max(0, leftOf(ledger, pace.now())), 0)
    return left < Math.min(count, most)
  }

  return async (count: number, label: string | undefined): Promise<void> => {
    const keys = candidates(label)
    if (!lacks(count, keys)) return
    const times = keys.flatMap((ledger) => wholeAtMs(ledger) ?? [])
    const waitMs = Math.max(0, ...times) - pace.now()
    await wait(waitMs, 'what is sent together needs more of the quota than is left')
  }
}
