// Whether a key is refused because another one was: while that waits, after so many refusals.
import { type Exchange, isSuccess, memoized } from '../../history/exchange.ts'
import { isShutOut, readWaitMs, toMs } from '../../history/rate-headers.ts'
import type { Seen } from './seen.ts'

/** So many calls are served where another key has fewer refusals. */
const minServed = 20

interface Refused {
  readonly times: number
  readonly untilMs: number
}

/** For each call, of another key that has to wait then, how many refusals it got while it waited. */
const refusalsIn = memoized(({ trace }: Seen): ReadonlyMap<Exchange, number> => {
  const refused = new Map<string, Refused>()
  const found = new Map<Exchange, number>()
  for (const one of trace.toSorted((a, b) => a.seq - b.seq)) {
    const { key } = one
    if (key === null || one.response === null) continue
    const others = [...refused].filter(([each, { untilMs }]) => each !== key && toMs(one) < untilMs)
    found.set(one, Math.max(0, ...others.map(([, { times }]) => times)))
    if (isSuccess(one)) refused.delete(key)
    if (!isShutOut(one)) continue
    const before = refused.get(key)
    const times = before && toMs(one) < before.untilMs ? before.times + 1 : 1
    refused.set(key, { times, untilMs: toMs(one) + (readWaitMs(one) ?? 0) })
  }
  return found
})

/** All of these came after more refusals of another key than all that is served did. */
export const afterRefusals = (exchanges: readonly Exchange[], seen: Seen): string | undefined => {
  const refusals = refusalsIn(seen)
  const timesOf = (all: readonly Exchange[]) => all.map((one) => refusals.get(one) ?? 0)
  const served = timesOf([...refusals.keys()].filter(isSuccess))
  const least = Math.min(...timesOf(exchanges))
  const isApart = served.length >= minServed && least > Math.max(...served)
  if (!isApart || exchanges.length === 0 || !exchanges.every(isShutOut)) return undefined
  return least === 1 ? 'while another key is refused' : `after ${least} refusals of another key`
}
