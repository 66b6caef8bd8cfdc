// Which kinds of request follow which: the ordered pairs that a run can cover, and those that it
// did, counted over its history.

import { type AnsweredExchange, type ApiRequest, isSuccess } from '../history/exchange.ts'
import { folded, type History } from '../history/history.ts'
import { requestedId } from '../history/known-pets.ts'
import { dateMs, dayMs, fromMs, isShutOut, minuteMs, toMs } from '../history/rate-headers.ts'
import { removalDay } from './due.ts'
import { read } from './read.ts'

/** Each operation served, and refused in each way that is due; other requests; and refusals. */
const kinds = [
  ...(['list', 'create', 'get'] as const),
  ...(['list with another query', 'create with a fault', 'create left open'] as const),
  ...([
    'get of an unknown id',
    'get of no id',
    'HEAD',
    'another method',
    'another address',
  ] as const),
  ...(['refusal of the limiter', 'no key', 'invalid key'] as const),
] as const
type Kind = (typeof kinds)[number]

const refusal = 'refusal of the limiter'
const unkeyed: readonly Kind[] = ['no key', 'invalid key']

const served = ['list', 'create', 'get'] as const

/** In turn: one of them has no valid key. */
const inTurn = ['same key', 'another key', 'in turn', 'fresh connection'] as const
/** What lies between: the first is sent in the time before it, the second in that after it. */
const boundaries = {
  'ten minutes': 10 * minuteMs,
  'an hour': 60 * minuteMs,
  'a day': dayMs,
  'the removal': 0,
  'a month after it': 27 * dayMs,
  'a year after it': 360 * dayMs,
} as const
type Boundary = keyof typeof boundaries
export type Circumstance = (typeof inTurn)[number] | Boundary

/** Why no run covers a pair. */
export const reasons = {
  wait: 'a refused key has to wait, and one that is about to be refused sends what counts',
  removed: 'a removed operation is not served',
} as const

export interface Pair {
  readonly first: Kind
  readonly second: Kind
  readonly when: Circumstance
  readonly leftOut?: keyof typeof reasons
}

type Numbered = Pick<Pair, 'first' | 'second' | 'when'>

const numberOf = new Map<string, number>(
  [...kinds, ...inTurn, ...Object.keys(boundaries)].map((name, at) => [name, at]),
)

/** A number for each pair. */
const idOf = ({ first, second, when }: Numbered): number => {
  const of = (name: string) => numberOf.get(name) ?? 0
  return (of(first) * numberOf.size + of(second)) * numberOf.size + of(when)
}

/** What may count before a refusal of the same key, and what its wait ends with. */
const countsFor = (kind: Kind): boolean =>
  kind === 'list' || kind === 'create' || kind === 'get' || kind === refusal

const whyLeftOut = ({ first, second, when }: Pair): Pick<Pair, 'leftOut'> => {
  const isOfKey = when === 'same key' && (first === refusal || second === refusal)
  const [other] = [first, second].filter((kind) => kind !== refusal)
  if (isOfKey && other !== undefined && !countsFor(other)) return { leftOut: 'wait' }
  const isLate = ['the removal', 'a month after it', 'a year after it'].includes(when)
  return isLate && second === 'get' ? { leftOut: 'removed' } : {}
}

const hasKeys = (first: Kind, second: Kind): boolean =>
  !unkeyed.includes(first) && !unkeyed.includes(second)

/** Before a boundary something is served: what it leaves is what time may change. */
const mayBeFirst = (first: Kind, when: Circumstance): boolean => {
  if (!(when in boundaries)) return true
  const isPast = when === 'a month after it' || when === 'a year after it'
  return served.some((kind) => kind === first && !(isPast && kind === 'get'))
}

/** All ordered pairs: this is the denominator. */
export const pairs: readonly Pair[] = kinds
  .flatMap((first) => kinds.map((second) => ({ first, second })))
  .flatMap(({ first, second }) => {
    const own = hasKeys(first, second)
      ? (['same key', 'another key'] as const)
      : ['in turn' as const]
    const all = [...own, 'fresh connection' as const, ...(Object.keys(boundaries) as Boundary[])]
    return all.filter((when) => mayBeFirst(first, when)).map((when) => ({ first, second, when }))
  })
  .map((pair) => ({ ...pair, ...whyLeftOut(pair) }))

/** The kind of a request; `isServed` where it has a response, or as it is expected. */
const kindOf = (apiRequest: ApiRequest, isServed: boolean): Kind => {
  const { operation, at, key, parts } = read({ apiRequest })
  if (key === 'none') return 'no key'
  if (key !== 'valid') return 'invalid key'
  if (apiRequest.method === 'HEAD') return 'HEAD'
  if (at === 'elsewhere') return 'another address'
  if (operation === undefined) return 'another method'
  const isValid = parts.every(({ is }) => is === 'valid')
  if (operation === 'list') return isValid ? 'list' : 'list with another query'
  if (operation === 'get') {
    if (!isValid) return 'get of no id'
    return isServed ? 'get' : 'get of an unknown id'
  }
  if (parts.some(({ is }) => is === 'invalid')) return 'create with a fault'
  return isValid ? 'create' : 'create left open'
}

interface Next {
  readonly kind: Kind
  readonly key: string | null
  readonly isFresh: boolean
}

interface Covered {
  readonly ids: Set<number>
  last?: AnsweredExchange
  lastKind?: Kind
  readonly seen: Set<Kind>
  /** The latest boundary, and what was sent before it. */
  boundary?: Boundary
  before: ReadonlySet<Kind>
}

const wantedIds = new Set(pairs.filter(({ leftOut }) => !leftOut).map(idOf))

const idsOf = (state: Covered, { kind, key, isFresh }: Next): readonly number[] => {
  const { last, lastKind, boundary, before } = state
  const ids: number[] = []
  const add = (first: Kind, when: Circumstance) => ids.push(idOf({ first, second: kind, when }))
  if (last && lastKind) {
    if (!hasKeys(lastKind, kind)) add(lastKind, 'in turn')
    else add(lastKind, last.key === key ? 'same key' : 'another key')
    if (isFresh) add(lastKind, 'fresh connection')
  }
  if (boundary) for (const first of before) add(first, boundary)
  return ids.filter((id) => wantedIds.has(id))
}

const isLate = (exchange: AnsweredExchange): boolean => (dateMs(exchange) ?? 0) >= removalDay.lastMs

/** The boundary between two exchanges. */
const boundaryOf = (last: AnsweredExchange, next: AnsweredExchange): Boundary | undefined => {
  const silentMs = fromMs(next) - toMs(last)
  const isPast = isLate(next)
  if (isPast && !isLate(last)) return 'the removal'
  const own: readonly Boundary[] = isPast
    ? ['a year after it', 'a month after it', 'a day', 'an hour', 'ten minutes']
    : ['a day', 'an hour', 'ten minutes']
  return own.find((each) => silentMs >= boundaries[each])
}

const take = (state: Covered, exchange: AnsweredExchange): void => {
  const { last } = state
  const { apiRequest, key, response } = exchange
  const kind =
    key !== null && isShutOut(exchange) ? refusal : kindOf(apiRequest, isSuccess({ response }))
  const boundary = last && boundaryOf(last, exchange)
  if (boundary) Object.assign(state, { boundary, before: new Set(state.seen) })
  // What was in flight with another one did not follow it.
  const isNext = last && !boundary && fromMs(exchange) >= toMs(last)
  const isFresh = apiRequest.fresh === true || response.opened === true
  const { last: _, ...apart } = state
  for (const id of idsOf(isNext ? state : apart, { kind, key, isFresh })) state.ids.add(id)
  state.seen.add(kind)
  Object.assign(state, { last: exchange, lastKind: kind })
}

const covered = folded<Covered>(
  () => ({ ids: new Set(), seen: new Set(), before: new Set() }),
  take,
)

/** By the kind that begins them, where the second follows at once. */
const following = new Map(
  kinds.map((kind) => [
    kind,
    pairs
      .filter(({ first, when, leftOut }) => first === kind && !(when in boundaries || leftOut))
      .map(idOf),
  ]),
)

/**
 * How many pairs a request covers that the run has not covered, if it is sent next; and a little
 * for each that it may begin then.
 * @returns counts them by the key with which it is sent, and whether on a fresh connection
 */
export const countNew = (
  history: Pick<History, 'exchanges' | 'knownPets'>,
  apiRequest: ApiRequest,
): ((how: Pick<Next, 'key' | 'isFresh'>) => number) => {
  const state = covered(history)
  const id = requestedId({ apiRequest })
  const isFound = id !== undefined && history.knownPets.seen.has(id)
  const kind = kindOf(apiRequest, isFound && !(state.last && isLate(state.last)))
  const isNew = (each: number) => !state.ids.has(each)
  const begun = following.get(kind)?.filter(isNew).length ?? 0
  return (how) => idsOf(state, { kind, ...how }).filter(isNew).length + begun / pairs.length
}

/** Of each circumstance, how many pairs a run covered of how many. */
export const countPairs = (
  history: Pick<History, 'exchanges'>,
): Readonly<Record<string, readonly [covered: number, all: number]>> => {
  const { ids } = covered(history)
  return Object.fromEntries(
    [...Map.groupBy(pairs, ({ when }) => when)].map(([when, own]) => {
      return [when, [own.filter((pair) => ids.has(idOf(pair))).length, own.length] as const]
    }),
  )
}
