// Legal peculiarities of valid requests matter to no response; nor do fields that a naive gateway
// trusts to one without a key. `strange/vary.ts` sends them, and finds out which one matters.

import { type AnyCheck, type Invariant, invariant } from '../../engine/check/declare.ts'
import { type AnsweredExchange, isSuccess, statusCode } from '../../engine/check/exchange.ts'
import { describeResponse, violateAs, violateStatus } from '../../engine/check/expect.ts'
import { recognizeOperation } from '../../engine/check/operations.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'
import { findPlainTwin, type VariedBy, variedIn } from '../strange/twins.ts'

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
      return first !== undefined && by.includes(first.by)
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
