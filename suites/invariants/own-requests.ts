// Every success compared with its own request: the query, the body, and what is known by then.

import { type Invariant, invariant, type Trace } from '../../engine/check/declare.ts'
import {
  type AnsweredExchange,
  isSuccess,
  memoized,
  statusCode,
} from '../../engine/check/exchange.ts'
import { describeResponse, violateAs } from '../../engine/check/expect.ts'
import type { JsonObject } from '../../engine/check/json.ts'
import {
  type Creation,
  listedWithinMs,
  petsIn,
  requestedId,
  sentObject,
} from '../../engine/check/known-pets.ts'
import { recognizeOperation } from '../../engine/check/operations.ts'
import { Inapplicable, Untested } from '../../engine/check/outcome.ts'
import { isPastRemoval } from '../pets/removal-date.ts'
import {
  beyondFilter,
  beyondLimit,
  changedPet,
  createdAgain,
  fewerThan,
  type Misfit,
  otherEcho,
  otherId,
  queryOfList,
} from '../response-matching/judge-own-response.ts'

/** A pet as a key was first shown it, and from when on it must be found. */
interface Known {
  readonly status: unknown
  readonly fetchedFromMs: number
  readonly listedFromMs: number
}

/** What a key was shown, and from when on it has been shown pets that another key created. */
interface OfKey {
  readonly shown: Map<bigint, Known>
  readonly readsFromMs: Map<string, number>
}

const nothingKnown = (): OfKey => ({ shown: new Map(), readsFromMs: new Map() })

type Creations = ReadonlyMap<bigint, Creation>

const isServed = (exchange: AnsweredExchange): boolean =>
  recognizeOperation(exchange) !== undefined && isSuccess(exchange)

const isCreated = (exchange: AnsweredExchange): boolean =>
  recognizeOperation(exchange) === 'create' && isSuccess(exchange)

/** A pet is known from the first response that shows it; a new one may lag behind in lists. */
const knownFrom = (exchange: AnsweredExchange, { status }: JsonObject): Known => {
  const { receivedMs } = exchange
  const listedFromMs = receivedMs + listedWithinMs
  return { status, listedFromMs, fetchedFromMs: isCreated(exchange) ? receivedMs : listedFromMs }
}

const creationIn = (exchange: AnsweredExchange): Creation | undefined => {
  const [pet] = petsIn(exchange)
  const sent = sentObject(exchange)
  if (!isCreated(exchange) || !sent || typeof pet?.id !== 'bigint') return undefined
  return { sent, pet, id: pet.id, exchange }
}

/** Records what a response shows a key, and of which keys it is shown the pets. */
const learn = ({ shown, readsFromMs }: OfKey, exchange: AnsweredExchange, made: Creations) => {
  for (const pet of petsIn(exchange)) {
    const { id } = pet
    if (typeof id !== 'bigint') continue
    if (!shown.has(id)) shown.set(id, knownFrom(exchange, pet))
    const maker = made.get(id)?.exchange.key ?? exchange.key ?? ''
    if (!readsFromMs.has(maker)) readsFromMs.set(maker, exchange.receivedMs)
  }
}

const knowledgeOf = memoized(({ exchanges }: Trace) => {
  const creations = new Map<bigint, Creation>()
  /** Ids that two creations got: either pet may be shown. */
  const repeated = new Set<bigint>()
  const byKey = new Map<string, OfKey>()
  for (const exchange of exchanges) {
    const { key } = exchange
    if (key === null || !isServed(exchange)) continue
    const creation = creationIn(exchange)
    if (creation && creations.has(creation.id)) repeated.add(creation.id)
    else if (creation) creations.set(creation.id, creation)
    const known = byKey.get(key) ?? nothingKnown()
    byKey.set(key, known)
    learn(known, exchange, creations)
  }
  return { creations, repeated, byKey }
})

const knownTo = ({ key }: AnsweredExchange, trace: Trace): OfKey =>
  knowledgeOf(trace).byKey.get(key ?? '') ?? nothingKnown()

/** A list that is as long as its limit lacks no pet, however many are known. */
const isFull = (list: AnsweredExchange): boolean =>
  new Set(petsIn(list).map(({ id }) => id)).size >= (queryOfList(list)?.limit ?? 100)

/**
 * Pets that must be in a list: shown to its key a second before the request, or created a second
 * before by a key whose pets it had been shown.
 * @param count how many of them are enough
 */
const knownOnes = (list: AnsweredExchange, trace: Trace, count: number): readonly bigint[] => {
  const wanted = queryOfList(list)?.status
  const { shown, readsFromMs } = knownTo(list, trace)
  const isDue = ({ listedFromMs, status }: Known): boolean =>
    listedFromMs <= list.sentMs && (wanted === undefined || status === wanted)
  const { creations, repeated } = knowledgeOf(trace)
  const ids = new Set<bigint>()
  for (const [id, known] of shown) {
    if (isDue(known) && !repeated.has(id)) ids.add(id)
    if (ids.size >= count) return [...ids]
  }
  for (const { id, pet, exchange } of creations.values()) {
    if (repeated.has(id)) continue
    const fromMs = readsFromMs.get(exchange.key ?? '') ?? Number.POSITIVE_INFINITY
    if (fromMs <= list.sentMs && isDue(knownFrom(exchange, pet))) ids.add(id)
  }
  return [...ids]
}

/** Other clients may change their pets: only those of this run are known to stay. */
const changed = (exchange: AnsweredExchange, trace: Trace): Misfit | undefined => {
  const { creations, repeated } = knowledgeOf(trace)
  const creationOf = (id: bigint) => creations.get(id)
  return changedPet(exchange, { creationOf, isRepeated: (id) => repeated.has(id) })
}

interface OwnRequest extends Omit<Parameters<typeof invariant>[0], 'holds'> {
  /** What of a response does not fit its request, if anything. */
  readonly misfitOf: (exchange: AnsweredExchange, trace: Trace) => Misfit | undefined
}

/** Judges responses to valid keys. */
const each = ({ applies, misfitOf, ...declared }: OwnRequest): Invariant =>
  invariant({
    ...declared,
    applies: (exchange) => exchange.key !== null && applies(exchange),
    holds: (exchange, trace) => {
      const misfit = misfitOf(exchange, trace)
      if (misfit) violateAs(misfit.wrong, misfit.expected, misfit.actual, exchange)
    },
  })

const isPlainList = (exchange: AnsweredExchange): boolean =>
  queryOfList(exchange) !== undefined && petsIn(exchange).length > 0
const hasLimit = ({ apiRequest }: AnsweredExchange): boolean => apiRequest.path.includes('limit=')
const isFetched = (exchange: AnsweredExchange): boolean =>
  recognizeOperation(exchange) === 'get' && statusCode(exchange) === 200

const isKnownFetch = (exchange: AnsweredExchange): boolean =>
  recognizeOperation(exchange) === 'get' &&
  requestedId(exchange) !== undefined &&
  [200, 404].includes(statusCode(exchange)) &&
  !isPastRemoval(exchange)

/** A run on a fast target may be over sooner; other checks wait for that second. */
const noneKnown = 'no list was requested a second after a pet that it must show was known'

const plainLists = 'Every 200 to a list with a valid key and at most a limit and a status'

const lists = [
  each({
    id: 'list-each-within-limit',
    requirement: 'list.limit.most',
    judges: `${plainLists}, if it gives a limit and pets are returned.`,
    fails: 'More pets than the limit.',
    applies: (exchange) => isPlainList(exchange) && hasLimit(exchange),
    misfitOf: beyondLimit,
  }),
  each({
    id: 'list-each-within-default',
    requirement: 'list.limit.default',
    judges: `${plainLists}, if it gives no limit and pets are returned.`,
    fails: 'More than 20 pets.',
    applies: (exchange) => isPlainList(exchange) && !hasLimit(exchange),
    misfitOf: beyondLimit,
  }),
  each({
    id: 'list-each-filtered',
    requirement: 'list.status.filter',
    judges: `${plainLists}, if it gives a status and pets are returned.`,
    fails: 'A pet with another status.',
    sentBy: ['list-status-available-all', 'list-status-pending-all', 'list-status-sold-all'],
    applies: (exchange) => isPlainList(exchange) && exchange.apiRequest.path.includes('status='),
    misfitOf: beyondFilter,
  }),
  each({
    id: 'list-each-as-created',
    requirement: 'list.faithful',
    judges: `${plainLists}: every pet that this run created before.`,
    fails: 'Another name, category or given status than in its 201.',
    sentBy: ['list-new-animal-found'],
    applies: isPlainList,
    misfitOf: changed,
  }),
  each({
    id: 'list-each-created-once',
    requirement: 'list.faithful',
    judges: `${plainLists}: pets with a name that this run alone uses.`,
    fails: 'More pets with such a name, of different ids, than creations that were sent with it.',
    applies: isPlainList,
    misfitOf: (list, trace) => {
      const { creations } = knowledgeOf(trace)
      return createdAgain(list, trace.timesSent, (id) => creations.get(id))
    },
  }),
  each({
    id: 'list-each-no-fewer',
    requirement: 'list.limit.exact',
    judges: `${plainLists}, compared with the pets known to its key for at least a second.`,
    fails: 'Fewer pets than match, up to the limit; or a match is missing from an uncut list.',
    inconclusive: 'no list was requested a second after a pet was known (inapplicable)',
    optional: noneKnown,
    applies: (exchange) => queryOfList(exchange) !== undefined,
    misfitOf: (exchange, trace) => {
      const known = knownOnes(exchange, trace, isFull(exchange) ? 1 : Number.POSITIVE_INFINITY)
      if (known.length === 0) throw new Inapplicable(noneKnown)
      return fewerThan(exchange, known)
    },
  }),
]

const noneFetched = 'no pet was fetched by its id'

const fetches = [
  each({
    id: 'get-each-own-id',
    requirement: 'get.own-id',
    judges: 'Every 200 to a GET by id with a valid key.',
    fails: 'A pet with another id.',
    sentBy: ['get-animal-as-created'],
    optional: noneFetched,
    applies: isFetched,
    misfitOf: otherId,
  }),
  each({
    id: 'get-each-as-created',
    requirement: 'get.faithful',
    judges: 'Every 200 to a GET of a pet that this run created.',
    fails: 'Another name, category or given status than in its 201.',
    optional: noneFetched,
    applies: isFetched,
    misfitOf: changed,
  }),
  each({
    id: 'get-each-known-200',
    requirement: 'get.success',
    judges: 'Every 200 and 404 to a GET by id, before the removal of the operation.',
    fails: 'A 404 for a pet that its key created before, or was shown a second before.',
    inconclusive: 'no pet was fetched that was known before (ambiguous)',
    optional: noneFetched,
    applies: isKnownFetch,
    misfitOf: (exchange, trace) => {
      const id = requestedId(exchange) ?? 0n
      const known = knownTo(exchange, trace).shown.get(id)
      const isKnown = known !== undefined && known.fetchedFromMs < exchange.sentMs
      if (!isKnown) throw new Untested('ambiguous', 'no pet was fetched that was known before')
      if (statusCode(exchange) === 200) return undefined
      const wrong = { aspect: 'status' } as const
      return { expected: `200 for the pet ${id}`, actual: describeResponse(exchange), wrong }
    },
  }),
]

const creations = each({
  id: 'create-each-echoed',
  requirement: 'create.echo',
  judges: 'Every 2xx to a creation with a valid key, whose body has one reading only.',
  fails:
    'Another name, category or status than was sent. Trimmed ends of a name, and the spelling ' +
    'of a lone surrogate, are judged by other checks.',
  optional: 'no creation succeeded',
  applies: isCreated,
  misfitOf: otherEcho,
})

export const ownRequests: readonly Invariant[] = [...lists, ...fetches, creations]
