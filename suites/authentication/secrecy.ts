// A 401 reveals nothing: neither whether a pet exists, nor any key.

import { bodyText, readBody } from '../../engine/check/body.ts'
import type { Context } from '../../engine/check/context.ts'
import { check, invariant } from '../../engine/check/declare.ts'
import {
  type AnsweredExchange,
  get,
  isSuccess,
  statusCode,
  unauthorized,
} from '../../engine/check/exchange.ts'
import { describeResponse, short, violate, violateAs } from '../../engine/check/expect.ts'
import { isObject, type Json, printJson } from '../../engine/check/json.ts'
import { recognizeOperation } from '../../engine/check/operations.ts'
import { Untested } from '../../engine/check/outcome.ts'
import { unlessOpen, withoutKey } from './demand.ts'

const maxProbes = 64n
/** The decimal digits of an int64. */
const maxDigits = 19

/**
 * An id that no response has shown, with as many digits, so that lengths can be compared; with one
 * digit more if all those ids exist.
 */
const unknownIdLike = (id: bigint, isKnown: (id: bigint) => boolean): bigint => {
  const step = id < 0n ? -1n : 1n
  const digits = (id * step).toString().length
  for (const length of [digits, Math.min(digits + 1, maxDigits)]) {
    const min = 10n ** BigInt(length - 1)
    // Far from the id, among those with this many digits.
    for (let probe = 0n; probe < maxProbes && min * 9n > probe; probe++) {
      const candidate = step * (id * step < min * 5n ? min * 9n - probe : min + probe)
      if (!isKnown(candidate) && candidate !== id) return candidate
    }
  }
  throw new Untested('blocked', `no unknown id similar to ${id} was found`)
}

const petIdOf = ({ apiRequest }: AnsweredExchange): bigint =>
  BigInt(apiRequest.path.slice('/pets/'.length))

const contentOf = (exchange: AnsweredExchange): string => {
  const body = readBody(exchange)
  const value: Json = 'value' in body ? body.value : null
  const { code = null, message = null } = isObject(value) ? value : {}
  const members = isObject(value) ? Object.keys(value).sort() : []
  return printJson([String(statusCode(exchange)), code, message, members])
}

/** Without the requested id, which as a small number may occur in any text. */
const contentWithoutId = (exchange: AnsweredExchange): string =>
  contentOf(exchange).replace(new RegExp(`(?<!\\d)${petIdOf(exchange)}(?!\\d)`, 'g'), '{petId}')

const areEqual = (one: AnsweredExchange, other: AnsweredExchange): boolean =>
  contentOf(one) === contentOf(other) || contentWithoutId(one) === contentWithoutId(other)

const compare = async (context: Context): Promise<void> => {
  const control = await context.control('get')
  const id = petIdOf(control)
  const unknown = unknownIdLike(id, (other) => context.knownPets.seen.has(other))
  const send = (path: string) => context.call(unauthorized(get(path)))
  const existing = await withoutKey(context, 'get')
  const absent = await send(`/pets/${unknown}`)
  // A server that requires no key, or refuses with another status, has another fault.
  if (isSuccess(existing) || (areEqual(existing, absent) && statusCode(existing) !== 401)) {
    unlessOpen(existing, 'get', control)
  }
  if (areEqual(existing, absent)) return
  const again = await send(`/pets/${id}`)
  if (!areEqual(again, existing)) {
    const message = 'two 401 responses to the same request differ'
    throw new Untested('ambiguous', message, [existing, again])
  }
  violate(
    'the same response for an existing pet and for an unknown one',
    `${describeResponse(existing)} and ${describeResponse(absent)}`,
    existing,
    absent,
  )
}

/** Shorter texts, and the words of a language, may occur in a message by chance. */
const minKeyLength = 16

/** Where checks put a key: header fields, and names of cookies and parameters. */
const fieldsOfKeys = /^(?:x-api-key|api-key|x-auth-token|proxy-authorization)$/i
const namesOfKeys = /(?:^|[?&;] ?)(?:api_?key|(?:access_)?token|session|key)=([^&;]*)/g

const keysSent = ({ apiRequest: { authorization, headers, path } }: AnsweredExchange): string[] => {
  const valuesOf = (test: RegExp) =>
    headers.flatMap(([name, value]) => (test.test(name) ? [value] : []))
  const named = [path, ...valuesOf(/^cookie$/i)].flatMap((text) =>
    [...text.matchAll(namesOfKeys)].map(([, value = '']) => value),
  )
  const credentials = [...(Array.isArray(authorization) ? authorization : [])]
  return [...credentials, ...valuesOf(fieldsOfKeys), ...named]
    .flatMap((value) => value.split(/[\s,"]+/))
    .filter((word) => word.length >= minKeyLength)
}

export const secrecy = [
  check({
    id: 'auth-existing-or-unknown-same-401',
    requirement: 'auth.reveals-nothing',
    needs: { stage: 'unauthenticated', keyed: 0, anonymous: 1, getPet: true },
    sends:
      'Without a key: a GET of an existing pet and one of a similar unknown id; if the ' +
      'responses differ, the first one again.',
    fails: 'The two differ in their status, code, message or members, apart from the id itself.',
    inconclusive:
      'two responses to the same request differ (ambiguous); or both are served, or refused ' +
      'with another status (blocked), which `auth-missing-get-401` reports',
    run: compare,
  }),

  invariant({
    id: 'auth-401-repeats-no-key',
    requirement: 'auth.repeats-no-key',
    judges: 'Every 401 of the three operations.',
    fails:
      'A body that contains a text of 16 or more characters that was sent as a key. It is ' +
      'a should: the sender learns nothing new, but responses are logged.',
    applies: (exchange) =>
      statusCode(exchange) === 401 && recognizeOperation(exchange) !== undefined,
    holds: (exchange) => {
      // What a body holds beyond the part that is read is not known.
      readBody(exchange)
      const body = bodyText(exchange)
      const echoed = keysSent(exchange).some((key) => body.includes(key))
      const wrong = { aspect: 'body', kind: 'repeats the key' } as const
      if (echoed) violateAs(wrong, 'a body without the key that was sent', short(body), exchange)
    },
  }),
]
