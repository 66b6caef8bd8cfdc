// An answer 401 reveals nothing: neither whether an animal exists, nor any key.
import { operationOf } from '../answers.ts'
import { check, invariant } from '../kit/check.ts'
import type { Context } from '../kit/context.ts'
import type { Answered } from '../kit/exchange.ts'
import { bodyText, readBody, statusOf } from '../kit/exchange.ts'
import { short, told, violate } from '../kit/expect.ts'
import type { Json } from '../kit/json.ts'
import { isObject, printJson } from '../kit/json.ts'
import { Untested } from '../kit/outcome.ts'
import { get, unauthorized } from '../kit/request.ts'

/** An id of as many characters that no answer has shown, so that lengths can be compared. */
export const unknownIdLike = (id: bigint, isKnown: (id: bigint) => boolean): bigint => {
  const step = id < 0n ? -1n : 1n
  const digits = id.toString().replace('-', '').length
  const least = 10n ** BigInt(digits - 1)
  // A probe near the other end of the ids of this length; a store has far fewer animals.
  for (let probe = 0n; probe < 64n && least * 9n > probe; probe++) {
    const candidate = step * (id * step < least * 5n ? least * 9n - probe : least + probe)
    if (!isKnown(candidate) && candidate !== id) return candidate
  }
  throw new Untested('blocked', `every id probed beside ${id} is that of an animal`)
}

const petIdOf = ({ asked }: Answered): bigint => BigInt(asked.path.slice('/pets/'.length))

/** What an answer says, with the id that was asked for left out. */
const saying = (exchange: Answered): string => {
  const body = readBody(exchange)
  const value: Json = 'value' in body ? body.value : null
  const { code = null, message = null } = isObject(value) ? value : {}
  const members = isObject(value) ? Object.keys(value).sort() : []
  const said = printJson([String(statusOf(exchange)), code, message, members])
  return said.replaceAll(exchange.asked.path.slice('/pets/'.length), '{petId}')
}

const compare = async (context: Context): Promise<void> => {
  const control = await context.control('get')
  const id = petIdOf(control)
  const unknown = unknownIdLike(id, (other) => context.herd.seen.has(other))
  const ask = (path: string) => context.call(unauthorized(get(path)))
  const existing = await ask(`/pets/${id}`)
  const absent = await ask(`/pets/${unknown}`)
  if (saying(existing) === saying(absent)) {
    if (statusOf(existing) !== 401) violate('status 401', told(existing), control, existing)
    return
  }
  const again = await ask(`/pets/${id}`)
  if (saying(again) !== saying(existing)) {
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
export const keysSent = ({ asked }: Answered): string[] => {
  const values = Array.isArray(asked.authorization) ? asked.authorization : []
  const headers = asked.headers.filter(([name]) => /key|cookie|authorization/i.test(name))
  const query = [...asked.path.matchAll(/[?&](?:api_key|access_token)=([^&]*)/g)]
  return [...values, ...headers.map(([, value]) => value), ...query.map(([, value = '']) => value)]
    .flatMap((value) => value.split(/[\s,;="]+/))
    .filter(
      (word) => word.length >= shortestKey && !/^(bearer:?|api_key|access_token)$/i.test(word),
    )
}

export const secrecy = [
  check(
    'auth-existing-or-unknown-same-401',
    'auth.reveals-nothing',
    { stage: 'strangers', keyed: 0, anonymous: 2, getPet: true },
    compare,
  ),

  invariant(
    'auth-401-repeats-no-key',
    'auth.reveals-nothing',
    (exchange) => statusOf(exchange) === 401 && operationOf(exchange) !== undefined,
    (exchange) => {
      const body = bodyText(exchange)
      const echoed = keysSent(exchange).some((key) => body.includes(key))
      if (echoed) violate('a body without the key that was sent', short(body), exchange)
    },
  ),
]
