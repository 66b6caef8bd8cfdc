// The violations that one check collects, by kind; and those of laws and clauses in its responses.

import { type AnsweredExchange, type Exchange, statusCode } from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import { Untested, Violation } from '../../history/outcome.ts'
import { count } from '../../history/quote.ts'
import type { Clause } from '../../model/clause.ts'
import type { LawId } from '../../model/limiter/laws.ts'
import { judgeLaw } from '../../model/limiter/relation.ts'
import { read } from '../../model/read.ts'
import { findConditions } from './conditions.ts'
import { breakingState } from './surroundings.ts'

/** Kinds of violation that are kept apart in one check; further ones are counted. */
const maxKinds = 40
/** Kinds that the text of a result names. */
const maxShownKinds = 4

/** Values of one check that cannot be judged, before the others are not tried either. */
const maxUntested = 2

/** Violations of one check that have the same kind: one shows them all. */
export interface Kind {
  readonly first: Violation
  readonly exchanges: Exchange[]
  /** Of the pets that they are about; undefined: of another's pet, or about none. */
  readonly creations: Set<number | undefined>
  times: number
}

export const last = ({ evidence }: Violation): Exchange | undefined => evidence.at(-1)

/** What the operation says nothing about: every route may share this fault. */
const isOfAnyOperation = ({ wrong }: Violation): boolean =>
  wrong.aspect === 'header' || wrong.aspect === 'body' || wrong.aspect === 'member'

const isOfBroken = ({ first }: Kind): boolean => {
  const exchange = last(first)
  return isOfAnyOperation(first) && exchange !== undefined && statusCode(exchange) >= 500
}

/** Equal for violations that differ in data alone. */
const kindOf = (violation: Violation, trace: readonly Exchange[]): string => {
  const { wrong, expected } = violation
  const exchange = last(violation)
  if (!exchange) return expected
  const status = statusCode(exchange)
  const own = [wrong.aspect, wrong.name, wrong.kind, status]
  if (isOfAnyOperation(violation)) return own.join('|')
  const since = breakingState(violation, trace)
  const isOfRequest = wrong.aspect === 'status' && since === undefined && !wrong.ofKey
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

/** Collects what one check finds, by kind. */
export class Collected {
  readonly #kinds = new Map<string, Kind>()
  readonly #trace: readonly Exchange[]
  #others = 0

  /** @param trace all exchanges of the run, from which follows what matters of a request */
  constructor(trace: readonly Exchange[] = []) {
    this.#trace = trace
  }

  add(violation: Violation): void {
    const id = kindOf(violation, this.#trace)
    const known = this.#kinds.get(id)
    if (!known && this.#kinds.size >= maxKinds) {
      this.#others += 1
      return
    }
    const kind = known ?? { first: violation, exchanges: [], creations: new Set(), times: 0 }
    const exchange = last(violation)
    kind.times += 1
    kind.creations.add(violation.wrong.ofPet && violation.evidence[0]?.seq)
    if (exchange) kind.exchanges.push(exchange)
    this.#kinds.set(id, kind)
  }

  /**
   * @param judged how many responses were judged, or values tried
   * @param what what they are, in the plural
   * @param after what the text of the violation ends with
   */
  violation(judged: number, what: 'responses' | 'values', after = ''): Violations | undefined {
    // What occurs most comes first; what is wrong with a response that is itself wrong, last.
    const kinds = [...this.#kinds.values()].sort(
      (a, b) => Number(isOfBroken(a)) - Number(isOfBroken(b)) || b.times - a.times,
    )
    const [first] = kinds
    if (!first) return undefined
    const text = `${this.#textOf(kinds, judged, what)}${after}`
    return new Violations(first.first, text, kinds, judged)
  }

  #textOf(kinds: readonly Kind[], judged: number, what: string): string {
    // Kinds may differ in what their text does not say, as the operation.
    const texts = [...Map.groupBy(kinds, ({ first }) => first.actual)].map(
      ([actual, same]) => [actual, same.reduce((sum, { times }) => sum + times, 0)] as const,
    )
    const shown = texts.slice(0, maxShownKinds)
    const listed = shown.map(([actual, number]) =>
      texts.length === 1 ? actual : `${actual} (${count(number, 'time', 'times')})`,
    )
    const left = texts.length - shown.length + this.#others
    const more = left > 0 ? [count(left, 'other kind', 'other kinds')] : []
    const times = kinds.reduce((sum, each) => sum + each.times, this.#others)
    const all = judged > 1 ? ` (${times} of ${judged} ${what})` : ''
    return `${[...listed, ...more].join('; ')}${all}`
  }
}

/**
 * Judges each in turn, goes on after a violation, and throws all that was violated as one; also
 * where another one cannot be judged.
 */
export const expectEach = async <T>(
  all: Iterable<T>,
  judge: (each: T) => Promise<void>,
): Promise<void> => {
  const collected = new Collected()
  let judged = 0
  const untested: Untested[] = []
  for (const each of all) {
    try {
      await judge(each)
      judged += 1
    } catch (error) {
      if (error instanceof Violation) {
        collected.add(error)
        judged += 1
      } else if (error instanceof Untested && untested.length < maxUntested) untested.push(error)
      else throw collected.violation(judged, 'values') ?? error
    }
  }
  const found = collected.violation(judged, 'values') ?? untested[0]
  if (found) throw found
}

/** @returns what is wrong, or in doubt; else whether the response could have shown it */
const lookAt = (law: LawId | Clause, exchange: AnsweredExchange, history: History) => {
  try {
    if (typeof law === 'string') return judgeLaw(law, exchange, history)
    if (!law.applies(exchange)) return false
    law.judge(exchange, history)
    return true
  } catch (error) {
    if (error instanceof Violation || error instanceof Untested) return error
    throw error
  }
}

/**
 * @param history as it is now: what is derived from it is remembered
 * @returns what is in doubt; the violation, or else the doubt; whether any response could have
 *   shown a violation
 */
export const judgeResponses = (
  history: History,
  responses: readonly AnsweredExchange[],
  laws: readonly (LawId | Clause)[],
) => {
  const found = laws.flatMap((law) => responses.map((one) => lookAt(law, one, history)))
  const collected = new Collected(history.exchanges)
  for (const one of found) if (one instanceof Violation) collected.add(one)
  const doubt = found.find((one) => one instanceof Untested)
  const error = collected.violation(responses.length, 'responses') ?? doubt
  return { doubt, error, wasTried: found.includes(true) }
}
