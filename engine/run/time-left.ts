// About how long a run still takes: programs as long as in its forecast, and all else by what is
// left of the quota of the keys, and by how fast the target responds.

import { minuteMs } from '../../history/rate-headers.ts'
import { type AnyCheck, type SendingCheck, type Stage, sendsRequests } from '../check/declare.ts'
import type { PlanOptions } from '../check/spendable-keys.ts'
import { spendsOrMoves } from './check-order.ts'
import { maxReduced } from './reduce.ts'
import type { Forecast } from './run-options.ts'
import type { Session } from './session.ts'

/** They wait by themselves, and hardly depend on what is left of a minute when they begin. */
const waiting: readonly Stage[] = ['limits', 'bans', 'days']

/** About this share of what a program takes is waited for windows of the target. */
const ofWindows = 0.3

/** About so many requests reduce what one check found. */
const reducedOf = 12

/** How long each check of a forecast lasted: it ends where the next one begins. */
export const lengthsOf = ({ beginMs, lengthMs }: Forecast): ReadonlyMap<string, number> => {
  const begun = [['', 0] as const, ...beginMs]
  return new Map(begun.map(([id, ms], at) => [id, (begun[at + 1]?.[1] ?? lengthMs) - ms]))
}

/**
 * What faults add to a run in real time at most: calls that confirm and reduce them, and programs
 * of the limiter, which are sent again where a law is in doubt.
 */
export const addedByFaults = (
  forecast: Forecast,
  checks: readonly AnyCheck[],
  options: Pick<PlanOptions, 'keys' | 'clockUrl'>,
): { readonly reducedMs: number; readonly againMs: number } => {
  const perMinute = options.keys.reduce((sum, { quota }) => sum + quota.perMinute, 0)
  const lasted = lengthsOf(forecast)
  const programs = checks.filter(sendsRequests).filter(({ needs }) => needs.stage === 'limits')
  return {
    reducedMs: Math.ceil(maxReduced(options) / perMinute) * minuteMs,
    againMs: programs.reduce((sum, { id }) => sum + (lasted.get(id) ?? 0), 0),
  }
}

/** So many of the latest responses show how fast the target is. */
const latest = 20

const sumOf = (checks: readonly SendingCheck[], of: (id: string) => number): number =>
  checks.reduce((sum, { id }) => sum + of(id), 0)

const meanMs = ({ trace }: Session): number => {
  const own = trace.slice(-latest)
  return own.reduce((sum, one) => sum + one.receivedMs - one.sentMs, 0) / Math.max(1, own.length)
}

/** @returns of the checks that are left; undefined where it is not known, or nothing waits */
export const createTimeLeft = (session: Session) => {
  const { budget, governor, options } = session
  const { forecast } = options
  if (!forecast) return () => undefined
  const { sent } = forecast
  const lasted = lengthsOf(forecast)
  const keyedBy = (id: string) => sent.get(id)?.keyed ?? 0
  const sentBy = (id: string) => keyedBy(id) + (sent.get(id)?.anonymous ?? 0)
  const reduced = (left: readonly SendingCheck[]): number => {
    const failed = session.results.filter(({ outcome }) => outcome === 'fail').length
    const isOpen = left.some((each) => !spendsOrMoves(each))
    return isOpen ? Math.min(reducedOf * failed, maxReduced(options)) : 0
  }
  return (left: readonly SendingCheck[]): number | undefined => {
    if (governor.isUnlimited) return undefined
    const programs = left.filter(({ needs }) => waiting.includes(needs.stage))
    const others = left.filter((each) => !programs.includes(each))
    // What spends the rest of a minute waits for nothing.
    const keyed = sumOf(
      others.filter(({ needs }) => needs.stage !== 'rest'),
      keyedBy,
    )
    const restMs = Math.max(
      governor.msFor(keyed + reduced(left)),
      sumOf(others, sentBy) * meanMs(session),
    )
    const programsMs = sumOf(programs, (id) => lasted.get(id) ?? 0)
    const longer = 1 + ofWindows * (governor.windowMs / minuteMs - 1)
    return Math.min(programsMs * longer + restMs, budget.leftMs)
  }
}

/** About two for each of its values, and the pets that it needs. */
const maxRequests = ({ values, needs }: SendingCheck): number =>
  2 * (values?.length ?? 1) + (needs.pets ?? 0)

/** Whether checks may take more than one minute of the keys, so that a forecast is of use. */
export const mayWait = (checks: readonly AnyCheck[], { clockUrl, keys }: PlanOptions): boolean => {
  if (clockUrl !== null) return false
  const sending = checks.filter(sendsRequests)
  const perMinute = keys.reduce((sum, { quota }) => sum + quota.perMinute, 0)
  const isLong = ({ needs }: SendingCheck) => [...waiting, 'rest'].includes(needs.stage)
  return sending.some(isLong) || sending.reduce((sum, one) => sum + maxRequests(one), 0) > perMinute
}
