// From violations to findings: what was observed, as data, from the evidence alone.

import { type Kind, kindOf, last, recordFinding, Violations } from '../engine/check/findings.ts'
import type { Finding } from '../engine/check/run-file.ts'
import type { Explain } from '../engine/run/run-options.ts'
import { type Exchange, isSuccess, sentWith, statusCode } from '../history/exchange.ts'
import type { Violation } from '../history/outcome.ts'
import { isShutOut } from '../history/rate-headers.ts'
import { exactly } from '../history/statuses.ts'
import { short, wrongStatus } from '../model/clause.ts'
import { read } from '../model/read.ts'
import type { Part } from '../model/read-body.ts'
import { amongAlike, findConditions } from './conditions.ts'
import { byRanks, isDrawn } from './groups.ts'
import {
  breakingState,
  dateOf,
  isLate,
  isOfConnection,
  keysOf,
  whatCameBefore,
} from './surroundings.ts'

/** More than a headline names. */
const maxAlso = 10

/** What matters, and what others had in its place. */
const writtenPart = ({ part, is, kind, ...said }: Part, exchanges: readonly Exchange[]) => {
  const isLike = (each: Part) => each.kind === kind || (is === 'invalid' && each.is === is)
  const others = exchanges
    .flatMap((one) => read(one).parts)
    .filter((each) => each.part === part && each.words !== said.words && isLike(each))
    .map(({ words, brief }) => ({ words, ...(brief !== undefined && { brief }) }))
  const also = [...new Map(others.map((each) => [each.words, each])).values()].slice(0, maxAlso)
  return { about: part, kind, ...said, ...(also.length > 0 && { also }) }
}

/** Whether what was sent before explains a refusal, or an error, and not the request itself. */
const wasServedBefore = (exchange: Exchange, isPlain: boolean, trace: readonly Exchange[]) => {
  const mayDepend = isShutOut(exchange) || (statusCode(exchange) >= 300 && isPlain)
  return (
    mayDepend &&
    exchange.key !== null &&
    trace.some(
      (one) => one.seq < exchange.seq && isSuccess(one) && read(one).name === read(exchange).name,
    )
  )
}

/** What was sent to it, where no plain request shows the violation, or gets the same status. */
const targetOf = (
  exchanges: readonly Exchange[],
  trace: readonly Exchange[],
  date: string | undefined,
): string | undefined => {
  const [first] = exchanges
  const targets = new Set(exchanges.map(({ apiRequest }) => apiRequest.path))
  const isRead = first?.apiRequest.method === 'GET' && read(first).operation !== undefined
  if (!first || !isRead || targets.size > 1) return undefined
  // Where the time matters, which pet was asked for does not.
  if (date !== undefined && read(first).operation === 'get') return undefined
  const isAlike = (one: Exchange) =>
    read(one).parts.length === 0 &&
    statusCode(one) === statusCode(first) &&
    read(one).name === read(first).name
  return [...exchanges, ...trace].some(isAlike) ? undefined : short(first.apiRequest.path)
}

/** What of the requests matters to a status; of lists what all of them asked for. */
const conditionsOf = (
  { wrong, evidence }: Violation,
  exchanges: readonly Exchange[],
  trace: readonly Exchange[],
): readonly Part[] => {
  const { aspect, inSequence, ofKey, says } = wrong
  const exchange = evidence.at(-1)
  if (!exchange || ofKey) return []
  const { operation, parts } = read(exchange)
  if (isOfStatus(aspect)) return findConditions(exchange, trace, exchanges)
  if (inSequence) return parts.filter(({ is }) => is !== 'valid')
  if (operation === 'list' && aspect !== 'header' && aspect !== 'member') {
    const lists = aspect === 'count' ? [] : exchanges.map((one) => read(one).parts)
    const isOfAll = (own: string) => lists.every((all) => all.some(({ words }) => words === own))
    return parts.filter(
      ({ part, words }) =>
        (part === 'limit' || part === 'status') && part !== says && isOfAll(words),
    )
  }
  return []
}

const isOfStatus = (aspect: Finding['aspect']): boolean =>
  aspect === 'status' || aspect === 'silence'

type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

const defined = <T extends object>(own: T): Defined<T> =>
  Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) as Defined<T>

/** Where the pet that was seen first is one of this run; who created others may not be known. */
const maxCreations = 100

const creationsOf = (kind: Kind): readonly number[] | undefined => {
  const creations = new Set(kind.map(({ wrong, evidence: [first] }) => wrong.ofPet && first?.seq))
  const [seen] = creations
  if (seen === undefined) return undefined
  return [...creations].filter((each) => each !== undefined).slice(0, maxCreations)
}

/** What of the request may matter, and what around it. */
const mattering = (
  first: Violation,
  exchanges: readonly Exchange[],
  trace: readonly Exchange[],
  follows: string | undefined,
) => {
  const exchange = last(first)
  if (!exchange) return { conditions: [] }
  const isStatus = isOfStatus(first.wrong.aspect)
  // A state that breaks the server does so whatever is requested.
  const since = breakingState(first, trace)
  const around = since ?? whatCameBefore(first, exchanges, trace)
  // A valid key that is refused because of its connection is so likewise.
  const isKept = exchange.key !== null && isOfConnection(first.wrong, exchanges, trace)
  const isOfState = isStatus && (since !== undefined || isKept)
  const conditions = isOfState ? [] : conditionsOf(first, exchanges, trace)
  const isPlain = conditions.length === 0
  const isOfHistory = isLate(exchanges) || (isStatus && wasServedBefore(exchange, isPlain, trace))
  const isOfTime = isStatus && isPlain && !first.wrong.ofKey
  const date = isOfTime ? dateOf(exchanges, trace) : undefined
  return {
    conditions: conditions.map((part) => writtenPart(part, isStatus ? exchanges : [])),
    ...defined({
      target: isStatus ? targetOf(exchanges, trace, date) : undefined,
      after: around ?? (isPlain ? follows : undefined),
      keys: keysOf(first.wrong, exchanges, trace),
      dependsOnHistory: isOfHistory ? (true as const) : undefined,
      date,
    }),
  }
}

/** Whether it is a creation that had to be refused, and was served. */
const isTaken = (one: Exchange): boolean => {
  const { operation, key, parts } = read(one)
  const isOfPet = operation === 'create' && key === 'valid' && isSuccess(one)
  return isOfPet && parts.some(({ is }) => is === 'invalid')
}

/** Where all were to be refused, what is wrong with what they returned is what was sent. */
const shownBy = (first: Violation, exchanges: readonly Exchange[]): Violation => {
  const exchange = last(first)
  return exchange && first.wrong.aspect === 'body' && exchanges.every(isTaken)
    ? wrongStatus(exactly(400), [exchange])
    : first
}

/** Of a status by what may matter of its request. */
const kindIn = (violation: Violation, trace: readonly Exchange[]): string =>
  kindOf(violation, (exchange) => {
    const { aspect, ofKey } = violation.wrong
    const since = breakingState(violation, trace)
    if (since !== undefined || aspect !== 'status' || ofKey)
      return since === undefined ? [] : [since]
    return findConditions(exchange, trace).map(({ part, kind }) => `${part} ${kind}`)
  })

/** The lower, the plainer; what a sequence was reduced to is there because a part of it fails not. */
const oddityOf = ({ wrong, evidence }: Violation): readonly number[] => {
  const exchange = evidence.at(-1)
  if (!exchange) return []
  const { method, path, headers, body } = exchange.apiRequest
  return [
    Number(!wrong.inSequence),
    Number(sentWith(exchange).length > 1),
    evidence.length,
    read(exchange).parts.length,
    Number(isDrawn(exchange.check)),
    method.length + path.length + headers.flat().join().length + (body?.length ?? 0),
  ]
}

/** The plainest first; of calls of a key all matter. */
const plainestFirst = (kind: Kind): Kind => {
  if (kind.some(({ wrong }) => wrong.ofKey)) return kind
  const ranked = kind.map((each) => ({ each, ranks: oddityOf(each) }))
  const { each: first } = ranked.reduce((a, b) => (byRanks(b.ranks, a.ranks) < 0 ? b : a))
  return [first, ...kind.filter((each) => each !== first)]
}

/** What a violation observed, the most frequent kind first, and what of its requests matters. */
export const explain: Explain = (violation, trace, follows) => {
  const group = (all: readonly Violation[]) =>
    [...Map.groupBy(all, (one) => kindIn(one, trace)).values()].map(plainestFirst)
  const shown = (violation instanceof Violations && violation.by(group)) || violation
  const { kinds, judged } = shown instanceof Violations ? shown : { kinds: [[shown]], judged: 1 }
  const failing = new Set(kinds.flat().flatMap((each) => last(each) ?? []))
  const findings = kinds.flatMap((kind) => {
    const [first] = kind
    if (!first) return []
    const exchanges = kind.flatMap((each) => last(each) ?? [])
    const own = shownBy(first, exchanges)
    return recordFinding([own, ...kind.slice(1)], judged).map((finding) => ({
      ...amongAlike(first, exchanges, failing, trace),
      ...defined({ creations: creationsOf(kind) }),
      ...finding,
      ...mattering(own, exchanges, trace, follows),
    }))
  })
  return { shown, findings }
}
