// The three rate-limit headers of every response: their presence, their form, their numbers.

import {
  type AnsweredExchange,
  header,
  headerValues,
  isAtOwnPath,
  isBelowBase,
  isOpenMethod,
  isSuccess,
  isUnusualMethod,
  statusCode,
} from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { appliedQuota, wholeNumber } from '../../history/rate-headers.ts'
import { describeForm, describeTimeForm } from '../../history/value-kinds.ts'
import { plans, type Quota } from '../../spec/plans.ts'
import { asHeader, clause, violateAs, violateField } from '../clause.ts'
import { isFromBelow } from '../from-below.ts'
import { expectReset } from '../time.ts'
import { isOfKey } from './calls.ts'

const names = {
  limit: 'X-RateLimit-Limit',
  remaining: 'X-RateLimit-Remaining',
  reset: 'X-RateLimit-Reset',
} as const

type Name = keyof typeof names

const each = Object.keys(names) as Name[]

/** A proxy in front of the API responds so if the API does not. */
const isOfProxy = (exchange: AnsweredExchange): boolean => statusCode(exchange) >= 502

const isApiResponse = (exchange: AnsweredExchange): boolean =>
  isAtOwnPath(exchange) && !isOpenMethod(exchange) && !isFromBelow(exchange) && !isOfProxy(exchange)

/** Routers redirect other spellings of a path before the API sees them. */
const isElsewhere = (exchange: AnsweredExchange): boolean =>
  isBelowBase(exchange) &&
  !isOpenMethod(exchange) &&
  !isUnusualMethod(exchange) &&
  !isApiResponse(exchange) &&
  !isOfProxy(exchange) &&
  Math.floor(statusCode(exchange) / 100) !== 3

const expectPresent = (exchange: AnsweredExchange, wanted: readonly Name[]): void => {
  const all = wanted.map((name) => names[name])
  const missing = all.filter((name) => headerValues(exchange, name).length === 0)
  if (missing.length === 0) return
  const actual = `no such header on a ${statusCode(exchange)}`
  const wrong = asHeader(missing.join(', '), 'missing')
  violateAs(wrong, `the header ${missing[0]}`, actual, exchange)
}

const expectOneInteger = (exchange: AnsweredExchange, name: Name): void => {
  const values = headerValues(exchange, names[name])
  const [value = ''] = values
  if (values.length === 1 && /^\d+$/.test(value)) return
  const kind = values.length > 1 ? 'given twice' : describeForm(value)
  violateField(exchange, names[name], kind, `${names[name]} as one decimal integer`)
}

const numberOf = (exchange: AnsweredExchange, name: Name) => wholeNumber(exchange, names[name])

const has = (exchange: AnsweredExchange, ...wanted: readonly Name[]): boolean =>
  isOfKey(exchange) && wanted.every((name) => numberOf(exchange, name) !== undefined)

/** Remaining is at most Limit, or below it. */
const expectWithin = (exchange: AnsweredExchange, isCounted: boolean): void => {
  const [limit = 0, remaining = 0] = [numberOf(exchange, 'limit'), numberOf(exchange, 'remaining')]
  if (isCounted ? remaining < limit : remaining <= limit) return
  const expected = isCounted ? 'below' : 'at most'
  const brief = `${remaining} with ${names.limit}: ${limit}`
  const wrong = asHeader(names.remaining, isCounted ? 'not below Limit' : 'above Limit', brief)
  violateAs(wrong, `Remaining ${expected} Limit`, `${names.remaining}: ${brief}`, exchange)
}

/** A Unix time in seconds has ten digits from 2001 to 2286. */
const unixSeconds = /^[1-9]\d{9}$/

const apiResponses =
  'Every response at a path of the interface, except to HEAD and OPTIONS, from below the API ' +
  '(those that `error-shape` leaves out, and redirects for forwarding fields) or from a proxy ' +
  '(502 and above)'

const responsesOfKeys =
  'Every response of the three operations to a valid key, except 401, 403 and 5xx'

const present = each.map((name) =>
  clause({
    id: `header-${name}-present`,
    requirement: `headers.${name}`,
    judges: `${apiResponses}.`,
    fails: `No header \`${names[name]}\`.`,
    applies: isApiResponse,
    judge: (exchange) => expectPresent(exchange, [name]),
  }),
)

const elsewhere = clause({
  id: 'headers-elsewhere-present',
  requirement: 'headers.elsewhere',
  judges:
    'Every response at an address that the interface does not name, or from below the API; no ' +
    'redirects, HEAD, OPTIONS, or methods that few HTTP servers know.',
  fails: 'One of the three headers is missing. It is a should.',
  applies: isElsewhere,
  judge: (exchange) => expectPresent(exchange, each),
})

const form = each.map((name) =>
  clause({
    id: `header-${name}-integer`,
    requirement: 'headers.form',
    judges: `Every response below the base URL that carries \`${names[name]}\`.`,
    fails: 'The header is given twice, or is anything but decimal digits.',
    applies: (exchange) => isBelowBase(exchange) && headerValues(exchange, names[name]).length > 0,
    judge: (exchange) => expectOneInteger(exchange, name),
  }),
)

const numbersOf = ({ perMinute, perDay }: Quota): readonly number[] => [perMinute, perDay]

export const rateLimitHeaders = [
  ...present,
  elsewhere,
  ...form,
  clause({
    id: 'header-limit-of-plan',
    requirement: 'headers.limit.plan',
    judges: `${responsesOfKeys}.`,
    fails: "A Limit that is neither the per-minute nor the per-day number of the key's plan.",
    inconclusive: 'the plan of the key is not known, or from this header alone (key)',
    applies: (exchange) => has(exchange, 'limit'),
    judge: (exchange) => {
      if (exchange.quota === undefined || exchange.quotaIsSaid) {
        const message = 'the plan of the key is not known, or from this header alone (--key)'
        throw new Untested('key', message, [exchange])
      }
      const limit = numberOf(exchange, 'limit') ?? -1
      const own = numbersOf(appliedQuota(exchange))
      if (own.includes(limit)) return
      const isOfPlan = Object.values(plans).some((quota) => numbersOf(quota).includes(limit))
      const kind = isOfPlan ? 'that of another plan' : 'of no window'
      const wrong = { ...asHeader(names.limit, kind, String(limit)), ofKey: true as const }
      const expected = `${names.limit} ${own.join(' or ')}`
      violateAs(wrong, expected, `${names.limit}: ${limit}`, exchange)
    },
  }),
  clause({
    id: 'header-remaining-bounds',
    requirement: 'headers.remaining.bounds',
    judges: `${responsesOfKeys}.`,
    fails: 'A Remaining above Limit.',
    applies: (exchange) => has(exchange, 'limit', 'remaining'),
    judge: (exchange) => expectWithin(exchange, false),
  }),
  clause({
    id: 'header-remaining-counts',
    requirement: 'headers.remaining.counts',
    judges: 'Every 200 and 201 to a valid key.',
    fails: 'A Remaining that is not below Limit: the call itself was not counted.',
    applies: (exchange) => has(exchange, 'limit', 'remaining') && isSuccess(exchange),
    judge: (exchange) => expectWithin(exchange, true),
  }),
  clause({
    id: 'header-reset-unix-seconds',
    requirement: 'headers.reset.seconds',
    judges: `${responsesOfKeys}.`,
    fails:
      'A Reset without the ten digits of a Unix time in seconds: seconds to go, or milliseconds.',
    applies: (exchange) => isOfKey(exchange) && /^\d+$/.test(header(exchange, names.reset) ?? ''),
    judge: (exchange) => {
      const value = header(exchange, names.reset) ?? ''
      if (unixSeconds.test(value)) return
      violateField(exchange, names.reset, describeTimeForm(value), 'Unix seconds')
    },
  }),
  clause({
    id: 'header-reset-ahead',
    requirement: 'headers.reset.ahead',
    judges: `${responsesOfKeys}; Reset is compared with the \`Date\` of the same response.`,
    fails:
      'A Reset more than 3 s before Date, or more than two windows and 5 s after it (except on a ' +
      '429, where it may be the end of a ban).',
    inconclusive:
      'there is no Date, or Reset is right by the local clock and wrong only by Date (ambiguous)',
    applies: (exchange) =>
      has(exchange, 'reset') && unixSeconds.test(header(exchange, names.reset) ?? ''),
    judge: expectReset,
  }),
]
