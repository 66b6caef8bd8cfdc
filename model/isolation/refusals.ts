// Whether a key is refused because another one was: while that waits, after so many refusals.
import { type Exchange, isSuccess, memoized, statusCode } from '../../history/exchange.ts'
import { isShutOut, readWaitMs, toMs } from '../../history/rate-headers.ts'
import type { Seen } from './seen.ts'

/** So many calls are served where another key has fewer refusals. */
const minServed = 20

interface Refused {
  readonly times: number
  readonly status: number
  readonly untilMs: number
}

/** For each call the other keys that have to wait then: how often each was refused, and how. */
const refusalsIn = memoized(({ trace }: Seen): ReadonlyMap<Exchange, readonly Refused[]> => {
  const refused = new Map<string, Refused>()
  const found = new Map<Exchange, readonly Refused[]>()
  for (const one of trace.toSorted((a, b) => a.seq - b.seq)) {
    const { key } = one
    if (key === null || one.response === null) continue
    const isWaiting = ({ untilMs }: Refused) => toMs(one) < untilMs
    const others = [...refused].filter(([each]) => each !== key).map(([, own]) => own)
    found.set(one, others.filter(isWaiting))
    if (isSuccess(one)) refused.delete(key)
    if (!isShutOut(one)) continue
    const before = refused.get(key)
    const times = before && isWaiting(before) ? before.times + 1 : 1
    const untilMs = toMs(one) + (readWaitMs(one) ?? 0)
    refused.set(key, { times, status: statusCode(one), untilMs })
  }
  return found
})

/** All of these came while another key was refused so often, or so, as none that is served did. */
export const afterRefusals = (exchanges: readonly Exchange[], seen: Seen): string | undefined => {
  const refusals = refusalsIn(seen)
  const served = [...refusals.keys()].filter(isSuccess)
  if (served.length < minServed || exchanges.length === 0 || !exchanges.every(isShutOut))
    return undefined
  const timesOf = (one: Exchange) => Math.max(0, ...others(one).map(({ times }) => times))
  const others = (one: Exchange) => refusals.get(one) ?? []
  const least = Math.min(...exchanges.map(timesOf))
  if (least > Math.max(...served.map(timesOf)))
    return least === 1 ? 'while another key is refused' : `after ${least} refusals of another key`
  const status = others(exchanges[0] as Exchange)[0]?.status
  const isSo = (one: Exchange) => others(one).some((each) => each.status === status)
  const isApart = status !== undefined && exchanges.every(isSo) && !served.some(isSo)
  return isApart ? `while another key is refused with ${status}` : undefined
}
