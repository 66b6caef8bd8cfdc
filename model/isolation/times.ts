// Whether a response is wrong by the time of the target: in one minute of each hour; or by where in
// its window a call is: the first one, or the last.
import { type Exchange, isAnswered, memoized, statusCode } from '../../history/exchange.ts'
import { dateMs, minuteMs, rateHeaders, wholeNumber } from '../../history/rate-headers.ts'
import type { Wrong } from '../../history/wrong.ts'
import { isLike, kindOf, minNoChance, passes } from '../conditions.ts'
import { inFlightIn, inOrder, type Seen } from './seen.ts'

const hourMs = 60 * minuteMs

/** In so many hours it fails, and so many requests pass in other minutes. */
const minHours = 2
const minPassing = 20

const dateOf = (one: Exchange): readonly number[] => {
  const ms = isAnswered(one) ? dateMs(one) : undefined
  return ms === undefined ? [] : [ms]
}

const minuteIn = (ms: number): number => Math.floor((ms % hourMs) / minuteMs)

/**
 * `in minute 59 of an hour`, where all that are read alike fail then, and at no other time; an
 * error of the server may befall any request.
 */
export const minuteOf = (one: Exchange, seen: Seen): string | undefined => {
  const all = statusCode(one) >= 500 ? seen.trace : seen.alikeTo(one)
  const alike = all.filter(({ key }) => key !== null)
  const failing = alike.filter(isLike(one)).flatMap(dateOf)
  const passing = alike.filter(passes).flatMap(dateOf).map(minuteIn)
  const [minute = 0, ...others] = new Set(failing.map(minuteIn))
  const hours = new Set(failing.map((ms) => Math.floor(ms / hourMs)))
  const isOfMinute = others.length === 0 && hours.size >= minHours && !passing.includes(minute)
  return isOfMinute && passing.length >= minPassing ? `in minute ${minute} of an hour` : undefined
}

/** So rarely all that are wrong are among so many of a run by chance. */
const maxChance = 0.01

export const isNoChance = (among: number, wrong: number, { trace }: Seen): boolean =>
  (among / trace.length) ** wrong < maxChance

const isFirst = (one: Exchange): boolean => {
  const said = isAnswered(one) && one.key !== null ? rateHeaders(one) : undefined
  return said !== undefined && said.remaining === said.limit - 1
}

const remainingOf = (one: Exchange): number | undefined =>
  isAnswered(one) ? wholeNumber(one, 'X-RateLimit-Remaining') : undefined

/** So many may be in flight with the last call of a count. */
const maxBeside = 8

/** Calls of keys with which a count ends: refused, or after one that left no more. */
const lastIn = memoized((seen: Seen): ReadonlySet<Exchange> => {
  const latest = new Map<string | null, number | undefined>()
  return new Set(
    inOrder(seen).filter((one) => {
      const most = inFlightIn(seen).has(one) ? maxBeside : 1
      const isLast = statusCode(one) === 429 || (latest.get(one.key) ?? maxBeside + 1) <= most
      latest.set(one.key, remainingOf(one))
      return isLast
    }),
  )
})

/** Where in a window the calls are whose header is wrong, in words: no other one is there. */
export const placeInWindow = (
  { aspect, kind, name }: Wrong,
  failing: ReadonlySet<Exchange>,
  seen: Seen,
): string | undefined => {
  const all = [...failing]
  if (aspect !== 'header' || all.length < minNoChance) return undefined
  if (kind === 'missing') {
    const isOfAny = all.some((one) => statusCode(one) !== 429)
    const isZero =
      name === 'X-RateLimit-Remaining' && !seen.trace.some((one) => remainingOf(one) === 0)
    return isOfAny && isZero && all.every((one) => lastIn(seen).has(one))
      ? 'where none remains'
      : undefined
  }
  if (!all.every(isFirst)) return undefined
  const kinds = new Set(all.map(kindOf))
  const others = seen.trace.filter((one) => kinds.has(kindOf(one)) && !isFirst(one))
  const firsts = seen.trace.filter(isFirst)
  const areApart = others.length >= minNoChance && isNoChance(firsts.length, all.length, seen)
  return areApart ? 'on first calls of a window' : undefined
}
