// Versioning: the prefix of the base URL, and the headers that announce a deprecation.

import { type AnyCheck, check, invariant, type Needs, observe } from '../engine/declare.ts'
import { type AnsweredExchange, header, headerValues } from '../engine/exchange.ts'
import { violate } from '../engine/expect.ts'
import { afterControl } from './requests.ts'
import { operationOf, parseHttpDate, removalDay } from './responses.ts'

const free: Needs = { stage: 'reads', keyed: 0, anonymous: 0 }

const prefix = (
  [
    ['base-address-version-prefix', 'service.base-path'],
    ['version-prefix-v1', 'version.prefix'],
  ] as const
).map(([id, requirement]) =>
  check({
    id,
    requirement,
    needs: free,
    sends: 'No requests: it looks at the URL of the valid `GET /pets` that returned 200.',
    fails: 'A path that does not end in `/v1/pets`.',
    ...afterControl('list', async (_, exchange) => {
      const { pathname } = new URL(exchange.request.url)
      if (pathname.endsWith('/v1/pets')) return
      violate('a base URL that ends in /v1', `the path of the list is ${pathname}`, exchange)
    }),
  }),
)

const announced = observe({
  id: 'get-deprecation-sent',
  requirement: 'get.deprecation-sent',
  needs: { ...free, getPet: true },
  sends: 'No requests: it looks at the GET of an existing pet.',
  records: 'Which of `Deprecation` and `Sunset` the response has.',
  ...afterControl('get', async (_, exchange) => {
    const sent = ['Deprecation', 'Sunset'].filter((name) => header(exchange, name) !== undefined)
    return sent.join(' and ') || 'neither'
  }),
})

export const versioning: readonly AnyCheck[] = [...prefix, announced]

/** Whether it is a response to GET by id that has a header. */
const carries = (name: string) => (exchange: AnsweredExchange) =>
  operationOf(exchange) === 'get' && headerValues(exchange, name).length > 0

/** A Date of RFC 9651 such as `@1764892800`; it may have parameters. */
const structuredDate = /^@(-?\d{1,12})(?:\s*;.*)?$/

/** Neither header is required (ruling 23). */
const optional = 'the target does not send this header'

export const deprecation = [
  invariant({
    id: 'get-deprecation-header-date',
    requirement: 'get.deprecation-header',
    judges: 'Every response to a GET by id with `Deprecation`; inapplicable without one.',
    fails:
      'More than one value, another form than `@1764892800`, or a date after the removal. It ' +
      'is a should.',
    optional,
    applies: carries('Deprecation'),
    holds: (exchange) => {
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
  }),

  invariant({
    id: 'get-sunset-header-date',
    requirement: 'get.sunset-header',
    judges: 'Every response to a GET by id with `Sunset`; inapplicable without one.',
    fails:
      'More than one value, no HTTP-date, or a date other than 5 December 2030. It is a should.',
    optional,
    applies: carries('Sunset'),
    holds: (exchange) => {
      const values = headerValues(exchange, 'Sunset')
      const ms = parseHttpDate(values[0] ?? '')
      const isRight = ms !== undefined && ms >= removalDay.firstMs && ms <= removalDay.lastMs
      if (values.length === 1 && isRight) return
      violate('one HTTP-date of 5 December 2030', `Sunset: ${values.join(', ')}`, exchange)
    },
  }),
]
