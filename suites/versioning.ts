// Versioning: the prefix of the base URL, and the headers that announce a deprecation.

import { type AnyCheck, check, invariant, type Needs, observe } from '../engine/check/declare.ts'
import { header, headerValues } from '../engine/check/exchange.ts'
import { violate, violateHeader } from '../engine/check/expect.ts'
import { recognizeOperation } from '../engine/check/operations.ts'
import { parseHttpDate } from '../engine/quota/rate-headers.ts'
import { removalDay } from './pets/removal-date.ts'
import { afterControl } from './pets/requests.ts'

const free: Needs = { stage: 'reads', keyed: 0, anonymous: 0 }

const prefix = check({
  id: 'base-address-version-prefix',
  requirement: 'service.base-path',
  needs: free,
  sends: 'No requests: it looks at the URL of the valid `GET /pets` that returned 200.',
  fails: 'A path that does not end in `/v1/pets`.',
  ...afterControl('list', async (_, exchange) => {
    const { pathname } = new URL(exchange.request.url)
    if (pathname.endsWith('/v1/pets')) return
    violate('a base URL that ends in /v1', `the path of the list is ${pathname}`, exchange)
  }),
})

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

export const versioning: readonly AnyCheck[] = [prefix, announced]

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
    parse: parseHttpDate,
    firstMs: removalDay.firstMs,
  },
] as const

export const deprecation = dateHeaders.map(({ name, word, fails, expected, parse, firstMs }) =>
  invariant({
    id: `get-${word}-header-date`,
    requirement: `get.${word}-header`,
    judges: `Every response to a GET by id with \`${name}\`; inapplicable without one.`,
    fails,
    // Neither header is required (ruling 23).
    optional: 'the target does not send this header',
    applies: (exchange) =>
      recognizeOperation(exchange) === 'get' && headerValues(exchange, name).length > 0,
    holds: (exchange) => {
      const values = headerValues(exchange, name)
      const ms = parse(values[0] ?? '')
      const isRight = ms !== undefined && ms >= firstMs && ms <= removalDay.lastMs
      if (values.length === 1 && isRight) return
      const kind = values.length > 1 ? 'given twice' : ms === undefined ? 'no date' : 'another date'
      violateHeader(name, kind, expected, `${name}: ${values.join(', ')}`, exchange)
    },
  }),
)
