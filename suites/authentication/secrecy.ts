// A 401 reveals nothing: neither whether a pet exists, nor any key.

import { bodyText, readBody } from '../../engine/body.ts'
import type { Context } from '../../engine/context.ts'
import { check, invariant } from '../../engine/declare.ts'
import { type Answered, get, statusOf, unauthorized } from '../../engine/exchange.ts'
import { describeResponse, short, violate } from '../../engine/expect.ts'
import { isObject, type Json, printJson } from '../../engine/json.ts'
import { Untested } from '../../engine/outcome.ts'
import { isSuccess, operationOf } from '../responses.ts'
import { unlessOpen, withoutKey } from './demand.ts'

const maxProbes = 64n
/** Of an int64. */
const maxDigits = 19

/**
 * An id that no response has shown, of the same length, so that lengths can be compared; one digit
 * longer if the pets of a small store have them all.
 */
const unknownIdLike = (id: bigint, isKnown: (id: bigint) => boolean): bigint => {
  const step = id < 0n ? -1n : 1n
  const digits = (id * step).toString().length
  for (const length of [digits, Math.min(digits + 1, maxDigits)]) {
    const least = 10n ** BigInt(length - 1)
    // Near the other end of the ids of this length; a store has far fewer pets.
    for (let probe = 0n; probe < maxProbes && least * 9n > probe; probe++) {
      const candidate = step * (id * step < least * 5n ? least * 9n - probe : least + probe)
      if (!isKnown(candidate) && candidate !== id) return candidate
    }
  }
  throw new Untested('blocked', `every id probed next to ${id} is that of a pet`)
}

const petIdOf = ({ asked }: Answered): bigint => BigInt(asked.path.slice('/pets/'.length))

const saying = (exchange: Answered): string => {
  const body = readBody(exchange)
  const value: Json = 'value' in body ? body.value : null
  const { code = null, message = null } = isObject(value) ? value : {}
  const members = isObject(value) ? Object.keys(value).sort() : []
  return printJson([String(statusOf(exchange)), code, message, members])
}

/** What a response says, without the requested id: a small number occurs in any text. */
const sayingOfAny = (exchange: Answered): string =>
  saying(exchange).replace(new RegExp(`(?<!\\d)${petIdOf(exchange)}(?!\\d)`, 'g'), '{petId}')

const saySame = (one: Answered, other: Answered): boolean =>
  saying(one) === saying(other) || sayingOfAny(one) === sayingOfAny(other)

const compare = async (context: Context): Promise<void> => {
  const control = await context.control('get')
  const id = petIdOf(control)
  const unknown = unknownIdLike(id, (other) => context.herd.seen.has(other))
  const ask = (path: string) => context.call(unauthorized(get(path)))
  const existing = await withoutKey(context, 'get')
  const absent = await ask(`/pets/${unknown}`)
  // A server that serves anyone, or refuses with another status, has another fault.
  if (isSuccess(existing) || (saySame(existing, absent) && statusOf(existing) !== 401)) {
    unlessOpen(existing, 'get', control)
  }
  if (saySame(existing, absent)) return
  const again = await ask(`/pets/${id}`)
  if (!saySame(again, existing)) {
    throw new Untested('ambiguous', 'two 401 responses to one request differ by themselves', [
      existing,
      again,
    ])
  }
  violate(
    'the same response for a pet that exists and for one that does not',
    `${describeResponse(existing)} and ${describeResponse(absent)}`,
    existing,
    absent,
  )
}

/** Shorter texts occur in honest messages by chance. */
const minKeyLength = 8

/** The texts that a request sent in place of a key, or around one. */
const keysSent = ({ asked }: Answered): string[] => {
  const values = Array.isArray(asked.authorization) ? asked.authorization : []
  const headers = asked.headers.filter(([name]) => /key|token|cookie|authorization/i.test(name))
  const query = [...asked.path.matchAll(/[?&](?:api_?key|(?:access_)?token|key)=([^&]*)/g)]
  return [...values, ...headers.map(([, value]) => value), ...query.map(([, value = '']) => value)]
    .flatMap((value) => value.split(/[\s,;="]+/))
    .filter(
      (word) =>
        word.length >= minKeyLength && !/^(bearer:?|api_key|access_token|x-[a-z-]+)$/i.test(word),
    )
}

export const secrecy = [
  check({
    id: 'auth-existing-or-unknown-same-401',
    requirement: 'auth.reveals-nothing',
    needs: { stage: 'unauthenticated', keyed: 0, anonymous: 1, getPet: true },
    sends:
      'Without a key, a GET of an existing pet and one of a similar id that no pet has; if the ' +
      'responses differ, the first again.',
    fails: 'Another status, code, message or set of members for the two, the id itself left out.',
    inconclusive:
      'two responses to the same request differ by themselves (ambiguous); or both are served, ' +
      'or refused with another status (blocked), which `auth-missing-get-401` reports',
    run: compare,
  }),

  invariant({
    id: 'auth-401-repeats-no-key',
    requirement: 'auth.repeats-no-key',
    judges: 'Every 401 of the three operations.',
    fails:
      'A body that contains a text of eight or more characters that was sent in place of a key. ' +
      'It is a should: the sender learns nothing new, but responses are logged.',
    applies: (exchange) => statusOf(exchange) === 401 && operationOf(exchange) !== undefined,
    holds: (exchange) => {
      const body = bodyText(exchange)
      const echoed = keysSent(exchange).some((key) => body.includes(key))
      if (echoed) violate('a body without the key that was sent', short(body), exchange)
    },
  }),
]
