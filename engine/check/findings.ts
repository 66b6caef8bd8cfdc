// The violations that one check collects, by kind; and those of laws and clauses in its responses.

import { type Exchange, statusCode } from '../../history/exchange.ts'
import { Untested, Violation } from '../../history/outcome.ts'
import { count, unique } from '../../history/quote.ts'
import type { About } from '../../model/judge.ts'
import { read } from '../../model/read.ts'
import type { Finding } from './run-file.ts'

/** Kinds of violation that are kept apart in one check; further ones are counted. */
export const maxKinds = 40
/** Exchanges that are listed of one kind. */
const maxExchanges = 100
/** Kinds that the text of a result names. */
const maxShownKinds = 4

/** Values of one check that cannot be judged, before the others are not tried either. */
const maxUntested = 2

/** Violations of one check that have the same kind: the first shows them all. */
export type Kind = readonly Violation[]

export const last = ({ evidence }: Violation): Exchange | undefined => evidence.at(-1)

/** What the operation says nothing about: every route may share this fault. */
const isOfAnyOperation = ({ wrong }: Violation): boolean =>
  wrong.aspect === 'header' || wrong.aspect === 'body' || wrong.aspect === 'member'

const isOfBroken = ([first]: Kind): boolean => {
  if (!first || !isOfAnyOperation(first)) return false
  const exchange = last(first)
  return exchange !== undefined && statusCode(exchange) >= 500
}

/** What is wrong with which status, and in what requests differ where they may matter. */
export const kindOf = (
  violation: Violation,
  requestOf: (exchange: Exchange) => readonly string[],
): string => {
  const { aspect, name, kind, by, requirement } = violation.wrong
  const exchange = last(violation)
  const own = [aspect, name, kind, by, requirement, exchange && statusCode(exchange)]
  const isOfRequest = exchange && !isOfAnyOperation(violation)
  return [...own, ...(isOfRequest ? [read(exchange).name, ...requestOf(exchange)] : [])].join('|')
}

/** By the parts of its request: what one cause may have. */
export const groupOf = (violation: Violation): string =>
  kindOf(violation, (exchange) =>
    read(exchange).parts.flatMap(({ is, part }) => (is === 'valid' ? [] : part)),
  )

/** Violations by kind, what shows a kind best first. */
type Grouping = (all: readonly Violation[]) => readonly Kind[]

/** What of a request is not valid, part by part. */
export const peculiarIn = (exchange: Pick<Exchange, 'apiRequest'>): readonly string[] =>
  read(exchange).parts.flatMap(({ is, part, kind }) => (is === 'valid' ? [] : `${part} ${kind}`))

const byRequest: Grouping = (all) => [
  ...Map.groupBy(all, (one) => kindOf(one, peculiarIn)).values(),
]

/**
 * A violation of several kinds: the first, with what else the same check found. Its text names each
 * kind with its number.
 */
export class Violations extends Violation {
  readonly kinds: readonly Kind[]
  /** How many responses were judged, or values tried. */
  readonly judged: number
  /** The same violations by other kinds. */
  readonly by: (group: Grouping) => Violations | undefined
  constructor(
    first: Violation,
    actual: string,
    { kinds, judged, by }: Pick<Violations, 'kinds' | 'judged' | 'by'>,
  ) {
    super(first.expected, actual, first.evidence, first.wrong)
    this.kinds = kinds
    this.judged = judged
    this.by = by
  }
}

/** What is observed of one kind, as data; what of its requests matters is for headlines. */
export const recordFinding = (kind: Kind, judged: number): Finding[] => {
  const [first] = kind
  if (!first) return []
  const { by, says, ofKey, ofPet, inSequence, ...wrong } = first.wrong
  const all = kind.flatMap((each) => last(each) ?? [])
  // Several laws may find the same response.
  const exchanges = unique(all)
  const times = kind.length - all.length + exchanges.length
  return [
    {
      ...wrong,
      operations: unique(exchanges.map((one) => read(one).name)),
      conditions: [],
      status: last(first)?.response?.status ?? null,
      ...{ expected: first.expected, actual: first.actual, times, judged },
      exchanges: exchanges.slice(0, maxExchanges).map(({ seq }) => seq),
    },
  ]
}

export const recordFindings = (violation: Violation): Finding[] =>
  violation instanceof Violations
    ? violation.kinds.flatMap((kind) => recordFinding(kind, violation.judged))
    : recordFinding([violation], 1)

/** Names the kinds with their numbers; they may differ in what their text does not say. */
const textOf = (kinds: readonly Kind[], others: number): string => {
  const texts = [...Map.groupBy(kinds, ([first]) => first?.actual)]
  const shown = texts.slice(0, maxShownKinds).map(([actual, same]) => {
    const times = count(same.flat().length, 'time', 'times')
    return texts.length === 1 ? `${actual}` : `${actual} (${times})`
  })
  const left = texts.length - shown.length + others
  const more = left > 0 ? [count(left, 'other kind', 'other kinds')] : []
  return [...shown, ...more].join('; ')
}

/**
 * What one check finds, as one violation.
 * @param judged how many responses were judged, or values tried
 * @param what what they are, in the plural
 * @returns undefined where nothing was found
 */
export const joined = (
  all: readonly Violation[],
  judged: number,
  what: 'responses' | 'values',
  group: Grouping = byRequest,
): Violations | undefined => {
  // What occurs most comes first; what is wrong with a response that is itself wrong, last.
  const kinds = group(all)
    .slice(0, maxKinds)
    .sort((a, b) => Number(isOfBroken(a)) - Number(isOfBroken(b)) || b.length - a.length)
  const [first] = kinds.flat()
  if (!first) return undefined
  const share = judged > 1 ? ` (${all.length} of ${judged} ${what})` : ''
  const text = textOf(kinds, all.length - kinds.flat().length)
  const by = (other: Grouping) => joined(all, judged, what, other)
  return new Violations(first, `${text}${share}`, { kinds, judged, by })
}

/** What clauses find of the responses to a program: the violations, or else the first doubt. */
export const errorIn = (
  { violations, doubts }: About,
  judged: number,
): Untested | Violation | undefined => joined(violations, judged, 'responses') ?? doubts[0]

/**
 * Judges each in turn, goes on after a violation, and throws all that was violated as one; also
 * where another one cannot be judged.
 */
export const expectEach = async <T>(
  all: Iterable<T>,
  judge: (each: T) => Promise<void>,
): Promise<void> => {
  const violations: Violation[] = []
  let judged = 0
  const untested: Untested[] = []
  for (const each of all) {
    try {
      await judge(each)
      judged += 1
    } catch (error) {
      if (error instanceof Violation) {
        violations.push(error)
        judged += 1
      } else if (error instanceof Untested && untested.length < maxUntested) untested.push(error)
      else throw joined(violations, judged, 'values') ?? error
    }
  }
  const found = joined(violations, judged, 'values') ?? untested[0]
  if (found) throw found
}
