// An answer 401 reveals nothing: neither whether an animal exists, nor any key.

import { bodyText, readBody } from '../../engine/body.ts'
import { check, invariant } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { statusOf } from '../../engine/exchange.ts'
import { short, told, violate } from '../../engine/expect.ts'
import type { Json } from '../../engine/json.ts'
import { isObject, printJson } from '../../engine/json.ts'
import { Untested } from '../../engine/outcome.ts'
import { get, unauthorized } from '../../engine/request.ts'
import { isSuccess, operationOf } from '../answers.ts'
import { unlessOpen, withoutKey } from './demand.ts'
import { unknownIdLike } from './unknown-id.ts'

const petIdOf = ({ asked }: Answered): bigint => BigInt(asked.path.slice('/pets/'.length))

const saying = (exchange: Answered): string => {
  const body = readBody(exchange)
  const value: Json = 'value' in body ? body.value : null
  const { code = null, message = null } = isObject(value) ? value : {}
  const members = isObject(value) ? Object.keys(value).sort() : []
  return printJson([String(statusOf(exchange)), code, message, members])
}

/** What an answer says, with the id that was asked for left out: a small one is in any text. */
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
  // That anyone is served, or refused in another way, is not what this is about.
  if (isSuccess(existing) || (saySame(existing, absent) && statusOf(existing) !== 401)) {
    unlessOpen(existing, 'get', control)
  }
  if (saySame(existing, absent)) return
  const again = await ask(`/pets/${id}`)
  if (!saySame(again, existing)) {
    throw new Untested('ambiguous', 'two answers 401 to one request differ by themselves', [
      existing,
      again,
    ])
  }
  violate(
    'the same answer for an animal that exists and for one that does not',
    `${told(existing)} and ${told(absent)}`,
    existing,
    absent,
  )
}

/** Shorter texts stand in honest messages by chance. */
const shortestKey = 8

/** The texts that a request sent in the place of a key, or around one. */
const keysSent = ({ asked }: Answered): string[] => {
  const values = Array.isArray(asked.authorization) ? asked.authorization : []
  const headers = asked.headers.filter(([name]) => /key|token|cookie|authorization/i.test(name))
  const query = [...asked.path.matchAll(/[?&](?:api_?key|(?:access_)?token|key)=([^&]*)/g)]
  return [...values, ...headers.map(([, value]) => value), ...query.map(([, value = '']) => value)]
    .flatMap((value) => value.split(/[\s,;="]+/))
    .filter(
      (word) =>
        word.length >= shortestKey && !/^(bearer:?|api_key|access_token|x-[a-z-]+)$/i.test(word),
    )
}

export const secrecy = [
  check(
    'auth-existing-or-unknown-same-401',
    'auth.reveals-nothing',
    { stage: 'strangers', keyed: 0, anonymous: 1, getPet: true },
    compare,
  ),

  invariant(
    'auth-401-repeats-no-key',
    'auth.repeats-no-key',
    (exchange) => statusOf(exchange) === 401 && operationOf(exchange) !== undefined,
    (exchange) => {
      const body = bodyText(exchange)
      const echoed = keysSent(exchange).some((key) => body.includes(key))
      if (echoed) violate('a body without the key that was sent', short(body), exchange)
    },
  ),
]
