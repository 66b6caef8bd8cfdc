// Of which parts a request is, as far as they may decide, and whether it passes.
import {
  type ApiRequest,
  type Exchange,
  isSuccess,
  memoized,
  sentWith,
  statusCode,
} from '../history/exchange.ts'
import { requestedId, sentObject } from '../history/known-pets.ts'
import { duration } from '../history/quote.ts'
import { anyOwnName, type Count, hasCount } from './characters.ts'
import { read } from './read.ts'
import { type Part, shownValue } from './read-body.ts'
import { headerKinds } from './read-head.ts'
import { type Sized, sizeIn } from './sizes.ts'

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

export const sizeOf = (member: Sized, one: Exchange): bigint => sizeIn(member, one.apiRequest)

/** A part that decides; of a member its size may, or a character, of a key which one it is. */
export interface Decisive extends Part {
  readonly size?: { readonly of: Sized; readonly above: bigint }
  readonly count?: Count
  readonly ofKey?: string
}

/** A value of a member, but for a name of our own in it, or an id, that decides. */
export const wordsOfValue = (one: Exchange, { part }: Pick<Part, 'part'>): string => {
  if (part === 'petId') return `with the id ${requestedId(one)}`
  const value = sentObject(one)?.[part] ?? null
  const shown = typeof value === 'string' ? value.replace(anyOwnName, '…') : value
  return `with ${part} ${shownValue(shown)}`
}

export const has = (one: Exchange, { size, count, ofKey, ...part }: Decisive): boolean => {
  if (count !== undefined) return hasCount(count, one.apiRequest)
  if (size !== undefined) return sizeOf(size.of, one) > size.above
  // An id is large, or negative, in words of its own.
  const isOfId = part.part === 'petId' && part.is === 'valid'
  if (isOfId) return part.words === wordsOfValue(one, part)
  if (part.kind === 'value') return part.words.startsWith(wordsOfValue(one, part))
  return ofKey === undefined ? keysIn(one.apiRequest).has(keyOf(part)) : one.key === ofKey
}

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
  return isUnknown || (isRefusal && read(one).parts.some(({ is }) => is === 'open'))
}

export const kindOf = (one: Exchange): string => `${read(one).name} ${one.response?.status}`

/** Whether it was sent while others were. */
export const isTogether = (one: Exchange): boolean => sentWith(one).length > 1

/** A request as a text: neither its key nor its own name, its connection, or why it was sent. */
export const textOf = memoized((apiRequest: ApiRequest): string => {
  const { key: _, also: __, fresh: ___, insists: ____, ...sent } = apiRequest
  const text = JSON.stringify([Object.entries(sent).sort(), `${sent.body}`])
  return text.replace(anyOwnName, 'petvet')
})

/** What is read of a request, as one text: it is the same of requests that are alike. */
const readingOf = memoized((apiRequest: ApiRequest): string =>
  [...keysIn(apiRequest)].sort().join('\n'),
)

export const isAlike = (one: Exchange, other: Exchange): boolean =>
  readingOf(one.apiRequest) === readingOf(other.apiRequest)

/** Finds all of a history that are read as one is. */
export const alikeIn = (trace: readonly Exchange[]): ((one: Exchange) => readonly Exchange[]) => {
  const groupOf = (one: Exchange) => `${read(one).name}\n${readingOf(one.apiRequest)}`
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

/** Fewer in a row are chance. */
const minInSpan = 5

/** Where all responses in some time have one status, and no other ones: `all 250 within 1.5 s`. */
export const spanOf = (
  status: number | undefined,
  trace: readonly Exchange[],
): string | undefined => {
  const isOwn = ({ response }: Exchange) => response?.status === status
  const [from, to] = [trace.findIndex(isOwn), trace.findLastIndex(isOwn)]
  const all = trace.slice(from, to + 1)
  const [first, last] = [all[0], all.at(-1)]
  const isOfAll = all.every(isOwn) && new Set(all.map((one) => read(one).operation)).size > 1
  const isOver = trace.slice(0, from).some(isSuccess) && trace.slice(to + 1).some(isSuccess)
  if (!first || !last || all.length < minInSpan || !isOfAll || !isOver) return undefined
  return `all ${all.length} within ${duration(last.receivedMs - first.sentMs)}`
}
