// The first clause: the status of each response is due for its request, whatever sent it. What is
// due is decided when the response comes, by what was known before; what legally explains another
// status is looked for in all that was sent before and since.
import { isDeepStrictEqual } from 'node:util'
import {
  type AnsweredExchange,
  isSuccess,
  type Operation,
  recognizeOperation,
  statusCode,
} from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { listedWithinMs, requestedId } from '../history/known-pets.ts'
import { Untested, Violation } from '../history/outcome.ts'
import { isRefused } from '../history/rate-headers.ts'
import { clause, violateAs, violateStatus } from './clause.ts'
import { type Due, dueFor, isDue } from './due.ts'
import { read } from './read.ts'

const noted = new WeakMap<AnsweredExchange, Due>()

/** Notes what is due for a request when its response comes, before anything is learnt of it. */
export const noteDue = (exchange: AnsweredExchange, history: History): void => {
  noted.set(exchange, dueFor(exchange, history))
}

const dueOf = (exchange: AnsweredExchange, history: History): Due =>
  noted.get(exchange) ?? dueFor(exchange, history)

/** What is due for a request that got another status. */
export const otherwiseDue = (exchange: AnsweredExchange, history: History): Due | undefined => {
  const due = dueOf(exchange, history)
  return isDue(due, statusCode(exchange)) ? undefined : due
}

const plainParts: readonly string[] = ['categoryId', 'petId', 'connection']

/** Whether a request with a valid key says nothing that it need not. */
const isPlain = (exchange: AnsweredExchange): boolean =>
  exchange.key !== null &&
  read(exchange).parts.every(
    ({ part, is, kind }) =>
      is === 'valid' && (plainParts.includes(part) || (part === 'status' && kind === 'omitted')),
  )

const plainOf = (operation: Operation | undefined, { exchanges }: History) =>
  exchanges.filter((one) => recognizeOperation(one) === operation && isPlain(one))

/** Whether anything of an operation was served with a valid key. */
const isEverServed = (operation: Operation, { exchanges }: History): boolean =>
  exchanges.some(
    (one) => one.key !== null && isSuccess(one) && recognizeOperation(one) === operation,
  )

const isServable = (due: Due): boolean => isDue(due, 200) || isDue(due, 201)

/** Whether nothing is sent in place of a key, and nothing else may matter. */
const isBare = (exchange: AnsweredExchange): boolean =>
  read(exchange).parts.every(
    ({ is, kind }) => kind === 'none' || (is === 'valid' && kind !== 'field'),
  )

const isSame = (one: AnsweredExchange, other: AnsweredExchange): boolean =>
  one !== other && isDeepStrictEqual(one.apiRequest, other.apiRequest)

/** What may legally explain a status that is not due. */
export type Explanation =
  | 'plain request not served'
  | 'never valid'
  | 'banned'
  | 'kept by the connection'
  | 'no key demanded'
  | 'shown late'
  | 'unknown category'

interface Explains {
  /** What it means for the request, for a person. */
  readonly words: string
  /** Whether nothing that was sent and received rules it out. */
  readonly mayBe: (exchange: AnsweredExchange, due: Due, history: History) => boolean
}

/** Whether a key was sent and refused, as it is while it is banned. */
export const isKeyRefused = ({ key, response }: AnsweredExchange): boolean =>
  key !== null && [401, 403].includes(response.status)

/** A key is valid from its first success on; until then its 401 and 403 say nothing (ruling 27). */
export const saysNothing = (
  exchange: AnsweredExchange,
  { knownPets }: Pick<History, 'knownPets'>,
): boolean =>
  isKeyRefused(exchange) &&
  (knownPets.firstSuccess.get(exchange.key ?? '') ?? Number.POSITIVE_INFINITY) > exchange.seq

/** A ban refuses all that its key sends, and may have ended right after the response. */
const mayBeBanned: Explains['mayBe'] = (exchange, _, { exchanges }) => {
  if (!isKeyRefused(exchange)) return false
  const after = exchanges.filter(({ seq }) => seq > exchange.seq)
  const served = after.findIndex((one) => one.key === exchange.key && isSuccess(one))
  const again = after.slice(served + 1).find((one) => isSame(one, exchange))
  return served < 0 || again === undefined || statusCode(again) !== statusCode(exchange)
}

/** Whether a request without any key got what says that none is demanded. */
const isOpenTo = (exchange: AnsweredExchange, bare: AnsweredExchange): boolean =>
  // What is served where a request without any key is not is served for its key.
  statusCode(bare) !== 401 && !(isSuccess(exchange) && !isSuccess(bare))

export const explanations: Readonly<Record<Explanation, Explains>> = {
  'plain request not served': {
    words: 'a plain valid request is not served either',
    mayBe: (exchange, { part }, history) =>
      part !== 'key' &&
      !isSuccess(exchange) &&
      !isPlain(exchange) &&
      !isEverServed(read(exchange).operation ?? 'list', history),
  },
  'never valid': {
    words: 'the key was never served before',
    mayBe: (exchange, _, history) => saysNothing(exchange, history),
  },
  banned: {
    words: 'the key may have been banned for the requests of another client',
    mayBe: mayBeBanned,
  },
  'kept by the connection': {
    words: 'on a new connection it gets 401: see auth-connection-list-401',
    mayBe: (exchange, { part }, { exchanges }) => {
      if (part !== 'key') return false
      const same = exchanges.filter((one) => isSame(one, exchange))
      return same.length === 0 || same.some((one) => statusCode(one) === 401)
    },
  },
  'no key demanded': {
    words: 'without any key the response is not 401 either: see auth-missing-list-401',
    mayBe: (exchange, { part }, { exchanges }) => {
      if (part !== 'key' || isBare(exchange)) return false
      const { operation = 'list' } = read(exchange)
      const bare = exchanges.filter(
        (one) => one.key === null && read(one).operation === operation && isBare(one),
      )
      return bare.length === 0 || bare.some((one) => isOpenTo(exchange, one))
    },
  },
  'shown late': {
    words: 'the pet was not known to the key for a second',
    mayBe: (exchange, { part }, { knownPets }) => {
      const id = requestedId(exchange)
      if (part !== 'valid' || id === undefined || statusCode(exchange) !== 404) return false
      const { exchange: made } = knownPets.creationOf(id) ?? {}
      const ofOthers = made && knownPets.isKnown(exchange.key, id) ? made.receivedMs : Infinity
      const fromMs = knownPets.fetchedFromMs(exchange.key, id) ?? ofOthers + listedWithinMs
      return fromMs > exchange.sentMs || knownPets.isRepeated(id)
    },
  },
  'unknown category': {
    words: 'its category may not exist',
    mayBe: (exchange, { part }, { categories: { free, known } }) => {
      const category = read(exchange).pet?.categoryId
      const isRefused = part === 'valid' && read(exchange).operation === 'create'
      if (!isRefused || isSuccess(exchange) || free) return false
      return typeof category === 'bigint' && !known.includes(category)
    },
  },
}

/** The first plain request got the same success: what is wrong with it is reported of that one. */
const isUsual = (exchange: AnsweredExchange, due: Due, history: History): boolean => {
  if (!isSuccess(exchange) || !isServable(due)) return false
  const [plain = exchange] = plainOf(read(exchange).operation, history).filter(isSuccess)
  return plain !== exchange && statusCode(plain) === statusCode(exchange)
}

/**
 * Judges the status of a response, unless it is a refusal of the limiter.
 * @returns what may explain a status that is not due; undefined: it is due
 * @throws Violation
 */
export const judgeStatus = (
  exchange: AnsweredExchange,
  history: History,
): Explanation | undefined => {
  const due = otherwiseDue(exchange, history)
  if (!due || isUsual(exchange, due, history)) return undefined
  for (const [explanation, { mayBe }] of Object.entries(explanations))
    if (mayBe(exchange, due, history)) return explanation as Explanation
  // A refusal that is missing is shown next to the plain request.
  const plain = isServable(due) ? [] : plainOf(read(exchange).operation, history).slice(0, 1)
  return violateStatus(due, ...plain, exchange)
}

export const statusDue = clause({
  id: 'status-due',
  requirement: 'service.operations',
  judges:
    'The status of every response but those that may refuse a key (401, 403, 429), whatever sent ' +
    'the request.',
  fails:
    'A status that is not due for what was sent, where no other check reports the requirement ' +
    'that demands it: that requirement is violated.',
  inconclusive:
    'the key may be banned, or was never valid; the plain request is not served either; no key ' +
    'is demanded, or one is kept by the connection; a category may not exist (ambiguous)',
  // Bans of another client may come again: what a key is refused for is asked right after it.
  applies: (exchange) => !isRefused(exchange) && !isKeyRefused(exchange),
  judge: (exchange, history) => {
    try {
      const doubt = judgeStatus(exchange, history)
      if (doubt) throw new Untested('ambiguous', explanations[doubt].words, [exchange])
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      const { expected, actual, evidence, wrong } = error
      const { requirement } = dueOf(exchange, history)
      violateAs({ ...wrong, requirement }, expected, actual, ...evidence)
    }
  },
})
