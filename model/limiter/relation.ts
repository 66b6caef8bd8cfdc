// One relation over the history: is there a legal rate limiter that answers like this? Each law is
// an inequality over the calls of a key. It is looked at with no calls of other clients, and with
// any number of them. What no number explains is a violation; what some number explains is a doubt,
// and a violation once it repeats at the same place. Each law is a clause.

import { type AnsweredExchange, isSuccess } from '../../history/exchange.ts'
import type { History, Lost } from '../../history/history.ts'
import { Inapplicable, Suspicion, Untested, Untried } from '../../history/outcome.ts'
import { type Clause, clause, violateAs } from '../clause.ts'
import { addCall, type Call, slackMs, windowsOf } from './calls.ts'
import { Findings } from './findings.ts'
import { grantedDeclared, grantedInSpan, grantedRested, restedIsWhole } from './granted.ts'
import { isCall, type Law, type LawId, lawIds, laws } from './laws.ts'
import { refillsWithin, remainingFalls, resetKept } from './numbers.ts'
import {
  banTemporary,
  refusalResetKept,
  refusedAtZero,
  refusedWith429,
  waitNotExcessive,
  waitStated,
} from './refusal-form.ts'
import {
  refusedAnnounced,
  refusedBelow,
  servedAfterSilence,
  servedAfterWait,
  shutOutFirst,
} from './refused.ts'
import { remainingRises } from './rises.ts'
import { countedTogether } from './two-keys.ts'

const inequalities: readonly Law[] = [
  ...[grantedInSpan, grantedRested, grantedDeclared],
  ...[restedIsWhole, remainingFalls, remainingRises, refillsWithin, resetKept],
  ...[refusedBelow, refusedAnnounced, servedAfterWait, servedAfterSilence, shutOutFirst],
  ...[refusedAtZero, refusedWith429, banTemporary, refusalResetKept],
  ...[waitStated, waitNotExcessive],
]

/** The calls of a key, with what looks at each, and when the last that was looked at ended. */
interface OwnKey {
  readonly calls: Call[]
  readonly look: readonly ((call: Call) => void)[]
  lookedMs: number
}

/** What the laws found in a history so far, which takes in what has come since it was asked. */
class Relation {
  readonly #keys = new Map<string | null, OwnKey>()
  /** Keys with a response whose Date is not the time at the target. */
  readonly #undated = new Set<string | null>()
  /** Requests that may have counted on a key, and no number shows it. */
  #lost: readonly Lost[] = []
  /** The key undefined: one with an invalid key that was served all the same, on any key. */
  readonly #carried: { readonly seq: number; readonly key: string | undefined }[] = []
  #taken = 0
  /** Responses that came before those to earlier requests, in the order of sending. */
  readonly #waiting: AnsweredExchange[] = []
  /** All calls in the order of sending, and how many of them the laws have looked at. */
  readonly #calls: Call[] = []
  #looked = 0
  /** It was whole, and something stood as nothing more came. */
  #isEnded = false
  readonly findings = new Findings((from, to) => {
    const all = [...this.#lost, ...this.#carried]
    const isOwn = (key: string | null | undefined) => key === undefined || key === to.exchange.key
    return all.filter(({ seq, key }) => seq > from.seq && seq < to.seq && isOwn(key)).length
  })
  readonly #lookAtTwo = countedTogether(this.findings)

  /** @returns false where what has come changes what was looked at before */
  take(history: History): boolean {
    const { exchanges, lost, inFlight } = history
    const isSame = exchanges.length === this.#taken && this.#waiting.length === 0
    if (this.#isEnded && !isSame) return false
    this.#lost = lost
    if (!isSame || this.#looked < this.#calls.length) {
      if (!this.#takeNew(history)) return false
    }
    if (inFlight === undefined && this.findings.end()) this.#isEnded = true
    return true
  }

  #takeNew({ exchanges, inFlight = [], isVoid }: History): boolean {
    for (; this.#taken < exchanges.length; this.#taken += 1) {
      const exchange = exchanges[this.#taken] as AnsweredExchange
      if (!this.#receive(exchange, isVoid(exchange))) return false
    }
    let [firstSeq, firstMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (const { seq, sentMs, movedMs } of inFlight) {
      firstSeq = Math.min(firstSeq, seq)
      firstMs = Math.min(firstMs, sentMs + movedMs)
    }
    const end = this.#waiting.findIndex(({ seq }) => seq > firstSeq)
    const ready = this.#waiting.splice(0, end < 0 ? this.#waiting.length : end)
    if (!ready.every((one) => this.#add(one))) return false
    this.#lookUntil(firstMs)
    return true
  }

  #receive(exchange: AnsweredExchange, isVoid: boolean): boolean {
    const { seq, key, dateIsWrong, apiRequest } = exchange
    // A target may take a valid key that is not sent as the interface has it.
    const { carries, authorization } = apiRequest
    if (carries !== undefined || (Array.isArray(authorization) && isSuccess(exchange)))
      this.#carried.push({ seq, key: carries })
    if (key === null || isVoid) return true
    const at = this.#waiting.findLastIndex((one) => one.seq < seq)
    this.#waiting.splice(at + 1, 0, exchange)
    if (!dateIsWrong || this.#undated.has(key)) return true
    this.#undated.add(key)
    return !this.#keys.has(key)
  }

  #add(exchange: AnsweredExchange): boolean {
    const { key, quota } = exchange
    const start = (law: Law) => law({ ...this.findings, windows: windowsOf(exchange) })
    const own = this.#keys.get(key) ?? {
      ...{ calls: [], lookedMs: Number.NEGATIVE_INFINITY },
      look: quota ? inequalities.map(start) : [],
    }
    this.#keys.set(key, own)
    const call = addCall(exchange, own.calls, !this.#undated.has(key))
    this.#calls.push(call)
    if (this.#looked === 0 || !call.before) return true
    return call.seq > call.before.seq && call.fromMs >= own.lookedMs - slackMs
  }

  #lookUntil(ms: number): void {
    for (; this.#looked < this.#calls.length; this.#looked += 1) {
      const call = this.#calls[this.#looked] as Call
      const own = this.#keys.get(call.exchange.key)
      if (call.toMs > ms || !own) return
      own.lookedMs = call.latestMs
      for (const look of own.look) look(call)
      this.#lookAtTwo(call)
    }
  }

  isSettled({ seq }: AnsweredExchange): boolean {
    const next = this.#calls[this.#looked] ?? this.#waiting[0]
    return next === undefined || seq < next.seq
  }
}

const relations = new WeakMap<History, Relation>()

const relationOf = (history: History): Relation => {
  const known = relations.get(history)
  if (known?.take(history)) return known
  const relation = new Relation()
  relation.take(history)
  relations.set(history, relation)
  return relation
}

/**
 * Throws if a response violates a law, or may, or is not settled: requests that were sent before it
 * came are in flight, and may have been counted before it. @returns whether it was looked at
 */
const judgeLaw = (id: LawId, exchange: AnsweredExchange, history: History): boolean => {
  const relation = relationOf(history)
  if (!relation.isSettled(exchange)) {
    throw new Untested('ambiguous', 'requests sent before its response are in flight', [exchange])
  }
  const found = relation.findings.of(id, exchange, history)
  if (!found) return relation.findings.wasTried(id, exchange)
  const evidence = found.calls.map((call) => call.exchange)
  const { wrong = { aspect: 'status' }, expected, actual, isViolation, doubt } = found
  if (isViolation) violateAs({ ...wrong, ofKey: true }, expected, actual, ...evidence)
  throw new Suspicion(`${actual}: ${doubt ?? 'another client may have used the key'}`, evidence)
}

/** Why no call could have broken a law. */
export const whyUntried = (id: string): string =>
  laws[id as LawId]?.optional ?? 'no response could have shown it'

/** Thrown for most calls: one error of each law. */
const untriedBy = (id: string) => {
  const { applies = isCall, untried, optional } = laws[id as LawId]
  const why = untried ?? (optional === undefined ? whyUntried(id) : undefined)
  const [isOpen, none] = [new Untried(why ?? ''), new Inapplicable(whyUntried(id))]
  return (exchange: AnsweredExchange) => (why !== undefined && applies(exchange) ? isOpen : none)
}

/** A law is tried at any call: a refusal may show that no more was served. */
export const limiterClauses = Object.entries(laws).map(
  ([id, { applies: _, ...declared }]): Clause => {
    const untried = untriedBy(id)
    return clause({
      ...declared,
      id,
      inconclusive: 'another client may have used the key (ambiguous)',
      applies: isCall,
      judge: (exchange, history) => {
        if (!judgeLaw(id as LawId, exchange, history)) throw untried(exchange)
      },
    })
  },
)

/** The clause of a law. */
export const clauseOf = (id: LawId): Clause => limiterClauses[lawIds.indexOf(id)] as Clause
