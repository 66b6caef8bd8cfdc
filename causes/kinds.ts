// Violations of one check by kind: what is wrong and, of a status, what decides. The plainest of a
// kind comes first.
import { type Kind, kindOf, last } from '../engine/check/findings.ts'
import { type Exchange, sentWith } from '../history/exchange.ts'
import type { Violation } from '../history/outcome.ts'
import { read } from '../model/read.ts'
import { type Decisive, findConditions, has, type Seen } from './conditions.ts'
import { byRanks, isDrawn } from './groups.ts'
import { breakingState } from './surroundings.ts'

/** The lower, the plainer; of what a sequence was reduced to no part can be left out. */
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

const plainestFirst = (all: readonly Violation[]): readonly Violation[] =>
  all
    .map((each) => ({ each, ranks: oddityOf(each) }))
    .toSorted((a, b) => byRanks(a.ranks, b.ranks))
    .map(({ each }) => each)

/** The plainest, then the others in their order; of calls of a key all matter. */
const ordered = (kind: Kind, all: readonly Violation[]): Kind => {
  const [first] = kind
  const isOfKey = kind.some(({ wrong }) => wrong.ofKey)
  const own = new Set(kind)
  const others = all.filter((each) => own.has(each) && (isOfKey || each !== first))
  return isOfKey || !first ? others : [first, ...others]
}

/** What decides at a plainer request explains the others that have it. */
export const groupByKind = (all: readonly Violation[], seen: Seen): readonly Kind[] => {
  const kinds = new Map<string, Violation[]>()
  const known = new Map<string, { readonly parts: readonly Decisive[]; readonly key: string }[]>()
  const keyFor = (violation: Violation, exchange: Exchange): string => {
    const { aspect, ofKey } = violation.wrong
    const since = breakingState(violation, seen.trace)
    const base = kindOf(violation, () => (since === undefined ? [] : [since]))
    if (since !== undefined || aspect !== 'status' || ofKey) return base
    const others = known.get(base) ?? []
    const other = others.find(({ parts }) => parts.every((part) => has(exchange, part)))
    if (other) return other.key
    const parts = findConditions(exchange, seen)
    const key = [base, ...parts.map(({ part, kind }) => `${part} ${kind}`)].join('|')
    if (parts.length > 0) known.set(base, [...others, { parts, key }])
    return key
  }
  for (const violation of plainestFirst(all)) {
    const exchange = last(violation)
    const key = exchange ? keyFor(violation, exchange) : kindOf(violation, () => [])
    const kind = kinds.get(key) ?? []
    kind.push(violation)
    kinds.set(key, kind)
  }
  return [...kinds.values()].map((kind) => ordered(kind, all))
}
