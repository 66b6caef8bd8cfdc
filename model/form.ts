// The body and the status of every response: JSON, pets with their fields, no 5xx.

import { readCodings } from '../history/body.ts'
import {
  type AnsweredExchange,
  headerValues,
  isAtOwnPath,
  isBelowBase,
  isFromBelow,
  isOpenMethod,
  recognizeOperation,
  statusCode,
} from '../history/exchange.ts'
import { type Clause, clause, expectJson, short, violateHeader, violateStatus } from './clause.ts'
import { isPastRemoval } from './due.ts'
import { petClauses, unreadBody } from './pet-form.ts'

const hasBody = ({ response, apiRequest }: AnsweredExchange): boolean =>
  apiRequest.method !== 'HEAD' && response.status !== 204 && response.bytes.length > 0

const isJsonAnswer = (exchange: AnsweredExchange): boolean =>
  isAtOwnPath(exchange) && !isOpenMethod(exchange) && !isFromBelow(exchange) && hasBody(exchange)

/** If the header is given twice, both must be the same. */
const mediaTypes = (exchange: AnsweredExchange): string[] =>
  headerValues(exchange, 'Content-Type').map(
    (value) => value.split(';', 1)[0]?.trim().toLowerCase() ?? '',
  )

const responsesWithBody =
  'Every response with a body at a path of the interface, except to HEAD and OPTIONS'

const expectNo5xx = (exchange: AnsweredExchange, may501: boolean): void => {
  const status = statusCode(exchange)
  if (status < 500 || (status === 501 && may501)) return
  violateStatus('no 5xx response', exchange)
}

export const serverError = clause({
  id: 'answer-no-5xx',
  requirement: 'service.no-server-error',
  judges: 'Every response at a path of the interface, whether the request was valid or not.',
  fails: 'A 5xx; except 501 to a method that the path does not have, or to the removed operation.',
  applies: isAtOwnPath,
  judge: (exchange) => {
    const operation = recognizeOperation(exchange)
    const isRemoved = operation === 'get' && isPastRemoval(exchange)
    expectNo5xx(exchange, isRemoved || operation === undefined)
  },
})

export const formClauses: readonly Clause[] = [
  clause({
    id: 'body-media-type-json',
    requirement: 'service.json',
    judges: `${responsesWithBody}.`,
    fails:
      'No `Content-Type`, or one that is not `application/json` (parameters and letter case are ' +
      'free); if given twice, each must be.',
    applies: isJsonAnswer,
    judge: (exchange) => {
      const types = mediaTypes(exchange)
      if (types.length > 0 && types.every((type) => type === 'application/json')) return
      const found = headerValues(exchange, 'Content-Type').join(', ') || 'no Content-Type'
      const kind = types.length > 0 ? short(types.join(', ')) : 'missing'
      const actual = types.length > 0 ? `Content-Type: ${found}` : found
      violateHeader('Content-Type', kind, 'Content-Type application/json', actual, exchange)
    },
  }),

  clause({
    id: 'body-coding-identity',
    requirement: 'service.coding',
    judges: `${responsesWithBody}. Each request sends \`Accept-Encoding: identity\`.`,
    fails:
      'A `Content-Encoding` all the same. It is a should: gzip, deflate, br and zstd are ' +
      'decoded, and the body is then judged by the other checks.',
    applies: isJsonAnswer,
    judge: (exchange) => {
      const codings = readCodings(exchange.response.headers)
      if (codings.length === 0) return
      const named = short(codings.join(', '))
      const expected = 'a body without a coding, as requested'
      const actual = `Content-Encoding: ${named}`
      violateHeader('Content-Encoding', named, expected, actual, exchange)
    },
  }),

  clause({
    id: 'body-strict-json',
    requirement: 'service.json',
    judges: `${responsesWithBody}.`,
    fails:
      'A body that a strict parser refuses, that is not in the coding it names, that is not ' +
      'UTF-8 or begins with a byte order mark.',
    inconclusive: unreadBody,
    applies: isJsonAnswer,
    judge: (exchange) => {
      expectJson(exchange)
    },
  }),
  ...petClauses,
  serverError,
  // The interface says nothing of other addresses, so a 5xx there is only a should.
  clause({
    id: 'answer-no-5xx-elsewhere',
    requirement: 'service.no-server-error-elsewhere',
    judges: 'Every response below the base URL at an address that the interface does not name.',
    fails: 'A 5xx but 501. It is a should: the interface says nothing of such addresses.',
    applies: (exchange) => isBelowBase(exchange) && !isAtOwnPath(exchange),
    judge: (exchange) => expectNo5xx(exchange, true),
  }),
  clause({
    id: 'method-405-allow',
    requirement: 'service.allow',
    judges: 'Every 405 at a path of the interface.',
    fails: 'No `Allow`, or at `/pets` one without GET and POST. It is a should: HTTP requires it.',
    inconclusive: 'no response was 405 (ambiguous)',
    applies: (exchange) => statusCode(exchange) === 405 && isAtOwnPath(exchange),
    judge: (exchange) => {
      const values = headerValues(exchange, 'Allow')
      const named = values.flatMap((value) => value.split(',')).map((name) => name.trim())
      const wanted = /^\/pets(?:\?|$)/.test(exchange.apiRequest.path) ? ['GET', 'POST'] : []
      const missing = wanted.filter((method) => !named.includes(method))
      if (values.length > 0 && missing.length === 0) return
      const found = values.length > 0 ? `Allow: ${values.join(', ')}` : 'no such header'
      const kind = values.length > 0 ? `without ${missing.join(' and ')}` : 'missing'
      const expected = `Allow${wanted.length > 0 ? ' with GET and POST' : ''}`
      violateHeader('Allow', kind, expected, found, exchange)
    },
  }),
]
