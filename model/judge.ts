// The only caller of a clause. It judges each response once it is settled: when all that was sent
// before the response came has ended. What is violated stays violated; what is in doubt is asked
// again when more is known.
import { type AnsweredExchange, keptIn } from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { Inapplicable, Untested, Untried, Violation } from '../history/outcome.ts'
import type { Clause } from './clause.ts'
import { saysNothing } from './status.ts'

/**
 * What a clause finds of a response: that it is violated, in doubt, or could not be seen; whether
 * the response is what it is about, and meets it.
 */
export type Found = Violation | Untested | boolean

/** What says nothing of the target is not judged. */
const isSilent = (exchange: AnsweredExchange, history: History): boolean =>
  history.isVoid(exchange) || saysNothing(exchange, history)

export const judge = (clause: Clause, exchange: AnsweredExchange, history: History): Found =>
  !isSilent(exchange, history) && judgeBy(clause, exchange, history)

const judgeBy = (clause: Clause, exchange: AnsweredExchange, history: History): Found => {
  try {
    if (!clause.applies(exchange)) return false
    clause.judge(exchange, history)
    return true
  } catch (error) {
    if (error instanceof Violation || error instanceof Untested) return error
    if (error instanceof Inapplicable) return false
    throw error
  }
}

/** What a clause found in a history. */
export interface Findings {
  readonly clause: Clause
  readonly violations: ReadonlyMap<AnsweredExchange, Violation>
  readonly doubts: ReadonlyMap<AnsweredExchange, Untested>
  /** How many responses met it. */
  readonly met: number
  /** Why the latest response that it is about could not have violated it. */
  readonly untried: Untested | undefined
  /** An error of the clause itself, which ends its judging. */
  readonly fault: unknown
}

class Judged implements Findings {
  readonly clause: Clause
  readonly violations = new Map<AnsweredExchange, Violation>()
  readonly doubts = new Map<AnsweredExchange, Untested>()
  met = 0
  /** The keys of those that met it, by what sent the requests. */
  readonly metBy = new Map<string, Set<string | null>>()
  untried: Untested | undefined
  fault: unknown

  constructor(clause: Clause) {
    this.clause = clause
  }

  /** @returns the violation, if it is a new one */
  note(exchange: AnsweredExchange, found: Found): Violation | undefined {
    const isNew = !this.violations.has(exchange)
    if (found instanceof Violation) {
      this.violations.set(exchange, found)
      this.doubts.delete(exchange)
      return isNew ? found : undefined
    }
    // What was violated once is not taken back.
    if (!isNew) return undefined
    if (found instanceof Untried) this.untried = found
    else if (found instanceof Untested) this.doubts.set(exchange, found)
    else this.doubts.delete(exchange)
    if (found === true) this.#count(exchange)
    return undefined
  }

  #count({ check, key }: AnsweredExchange): void {
    this.met += 1
    keptIn(this.metBy, check, () => new Set<string | null>()).add(key)
  }
}

/** A violation that was found just now. */
export interface Finding {
  readonly clause: Clause
  readonly exchange: AnsweredExchange
  readonly violation: Violation
}

/** Calls of keys, or of one, that a check sent, from one on. */
interface Calls {
  readonly check: string
  readonly key?: string | undefined
  readonly sinceSeq?: number
}

/** What clauses find of the calls of a program. */
export interface About {
  readonly violations: readonly Violation[]
  readonly doubts: readonly Untested[]
  /** Whether any response could have violated one, and met it. */
  readonly isMet: boolean
}

const secondOf = <T>([, value]: readonly [unknown, T]): T => value

export class Judge {
  readonly #history: History
  readonly #all: ReadonlyMap<string, Judged>
  /** Responses that are not settled, in the order of sending. */
  readonly #waiting: AnsweredExchange[] = []
  /** By response what it violates. */
  readonly #violated = new Map<AnsweredExchange, Judged[]>()
  #taken = 0

  constructor(history: History, clauses: readonly Clause[]) {
    this.#history = history
    this.#all = new Map(clauses.map((clause) => [clause.id, new Judged(clause)]))
  }

  /** Judges what is settled since the last time. */
  judge(): readonly Finding[] {
    const { exchanges } = this.#history
    for (; this.#taken < exchanges.length; this.#taken += 1) {
      const exchange = exchanges[this.#taken] as AnsweredExchange
      const at = this.#waiting.findLastIndex(({ seq }) => seq < exchange.seq)
      this.#waiting.splice(at + 1, 0, exchange)
    }
    const found: Finding[] = []
    for (const exchange of this.#takeSettled()) {
      if (isSilent(exchange, this.#history)) continue
      for (const each of this.#all.values()) {
        const violation = this.#ask(each, exchange)
        if (violation) found.push({ clause: each.clause, exchange, violation })
      }
    }
    return found
  }

  #takeSettled(): readonly AnsweredExchange[] {
    let [firstSeq, firstMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (const { seq, sentMs } of this.#history.inFlight ?? []) {
      firstSeq = Math.min(firstSeq, seq)
      firstMs = Math.min(firstMs, sentMs)
    }
    const isSettled = ({ seq, receivedMs }: AnsweredExchange) =>
      seq < firstSeq && receivedMs <= firstMs
    const end = this.#waiting.findIndex((one) => !isSettled(one))
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end)
  }

  #ask(each: Judged, exchange: AnsweredExchange): Violation | undefined {
    if (each.fault !== undefined) return undefined
    try {
      const violation = each.note(exchange, judgeBy(each.clause, exchange, this.#history))
      if (violation) keptIn(this.#violated, exchange, () => []).push(each)
      return violation
    } catch (error) {
      each.fault = error
      return undefined
    }
  }

  /** Asks again what is in doubt about a response, and what was violated: more may be known now. */
  again(exchange: AnsweredExchange): readonly Finding[] {
    const found: Finding[] = []
    const isOver = isSilent(exchange, this.#history)
    for (const each of this.#all.values()) {
      if (isOver) each.doubts.delete(exchange)
      const isOpen = each.doubts.has(exchange) || each.violations.has(exchange)
      const violation = isOpen && !isOver ? this.#ask(each, exchange) : undefined
      if (violation) found.push({ clause: each.clause, exchange, violation })
    }
    return found
  }

  /** Asks all that is in doubt, or violated, once more. */
  settle(): readonly Finding[] {
    const found = [...this.judge()]
    const all = [...this.#all.values()].flatMap(({ doubts, violations }) => [
      ...doubts.keys(),
      ...violations.keys(),
    ])
    for (const exchange of new Set(all)) found.push(...this.again(exchange))
    return found
  }

  /** What a clause found, but for what was found to be void since. */
  of({ id }: Pick<Clause, 'id'>): Findings {
    const each = this.#all.get(id)
    if (!each) throw new Error(`${id} is not among the clauses of this run`)
    const { clause, met, untried, fault } = each
    const counts = <T>(some: ReadonlyMap<AnsweredExchange, T>) =>
      new Map([...some].filter(([exchange]) => !this.#history.isVoid(exchange)))
    const [violations, doubts] = [counts(each.violations), counts(each.doubts)]
    return { clause, met, untried, fault, violations, doubts }
  }

  /** What some clauses find of the calls that one check sent, by what is known now. */
  about({ check, key, sinceSeq = 0 }: Calls, ids: readonly string[]): About {
    const isOwn = ([one]: readonly [AnsweredExchange, unknown]) =>
      one.check === check && one.key !== null && one.key === (key ?? one.key) && one.seq > sinceSeq
    const found = () => ids.map((id) => this.of({ id }))
    for (const { doubts } of found()) for (const [one] of [...doubts].filter(isOwn)) this.again(one)
    const now = found()
    return {
      violations: now.flatMap(({ violations }) => [...violations].filter(isOwn).map(secondOf)),
      doubts: now.flatMap(({ doubts }) => [...doubts].filter(isOwn).map(secondOf)),
      isMet: ids.some((id) => {
        const keys = this.#all.get(id)?.metBy.get(check)
        return keys !== undefined && (key === undefined || keys.has(key))
      }),
    }
  }

  /** Responses that violate a clause, in the order of sending. */
  violating(): readonly AnsweredExchange[] {
    return [...this.#violated.keys()].sort((a, b) => a.seq - b.seq)
  }

  /** What a response violates. */
  violatedBy(exchange: AnsweredExchange): readonly Finding[] {
    return (this.#violated.get(exchange) ?? []).flatMap(({ clause, violations }) => {
      const violation = violations.get(exchange)
      return violation ? [{ clause, exchange, violation }] : []
    })
  }

  /** What is in doubt about a response. */
  doubtsAbout(exchange: AnsweredExchange): readonly Untested[] {
    return [...this.#all.values()].flatMap(({ doubts }) => doubts.get(exchange) ?? [])
  }
}
