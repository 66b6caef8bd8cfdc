// Every success against its own request: what was asked, what was sent, and what is known by then.

import { type Invariant, invariant, optionalInvariant, type Trace } from '../../engine/check.ts'
import type { Answered } from '../../engine/exchange.ts'
import { statusOf } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { type Creation, petsIn, sentObject } from '../../engine/herd.ts'
import type { JsonObject } from '../../engine/json.ts'
import { idAsked, listedWithinMs } from '../../engine/lacked.ts'
import { Inapplicable, Untested } from '../../engine/outcome.ts'
import { isPastRemoval, operationOf } from '../answers.ts'
import {
  beyondFilter,
  beyondLimit,
  changedPet,
  fewerThan,
  type Misfit,
  otherEcho,
  otherId,
  queryOfList,
} from '../own-response/judge.ts'

/** A pet as a key was first shown it, and from when on it has to be there. */
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

type Creations = ReadonlyMap<bigint, Creation>

interface Knowledge {
  readonly creations: Creations
  readonly byKey: ReadonlyMap<string, OfKey>
}

const isSuccess = (exchange: Answered): boolean =>
  operationOf(exchange) !== undefined && [200, 201].includes(statusOf(exchange))

const isCreated = (exchange: Answered): boolean =>
  operationOf(exchange) === 'create' && statusOf(exchange) === 201

/** A pet is known from the first answer that shows it; a new one may lag behind in lists. */
const knownFrom = (exchange: Answered, { status }: JsonObject): Known => {
  const { receivedMs } = exchange
  const listedFromMs = receivedMs + listedWithinMs
  return { status, listedFromMs, fetchedFromMs: isCreated(exchange) ? receivedMs : listedFromMs }
}

const creationIn = (exchange: Answered): Creation | undefined => {
  const [pet] = petsIn(exchange)
  const sent = sentObject(exchange)
  if (!isCreated(exchange) || !sent || typeof pet?.id !== 'bigint') return undefined
  return { sent, pet, id: pet.id, exchange }
}

/** A key learns what a response shows it, and of which keys it is shown the pets. */
const learn = (key: string, { shown, readsFromMs }: OfKey, exchange: Answered, made: Creations) => {
  for (const pet of petsIn(exchange)) {
    const { id } = pet
    if (typeof id !== 'bigint') continue
    if (!shown.has(id)) shown.set(id, knownFrom(exchange, pet))
    const maker = made.get(id)?.exchange.key ?? key
    if (!readsFromMs.has(maker)) readsFromMs.set(maker, exchange.receivedMs)
  }
}

const readAll = ({ exchanges }: Trace): Knowledge => {
  const creations = new Map<bigint, Creation>()
  const byKey = new Map<string, OfKey>()
  for (const exchange of exchanges) {
    const { key } = exchange
    if (key === null || !isSuccess(exchange)) continue
    const creation = creationIn(exchange)
    if (creation && !creations.has(creation.id)) creations.set(creation.id, creation)
    const known = byKey.get(key) ?? { shown: new Map(), readsFromMs: new Map() }
    byKey.set(key, known)
    learn(key, known, exchange, creations)
  }
  return { creations, byKey }
}

const read = new WeakMap<Trace, Knowledge>()

const knowledgeOf = (trace: Trace): Knowledge => {
  const known = read.get(trace) ?? readAll(trace)
  read.set(trace, known)
  return known
}

const knownTo = ({ key }: Answered, trace: Trace): OfKey =>
  knowledgeOf(trace).byKey.get(key ?? '') ?? { shown: new Map(), readsFromMs: new Map() }

/**
 * Those that have to be in a list: shown to its key a second before it was asked for, or created a
 * second before by a key whose pets it had been shown.
 */
const knownOnes = (list: Answered, trace: Trace): readonly bigint[] => {
  const wanted = queryOfList(list)?.status
  const { shown, readsFromMs } = knownTo(list, trace)
  const isDue = ({ listedFromMs, status }: Known): boolean =>
    listedFromMs <= list.sentMs && (wanted === undefined || status === wanted)
  const ids = new Set<bigint>()
  for (const [id, known] of shown) if (isDue(known)) ids.add(id)
  for (const { id, pet, exchange } of knowledgeOf(trace).creations.values()) {
    const fromMs = readsFromMs.get(exchange.key ?? '') ?? Number.POSITIVE_INFINITY
    if (fromMs <= list.sentMs && isDue(knownFrom(exchange, pet))) ids.add(id)
  }
  return [...ids]
}

/** Pets of others may be changed by others: only those of this run are known to stay. */
const changed = (exchange: Answered, trace: Trace): Misfit | undefined =>
  changedPet(exchange, (id) => knowledgeOf(trace).creations.get(id))

const unknown = (fetched: Answered): Misfit | undefined => {
  if (statusOf(fetched) !== 404) return undefined
  return { expected: `200 for the pet ${idAsked(fetched)}`, actual: told(fetched) }
}

type Judge = (exchange: Answered, trace: Trace) => Misfit | undefined

const each = (
  id: string,
  requirement: Parameters<typeof invariant>[1],
  applies: Invariant['applies'],
  judge: Judge,
): Invariant =>
  invariant(id, requirement, applies, (exchange, trace) => {
    const misfit = judge(exchange, trace)
    if (misfit) violate(misfit.expected, misfit.actual, exchange)
  })

const isKeyed = ({ key }: Answered): boolean => key !== null
const isPlainList = (exchange: Answered): boolean =>
  isKeyed(exchange) && queryOfList(exchange) !== undefined && petsIn(exchange).length > 0
const hasLimit = ({ asked }: Answered): boolean => asked.path.includes('limit=')
const isFetched = (exchange: Answered): boolean =>
  operationOf(exchange) === 'get' && statusOf(exchange) === 200 && isKeyed(exchange)

const isKnownFetch = (exchange: Answered): boolean =>
  operationOf(exchange) === 'get' &&
  isKeyed(exchange) &&
  idAsked(exchange) !== undefined &&
  [200, 404].includes(statusOf(exchange)) &&
  !isPastRemoval(exchange)

/** A run on a fast target may be over sooner; other checks wait for that second. */
const noneKnown = 'no list was asked for a second after a pet that it has to show was known'

const lists = [
  each(
    'list-each-within-limit',
    'list.limit.most',
    (exchange) => isPlainList(exchange) && hasLimit(exchange),
    beyondLimit,
  ),
  each(
    'list-each-within-default',
    'list.limit.default',
    (exchange) => isPlainList(exchange) && !hasLimit(exchange),
    beyondLimit,
  ),
  each(
    'list-each-filtered',
    'list.status.filter',
    (exchange) => isPlainList(exchange) && exchange.asked.path.includes('status='),
    beyondFilter,
  ),
  each('list-each-as-created', 'list.faithful', isPlainList, changed),
  optionalInvariant(
    noneKnown,
    invariant(
      'list-each-no-fewer',
      'list.limit.exact',
      (exchange) => isKeyed(exchange) && queryOfList(exchange) !== undefined,
      (exchange, trace) => {
        const known = knownOnes(exchange, trace)
        if (known.length === 0) throw new Inapplicable(noneKnown)
        const misfit = fewerThan(exchange, known)
        if (misfit) violate(misfit.expected, misfit.actual, exchange)
      },
    ),
  ),
]

const none200 = 'no pet was fetched by its id'

const fetches = [
  each('get-each-own-id', 'get.own-id', isFetched, otherId),
  each('get-each-as-created', 'get.faithful', isFetched, changed),
  each('get-each-known-200', 'get.success', isKnownFetch, (exchange, trace) => {
    const known = knownTo(exchange, trace).shown.get(idAsked(exchange) ?? 0n)
    const isKnown = known !== undefined && known.fetchedFromMs < exchange.sentMs
    if (!isKnown) throw new Untested('ambiguous', 'no pet that was fetched was known by then')
    return unknown(exchange)
  }),
].map((question) => optionalInvariant(none200, question))

const creations = optionalInvariant(
  'no creation was answered 201',
  each(
    'create-each-echoed',
    'create.echo',
    (exchange) => isKeyed(exchange) && isCreated(exchange),
    otherEcho,
  ),
)

export const ownRequests: readonly Invariant[] = [...lists, ...fetches, creations]
