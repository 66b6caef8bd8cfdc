// Whether a request fails by the time of the target: in one minute of each hour, say.
import { type Exchange, isAnswered } from '../../history/exchange.ts'
import { dateMs, minuteMs } from '../../history/rate-headers.ts'
import { isLike, passes } from '../conditions.ts'
import type { Seen } from './seen.ts'

const hourMs = 60 * minuteMs

/** In so many hours it fails, and so many requests pass in other minutes. */
const minHours = 2
const minPassing = 20

const dateOf = (one: Exchange): readonly number[] => {
  const ms = isAnswered(one) ? dateMs(one) : undefined
  return ms === undefined ? [] : [ms]
}

const minuteIn = (ms: number): number => Math.floor((ms % hourMs) / minuteMs)

/** `in minute 59 of an hour`, where all that are read alike fail then, and at no other time. */
export const minuteOf = (one: Exchange, seen: Seen): string | undefined => {
  const alike = seen.alikeTo(one).filter(({ key }) => key !== null)
  const failing = alike.filter(isLike(one)).flatMap(dateOf)
  const passing = alike.filter(passes).flatMap(dateOf).map(minuteIn)
  const [minute = 0, ...others] = new Set(failing.map(minuteIn))
  const hours = new Set(failing.map((ms) => Math.floor(ms / hourMs)))
  const isOfMinute = others.length === 0 && hours.size >= minHours && !passing.includes(minute)
  return isOfMinute && passing.length >= minPassing ? `in minute ${minute} of an hour` : undefined
}
