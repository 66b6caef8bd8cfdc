// Violations of one check by kind: what is wrong and, of a status, what decides. The plainest of a
// kind comes first.
import { type Kind, kindOf, last } from '../engine/check/findings.ts'
import type { Violation } from '../history/outcome.ts'
import { isTogether } from '../model/conditions.ts'
import { faultsOf, isolateOrState } from '../model/isolation/isolate.ts'
import type { Seen } from '../model/isolation/seen.ts'
import { read } from '../model/read.ts'
import { byRanks, isDrawn } from './groups.ts'

/** The lower, the plainer; of what a sequence was reduced to no part can be left out. */
const oddityOf = ({ wrong, evidence }: Violation): readonly number[] => {
  const exchange = evidence.at(-1)
  if (!exchange) return []
  const lengths = evidence.map(
    ({ apiRequest: { method, path, headers, body } }) =>
      [method, path, body, ...headers.flat()].join().length,
  )
  return [
    Number(!wrong.inSequence),
    Number(isTogether(exchange)),
    evidence.length,
    read(exchange).parts.length,
    Number(isDrawn(exchange.check)),
    lengths.reduce((sum, each) => sum + each, 0),
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
  const keyFor = (violation: Violation): string => {
    const { aspect, ofKey } = violation.wrong
    const exchange = last(violation)
    if (!exchange || aspect !== 'status' || ofKey) return kindOf(violation, () => [])
    const isolated = isolateOrState(exchange, seen)
    const { parts = faultsOf(exchange, seen), chance = '', after = chance } = isolated ?? {}
    const words = parts.map(({ part, kind }) => `${part} ${kind}`)
    return kindOf(violation, () => [...words, after])
  }
  const kinds = Map.groupBy(plainestFirst(all), keyFor)
  return [...kinds.values()].map((kind) => ordered(kind, all))
}
