// Every response as a client reads it that was generated from the document of the interface: with
// its media type, its headers as values of their types, its body by its schema, its times as times.

import { invariant, type Trace } from '../../engine/check/declare.ts'
import {
  type AnsweredExchange,
  headerValues,
  memoized,
  statusCode,
} from '../../engine/check/exchange.ts'
import {
  expectError,
  expectPet,
  expectPets,
  violateAs,
  violateHeader,
} from '../../engine/check/expect.ts'
import { isFromBelow, recognizeOperation } from '../../engine/check/operations.ts'
import { Untested } from '../../engine/check/outcome.ts'
import { describeForm } from '../../engine/check/value-kinds.ts'
import { isOfKey } from '../../engine/quota/calls.ts'
import { firstRefusalsIn } from '../../engine/quota/first-refusals.ts'
import { kindOfWait, waitFault } from '../../engine/quota/rate-headers.ts'
import { describedResponse } from '../../spec/openapi.ts'
import { expectReset } from './date-headers.ts'

const describedIn = memoized((exchange: AnsweredExchange) => {
  const operation = recognizeOperation(exchange)
  if (operation === undefined || isFromBelow(exchange)) return undefined
  return describedResponse(operation, statusCode(exchange))
})

const bodies: Readonly<Record<string, (exchange: AnsweredExchange) => unknown>> = {
  Pets: expectPets,
  Pet: expectPet,
  Error: expectError,
}

/** What a ban says of the wait is a should, and without a key a refusal is about an address. */
const isOpenWait = (exchange: AnsweredExchange, trace: Trace): boolean => {
  const first = firstRefusalsIn(trace).get(exchange)
  // Without Date it is unknown whether an HTTP-date is ahead.
  return !first || first.isUndated || (!first.isOurs && kindOfWait(exchange) === 'missing')
}

const expectHeader = (exchange: AnsweredExchange, name: string, type: string): void => {
  const values = headerValues(exchange, name)
  const [value = ''] = values
  const isReadable = type !== 'integer' || /^\d+$/.test(value)
  if (values.length === 1 && isReadable) return
  const kind = ['missing', describeForm(value)][values.length] ?? 'given twice'
  const actual = `${name}: ${values.join(', ') || 'missing'} on a ${statusCode(exchange)}`
  violateHeader(name, kind, `${name} as one value of the type ${type}`, actual, exchange)
}

const expectWait = (exchange: AnsweredExchange): void => {
  const fault = waitFault(exchange)
  if (fault === undefined) return
  const name = 'Retry-After'
  violateHeader(name, kindOfWait(exchange), 'a wait, in a form of HTTP', fault, exchange)
}

const expectJsonType = (exchange: AnsweredExchange): void => {
  const [type = '', ...more] = headerValues(exchange, 'Content-Type')
  if (more.length > 0 || /^application\/json\s*(?:;|$)/i.test(type.trim())) return
  const wrong = { aspect: 'header', name: 'Content-Type', kind: type || 'missing' } as const
  violateAs(wrong, 'Content-Type application/json', type || 'no Content-Type', exchange)
}

/** Another check reports that no Date shows the time at the target. */
const unlessUntested = (judge: () => void): void => {
  try {
    judge()
  } catch (error) {
    if (!(error instanceof Untested)) throw error
  }
}

const expectReadable = (exchange: AnsweredExchange, trace: Trace): void => {
  const response = describedIn(exchange)
  if (!response) return
  for (const [name, type] of response.headers) {
    if (type === 'integer') expectHeader(exchange, name, type)
    else if (!isOpenWait(exchange, trace)) expectWait(exchange)
  }
  if (isOfKey(exchange)) unlessUntested(() => expectReset(exchange, trace))
  if (response.body === undefined) return
  expectJsonType(exchange)
  bodies[response.body]?.(exchange)
}

export const describedResponses = [
  invariant({
    id: 'response-fits-description',
    requirement: 'service.operations',
    judges:
      'Every response with a status that the interface lists for its operation, as a client ' +
      'reads it that was generated from the document of the interface.',
    fails:
      'A header is missing, given twice or not of its type; a time is none, or is not ahead; the ' +
      'body is not JSON, or does not fit its schema.',
    inconclusive: 'a body is not read: it is longer than 1 MiB, or nested too deep (ambiguous)',
    applies: (exchange) => describedIn(exchange) !== undefined,
    holds: expectReadable,
  }),
]
