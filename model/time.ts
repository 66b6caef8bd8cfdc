// The time at the target: Date advances as time does, and Reset is in the future by it, at most two
// windows ahead.

import {
  type AnsweredExchange,
  header,
  headerValues,
  recognizeOperation,
  statusCode,
} from '../history/exchange.ts'
import { folded, type History } from '../history/history.ts'
import { Untested } from '../history/outcome.ts'
import {
  appliedQuota,
  clocksOf,
  dateMs,
  datesTell,
  dayMs,
  fromMs,
  givenDateMs,
  httpDateMs,
  minuteMs,
  nowHereMs,
  toMs,
  wholeNumber,
  writesDate,
} from '../history/rate-headers.ts'
import { asHeader, clause, violateAs, violateField } from './clause.ts'
import { removalDay } from './due.ts'
import { isFromBelow } from './from-below.ts'

/** A Date may be cached for some seconds, and a clock be adjusted a little. */
const graceMs = 10_000
/** A test clock that counts whole seconds may lose one with each move. */
const moveGraceMs = 2_000
/** A clock that is set, or a suspended machine on this side, explains fewer. */
const minBreaks = 3

interface Dated {
  /** The last one at which the two clocks agreed, or since which they are apart. */
  from: AnsweredExchange | undefined
  /** The moves of the clock since then, and how far it was moved in all. */
  moves: number
  movedMs: number
  firstMs: number
  /** How far Dates were ahead of this machine, the two least and the two most of how many. */
  dates: number
  leastAheadMs: readonly number[]
  mostAheadMs: readonly number[]
  /** By the response whose Date disagrees. */
  readonly breaks: Map<AnsweredExchange, AnsweredExchange>
}

const takeDate = (dated: Dated, to: AnsweredExchange): void => {
  const { from = to } = dated
  if (dated.from === undefined) Object.assign(dated, { from, movedMs: to.movedMs })
  dated.firstMs = Math.min(dated.firstMs, fromMs(to))
  if (to.movedMs !== dated.movedMs) dated.moves += 1
  dated.movedMs = to.movedMs
  const aheadMs = (givenDateMs(to) ?? 0) - nowHereMs(to)
  const sorted = (some: readonly number[]) => [...some, aheadMs].toSorted((a, b) => a - b)
  dated.dates += 1
  dated.leastAheadMs = sorted(dated.leastAheadMs).slice(0, 2)
  dated.mostAheadMs = sorted(dated.mostAheadMs).slice(-2)
  const advancedMs = (givenDateMs(to) ?? 0) - (givenDateMs(from) ?? 0)
  const room = graceMs + dated.moves * moveGraceMs
  const min = fromMs(to) - toMs(from) - room
  const max = toMs(to) - fromMs(from) + room
  if (advancedMs >= min && advancedMs <= max) return
  // A test clock that others moved explains any Date that changes.
  const mayBeMoved = to.timeIsUnknown && advancedMs !== 0
  if (!mayBeMoved) dated.breaks.set(to, from)
  Object.assign(dated, { from: to, moves: 0 })
}

const datesIn = folded(
  (): Dated => ({
    ...{ from: undefined, moves: 0, movedMs: 0, firstMs: Infinity, breaks: new Map() },
    ...{ dates: 0, leastAheadMs: [], mostAheadMs: [] },
  }),
  (dated, exchange) => {
    if (writesDate(exchange)) takeDate(dated, exchange)
  },
)

const expectAdvance = (exchange: AnsweredExchange, history: History): void => {
  const { breaks, firstMs } = datesIn(history)
  const from = breaks.get(exchange)
  if (from && breaks.size < minBreaks) {
    throw new Untested('ambiguous', 'Date was off once or twice', [exchange])
  }
  if (from) {
    const own = { from, to: exchange }
    const passedS = Math.round((toMs(own.to) - toMs(own.from)) / 1000)
    const actual = `it went from ${header(own.from, 'date')} to ${header(own.to, 'date')}`
    const movedS = Math.round((own.to.movedMs - own.from.movedMs) / 1000)
    const moves = `petvet moved the test clock by ${movedS} s; a server in front may write its Date`
    const expected = `a Date that advances by ${passedS} s${movedS > 0 ? ` (${moves})` : ''}`
    violateAs(asHeader('Date', 'off'), expected, actual, own.from, own.to)
  }
  if (exchange.timeIsUnknown) {
    throw new Untested('ambiguous', 'nothing shows whether a test clock was moved', [exchange])
  }
  if (toMs(exchange) - firstMs > graceMs) return
  throw new Untested('ambiguous', 'too little time passed to see Date advance', [exchange])
}

export const dates = [
  clause({
    id: 'date-present',
    requirement: 'headers.date',
    judges: 'Every response of the three operations but 5xx and those from below the application.',
    fails:
      'No `Date`, or one that is no HTTP-date. It is a should: a server with a clock sends one ' +
      '(RFC 9110, 5.6.7 and 6.6.1).',
    applies: (exchange) =>
      recognizeOperation(exchange) !== undefined &&
      !isFromBelow(exchange) &&
      statusCode(exchange) <= 499,
    judge: (exchange) => {
      if (httpDateMs(header(exchange, 'date') ?? '') !== undefined) return
      violateField(exchange, 'Date', 'not an HTTP-date', 'an HTTP-date')
    },
  }),
  clause({
    id: 'date-advances',
    requirement: 'headers.date',
    judges: 'Every response to a valid key that carries `Date`, but 5xx and those with an `Age`.',
    fails:
      'On three occasions a Date that is more than 10 s off the time that passed since an ' +
      'earlier one, including moves of the test clock. It is a should.',
    inconclusive: 'the run took less than 10 s (ambiguous)',
    optional: 'the target sends no Date',
    applies: writesDate,
    judge: expectAdvance,
  }),
]

/** What a clock and its rounding may be off: of a Reset in the past, and of one far ahead. */
const resetGrace = { behindMs: 3_000, aheadMs: 5_000 }

/** What is wrong with a Reset so far after the time at the target; undefined: nothing. */
const resetFault = (aheadMs: number, exchange: AnsweredExchange) => {
  if (aheadMs < -resetGrace.behindMs) {
    const found = `it is ${-aheadMs / 1000} s before Date`
    return { kind: 'in the past' as const, wanted: 'a Reset not before Date', found }
  }
  const { perMinute, perDay } = appliedQuota(exchange)
  const limit = wholeNumber(exchange, 'X-RateLimit-Limit')
  if (limit !== perMinute && limit !== perDay) return undefined
  // While a ban lasts, Reset may name its end, however far that is.
  if (statusCode(exchange) === 429) return undefined
  const windowMs = limit === perDay ? dayMs : minuteMs
  if (aheadMs <= 2 * windowMs + resetGrace.aheadMs) return undefined
  const wanted = `a Reset at most two windows of ${windowMs / 1000} s after Date`
  return { kind: 'too far ahead' as const, wanted, found: `${aheadMs / 1000} s after Date` }
}

/** After fewer Dates another clock of the target may not have shown yet. */
const minDates = 20

/** Replicas may each have a clock; a single Date may be off. */
const otherClocks = (here: number, trace: History): readonly number[] => {
  const { leastAheadMs, mostAheadMs } = datesIn(trace)
  return [leastAheadMs[1], mostAheadMs.at(-2)].flatMap((ms) => (ms === undefined ? [] : here + ms))
}

/** Reset is in the future, and not too far, by the clock of the target. */
export const expectReset = (exchange: AnsweredExchange, trace: History): void => {
  const at = datesTell(trace) ? dateMs(exchange) : undefined
  const reset = wholeNumber(exchange, 'X-RateLimit-Reset')
  if (reset === undefined) return
  if (at === undefined) {
    const message = 'no reliable Date shows the time at the target'
    throw new Untested('ambiguous', message, [exchange])
  }
  const fault = resetFault(reset * 1000 - at, exchange)
  if (!fault) return
  const here = nowHereMs(exchange)
  // The test clock may have been moved while the request was on its way.
  const times = [here, here + (exchange.meanwhileMs ?? 0)].flatMap((ms) => clocksOf(ms, at))
  const isRightAt = (ms: number) => resetFault(reset * 1000 - ms, exchange)?.kind !== fault.kind
  const isEarly = trace.inFlight !== undefined && datesIn(trace).dates < minDates
  if (isEarly || [...times, ...otherClocks(here, trace)].some(isRightAt)) {
    // A proxy may write Date by its own clock, or a replica.
    const message = `Reset may be right by another clock, and is wrong by its Date: ${fault.found}`
    throw new Untested('ambiguous', message, [exchange])
  }
  const wrong = asHeader('X-RateLimit-Reset', fault.kind)
  violateAs(wrong, fault.wanted, fault.found, exchange)
}

/** A Date of RFC 9651 such as `@1764892800`; it may have parameters. */
const structuredDate = (text: string): number | undefined => {
  const [, seconds] = /^@(-?\d{1,12})(?:\s*;.*)?$/.exec(text) ?? []
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

const dateHeaders = [
  {
    name: 'Deprecation',
    word: 'deprecation',
    fails:
      'More than one value, another form than `@1764892800`, or a date after the removal. It ' +
      'is a should.',
    expected: 'one date of RFC 9745, as in @1764892800, not after the removal',
    parse: structuredDate,
    firstMs: Number.NEGATIVE_INFINITY,
  },
  {
    name: 'Sunset',
    word: 'sunset',
    fails:
      'More than one value, no HTTP-date, or a date other than 5 December 2030. It is a should.',
    expected: 'one HTTP-date of 5 December 2030',
    parse: httpDateMs,
    firstMs: removalDay.firstMs,
  },
] as const

export const deprecation = dateHeaders.map(({ name, word, fails, expected, parse, firstMs }) =>
  clause({
    id: `get-${word}-header-date`,
    requirement: `get.${word}-header`,
    judges: `Every response to a GET by id with \`${name}\`; inapplicable without one.`,
    fails,
    // Neither header is required (ruling 23).
    optional: 'the target does not send this header',
    applies: (exchange) =>
      recognizeOperation(exchange) === 'get' && headerValues(exchange, name).length > 0,
    judge: (exchange) => {
      const values = headerValues(exchange, name)
      const ms = parse(values[0] ?? '')
      const isRight = ms !== undefined && ms >= firstMs && ms <= removalDay.lastMs
      if (values.length === 1 && isRight) return
      const kind = values.length > 1 ? 'given twice' : ms === undefined ? 'no date' : 'another date'
      violateField(exchange, name, kind, expected)
    },
  }),
)
