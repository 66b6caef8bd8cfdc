// Keys: nothing is served without a valid one, and a refusal says what HTTP requires and no more.

import { bodyObject, bodyText, readBody } from '../history/body.ts'
import {
  type AnsweredExchange,
  hasMalformedKey,
  headerValues,
  isSuccess,
  recognizeOperation,
  statusCode,
} from '../history/exchange.ts'
import { folded } from '../history/history.ts'
import { printJson } from '../history/json.ts'
import { requestedId } from '../history/known-pets.ts'
import { Inapplicable, Untested, Untried } from '../history/outcome.ts'
import { exactly } from '../history/statuses.ts'
import { text } from '../history/text.ts'
import {
  type Clause,
  clause,
  describeResponse,
  short,
  violateAs,
  violateField,
  violateStatus,
} from './clause.ts'
import { read } from './read.ts'
import { sameAs } from './status.ts'

/** Shorter texts, and the words of a language, may occur in a message by chance. */
const minKeyLength = 16

/** Fields, cookies and parameters that may carry a key. */
const fieldsOfKeys = /^(?:x-api-key|api-key|x-auth-token|proxy-authorization)$/i
const namesOfKeys = /(?:key|token|session)=([^&;]*)/g

const keysSent = ({ apiRequest: { authorization, headers, path } }: AnsweredExchange): string[] => {
  const valuesOf = (test: RegExp) =>
    headers.filter(([name]) => test.test(name)).map(([, value]) => value)
  const named = [path, ...valuesOf(/^cookie$/i)].flatMap((text) => [...text.matchAll(namesOfKeys)])
  const credentials = [...(Array.isArray(authorization) ? authorization : [])]
  return [...credentials, ...valuesOf(fieldsOfKeys), ...named.map(([, value = '']) => value)]
    .flatMap((value) => value.split(/[\s,"]+/))
    .filter((word) => word.length >= minKeyLength)
}

/** A GET by id without anything in place of a key; nothing else is wrong with it. */
const isBareGet = (exchange: AnsweredExchange): boolean =>
  statusCode(exchange) === 401 &&
  exchange.apiRequest.authorization === null &&
  read(exchange).operation === 'get' &&
  read(exchange).parts.every(({ part, is }) => part === 'key' || is === 'valid')

/** Its code, message and members, without the id, which as a small number may occur in any text. */
const contentOf = (exchange: AnsweredExchange): string => {
  const { code = null, message = null, ...others } = bodyObject(exchange) ?? {}
  const content = printJson([code, message, Object.keys(others).sort()])
  return content.replace(new RegExp(`(?<!\\d)${requestedId(exchange)}(?!\\d)`, 'g'), '{petId}')
}

const bareGets = folded(
  (): AnsweredExchange[] => [],
  (all, exchange) => {
    if (isBareGet(exchange)) all.push(exchange)
  },
)

const isDenied = (exchange: AnsweredExchange): boolean =>
  statusCode(exchange) === 401 && recognizeOperation(exchange) !== undefined

/** One of two header lines may have a valid key, and the interface does not say which counts. */
const isWithoutKey = (exchange: AnsweredExchange): boolean =>
  exchange.key === null &&
  (exchange.apiRequest.authorization?.length ?? 0) < 2 &&
  recognizeOperation(exchange) !== undefined

const closesEach = new Untried('the target closes each connection')

export const keyClauses: readonly Clause[] = [
  clause({
    id: 'auth-401-challenge',
    requirement: 'auth.challenge',
    judges: 'Every 401 of the three operations.',
    fails: 'No `WWW-Authenticate` that names the scheme Bearer. It is a should: HTTP requires it.',
    applies: isDenied,
    judge: (exchange) => {
      const values = headerValues(exchange, 'WWW-Authenticate')
      if (values.some((value) => /(?:^|[\s,])bearer\b/i.test(value))) return
      const expected = 'WWW-Authenticate with the scheme Bearer'
      violateField(exchange, 'WWW-Authenticate', 'without Bearer', expected)
    },
  }),
  clause({
    id: 'auth-no-key-none-served',
    requirement: 'service.key',
    judges: 'Every response of the three operations to a request without a valid key.',
    fails:
      'A 2xx response. Requests with two `Authorization` headers, one of them valid, are left out.',
    applies: isWithoutKey,
    judge: (exchange) => {
      if (isSuccess(exchange)) violateStatus({ statuses: [[300, 599]] }, exchange)
    },
  }),
  clause({
    id: 'auth-connection-lends-no-key',
    sentBy: ['auth-connection-list-401'],
    requirement: 'auth.each-request',
    judges:
      'Every response of the three operations to a request without a valid key on a ' +
      'connection that is kept.',
    fails: 'Any status but 401 and 429, where the same request gets 401 on a new connection.',
    inconclusive: 'the target closes each connection (ambiguous)',
    applies: isWithoutKey,
    judge: (exchange, history) => {
      if (exchange.response.opened) throw closesEach
      // A limit of requests without a key has nothing to do with a connection.
      if ([401, 429].includes(statusCode(exchange))) return
      const alone = sameAs(exchange, history).find(
        ({ seq, response }) => response.opened && seq > exchange.seq,
      )
      if (!alone) throw new Untested('ambiguous', 'it was sent on no new connection', [exchange])
      if (statusCode(alone) !== 401) throw new Inapplicable('it is served on a new connection too')
      violateStatus(exactly(401), alone, exchange)
    },
  }),
  clause({
    id: 'auth-malformed-401',
    requirement: 'auth.malformed',
    judges:
      'Every response of the three operations to credentials that are not a scheme and one ' +
      'token: two tokens, a space or a comma within, no token; where nothing else is wrong.',
    fails: '400. It is a should: RFC 6750 (3.1) has it so. Other checks judge any other status.',
    // Another fault may be why it is refused.
    applies: (exchange) =>
      recognizeOperation(exchange) !== undefined &&
      hasMalformedKey(exchange) &&
      read(exchange).parts.every(({ part, is }) => part === 'key' || is === 'valid'),
    judge: (exchange) => {
      if (statusCode(exchange) === 400) violateStatus(exactly(401), exchange)
    },
  }),
  clause({
    id: 'auth-401-repeats-no-key',
    requirement: 'auth.repeats-no-key',
    judges: 'Every 401 of the three operations.',
    fails:
      'A body that contains a text of 16 or more characters that was sent as a key. It is ' +
      'a should: the sender learns nothing new, but responses are logged.',
    applies: isDenied,
    judge: (exchange) => {
      // What a body holds beyond the part that is read is not known.
      readBody(exchange)
      const body = bodyText(exchange)
      const echoed = keysSent(exchange).some((key) => body.includes(key))
      const wrong = { aspect: 'body', kind: 'repeats the key', brief: text('the key') } as const
      if (echoed) violateAs(wrong, 'a body without the key that was sent', short(body), exchange)
    },
  }),
  clause({
    id: 'auth-trace-repeats-no-key',
    requirement: 'auth.trace',
    judges: 'Every response to TRACE, at any address.',
    fails:
      'A body or a field that contains what was sent as a key: a script that cannot read the key ' +
      'would read it there.',
    sentBy: ['method-trace-refused'],
    applies: ({ apiRequest }) => apiRequest.method === 'TRACE',
    judge: (exchange) => {
      const { request, response } = exchange
      const fields = response.headers.map(([, value]) => value)
      const key = request.headers
        .find(([name]) => name === 'Authorization')?.[1]
        .split(' ')
        .at(-1)
      const isRepeated = [bodyText(exchange), ...fields].some((text) => key && text.includes(key))
      const wrong = { aspect: 'body', kind: 'repeats the key' } as const
      const expected = 'a response without the key that was sent'
      if (isRepeated) violateAs(wrong, expected, describeResponse(exchange), exchange)
    },
  }),
  clause({
    id: 'auth-existing-or-unknown-same-401',
    requirement: 'auth.reveals-nothing',
    judges: 'Every 401 to a GET by id without a key.',
    fails: 'For an unknown id another code, message or member than for a pet that exists.',
    inconclusive: 'no pet is known, or the texts of equal requests differ (ambiguous)',
    sentBy: ['auth-missing-get-401', 'auth-first-get-401'],
    applies: isBareGet,
    judge: (exchange, history) => {
      const isOfPet = (one: AnsweredExchange) => history.knownPets.seen.has(requestedId(one) ?? 0n)
      const [known, unknown] = [
        bareGets(history).filter(isOfPet),
        bareGets(history).filter((one) => !isOfPet(one)),
      ]
      const [existing] = known
      if (existing && contentOf(existing) === contentOf(exchange)) return
      const varies = [known, unknown].some((group) => new Set(group.map(contentOf)).size > 1)
      if (!existing || varies || unknown.length < 2) {
        const message = 'no such request was of a known pet, or the texts of equal ones may differ'
        throw new Untested('ambiguous', message, [exchange])
      }
      const brief = text('unlike that for an unknown pet')
      const wrong = { aspect: 'body', kind: 'unlike that for a known pet', brief } as const
      const actual = `${describeResponse(existing)} and ${describeResponse(exchange)}`
      const expected = 'the same response for an existing pet and for an unknown one'
      violateAs(wrong, expected, actual, existing, exchange)
    },
  }),
]
