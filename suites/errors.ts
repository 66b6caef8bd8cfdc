// Errors: their shape on every refusal, codes that are stable, and nothing of the server's insides.

import { bodyObject } from '../engine/body.ts'
import type { Question, Trace } from '../engine/check.ts'
import { invariant, observe } from '../engine/check.ts'
import type { Answered } from '../engine/exchange.ts'
import { statusOf } from '../engine/exchange.ts'
import { expectError, short, violate } from '../engine/expect.ts'
import { printJson } from '../engine/json.ts'
import { get, unauthorized } from '../engine/request.ts'
import {
  isAtOwnPath,
  isBelowBase,
  isFromBelow,
  isOpenMethod,
  isPastRemoval,
  isRefusal,
  operationOf,
} from './answers.ts'
import { internalsIn } from './errors/internals.ts'

/** Refusals whose shape is judged; that of 429 is open. */
const isJudged = (exchange: Answered): boolean =>
  isBelowBase(exchange) &&
  isRefusal(exchange) &&
  statusOf(exchange) !== 429 &&
  !isOpenMethod(exchange)

/** Those for which an Error is a must; of 405, and of answers from below the API, it is none. */
const isError = (exchange: Answered): boolean =>
  isJudged(exchange) &&
  isAtOwnPath(exchange) &&
  !isFromBelow(exchange) &&
  statusOf(exchange) !== 405

const isLowError = (exchange: Answered): boolean => isJudged(exchange) && !isError(exchange)

const shown = (member: string, exchange: Answered): string => {
  const value = bodyObject(exchange)?.[member]
  return value === undefined ? `no ${member}` : `${member} ${short(printJson(value))}`
}

const expectOwnStatus = (exchange: Answered): void => {
  const status = statusOf(exchange)
  if (bodyObject(exchange)?.status === BigInt(status)) return
  violate(`status ${status} in the body`, shown('status', exchange), exchange)
}

const shape = [
  invariant('error-shape', 'errors.shape', isError, (exchange) => {
    expectError(exchange)
  }),

  invariant('error-shape-elsewhere', 'errors.shape-low', isLowError, (exchange) => {
    expectError(exchange)
    expectOwnStatus(exchange)
  }),

  ...(['code', 'message'] as const).map((member) =>
    invariant(`error-${member}-string`, `error.${member}`, isError, (exchange) => {
      if (typeof bodyObject(exchange)?.[member] === 'string') return
      violate(`a ${member} that is a string`, shown(member, exchange), exchange)
    }),
  ),

  invariant('error-status-of-answer', 'error.status', isError, expectOwnStatus),
]

const isFault = (exchange: Answered): boolean => isBelowBase(exchange) && statusOf(exchange) >= 400

/** The fault that a refusal is about, where the request shows it beyond doubt. */
const faultOf = (exchange: Answered): string | undefined => {
  const { asked, key } = exchange
  const operation = operationOf(exchange)
  const isBare = asked.headers.every(([name]) => name.toLowerCase() === 'content-type')
  const hasNoKey = asked.authorization === null && isBare && !/[?&]\w*(key|token)/.test(asked.path)
  if (statusOf(exchange) === 401 && operation && hasNoKey) return 'no key'
  const isKnownForm = /^\/pets\/[1-9]\d{0,17}$/.test(asked.path)
  const isUnknown = statusOf(exchange) === 404 && operation === 'get' && key !== null
  return isUnknown && isKnownForm && !isPastRemoval(exchange) ? 'no such animal' : undefined
}

const expectSameCode = (exchange: Answered, trace: Trace): void => {
  const fault = faultOf(exchange)
  const first = trace.exchanges.find((other) => faultOf(other) === fault)
  if (!first || first.seq >= exchange.seq) return
  const [before, now] = [shown('code', first), shown('code', exchange)]
  if (before !== now) violate(`${before} again for the same fault`, now, first, exchange)
}

const codes = observe(
  'error-codes',
  'gap.code-values',
  { stage: 'reads', keyed: 0, anonymous: 1 },
  async ({ call, control, herd }) => {
    await control('list')
    const refused = herd.refusals.find(({ exchange }) => statusOf(exchange) === 400)?.exchange
    const stranger = await call(unauthorized(get('/pets')))
    return [refused, stranger]
      .filter((exchange) => exchange !== undefined)
      .map((exchange) => `${statusOf(exchange)} ${shown('code', exchange)}`)
      .join(', ')
  },
)

export const list: readonly Question[] = [
  ...shape,

  invariant(
    'error-code-stable',
    'error.code-stable',
    (exchange) => faultOf(exchange) !== undefined,
    expectSameCode,
  ),

  invariant('error-no-internals', 'error.internals', isFault, (exchange) => {
    const found = internalsIn(exchange)
    if (found !== undefined) violate('an Error without internals', short(found), exchange)
  }),

  codes,
]
