// The three rate-limit headers of every answer: that they are there, their form, their numbers.

import type { Trace } from '../../engine/check.ts'
import { invariant } from '../../engine/check.ts'
import type { Answered } from '../../engine/exchange.ts'
import { header, headerValues, statusOf } from '../../engine/exchange.ts'
import { violate } from '../../engine/expect.ts'
import { dayMs, fromMs, minuteMs, spanMs, tokensIn, toMs } from '../../engine/quota/key-minute.ts'
import type { RateHeaders } from '../../engine/quota/rate-headers.ts'
import { rateHeaders, wholeNumber } from '../../engine/quota/rate-headers.ts'
import { isAtOwnPath, isBelowBase, isFromBelow, isOpenMethod, operationOf } from '../answers.ts'
import { expectReset } from './reset.ts'

const names = {
  limit: 'X-RateLimit-Limit',
  remaining: 'X-RateLimit-Remaining',
  reset: 'X-RateLimit-Reset',
} as const

type Name = keyof typeof names

const each = Object.keys(names) as Name[]

/** What stands in front of the API answers so where the API does not. */
const isOfProxy = (exchange: Answered): boolean => statusOf(exchange) >= 502

const isApiResponse = (exchange: Answered): boolean =>
  isAtOwnPath(exchange) && !isOpenMethod(exchange) && !isFromBelow(exchange) && !isOfProxy(exchange)

/** Routers send other spellings of a path on to the usual one before the API sees them. */
const isRedirect = (exchange: Answered): boolean =>
  statusOf(exchange) >= 300 && statusOf(exchange) <= 399

const isElsewhere = (exchange: Answered): boolean =>
  isBelowBase(exchange) &&
  !isOpenMethod(exchange) &&
  !isApiResponse(exchange) &&
  !isOfProxy(exchange) &&
  !isRedirect(exchange)

const expectPresent = (exchange: Answered, name: Name): void => {
  if (headerValues(exchange, names[name]).length > 0) return
  violate(`the header ${names[name]}`, `no such header on a ${statusOf(exchange)}`, exchange)
}

const expectOneInteger = (exchange: Answered, name: Name): void => {
  const values = headerValues(exchange, names[name])
  const [value = ''] = values
  if (values.length === 1 && /^\d+$/.test(value)) return
  violate(`${names[name]} as one decimal integer`, `${names[name]}: ${values.join(', ')}`, exchange)
}

/**
 * Whether the numbers speak of the key. An answer 401 or 403 to a valid key is judged by whoever
 * sent it; here it would be judged by numbers that may be nobody's.
 */
const isOfKey = (exchange: Answered): boolean =>
  exchange.key !== null &&
  operationOf(exchange) !== undefined &&
  !isFromBelow(exchange) &&
  statusOf(exchange) < 500 &&
  ![401, 403].includes(statusOf(exchange))

const numberOf = (exchange: Answered, name: Name) => wholeNumber(exchange, names[name])

const has =
  (...wanted: Name[]) =>
  (exchange: Answered): boolean =>
    isOfKey(exchange) && wanted.every((name) => numberOf(exchange, name) !== undefined)

const isServed = (exchange: Answered): boolean =>
  has('limit', 'remaining')(exchange) && [200, 201].includes(statusOf(exchange))

const shown = (exchange: Answered): string =>
  each.map((name) => `${names[name]}: ${header(exchange, names[name])}`).join(', ')

const quotaOf = (exchange: Answered, trace: Trace) => trace.quotaOf(exchange.key ?? '')

/** A Unix time in seconds has ten digits from 2001 to 2286. */
const unixSeconds = /^[1-9]\d{9}$/

type Windows = ReadonlyMap<string, readonly Answered[]>

const windowOf = ({ key }: Answered, { limit, reset }: RateHeaders): string =>
  `${key} ${limit} ${reset}`

const known = new WeakMap<Trace, Windows>()

/** The served responses of each window that the server declared to a key, grouped once a run. */
const windowsIn = (trace: Trace): Windows => {
  const found = known.get(trace)
  if (found) return found
  const windows = new Map<string, Answered[]>()
  for (const exchange of trace.exchanges) {
    const numbers = isServed(exchange) ? rateHeaders(exchange) : undefined
    if (!numbers) continue
    const name = windowOf(exchange, numbers)
    const group = windows.get(name)
    if (group) group.push(exchange)
    else windows.set(name, [exchange])
  }
  known.set(trace, windows)
  return windows
}

/**
 * In one window that the server declared, one key is served no more than the plan's number; and
 * what a bucket gives back, where that window ends with its next token.
 */
const expectCounted = (exchange: Answered, trace: Trace): void => {
  const numbers = rateHeaders(exchange)
  const { perMinute, perDay } = quotaOf(exchange, trace)
  if (numbers === undefined || ![perMinute, perDay].includes(numbers.limit)) return
  const group = windowsIn(trace).get(windowOf(exchange, numbers)) ?? []
  if (group.length <= numbers.limit) return
  const windowMs = numbers.limit === perMinute ? minuteMs : dayMs
  // A longer time with one Reset is no window: calls may have been forgotten meanwhile.
  const inWindow = group.filter(
    (one) => one.seq <= exchange.seq && toMs(exchange) - fromMs(one) < windowMs,
  )
  if (inWindow.length <= numbers.limit) return
  const most = numbers.limit + tokensIn(numbers.limit, windowMs, spanMs(inWindow))
  if (inWindow.length <= most) return
  const [first = exchange] = inWindow
  violate(
    `at most ${most} requests served in one window`,
    `${inWindow.length} served under ${shown(exchange)}`,
    first,
    exchange,
  )
}

const present = each.map((name) =>
  invariant(`header-${name}-present`, `headers.${name}`, isApiResponse, (exchange) =>
    expectPresent(exchange, name),
  ),
)

const elsewhere = invariant('headers-elsewhere-present', 'headers.elsewhere', isElsewhere, (one) =>
  each.forEach((name) => {
    expectPresent(one, name)
  }),
)

const form = each.map((name) =>
  invariant(
    `header-${name}-integer`,
    'headers.form',
    (exchange) => isBelowBase(exchange) && headerValues(exchange, names[name]).length > 0,
    (exchange) => expectOneInteger(exchange, name),
  ),
)

/** Whether Remaining is more than Limit and this. */
const isAbove = (exchange: Answered, margin: number): boolean =>
  (numberOf(exchange, 'remaining') ?? 0) > (numberOf(exchange, 'limit') ?? 0) + margin

const numbers = [
  invariant('header-limit-of-plan', 'headers.limit.plan', has('limit'), (exchange, trace) => {
    const { perMinute, perDay } = quotaOf(exchange, trace)
    if ([perMinute, perDay].includes(numberOf(exchange, 'limit') ?? -1)) return
    violate(`${names.limit} ${perMinute} or ${perDay}`, shown(exchange), exchange)
  }),

  invariant(
    'header-remaining-bounds',
    'headers.remaining.bounds',
    has('limit', 'remaining'),
    (exchange) => {
      if (isAbove(exchange, 0)) violate('Remaining at most Limit', shown(exchange), exchange)
    },
  ),

  invariant('header-remaining-counts', 'headers.remaining.counts', isServed, (exchange) => {
    if (isAbove(exchange, -1)) violate('Remaining below Limit', shown(exchange), exchange)
  }),

  invariant(
    'header-reset-unix-seconds',
    'headers.reset.seconds',
    (exchange) => isOfKey(exchange) && /^\d+$/.test(header(exchange, names.reset) ?? ''),
    (exchange) => {
      const value = header(exchange, names.reset) ?? ''
      if (!unixSeconds.test(value)) violate('Unix seconds', `${names.reset}: ${value}`, exchange)
    },
  ),

  invariant(
    'header-reset-ahead',
    'headers.reset.ahead',
    // What is no time in seconds lies nowhere in time.
    (exchange) => has('reset')(exchange) && unixSeconds.test(header(exchange, names.reset) ?? ''),
    expectReset,
  ),

  invariant('window-served-most', 'service.counted', isServed, expectCounted),
]

export const rateLimitHeaders = [...present, elsewhere, ...form, ...numbers]
