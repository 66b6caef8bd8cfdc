// Whether a row of calls shares one count. Pure: from responses in order to a judgement.
import type { AnsweredExchange } from '../../engine/check/exchange.ts'
import {
  areBefore,
  dayMs,
  fromMs,
  maxRefill,
  minuteMs,
  type RateHeaders,
  rateHeaders,
  spanMs,
  toMs,
} from '../../engine/quota/rate-headers.ts'

export type Counted =
  | { readonly kind: 'holds' }
  | { readonly kind: 'violation'; readonly expected: string; readonly actual: string }
  /** A window ended, or headers are missing: another row may be conclusive. */
  | { readonly kind: 'unclear'; readonly why: string }

/** A Reset that was rounded up, by a Date that was rounded down. */
const roundingSeconds = 2

const lengthOf = { minute: minuteMs, day: dayMs }

/** How many earlier calls may have left a sliding log during the row. */
const leavingDuring = (
  row: readonly AnsweredExchange[],
  earlier: readonly AnsweredExchange[],
  lengthMs: number,
) => {
  const begin = Math.min(...row.map(fromMs)) - lengthMs - 1_500
  const end = Math.max(...row.map(toMs)) - lengthMs + 1_500
  return earlier.filter((one) => fromMs(one) >= begin && fromMs(one) <= end).length
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0)

const numbersOf = (row: readonly AnsweredExchange[]): readonly RateHeaders[] | undefined => {
  const numbers = row.map(rateHeaders)
  return numbers.every((each) => each !== undefined) ? numbers : undefined
}

/**
 * Remaining falls by one with each call, minus what any design may give back meanwhile.
 * @param row the responses to calls that must share one count, in order
 * @param earlier the responses to earlier calls of the key
 */
export const judgeCount = (
  row: readonly AnsweredExchange[],
  earlier: readonly AnsweredExchange[],
): Counted => {
  const numbers = numbersOf(row)
  const [first] = numbers ?? []
  if (!numbers || !first) return { kind: 'unclear', why: 'the rate-limit headers are missing' }
  const { window } = first
  if (!window || numbers.some(({ limit }) => limit !== first.limit)) {
    return { kind: 'unclear', why: 'the headers describe different windows' }
  }
  const isSteady = numbers.every(({ reset }) => reset === first.reset)
  // While Reset does not move, no call leaves a log, since that would move it. But Reset may also
  // be that of the newest call, which leaves a whole window later.
  const isOfNewest = first.resetInMs >= lengthOf[window] - roundingSeconds * 1000
  const isStill = isSteady && !isOfNewest && areBefore(row, first.reset - roundingSeconds)
  const leaving = isStill ? 0 : leavingDuring(row, earlier, lengthOf[window])
  const fall = sumOf(listFalls(numbers))
  const expectedFall = row.length - 1 - maxRefill(first.limit, lengthOf[window], spanMs(row)) - 1
  if (fall >= expectedFall) return { kind: 'holds' }
  const minFall = expectedFall - leaving
  if (fall >= minFall) return { kind: 'unclear', why: 'earlier calls may have come back' }
  // If Reset moves with each call, nothing comes back all at once; a refill is allowed for above.
  if (!areBefore(row, first.reset) && !isSteady) {
    return { kind: 'unclear', why: 'a window ended' }
  }
  // If Reset moves, several calls may come back at once, but not repeatedly.
  const leap = isSteady || isUndone(numbers) ? 0 : largestRise(numbers)
  if (fall + leap >= minFall) return { kind: 'holds' }
  if (mayBeTick(row, numbers)) return { kind: 'unclear', why: 'some calls came back at once' }
  const expected = `Remaining at least ${minFall} lower after ${row.length - 1} more calls`
  return { kind: 'violation', expected, actual: `Remaining went ${listNumbers(numbers)}` }
}

/** A bucket may be refilled in ticks, of this share of its limit. */
const tickShare = 0.1

const areInTurn = (row: readonly AnsweredExchange[]): boolean =>
  row.every((one, at) => at === 0 || toMs(row[at - 1] ?? one) <= fromMs(one))

/** Whether a single tick explains it, before and after which Remaining never repeats. */
const mayBeTick = (row: readonly AnsweredExchange[], numbers: readonly RateHeaders[]): boolean => {
  const given = numbers.map(({ remaining }) => remaining)
  const [first = 0, ...others] = given
  const tick = Math.ceil((numbers[0]?.limit ?? 0) * tickShare) + 1
  if (areInTurn(row)) {
    const rises = listFalls(numbers).filter((fall) => fall <= 0)
    return rises.length === 1 && largestRise(numbers) <= tick
  }
  const twice = [...Map.groupBy(given, (number) => number)].filter(([, all]) => all.length > 1)
  const min = Math.min(first, ...twice.map(([number]) => number))
  return twice.every(([, all]) => all.length === 2) && Math.max(...others) < min + tick
}

/** By how much Remaining fell with each call. */
export const listFalls = (numbers: readonly RateHeaders[]): number[] =>
  numbers.slice(1).map(({ remaining }, at) => (numbers[at]?.remaining ?? 0) - remaining)

/** The largest number of calls that came back in one step, including the call itself. */
const largestRise = (numbers: readonly RateHeaders[]): number =>
  Math.max(0, ...listFalls(numbers).map((fall) => 1 - fall))

/** No plan gives so many back at once, and no other client takes so many at once. */
const minUndone = 10

/** Whether a large rise was followed by an equal fall, as with two counts in turn. */
const isUndone = (numbers: readonly RateHeaders[]): boolean => {
  const rise = largestRise(numbers)
  return rise >= minUndone && Math.max(0, ...listFalls(numbers)) >= rise - numbers.length
}

const listNumbers = (numbers: readonly RateHeaders[]): string =>
  numbers.map(({ remaining }) => remaining).join(', ')

/**
 * Whether all calls of one kind lowered Remaining by more than one, and all others did not: another
 * client does not cause that.
 */
export const judgeWeights = (
  row: readonly AnsweredExchange[],
  kindOf: (exchange: AnsweredExchange) => string,
): Counted => {
  const numbers = numbersOf(row)
  if (!numbers?.every(({ limit }) => limit === numbers[0]?.limit)) {
    return { kind: 'unclear', why: 'the headers describe different windows' }
  }
  const falls = listFalls(numbers)
  const kinds = row.slice(1).map(kindOf)
  const byKind = Map.groupBy(falls, (_fall, at) => kinds[at])
  const heavy = [...byKind].find(
    ([, own]) => own.length >= 2 && own.every((fall) => fall > 1 && fall === own[0]),
  )
  // Calls may come back meanwhile, so the others take at most one; and the total fall exceeds the
  // number of calls, unless the count is updated only every second time.
  const isOnlyOne = falls.every((fall, at) => kinds[at] === heavy?.[0] || fall <= 1)
  if (!heavy || !isOnlyOne || sumOf(falls) <= falls.length) return { kind: 'holds' }
  const [kind, [fall]] = heavy
  const expected = 'Remaining lowered by one with each call'
  const actual = `lowered by ${fall} with each ${kind}: ${listNumbers(numbers)}`
  return { kind: 'violation', expected, actual }
}
