// Errors: their shape in every 4xx, stable codes, and nothing that reveals the server's internals.

import { bodyObject, bodyText } from '../history/body.ts'
import {
  type AnsweredExchange,
  isAtOwnPath,
  isBelowBase,
  isClientError,
  isOpenMethod,
  isUnusualMethod,
  statusCode,
} from '../history/exchange.ts'
import { folded, type History } from '../history/history.ts'
import { Inapplicable } from '../history/outcome.ts'
import { percentDecoded } from '../history/quote.ts'
import { exactly } from '../history/statuses.ts'
import { describeShape } from '../history/value-kinds.ts'
import {
  type Clause,
  clause,
  describeMember,
  expectError,
  short,
  violateAs,
  violateStatus,
} from './clause.ts'
import { dueOf, isDue, isPastRemoval } from './due.ts'
import { isFromBelow } from './from-below.ts'
import { read } from './read.ts'

const patterns: readonly RegExp[] = [
  // Stack traces.
  /\bat [^()]{1,200} \([^()]{1,200}:\d+:\d+\)/,
  /\bat (?:file:\/\/|\/|[A-Z]:\\).{1,200}:\d+:\d+/,
  /\bat [\w$.]+\([\w$]+\.(?:java|kt|scala):\d+\)/,
  /Traceback \(most recent call last\)/,
  /\bFile ".{1,200}", line \d+/,
  /\bgoroutine \d+ \[/,
  /\b(?:java|javax|jakarta|org\.\w+|com\.\w+|System)\.[\w.$]{0,200}(?:Exception|Error)\b/,
  /\bnode:internal\//,
  // File paths.
  /(?<![\w.:/-])\/(?:usr|var|home|opt|srv|app|root|etc|tmp|Users)\/[\w.@/-]*\/[\w.@-]+/,
  /(?<![\w.:/-])\/(?:usr|var|home|opt|srv|app|root|etc|tmp|Users)\/[\w.@-]+\.\w{1,5}\b/,
  /\bnode_modules\//,
  /\b[A-Z]:\\[\w.-]+\\[\w.\\-]+/,
  /\bfile:\/\/\//,
  /(?<![\w-])[\w-]+\.(?:js|ts|mjs|cjs|py|rb|go|rs|php|cs|java):\d+\b/,
  // SQL, and messages of databases.
  /\bSELECT\b.{1,300}\bFROM\b/,
  /\bINSERT INTO\b/,
  /\bUPDATE\b.{1,200}\bSET\b/,
  /\bDELETE FROM\b/,
  /\bSQLSTATE\b|\bSQLITE_[A-Z]+\b|\bORA-\d{5}\b/,
  /\b(?:UNIQUE|CHECK|NOT NULL|FOREIGN KEY) constraint failed\b/,
  /\bsyntax error at or near\b/,
  /\bviolates (?:unique|check|not-null|foreign key) constraint\b/,
]

/** So much of a body is searched. */
const maxCharacters = 20_000

const sentTexts = ({ request }: AnsweredExchange): string[] => [
  request.url,
  // As a message may repeat it.
  percentDecoded(request.url) ?? '',
  ...request.headers.map(([, value]) => value),
  request.body ?? '',
]

/** The match, extended to whole words: redaction would miss a part of a key. */
const withItsWords = ({ 0: found, index }: RegExpExecArray, text: string): string => {
  const [before = ''] = /[^\s"]*$/.exec(text.slice(0, index)) ?? []
  const [after = ''] = /^[^\s"]*/.exec(text.slice(index + found.length)) ?? []
  return before + found + after
}

/** The text that reveals the server's internals, if any; what the client sent is ignored. */
const internalsIn = (exchange: AnsweredExchange): string | undefined => {
  const sent = sentTexts(exchange)
  const text = bodyText(exchange)
    .slice(0, maxCharacters)
    .replace(/\\(["\\/n])/g, (_, sign) => (sign === 'n' ? '\n' : sign))
  const match = patterns
    .map((pattern) => pattern.exec(text))
    .find((found) => found && !sent.some((given) => given.includes(found[0])))
  return match ? withItsWords(match, text) : undefined
}

/** Whether the shape of this 4xx is judged; that of a 429 is open. */
const isJudged = (exchange: AnsweredExchange): boolean =>
  isBelowBase(exchange) &&
  isClientError(exchange) &&
  statusCode(exchange) !== 429 &&
  !isOpenMethod(exchange) &&
  !isUnusualMethod(exchange)

/** Whether the shape is a must: not for 405, nor for responses of the HTTP server. */
const isError = (exchange: AnsweredExchange): boolean =>
  isJudged(exchange) &&
  isAtOwnPath(exchange) &&
  !isFromBelow(exchange) &&
  statusCode(exchange) !== 405

const expectOwnStatus = (exchange: AnsweredExchange, history: History): void => {
  const status = statusCode(exchange)
  const body = bodyObject(exchange)
  if (!body) throw new Inapplicable('a body that is no object is another fault')
  const found = body.status
  if (found === BigInt(status)) return
  const due = dueOf(exchange, history)
  if (typeof found === 'bigint' && !isDue(due, status) && isDue(due, Number(found))) {
    violateStatus({ ...exactly(Number(found)), why: ', as its body says' }, exchange)
  }
  const kind = typeof found === 'bigint' ? 'another number' : describeShape(found)
  const expected = `status ${status} in the body, as the HTTP status`
  const wrong = { aspect: 'body', name: 'status', kind } as const
  violateAs(wrong, expected, describeMember(body, 'status'), exchange)
}

/** The reason of a refusal, if the request shows it beyond doubt. */
const faultOf = (exchange: AnsweredExchange): string | undefined => {
  const { operation, key, parts } = read(exchange)
  const isKeyless = parts.some(({ kind }) => kind === 'none')
  if (parts.some(({ is, kind }) => (is !== 'valid' && kind !== 'none') || kind === 'field')) return
  if (statusCode(exchange) === 401 && operation && isKeyless) return 'no key'
  const isUnknown = statusCode(exchange) === 404 && operation === 'get' && key === 'valid'
  return isUnknown && !isPastRemoval(exchange) ? 'no such pet' : undefined
}

/** The first response to each fault. */
const firstOf = folded(
  () => new Map<string | undefined, AnsweredExchange>(),
  (firsts, exchange) => {
    const fault = faultOf(exchange)
    if (!firsts.has(fault)) firsts.set(fault, exchange)
  },
)

const expectSameCode = (exchange: AnsweredExchange, history: History): void => {
  const first = firstOf(history).get(faultOf(exchange))
  if (!first || first.seq >= exchange.seq) return
  const [before = '', now = ''] = [first, exchange].map((one) =>
    describeMember(bodyObject(one) ?? {}, 'code'),
  )
  if (before === now) return
  const wrong = { aspect: 'body', name: 'code', kind: 'another value' } as const
  violateAs(wrong, `${before}, as before for the same error`, now, first, exchange)
}

export const errorClauses: readonly Clause[] = [
  clause({
    id: 'error-shape',
    requirement: 'errors.shape',
    judges:
      'Every 4xx at a path of the interface except 405 and 429, responses to HEAD and ' +
      'OPTIONS, and responses from below the application (408, 413, 414, 431; 400 or 404 for a ' +
      'path or a length that servers refuse; 400 for two `Authorization` headers or bytes beyond ' +
      'ASCII; what is refused or redirected for its origin or its forwarding fields).',
    fails:
      'A body that is not a JSON object with `code`, `message` and `status` of the right types.',
    applies: isError,
    judge: (exchange) => {
      expectError(exchange)
    },
  }),
  clause({
    id: 'error-shape-elsewhere',
    requirement: 'errors.shape-low',
    judges:
      'The 4xx responses that `error-shape` leaves out: at other addresses, 405, and of the ' +
      'HTTP server; but not to methods that few HTTP servers know.',
    fails:
      'A body without the Error shape, or whose `status` is not the HTTP status. It is a should.',
    applies: (exchange) => isJudged(exchange) && !isError(exchange),
    judge: (exchange, history) => {
      expectError(exchange)
      expectOwnStatus(exchange, history)
    },
  }),
  clause({
    id: 'error-status-of-answer',
    requirement: 'error.status',
    judges: 'The responses of `error-shape`.',
    fails: 'A `status` in the body that is not the HTTP status.',
    applies: isError,
    judge: expectOwnStatus,
  }),
  clause({
    id: 'error-code-stable',
    requirement: 'error.code-stable',
    judges: 'Every 401 for a request without a key, and every 404 for a GET of an unknown id.',
    fails: 'A `code` other than that of the first response to the same error. It is a should.',
    applies: (exchange) => faultOf(exchange) !== undefined,
    judge: expectSameCode,
  }),
  clause({
    id: 'error-no-internals',
    requirement: 'error.internals',
    judges:
      'Every response with a status of 400 or above: the texts in its body, except what the ' +
      'request had sent.',
    fails:
      'A stack trace, a file path, SQL or a database message, by patterns that no ordinary ' +
      'message matches. It is a should.',
    applies: (exchange) => isBelowBase(exchange) && statusCode(exchange) >= 400,
    judge: (exchange) => {
      const found = internalsIn(exchange)
      if (found === undefined) return
      const wrong = { aspect: 'body', kind: 'reveals internals' } as const
      // A page has its signs of markup.
      const shown = found.replace(/<[^>]*>|&#?\w+;/g, ' ').trim()
      violateAs(wrong, 'an Error without internals', short(shown), exchange)
    },
  }),
]
