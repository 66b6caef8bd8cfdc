// The violations that one check collects, by kind; and those of laws and clauses in its responses.

import { type Exchange, statusCode } from '../../history/exchange.ts'
import { Untested, Violation } from '../../history/outcome.ts'
import { count } from '../../history/quote.ts'
import { read } from '../../model/read.ts'
import { findConditions } from './conditions.ts'
import { breakingState } from './surroundings.ts'

/** Kinds of violation that are kept apart in one check; further ones are counted. */
const maxKinds = 40
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

/** Equal for violations that differ in data alone. */
const kindOf = (violation: Violation, trace: readonly Exchange[]): string => {
  const { aspect, name, kind, by, requirement, ofKey } = violation.wrong
  const exchange = last(violation)
  const own = [aspect, name, kind, by, requirement, exchange && statusCode(exchange)]
  if (!exchange || isOfAnyOperation(violation)) return own.join('|')
  const since = breakingState(violation, trace)
  const isOfRequest = aspect === 'status' && since === undefined && !ofKey
  const conditions = isOfRequest ? findConditions(exchange, trace) : []
  const parts = since ?? conditions.map(({ part, kind }) => `${part} ${kind}`)
  return [...own, read(exchange).name, parts].flat().join('|')
}

/**
 * A violation of several kinds: the first, with what else the same check found. Its text names each
 * kind with its number.
 */
export class Violations extends Violation {
  readonly kinds: readonly Kind[]
  /** How many responses were judged, or values tried. */
  readonly judged: number
  constructor(first: Violation, actual: string, kinds: readonly Kind[], judged: number) {
    super(first.expected, actual, first.evidence, first.wrong)
    this.kinds = kinds
    this.judged = judged
  }
}

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
 * @param trace all exchanges of the run, from which follows what matters of a request
 * @param after what the text of the violation ends with
 * @returns undefined where nothing was found
 */
export const joined = (
  all: readonly Violation[],
  judged: number,
  what: 'responses' | 'values',
  trace: readonly Exchange[] = [],
  after = '',
): Violations | undefined => {
  // What occurs most comes first; what is wrong with a response that is itself wrong, last.
  const kinds = [...Map.groupBy(all, (one) => kindOf(one, trace)).values()]
    .slice(0, maxKinds)
    .sort((a, b) => Number(isOfBroken(a)) - Number(isOfBroken(b)) || b.length - a.length)
  const [first] = kinds.flat()
  if (!first) return undefined
  const share = judged > 1 ? ` (${all.length} of ${judged} ${what})` : ''
  const text = textOf(kinds, all.length - kinds.flat().length)
  return new Violations(first, `${text}${share}${after}`, kinds, judged)
}

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
