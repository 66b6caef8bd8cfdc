// Whether a row of calls was counted as one. Pure: from responses in order to a verdict.
import type { Answered } from '../../engine/exchange.ts'
import { type RateHeaders, rateHeaders, windowOf } from '../../engine/quota/rate-headers.ts'
import type { Quota } from '../../spec/plans.ts'
import { areBefore, dayMs, fromMs, minuteMs, refillOf, spanMs, toMs } from './reading.ts'

export type Counted =
  | { readonly kind: 'holds' }
  | { readonly kind: 'breach'; readonly expected: string; readonly actual: string }
  /** A window ended in between, or the headers are missing: another row may decide. */
  | { readonly kind: 'unclear'; readonly why: string }

/** A Reset that was rounded up, by a Date that was rounded down. */
const roundingSeconds = 2

const lengthOf = { minute: minuteMs, day: dayMs }

/** How many calls may have left a sliding log during the row, a window after they were sent. */
const leavingDuring = (
  row: readonly Answered[],
  earlier: readonly Answered[],
  lengthMs: number,
) => {
  const begin = Math.min(...row.map(fromMs)) - lengthMs - 1_500
  const end = Math.max(...row.map(toMs)) - lengthMs + 1_500
  return earlier.filter((one) => fromMs(one) >= begin && fromMs(one) <= end).length
}

const numbersOf = (row: readonly Answered[]): readonly RateHeaders[] | undefined => {
  const numbers = row.map(rateHeaders)
  return numbers.every((each) => each !== undefined) ? numbers : undefined
}

/**
 * Remaining falls by one with each call, but for what any design may give back meanwhile.
 * @param row the responses to the calls that are to be one count, in order
 * @param earlier the responses to the calls of the key before them
 */
export const judgeCount = (
  row: readonly Answered[],
  earlier: readonly Answered[],
  quota: Quota,
): Counted => {
  const numbers = numbersOf(row)
  const [first] = numbers ?? []
  const last = numbers?.at(-1)
  if (!numbers || !first || !last)
    return { kind: 'unclear', why: 'the rate-limit headers are missing' }
  const window = windowOf(first.limit, quota)
  if (!window || numbers.some(({ limit }) => limit !== first.limit)) {
    return { kind: 'unclear', why: 'the headers are those of different windows' }
  }
  const isSteady = numbers.every(({ reset }) => reset === first.reset)
  // Before a Reset that does not move no call leaves a log, as that would move it; the Reset may
  // also be that of the newest call, which leaves a whole window later.
  const isOfNewest = first.resetInMs >= lengthOf[window] - roundingSeconds * 1000
  const isStill = isSteady && !isOfNewest && areBefore(row, first.reset - roundingSeconds)
  const leaving = isStill ? 0 : leavingDuring(row, earlier, lengthOf[window])
  const fall = first.remaining - last.remaining
  const expectedFall = row.length - 1 - refillOf(first.limit, lengthOf[window], spanMs(row)) - 1
  if (fall >= expectedFall) return { kind: 'holds' }
  const least = expectedFall - leaving
  if (fall >= least) return { kind: 'unclear', why: 'earlier calls may have come back meanwhile' }
  // Where Reset moves with each call nothing comes back at once; what does is allowed for above.
  if (!areBefore(row, first.reset) && !isSteady) {
    return { kind: 'unclear', why: 'a window ended in between' }
  }
  // Where Reset moves several calls may come back at once, but not time and again.
  const leap = isSteady || isUndone(numbers) ? 0 : largestRise(numbers)
  if (fall + leap >= least) return { kind: 'holds' }
  if (mayBeTick(row, numbers)) return { kind: 'unclear', why: 'some calls came back at once' }
  const expected = `Remaining at least ${least} lower after ${row.length - 1} more calls`
  return { kind: 'breach', expected, actual: `Remaining went ${listNumbers(numbers)}` }
}

/** A bucket may be filled in ticks, of so much of its limit. */
const tickShare = 0.1

const areInTurn = (row: readonly Answered[]): boolean =>
  row.every((one, at) => at === 0 || toMs(row[at - 1] ?? one) <= fromMs(one))

/** Whether one tick explains it, before and after which no number was given twice. */
const mayBeTick = (row: readonly Answered[], numbers: readonly RateHeaders[]): boolean => {
  const given = numbers.map(({ remaining }) => remaining)
  const [first = 0, ...others] = given
  const tick = Math.ceil((numbers[0]?.limit ?? 0) * tickShare) + 1
  if (areInTurn(row)) {
    const rises = given.flatMap((number, at) => {
      const rise = number - (given[at - 1] ?? Number.POSITIVE_INFINITY)
      return rise >= 0 ? [rise + 1] : []
    })
    return rises.length === 1 && (rises[0] ?? 0) <= tick
  }
  const counts = [...Map.groupBy(given, (number) => number)].map(([number, all]) => ({
    number,
    times: all.length,
  }))
  const twice = counts.filter(({ times }) => times > 1)
  const least = Math.min(first, ...twice.map(({ number }) => number))
  return twice.every(({ times }) => times === 2) && Math.max(...others) < least + tick
}

/** What came back in the one step in which most did, the call itself included. */
const largestRise = (numbers: readonly RateHeaders[]): number =>
  Math.max(
    0,
    ...numbers.slice(1).map(({ remaining }, at) => remaining - (numbers[at]?.remaining ?? 0) + 1),
  )

/** So many do not come back at the pace of a plan, nor are they taken at once by chance. */
const minUndone = 10

/** Whether what came back at once was gone again at once, as with two counts in turn. */
const isUndone = (numbers: readonly RateHeaders[]): boolean => {
  const falls = numbers
    .slice(1)
    .map(({ remaining }, at) => (numbers[at]?.remaining ?? 0) - remaining)
  const [rise, fall] = [largestRise(numbers), Math.max(0, ...falls)]
  return rise >= minUndone && fall >= rise - numbers.length
}

const listNumbers = (numbers: readonly RateHeaders[]): string =>
  numbers.map(({ remaining }) => remaining).join(', ')

/**
 * Whether all calls of one kind took more than one, and those of others did not: no other client
 * calls like that.
 */
export const judgeWeights = (
  row: readonly Answered[],
  kindOf: (exchange: Answered) => string,
): Counted => {
  const numbers = numbersOf(row)
  if (!numbers?.every(({ limit }) => limit === numbers[0]?.limit)) {
    return { kind: 'unclear', why: 'Remaining is of several windows' }
  }
  const falls = row.slice(1).map((exchange, at) => ({
    kind: kindOf(exchange),
    fall: (numbers[at]?.remaining ?? 0) - (numbers[at + 1]?.remaining ?? 0),
  }))
  const byKind = Map.groupBy(falls, ({ kind }) => kind)
  const heavy = [...byKind].find(
    ([, all]) => all.length >= 2 && all.every(({ fall }) => fall > 1 && fall === all[0]?.fall),
  )
  // Calls may come back meanwhile, so the others took one at most; and a count that is given only
  // every second time falls by no more than there were calls.
  const isOnlyOne = falls.every(({ kind, fall }) => kind === heavy?.[0] || fall <= 1)
  const all = falls.reduce((sum, { fall }) => sum + fall, 0)
  if (!heavy || !isOnlyOne || all <= falls.length) return { kind: 'holds' }
  const expected = 'one taken from Remaining by each call'
  const actual = `${heavy[1][0]?.fall} taken by each ${heavy[0]}: ${listNumbers(numbers)}`
  return { kind: 'breach', expected, actual }
}
