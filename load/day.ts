// A key's day: what of it this run has spent, and a new one where the time can be moved.

import { Untested } from '../engine/outcome.ts'
import { daySaid } from '../engine/quota/key-minute.ts'
import { keptOfDay } from '../engine/quota/ledger.ts'
import type { LimitKey } from '../engine/quota/limits.ts'
import type { Session } from '../engine/session.ts'
import type { Quota } from '../spec/plans.ts'

/** A day may end 24 h after its first call; and some more, for what is rounded. */
const dayMs = 25 * 3_600_000

export interface Days {
  /** A request of the key was sent. */
  readonly spend: (label: string) => void
  readonly ensure: (key: LimitKey, requests: number) => Promise<void>
}

export const createDays = ({ pace, contextOf }: Pick<Session, 'pace' | 'contextOf'>): Days => {
  const { allow, limits } = contextOf('load')
  const { heard } = limits
  const spent = new Map<string, number>()

  const keptOf = (quota: Quota): number => (allow.includes('day') ? 0 : keptOfDay(quota))

  /** By our own count, or by the headers where they speak of the day. */
  const leftOf = ({ label, quota }: LimitKey): number => {
    const kept = keptOf(quota)
    const own = quota.perDay - kept - (spent.get(label) ?? 0)
    const last = heard(label).at(-1)
    const said = last && daySaid(last, quota)
    return said ? Math.min(own, said.remaining - kept) : own
  }

  return {
    spend: (label) => {
      spent.set(label, (spent.get(label) ?? 0) + 1)
    },
    ensure: async (key, requests) => {
      if (leftOf(key) >= requests) return
      if (!pace.instant || requests > key.quota.perDay - keptOf(key.quota)) {
        const message = `${requests} requests are more than are left of the day of ${key.label}`
        throw new Untested('blocked', message)
      }
      await pace.pass(dayMs)
      spent.clear()
    },
  }
}
