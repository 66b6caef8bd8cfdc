// The headers that announce the removal of `GET /pets/{petId}`: right, where they are sent.

import { invariant, optionalInvariant } from '../../engine/check.ts'
import type { Answered } from '../../engine/exchange.ts'
import { headerValues } from '../../engine/exchange.ts'
import { violate } from '../../engine/expect.ts'
import { operationOf, parseHttpDate, removalDay } from '../answers.ts'

const carries = (name: string) => (exchange: Answered) =>
  operationOf(exchange) === 'get' && headerValues(exchange, name).length > 0

/** A Date of RFC 9651, parameters allowed: `@1764892800`. */
const structuredDate = /^@(-?\d{1,12})(?:\s*;.*)?$/

const sent = [
  invariant(
    'get-deprecation-header-date',
    'get.deprecation-header',
    carries('Deprecation'),
    (exchange) => {
      const values = headerValues(exchange, 'Deprecation')
      const [, seconds] = structuredDate.exec(values[0] ?? '') ?? []
      const isRight = seconds !== undefined && Number(seconds) * 1000 <= removalDay.lastMs
      if (values.length === 1 && isRight) return
      violate(
        'one date of RFC 9745, as in @1764892800, not after the removal',
        `Deprecation: ${values.join(', ')}`,
        exchange,
      )
    },
  ),

  invariant('get-sunset-header-date', 'get.sunset-header', carries('Sunset'), (exchange) => {
    const values = headerValues(exchange, 'Sunset')
    const ms = parseHttpDate(values[0] ?? '')
    const isRight = ms !== undefined && ms >= removalDay.firstMs && ms <= removalDay.lastMs
    if (values.length === 1 && isRight) return
    violate('one HTTP-date of 5 December 2030', `Sunset: ${values.join(', ')}`, exchange)
  }),
]

/** Neither header need be sent (ruling 23). */
export const deprecation = sent.map((question) =>
  optionalInvariant('the target does not send this header', question),
)
