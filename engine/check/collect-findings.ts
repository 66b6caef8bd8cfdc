// From violations to findings: what was observed, as data, from the evidence alone.

import { type Exchange, headerValues, isSuccess, statusCode } from '../../history/exchange.ts'
import type { Violation } from '../../history/outcome.ts'
import { unique } from '../../history/quote.ts'
import { describeResponse, short } from '../../model/clause.ts'
import { isTooMany } from '../../model/compare-pets.ts'
import { describeRequest, read } from '../../model/read.ts'
import type { Part } from '../../model/read-body.ts'
import { askedByAll, changesOfAny, findConditions, shareInAll } from './conditions.ts'
import { amongAlike } from './contrast.ts'
import { type Kind, kindFrom, last, Violations } from './findings.ts'
import type { Finding } from './run-file.ts'
import { breakingState, dateOf, keysOf, whatCameBefore } from './surroundings.ts'

const isSize = (kind: string): boolean => /^(?:beyond 2\^|of 19 digits)/.test(kind)

/** More than a headline names. */
const maxAlso = 10

/** What matters, and what others had in its place. */
const writtenPart = (
  { part, kind, words }: Part,
  exchanges: readonly Exchange[],
  isOfKind = (each: Part) => each.kind === kind,
) => {
  const others = exchanges
    .flatMap((one) => read(one).parts)
    .filter((each) => each.part === part && each.words !== words && isOfKind(each))
  const also = unique(others.map((each) => each.words)).slice(0, maxAlso)
  if (also.length === 0) return { about: part, kind, words }
  // Of ids of one size none matters more than another.
  return isSize(kind)
    ? { about: part, kind, words: `with ${part === 'petId' ? 'an id' : `a ${part}`} ${kind}` }
    : { about: part, kind, words, also }
}

/** Exchanges that are listed of one kind of violation. */
const maxExchanges = 100

/** The header's own value, where a header is wrong. */
const headerShown = ({ wrong }: Violation, exchange: Exchange | undefined): string | undefined => {
  if (wrong.aspect !== 'header' || wrong.name === undefined || !exchange) return undefined
  const values = headerValues(exchange, wrong.name)
  return values.length > 0 ? short(values.join(', ')) : undefined
}

/** After a move of the clock this far another day may have begun. */
const longMs = 3_600_000

const keyRefusals = [401, 403, 429]

/** Whether what was sent before explains a refusal, or an error, and not the request itself. */
const wasServedBefore = (exchange: Exchange, conditions: number, trace: readonly Exchange[]) => {
  const status = statusCode(exchange)
  const mayDepend = keyRefusals.includes(status) || (status >= 300 && conditions === 0)
  return (
    mayDepend &&
    exchange.key !== null &&
    trace.some(
      (one) => one.seq < exchange.seq && isSuccess(one) && read(one).name === read(exchange).name,
    )
  )
}

/** Whether it showed only after a long move of the clock. */
const isLate = (shown: readonly Exchange[]): boolean =>
  (shown.toSorted((a, b) => a.seq - b.seq)[0]?.movedMs ?? 0) >= longMs

/** Whether what was sent before a response may matter as much as its request. */
const isOfHistory = (
  exchange: Exchange,
  shown: readonly Exchange[],
  conditions: number | undefined,
  trace: readonly Exchange[],
): boolean => {
  if (conditions === undefined) return isLate(shown)
  if (wasServedBefore(exchange, conditions, trace)) return true
  // What is accepted with something wrong in it is accepted at any time.
  return !(isSuccess(exchange) && conditions > 0) && isLate(shown)
}

/** What was sent to it, where no plain request shows the violation, or gets the same status. */
const targetOf = (
  exchanges: readonly Exchange[],
  trace: readonly Exchange[],
): string | undefined => {
  const [first] = exchanges
  const isPlain = (one: Exchange) => read(one).parts.length === 0
  const isRead = first?.apiRequest.method === 'GET' && read(first).operation !== undefined
  if (!first || !isRead || exchanges.some(isPlain)) return undefined
  const isAlike = (one: Exchange) =>
    isPlain(one) && statusCode(one) === statusCode(first) && read(one).name === read(first).name
  if (trace.some(isAlike)) return undefined
  const targets = new Set(exchanges.map(({ apiRequest }) => apiRequest.path))
  return targets.size === 1 ? short(first.apiRequest.path) : undefined
}

/** How many pets a list must have, and which, depends on what it asks for. */
const decisiveParameters = ({ first: { wrong }, exchanges }: Kind) => {
  const isFiltered = (one: Exchange) => read(one).parts.some(({ part }) => part === 'status')
  // A filter has nothing to do with too many pets, unless all lists with too many have one.
  if (isTooMany(wrong) && !exchanges.every(isFiltered)) return ['limit']
  if (wrong.aspect === 'count') return ['limit', 'status']
  return wrong.kind === 'not of the filter' ? ['status'] : undefined
}

/** What of the requests matters to a status; of lists what all of them asked for. */
const conditionsOf = (kind: Kind, isStatus: boolean, trace: readonly Exchange[]) => {
  const { first, exchanges } = kind
  const exchange = last(first)
  if (!exchange || first.wrong.ofKey) return []
  const { operation, parts } = read(exchange)
  const decisive = decisiveParameters(kind)
  if (operation === 'list' && decisive) return parts.filter(({ part }) => decisive.includes(part))
  if (!isStatus) {
    if (operation === 'list' && first.wrong.aspect !== 'header') return askedByAll(exchanges)
    if (first.wrong.inSequence) return parts.filter(({ is }) => is !== 'valid')
    const { aspect, name } = first.wrong
    const isOfValue = aspect === 'member' && operation === 'create' && name !== undefined
    return isOfValue && parts.some(({ part }) => part === name) ? changesOfAny(name, trace) : []
  }
  const found = findConditions(exchange, trace)
  const shared = shareInAll(found, exchanges)
  // Of values one may matter and another not.
  return found.filter((part) => part.kind !== 'value' || shared.includes(part))
}

type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

const defined = <T extends object>(own: T): Defined<T> =>
  Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) as Defined<T>

/** So many responses show it, and so many do not. */
const minContrast = 5

/** Where the pet that was seen first is one of this run; who created others may not be known. */
const creationsOf = ({ creations, first }: Kind): readonly number[] | undefined => {
  const [seen] = creations
  const exchange = last(first)
  const isOfCreations = exchange !== undefined && read(exchange).operation === 'create'
  if (seen === undefined || (isOfCreations && creations.has(undefined))) return undefined
  return [...creations].filter((each) => each !== undefined).slice(0, maxExchanges)
}

const isFault = ({ is, part }: Part): boolean => is === 'invalid' && part !== 'key'

/** Creations that had to be refused: what is wrong with what they returned is what was sent. */
const areTaken = ({ first, exchanges }: Kind): boolean =>
  first.wrong.aspect === 'body' &&
  exchanges.every((one) => {
    const { operation, key, parts } = read(one)
    return operation === 'create' && key === 'valid' && isSuccess(one) && parts.some(isFault)
  })

/** What is wrong then is the status. */
const takenInstead = ({ first, exchanges }: Kind) => {
  const exchange = last(first)
  const parts = exchange ? read(exchange).parts.filter(isFault) : []
  return {
    conditions: parts.map((part) => writtenPart(part, exchanges, isFault)),
    aspect: 'status',
    expected: 'status 400',
    ...(exchange && { actual: describeResponse(exchange) }),
  } as const
}

/** What the same check sent before of the same kind, with the same status: it may run again. */
const sentAlike = (exchanges: readonly Exchange[], trace: readonly Exchange[]) => {
  const keyOf = (one: Exchange) => [one.check, statusOf(one), describeRequest(one)].join('|')
  const own = new Set(exchanges)
  const keys = new Set(exchanges.filter((one) => isSuccess(one)).map(keyOf))
  return trace.filter((one) => !own.has(one) && keys.has(keyOf(one)))
}

const statusOf = ({ response }: Exchange): number | undefined => response?.status

/** Whether the run so far may matter, and the time at the target, where it showed only later. */
const ofHistory = (
  { first, exchanges, times }: Kind,
  conditions: number | undefined,
  trace: readonly Exchange[],
  judged: number,
) => {
  const { aspect, ofKey } = first.wrong
  const exchange = last(first)
  if (!exchange || !isOfHistory(exchange, exchanges, conditions, trace)) return {}
  const isMember = aspect === 'member' && Math.min(times, judged - times) >= minContrast
  const isOfTime = !ofKey && (conditions === 0 || isMember) && isLate(exchanges)
  const date = isOfTime ? dateOf(exchanges, trace) : undefined
  return { dependsOnHistory: true, ...defined({ date }) } as const
}

/** What of the request may matter, and what around it. */
const mattering = (
  kind: Kind,
  isStatus: boolean,
  trace: readonly Exchange[],
  follows: string | undefined,
) => {
  const { first, exchanges } = kind
  const exchange = last(first)
  // A state that breaks the server does so whatever is requested.
  const since = isStatus && exchange ? breakingState(exchange, trace) : undefined
  const around = since ?? whatCameBefore(first, exchanges, trace)
  // A valid key that is refused because of its connection is so likewise.
  const isOfConnection = isStatus && exchange?.key && around?.endsWith('connection')
  const isOfState = since !== undefined || isOfConnection
  const conditions = isOfState ? [] : conditionsOf(kind, isStatus, trace)
  // The time matters then, and not which pet was asked for.
  const isOfPet = exchange !== undefined && read(exchange).query === undefined
  const isOfTime = isLate(exchanges) && conditions.length === 0 && isOfPet
  const target = isStatus && !isOfTime ? targetOf(exchanges, trace) : undefined
  const after = around ?? (conditions.length === 0 ? follows : undefined)
  return { conditions, target, after }
}

const findingOf = (
  kind: Kind,
  trace: readonly Exchange[],
  follows: string | undefined,
  within?: Violations,
): Finding => {
  const { first, operations, exchanges, times } = kind
  const { expected, actual, wrong } = first
  const taken = areTaken(kind)
  const exchange = last(first)
  const isStatus = wrong.aspect === 'status' || wrong.aspect === 'silence'
  const { conditions, target, after } = mattering(kind, isStatus, trace, follows)
  const value = headerShown(first, exchange)
  const keys = keysOf(wrong, exchanges, trace)
  const judged = within?.judged ?? 1
  const known = isStatus ? conditions.length : undefined
  return {
    ...amongAlike(kind, within, trace),
    ...defined({ creations: creationsOf(kind) }),
    operations: [...operations],
    conditions: conditions.map((part) => writtenPart(part, isStatus ? exchanges : [])),
    ...defined({ target, after, keys, value }),
    ...(!taken && defined({ name: wrong.name, kind: wrong.kind })),
    aspect: wrong.aspect,
    status: exchange?.response?.status ?? null,
    ...ofHistory(kind, known, trace, judged),
    expected,
    actual,
    times,
    judged,
    exchanges: [...exchanges, ...(isStatus ? sentAlike(exchanges, trace) : [])]
      .slice(0, maxExchanges)
      .map(({ seq }) => seq),
    ...(taken && takenInstead(kind)),
  }
}

/**
 * What a violation observed, the most frequent kind first.
 * @param trace all exchanges of the run so far
 * @param follows what the check says that was sent before
 */
export const collectFindings = (
  violation: Violation,
  trace: readonly Exchange[],
  follows?: string,
): Finding[] => {
  if (violation instanceof Violations) {
    return violation.kinds.map((kind) => findingOf(kind, trace, follows, violation))
  }
  const exchange = last(violation)
  const operations = new Set(exchange ? [read(exchange).name] : [])
  const exchanges = exchange ? [exchange] : []
  return [findingOf({ ...kindFrom(violation), operations, exchanges, times: 1 }, trace, follows)]
}
