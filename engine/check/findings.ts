// From violations to findings: what was observed, as data, from the evidence alone.

import { type Exchange, headerValues, isSuccess, statusCode } from '../../history/exchange.ts'
import { Untested, Violation } from '../../history/outcome.ts'
import { count } from '../../history/quote.ts'
import { short } from '../../model/clause.ts'
import { read } from '../../model/read.ts'
import { findConditions } from './conditions.ts'
import type { Finding } from './run-file.ts'

/** Exchanges that are listed of one kind of violation. */
const maxExchanges = 100
/** Kinds of violation that are kept apart in one check; further ones are counted. */
const maxKinds = 40
/** Kinds that the text of a result names. */
const maxShownKinds = 4

/** Values of one check that cannot be judged, before the others are not tried either. */
const maxUntested = 2

/** Violations of one check that have the same kind: the first shows them all. */
interface Kind {
  readonly first: Violation
  readonly operations: Set<string>
  readonly exchanges: Exchange[]
  times: number
}

const last = ({ evidence }: Violation): Exchange | undefined => evidence.at(-1)

/** What the operation says nothing about: every route may share this fault. */
const isOfAnyOperation = ({ wrong }: Violation): boolean =>
  wrong.aspect === 'header' || wrong.aspect === 'body' || wrong.aspect === 'member'

/** Equal for violations that differ in data alone. */
const kindOf = (violation: Violation, trace: readonly Exchange[]): string => {
  const { wrong, expected } = violation
  const exchange = last(violation)
  if (!exchange) return expected
  const status = statusCode(exchange)
  const own = [wrong.aspect, wrong.name, wrong.kind, status]
  if (isOfAnyOperation(violation)) return own.join('|')
  const conditions = wrong.aspect === 'status' ? findConditions(exchange, trace) : []
  const parts = conditions.map(({ part, kind }) => `${part} ${kind}`)
  return [...own, read(exchange).name, ...parts].join('|')
}

/**
 * A violation of several kinds: the first, with what else the same check found. Its text names each
 * kind with its number.
 */
class Violations extends Violation {
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
    const kind = known ?? { first: violation, operations: new Set(), exchanges: [], times: 0 }
    const exchange = last(violation)
    kind.times += 1
    if (exchange) kind.operations.add(read(exchange).name)
    if (exchange) kind.exchanges.push(exchange)
    this.#kinds.set(id, kind)
  }

  /**
   * @param judged how many responses were judged, or values tried
   * @param what what they are, in the plural
   * @param after what the text of the violation ends with
   */
  violation(judged: number, what: 'responses' | 'values', after = ''): Violations | undefined {
    // What occurs most comes first.
    const kinds = [...this.#kinds.values()].sort((a, b) => b.times - a.times)
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
  shown.reduce((a, b) => (b.seq < a.seq ? b : a)).movedMs >= longMs

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

/** What was sent to it, where no request that shows the violation is a plain one. */
const targetOf = (exchanges: readonly Exchange[]): string | undefined => {
  const [first] = exchanges
  const isPlain = (one: Exchange) => read(one).parts.length === 0
  const isRead = first?.apiRequest.method === 'GET' && read(first).operation !== undefined
  if (!first || !isRead || exchanges.some(isPlain)) return undefined
  const targets = new Set(exchanges.map(({ apiRequest }) => apiRequest.path))
  return targets.size === 1 ? short(first.apiRequest.path) : undefined
}

const findingOf = (
  kind: Kind,
  trace: readonly Exchange[],
  situation: string | undefined,
  within?: Violations,
): Finding => {
  const { first, operations, exchanges, times } = kind
  const { expected, actual, wrong } = first
  const exchange = last(first)
  const isStatus = wrong.aspect === 'status' || wrong.aspect === 'silence'
  const conditions = exchange && isStatus ? findConditions(exchange, trace) : []
  const value = headerShown(first, exchange)
  const dependsOnHistory =
    exchange && isOfHistory(exchange, exchanges, isStatus ? conditions.length : undefined, trace)
  // The time matters then, and not what was asked for.
  const target = isStatus && !isLate(exchanges) ? targetOf(exchanges) : undefined
  return {
    operations: [...operations],
    conditions: conditions.map(({ part, kind, words }) => ({ about: part, kind, words })),
    ...(situation !== undefined && { situation }),
    ...(target !== undefined && { target }),
    aspect: wrong.aspect,
    ...(wrong.name !== undefined && { name: wrong.name }),
    ...(wrong.kind !== undefined && { kind: wrong.kind }),
    ...(value !== undefined && { value }),
    status: exchange?.response?.status ?? null,
    ...(dependsOnHistory && { dependsOnHistory }),
    expected,
    actual,
    times,
    judged: within?.judged ?? 1,
    exchanges: exchanges.slice(0, maxExchanges).map(({ seq }) => seq),
  }
}

/**
 * What a violation observed, the most frequent kind first.
 * @param trace all exchanges of the run so far
 * @param condition what is peculiar about the requests of the check, where it says so itself
 */
export const collectFindings = (
  violation: Violation,
  trace: readonly Exchange[],
  condition?: string,
): Finding[] => {
  if (violation instanceof Violations) {
    return violation.kinds.map((kind) => findingOf(kind, trace, condition, violation))
  }
  const exchange = last(violation)
  const operations = new Set(exchange ? [read(exchange).name] : [])
  const exchanges = exchange ? [exchange] : []
  return [findingOf({ first: violation, operations, exchanges, times: 1 }, trace, condition)]
}
