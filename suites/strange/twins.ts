// Requests with legal peculiarities: what they are, whether the response is the one that the plain
// request must get, and which peculiarities a trace shows to matter. Legal peculiarities of valid
// requests matter to no response; nor do fields that a naive gateway trusts to one without a key.
// `vary.ts` sends them, and finds out which one matters.

import { isValidList } from '../../engine/check/control-request.ts'
import { type AnyCheck, type Invariant, invariant, type Trace } from '../../engine/check/declare.ts'
import {
  type AnsweredExchange,
  type Exchange,
  isSuccess,
  memoized,
  statusCode,
} from '../../engine/check/exchange.ts'
import { describeResponse, violateAs, violateStatus } from '../../engine/check/expect.ts'
import { parseJson, printJson } from '../../engine/check/json.ts'
import { requestedId } from '../../engine/check/known-pets.ts'
import { hasMalformedKey, recognizeOperation } from '../../engine/check/operations.ts'
import { Untested } from '../../engine/check/outcome.ts'
import { findPeculiarities } from '../../engine/check/peculiarities.ts'
import { is429, isShutOut } from '../../engine/quota/rate-headers.ts'
import { mayBeShared } from '../../engine/quota/remaining-steps.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'
import { mistakenKeys } from '../authentication/spoil.ts'
import {
  beyondFilter,
  beyondLimit,
  otherEcho,
  otherId,
} from '../response-matching/judge-own-response.ts'

const judged = {
  list: (exchange: AnsweredExchange) =>
    statusCode(exchange) === 200 &&
    isValidList(exchange) &&
    !beyondLimit(exchange) &&
    !beyondFilter(exchange),
  create: (exchange: AnsweredExchange) => statusCode(exchange) === 201 && !otherEcho(exchange),
  get: (exchange: AnsweredExchange) => statusCode(exchange) === 200 && !otherId(exchange),
}

/**
 * Whether a response is one that a valid request may get, or 401 without a key.
 * @param isKnown whether a pet with this id exists: then 404 is wrong
 */
export const isRight = (
  exchange: AnsweredExchange,
  isKnown: (id: bigint) => boolean = () => true,
): boolean => {
  const operation = recognizeOperation(exchange)
  if (exchange.apiRequest.authorization !== 'valid') return statusCode(exchange) === 401
  if (operation === undefined) return isSuccess(exchange)
  const id = requestedId(exchange)
  if (operation === 'get' && statusCode(exchange) === 404 && id !== undefined) return !isKnown(id)
  try {
    return judged[operation](exchange)
  } catch (error) {
    // A body that is not read is not judged.
    if (error instanceof Untested) return true
    throw error
  }
}

export type VariedBy = 'key' | 'field' | 'json' | 'transport'

interface Varied {
  readonly by: VariedBy
  readonly words: string
}

const byOf = (about: string, kind: string): VariedBy | undefined => {
  if (about === 'writing') return 'json'
  if (about === 'connection' || kind === 'in two parts') return 'transport'
  return kind === 'field' ? 'field' : undefined
}

/** A key that programs send by mistake; its plain form has none. */
const mistakenIn = ({ authorization }: Exchange['apiRequest']): string | undefined => {
  const [value, ...others] = Array.isArray(authorization) ? authorization : []
  const key = value?.replace(/^Bearer /, '')
  return others.length === 0 && mistakenKeys.some((each) => each === key) ? key : undefined
}

const ofKey = ({ apiRequest }: Exchange): readonly Varied[] => {
  const key = mistakenIn(apiRequest)
  return key === undefined ? [] : [{ by: 'key', words: `with the key ${key}` }]
}

/** What distinguishes a request from its plain form. */
const variedIn = memoized((exchange: Exchange): readonly Varied[] => [
  ...ofKey(exchange),
  ...findPeculiarities(exchange).flatMap(({ about, kind, words }) => {
    const by = byOf(about, kind)
    return by === undefined ? [] : [{ by, words }]
  }),
])

/** The value of a body, however it is written. */
const contentOf = (body: string | null): string => {
  try {
    return body === null ? '' : sorted(body)
  } catch {
    return body ?? ''
  }
}

const sorted = (body: string): string => {
  const value = parseJson(body)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return body
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return printJson(Object.fromEntries(entries))
}

/** Equal for requests of one check that differ in legal peculiarities alone, or in a name. */
const twinIdOf = ({ check, apiRequest, request }: AnsweredExchange): string =>
  [
    ...[
      check,
      apiRequest.method,
      apiRequest.path,
      apiRequest.authorization === 'valid' ? contentOf(request.body) : '',
    ],
    ...[JSON.stringify(mistakenIn(apiRequest) === undefined ? apiRequest.authorization : null)],
  ].join('\n')

/** Only the few requests of a split have twins. */
const twinsIn = memoized((exchanges: readonly AnsweredExchange[]) =>
  Map.groupBy(exchanges, twinIdOf),
)

const setOf = (exchange: AnsweredExchange): string =>
  variedIn(exchange)
    .map(({ words }) => words)
    .sort()
    .join('\n')

/** As often as each has to be seen: what fails now and then is not blamed on a peculiarity. */
const minTimes = 2

const allAre = (exchanges: readonly AnsweredExchange[], right: boolean): boolean =>
  exchanges.length >= minTimes && exchanges.every((one) => isRight(one) === right)

/**
 * The plain request that got the right response, if the peculiarities of this one are the fewest
 * that always get a wrong one.
 */
const findPlainTwin = (exchange: AnsweredExchange, trace: Trace): AnsweredExchange | undefined => {
  const { key } = exchange
  // Other calls of a key decide whether the next one is refused, and those of others draw bans.
  const mayBeOfOthers = key !== null && isShutOut(exchange) && mayBeShared(key, trace)
  if (isRight(exchange) || is429(exchange) || mayBeOfOthers) return undefined
  const { exchanges } = trace
  const twins = twinsIn(exchanges).get(twinIdOf(exchange)) ?? []
  const plain = twins.filter((one) => variedIn(one).length === 0)
  if (!allAre(plain, true)) return undefined
  const bySet = Map.groupBy(
    twins.filter((one) => variedIn(one).length > 0),
    setOf,
  )
  const failing = [...bySet.values()].filter((same) => allAre(same, false))
  const [fewest] = failing.toSorted(
    ([a], [b]) => variedIn(a as Exchange).length - variedIn(b as Exchange).length,
  )
  return fewest?.includes(exchange) ? plain.at(-1) : undefined
}

const isKeyed = ({ apiRequest: { authorization } }: AnsweredExchange): boolean =>
  authorization === 'valid'

const holds: Invariant['holds'] = (exchange, trace) => {
  const plain = findPlainTwin(exchange, trace)
  if (plain === undefined) return
  const words = variedIn(exchange).map((one) => one.words)
  const expected = `the response that the same request gets without them: ${statusCode(plain)}`
  if (statusCode(exchange) !== statusCode(plain)) violateStatus(expected, plain, exchange)
  const wrong = { aspect: 'body', kind: isSuccess(exchange) ? 'other content' : 'error' } as const
  const actual = `${describeResponse(exchange)}, other content ${words.join(' and ')}`
  violateAs(wrong, expected, actual, plain, exchange)
}

const blamed =
  'A wrong response, twice, to a request that gets the right one, twice, without them. Of ' +
  'several the one that matters is found by halving.'

/** To obey these breaks a should of its own, where the key is valid. */
const overriding = /^x-(?:http-method-override|original-url|rewrite-url)$/i

const ignoring = (by: readonly VariedBy[], id: string, judges: string): Invariant =>
  invariant({
    id,
    requirement: 'service.any-form',
    judges,
    fails: blamed,
    optional: 'no valid request was varied in this way',
    applies: (exchange) => {
      // Of several kinds together the first one.
      const [first] = isKeyed(exchange) && recognizeOperation(exchange) ? variedIn(exchange) : []
      const isOverridden = exchange.apiRequest.headers.some(([name]) => overriding.test(name))
      return first !== undefined && by.includes(first.by) && !isOverridden
    },
    holds,
  })

const keyless = (by: VariedBy, id: string, requirement: BindingRequirementId, judges: string) =>
  invariant({
    id,
    requirement,
    judges,
    fails: blamed,
    optional: 'no request without a key was varied in this way',
    applies: (exchange) =>
      !isKeyed(exchange) &&
      recognizeOperation(exchange) !== undefined &&
      // Credentials that do not fit the grammar may get 400, which breaks a should of its own.
      !(statusCode(exchange) === 400 && hasMalformedKey(exchange)) &&
      variedIn(exchange)[0]?.by === by,
    holds,
  })

export const strangeRequests: readonly AnyCheck[] = [
  ignoring(
    ['field'],
    'request-fields-ignored',
    'Every response to a valid request with header fields that ask for nothing: of clients, ' +
      'browsers, SDKs, proxies and tracers, and unknown ones.',
  ),
  ignoring(
    ['json', 'transport'],
    'request-form-ignored',
    'Every response to a valid creation whose JSON is written otherwise (white space, escapes, ' +
      'order of members) or sent in two parts, and to a valid request on a new connection.',
  ),
  keyless(
    'field',
    'auth-trusted-fields-401',
    'auth.only-bearer',
    'Every response to a request without a valid key that has header fields in which gateways ' +
      'pass on who calls, as `X-Forwarded-User`, or from where.',
  ),
  keyless(
    'key',
    'auth-mistaken-key-401',
    'auth.key-invalid',
    'Every response to a request with a key that programs send by mistake, as `undefined`, ' +
      '`[object Object]` or a variable that nothing has filled in.',
  ),
]
