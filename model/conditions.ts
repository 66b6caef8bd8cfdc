// Of which parts a request is, as far as they may decide, and whether it passes.
import {
  type ApiRequest,
  type Exchange,
  isSuccess,
  memoized,
  sentWith,
  statusCode,
} from '../history/exchange.ts'
import { requestedId } from '../history/known-pets.ts'
import { duration } from '../history/quote.ts'
import { anyOwnName } from './characters.ts'
import { read } from './read.ts'
import type { Part } from './read-body.ts'
import { headerKinds } from './read-head.ts'

export const isFault = ({ is }: Part): boolean => is === 'invalid' || is === 'lenient'

/** Of what is valid, and of names, the kind may matter; of all else each value. */
export const keyOf = ({ part, is, kind, words }: Part): string => {
  const isOfName = part === 'name' && is === 'open'
  const isAny = (is === 'valid' || isOfName) && kind !== 'scheme' && !headerKinds.includes(kind)
  return `${part}|${kind}${isAny ? '' : `|${words}`}`
}

export const keysIn = memoized(
  (apiRequest: ApiRequest): ReadonlySet<string> => new Set(read({ apiRequest }).parts.map(keyOf)),
)

/** A part that decides; what is not read as a part says itself of which requests it holds. */
export interface Decisive extends Part {
  readonly holds?: (one: Exchange) => boolean
}

export const has = (one: Exchange, { holds, ...part }: Decisive): boolean =>
  holds ? holds(one) : keysIn(one.apiRequest).has(keyOf(part))

/** What decides, with its evidence. */
export interface Isolated {
  /** None: the plain request fails too. */
  readonly parts: readonly Decisive[]
  /** The plainest request that fails, and for each part one that passes without it. */
  readonly failing: Exchange
  readonly passing: readonly Exchange[]
  /** Why no part decides: equal requests pass and fail, or all fail for some time. */
  readonly chance?: string
  /** What is sent before each one that fails, and before none that passes. */
  readonly after?: string
}

/** What a way to isolate finds; open: several things may decide, and no other way helps. */
export type Found = Isolated | 'open' | undefined

export const isolation = (
  parts: readonly Decisive[],
  failing: Exchange,
  passing: readonly Exchange[] = [],
): Isolated => ({ parts, failing, passing })

/** Whether a valid request was served, or a faulty one refused for its fault. */
export const passes = memoized((one: Exchange): boolean => {
  const code = statusCode(one)
  const faults = read(one).parts.filter(isFault)
  const { operation } = read(one)
  const served = operation === 'create' ? 201 : 200
  if (faults.length === 0) return operation === undefined ? isSuccess(one) : code === served
  const isOfKey = faults.some(({ part }) => part === 'key')
  return isOfKey ? [400, 401, 403].includes(code) : code >= 400 && code < 500 && code !== 429
})

/** A 404 says that there is no such pet, which may be so; what is open may be refused. */
export const mayBeDue = (one: Exchange): boolean => {
  const isUnknown = statusCode(one) === 404 && one.key !== null && requestedId(one) !== undefined
  const isRefusal = statusCode(one) >= 400 && statusCode(one) < 500
  // A body that is sent chunked may be refused for that, and with one status.
  const isOpen = ({ is, kind }: Part) =>
    is === 'open' && (kind !== 'chunked' || statusCode(one) === 411)
  return isUnknown || (isRefusal && read(one).parts.some(isOpen))
}

/** What gets what is due, as far as is known. */
export const isDue = (one: Exchange): boolean => passes(one) || mayBeDue(one)

/** Fewer that are alike may be so by chance. */
export const minNoChance = 5

export const isLike =
  (one: Exchange) =>
  (other: Exchange): boolean =>
    statusCode(other) === statusCode(one)

export const kindOf = (one: Exchange): string => `${read(one).name} ${one.response?.status}`

/** Whether it was sent while others were. */
export const isTogether = (one: Exchange): boolean => sentWith(one).length > 1

export const isOnNewConnection = (one: Exchange): boolean =>
  one.apiRequest.fresh === true || one.response?.opened === true

/** A request as a text: neither its key nor its own name, its connection, or why it was sent. */
export const textOf = memoized((apiRequest: ApiRequest): string => {
  const { key: _, also: __, fresh: ___, insists: ____, ...sent } = apiRequest
  const text = JSON.stringify([Object.entries(sent).sort(), `${sent.body}`])
  return text.replace(anyOwnName, 'petvet')
})

/** What is read of a request, as one text: it is the same of requests that are alike. */
export const readingOf = memoized((apiRequest: ApiRequest): string =>
  [...keysIn(apiRequest)].sort().join('\n'),
)

export const isAlike = (one: Exchange, other: Exchange): boolean =>
  readingOf(one.apiRequest) === readingOf(other.apiRequest)

/** Finds all of a history that have the same text as one has. */
export const groupedBy = (
  trace: readonly Exchange[],
  groupOf: (one: Exchange) => string,
): ((one: Exchange) => readonly Exchange[]) => {
  let groups: ReadonlyMap<string, readonly Exchange[]> | undefined
  return (one) => {
    groups ??= Map.groupBy(trace, groupOf)
    return groups.get(groupOf(one)) ?? []
  }
}

/** What a plain request may have; all else is named, or left out. */
export const isOfPlain = ({ part, is, kind }: Part): boolean =>
  is === 'valid' &&
  (part === 'categoryId' || part === 'petId' || (part === 'status' && kind === 'omitted'))

/** What a list asks for. */
export const askedOf = (one: Exchange): readonly Part[] =>
  read(one).parts.filter(({ part }) => part === 'limit' || part === 'status')

export const isValid = (one: Exchange): boolean => read(one).parts.every(({ is }) => is === 'valid')

export const isPlain = (one: Exchange): boolean => read(one).parts.every(isOfPlain)

/** Where all responses in some time have one 5xx, and no other ones: `all 250 within 1.5 s`. */
export const spanOf = (one: Exchange, trace: readonly Exchange[]): string | undefined => {
  if (statusCode(one) < 500) return undefined
  const [from, to] = [trace.findIndex(isLike(one)), trace.findLastIndex(isLike(one))]
  const all = trace.slice(from, to + 1)
  const [first, last] = [all[0], all.at(-1)]
  const isOfAll =
    all.every(isLike(one)) && new Set(all.map((each) => read(each).operation)).size > 1
  const isOver = trace.slice(0, from).some(isSuccess) && trace.slice(to + 1).some(isSuccess)
  if (!first || !last || all.length < minNoChance || !isOfAll || !isOver) return undefined
  return `all ${all.length} within ${duration(last.receivedMs - first.sentMs)}`
}

/** After a move of the clock this far another day may have begun. */
export const longMs = 3_600_000

/** Whether the clock was moved far between two requests. */
export const isFar = (one: Exchange, other: Exchange): boolean =>
  Math.abs(one.movedMs - other.movedMs) >= longMs
