// The first clause: the status of each response is due for its request, whatever sent it. What is
// due is decided when the response comes, by what was known before; what legally explains another
// status is looked for in all that was sent before and since.
import { isDeepStrictEqual } from 'node:util'
import {
  type AnsweredExchange,
  controlId,
  isSuccess,
  type Operation,
  recognizeOperation,
  statusCode,
} from '../history/exchange.ts'
import { folded, type History } from '../history/history.ts'
import { listedWithinMs, requestedId } from '../history/known-pets.ts'
import { isRefused, isShutOut } from '../history/rate-headers.ts'
import { clause, violateAs, wrongStatus } from './clause.ts'
import { type Due, dueOf, isDue } from './due.ts'
import { type Explanation, Unexplained } from './explanation.ts'
import { read } from './read.ts'
import type { Part } from './read-body.ts'
import { makerOf } from './shown.ts'

/** The responses of a history by what they have in common. */
const grouped = <Group>(groupOf: (exchange: AnsweredExchange) => Group) =>
  folded(
    () => new Map<Group, AnsweredExchange[]>(),
    (groups, exchange) => {
      const group = groupOf(exchange)
      const own = groups.get(group)
      if (own) own.push(exchange)
      else groups.set(group, [exchange])
    },
  )

/** Whether a status is due for its request, whatever may explain another one. */
export const isStatusDue = (exchange: AnsweredExchange, history: History): boolean =>
  otherwiseDue(exchange, history) === undefined

/** What is due for a request that got another status. */
const otherwiseDue = (exchange: AnsweredExchange, history: History): Due | undefined => {
  const due = dueOf(exchange, history)
  return isDue(due, statusCode(exchange)) ? undefined : due
}

const plainParts: readonly string[] = ['categoryId', 'petId', 'connection']

/** So many plain requests are enough, if one was served. */
const maxPlain = 4

/** Whether a part says nothing that a request need not say. */
const isPlainPart = ({ part, is, kind }: Part): boolean =>
  is === 'valid' && (plainParts.includes(part) || (part === 'status' && kind === 'omitted'))

/** Whether all parts of a request with a valid key are such. */
const isPlain = (exchange: AnsweredExchange): boolean =>
  exchange.key !== null && read(exchange).parts.every(isPlainPart)

/** What was sent and served of each operation: plain requests, and whether any was served. */
const operationsOf = folded(
  () => ({
    plain: new Map<Operation | undefined, AnsweredExchange[]>(),
    served: new Set<Operation | undefined>(),
  }),
  ({ plain, served }, exchange) => {
    const operation = recognizeOperation(exchange)
    if (exchange.key !== null && isSuccess(exchange)) served.add(operation)
    const own = plain.get(operation) ?? []
    const isShown = own.length < maxPlain || !own.some(isSuccess)
    if (isShown && isPlain(exchange)) plain.set(operation, [...own, exchange])
  },
)

/** The first of them, and the first that was served. */
const plainOf = (operation: Operation | undefined, history: History) =>
  operationsOf(history).plain.get(operation) ?? []

const isServable = (due: Due): boolean => isDue(due, 200) || isDue(due, 201)

/** Whether nothing is sent in place of a key, and nothing else may matter. */
const isBare = (exchange: AnsweredExchange): boolean =>
  read(exchange).parts.every((part) => part.kind === 'none' || isPlainPart(part))

const placeOf = ({ apiRequest: { method, path } }: AnsweredExchange): string => `${method} ${path}`

const byPlace = grouped(placeOf)
/** On a connection of its own, a request without a valid key. */
const byKeylessStatus = grouped((exchange) =>
  exchange.key === null && exchange.response.opened ? keylessGroup(exchange) : '',
)

const keylessGroup = (exchange: AnsweredExchange): string =>
  `${read(exchange).operation} ${statusCode(exchange)}`

/** Whether the status came where no request with a key had been sent before on the connection. */
const isKeptByNone = (exchange: AnsweredExchange, history: History): boolean =>
  byKeylessStatus(history).has(keylessGroup(exchange))

const byKey = grouped(({ key }) => key)
const bareByOperation = grouped((exchange) =>
  exchange.key === null && isBare(exchange) ? read(exchange).operation : null,
)

/** Whatever was said of the key and of the connection. */
const sentOf = ({ apiRequest: { key: _, fresh: __, ...sent } }: AnsweredExchange) => sent

const isSame = (one: AnsweredExchange, other: AnsweredExchange): boolean =>
  one !== other && one.key === other.key && isDeepStrictEqual(sentOf(one), sentOf(other))

/** The responses to the same request, as often as it was sent. */
export const sameAs = (exchange: AnsweredExchange, history: History): readonly AnsweredExchange[] =>
  (byPlace(history).get(placeOf(exchange)) ?? []).filter((one) => isSame(one, exchange))

interface Explains {
  /** What it means for the request, for a person. */
  readonly words: string
  /** Whether nothing that was sent and received rules it out. */
  readonly mayBe: (exchange: AnsweredExchange, due: Due, history: History) => boolean
}

/** Whether a key was sent and refused, as it is while it is banned. */
const isKeyRefused = ({ key, response }: AnsweredExchange): boolean =>
  key !== null && [401, 403].includes(response.status)

/** A key is valid from its first success on; until then its 401 and 403 say nothing (ruling 27). */
export const saysNothing = (
  exchange: AnsweredExchange,
  { knownPets }: Pick<History, 'knownPets'>,
): boolean =>
  isKeyRefused(exchange) &&
  (knownPets.firstSuccess.get(exchange.key ?? '') ?? Number.POSITIVE_INFINITY) > exchange.seq

/** Beyond two requests for each turn so many may come between. */
const maxBetween = 4

/** Refusals of keys before which these were refused for their quota. */
const afterQuota = folded(
  () => ({ spent: new Set<string | null>(), after: new Set<AnsweredExchange>() }),
  ({ spent, after }, exchange) => {
    if (statusCode(exchange) === 429) spent.add(exchange.key)
    else if (isKeyRefused(exchange) && spent.has(exchange.key)) after.add(exchange)
  },
)

/**
 * How often a request is to be refused in turn with another one of its key that is served: short
 * bans of another client come and go, which a key shows that was refused for its quota.
 */
export const turnsFor = (exchange: AnsweredExchange, history: History): number =>
  afterQuota(history).after.has(exchange) ? 5 : 2

/**
 * A ban refuses all that its key sends, may have ended right after the response, and may come
 * again: right after it nothing else was refused, another request of the key was served on a new
 * connection, as it is sent to confirm it, and then the same request was refused likewise; and so
 * again.
 */
const mayBeBanned: Explains['mayBe'] = (exchange, _, history) => {
  if (!isKeyRefused(exchange)) return false
  const own = byKey(history).get(exchange.key) ?? []
  const from = own.lastIndexOf(exchange) + 1
  const minTurns = turnsFor(exchange, history)
  const after = own.slice(from, from + 2 * minTurns + maxBetween)
  const isAgain = (one: AnsweredExchange) =>
    isSame(one, exchange) && statusCode(one) === statusCode(exchange)
  const end = after.findIndex((one) => isShutOut(one) && !isAgain(one))
  let [isServed, times] = [false, 0]
  for (const one of end < 0 ? after : after.slice(0, end)) {
    if (!isSame(one, exchange)) {
      const isAsked = one.apiRequest.fresh === true && one.check !== controlId
      isServed ||= isAsked && isSuccess(one)
      continue
    }
    // Once it was served itself, what was refused before says nothing of it.
    times = isAgain(one) ? times + Number(isServed) : 0
    isServed = false
    if (times === minTurns) return false
  }
  return true
}

/** Whether a request without any key got what says that none is demanded. */
const isOpenTo = (exchange: AnsweredExchange, bare: AnsweredExchange): boolean =>
  // What is served where a request without any key is not is served for its key.
  statusCode(bare) !== 401 && !(isSuccess(exchange) && !isSuccess(bare))

/** The first plain request that was served, where the success of another one is not due. */
const usualFor = (exchange: AnsweredExchange, due: Due, history: History) => {
  if (!isSuccess(exchange) || !isServable(due)) return undefined
  const [plain] = plainOf(read(exchange).operation, history).filter(isSuccess)
  return { plain, isPlain: isPlain(exchange) }
}

const explanations: Readonly<Record<Exclude<Explanation, 'late in lists'>, Explains>> = {
  usual: {
    words: 'no plain request was served that could get the same',
    mayBe: (exchange, due, history) => {
      const usual = usualFor(exchange, due, history)
      return usual !== undefined && usual.plain === undefined && !usual.isPlain
    },
  },
  'plain request not served': {
    words: 'a plain valid request is not served either',
    mayBe: (exchange, { part }, history) =>
      part !== 'key' &&
      !isSuccess(exchange) &&
      !isPlain(exchange) &&
      !operationsOf(history).served.has(read(exchange).operation ?? 'list'),
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
    words: 'on a new connection it gets 401: see auth-connection-lends-no-key',
    mayBe: (exchange, { part }, history) => {
      if (part !== 'key' || isKeptByNone(exchange, history)) return false
      const same = sameAs(exchange, history)
      return same.length === 0 || same.some((one) => statusCode(one) === 401)
    },
  },
  'no key demanded': {
    words: 'without any key the response is not 401 either: see auth-missing-list-401',
    mayBe: (exchange, { part }, history) => {
      if (part !== 'key' || isBare(exchange)) return false
      const bare = bareByOperation(history).get(read(exchange).operation ?? 'list') ?? []
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
    mayBe: (exchange, { part }, { categories: { free, known, isOpen } }) => {
      const category = read(exchange).pet?.categoryId
      const isRefused = part === 'valid' && read(exchange).operation === 'create'
      if (!isRefused || isSuccess(exchange) || (free && !isOpen)) return false
      return typeof category === 'bigint' && !known.includes(category)
    },
  },
}

/** The first plain request got the same success: what is wrong with it is reported of that one. */
const isUsual = (exchange: AnsweredExchange, due: Due, history: History): boolean => {
  const { plain = exchange } = usualFor(exchange, due, history) ?? {}
  return plain !== exchange && statusCode(plain) === statusCode(exchange)
}

/** @throws Violation; Unexplained: something may legally explain it */
const judgeStatus = (exchange: AnsweredExchange, history: History): void => {
  const due = otherwiseDue(exchange, history)
  if (!due || isUsual(exchange, due, history)) return
  for (const [explanation, { words, mayBe }] of Object.entries(explanations))
    if (mayBe(exchange, due, history))
      throw new Unexplained(explanation as keyof typeof explanations, words, exchange)
  // A refusal that is missing is shown next to the plain request.
  const plain = isServable(due) ? [] : plainOf(read(exchange).operation, history).slice(0, 1)
  const { wrong, expected, actual, evidence } = wrongStatus(due, [
    ...plain,
    ...makerOf(requestedId(exchange), history),
    exchange,
  ])
  violateAs({ ...wrong, requirement: due.requirement }, expected, actual, ...evidence)
}

export const statusDue = clause({
  id: 'status-due',
  requirement: 'service.operations',
  judges: 'The status of every response but those that refuse a key for its quota.',
  fails:
    'A status that is not due for what was sent, where no other check reports the requirement ' +
    'that demands it: that requirement is violated.',
  inconclusive:
    'the key may be banned, or was never valid; the plain request is not served either; no key ' +
    'is demanded, or one is kept by the connection; a category may not exist (ambiguous)',
  applies: (exchange) => !isRefused(exchange),
  judge: judgeStatus,
})
