// What the laws have found so far: of an exchange, and whether it could have violated a law. No
// violation that was reported is taken back.

import type { AnsweredExchange } from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import { minuteMs } from '../../history/rate-headers.ts'
import type { Call } from './calls.ts'
import { type Breach, type LawId, lawIds, type OfKey } from './laws.ts'
import { type LostBetween, ownTrafficOf } from './own-traffic.ts'

const lastOf = ({ calls }: Breach): Call => calls.at(-1) as Call
const keyOf = (breach: Breach): string | null => lastOf(breach).exchange.key
/** Where calls of other clients leave no trace twice. */
const placeOf = ({ law, place }: Breach): string => `${law} ${place}`

/** Whether one is another occasion than the other: a minute apart, or on another key. */
const isApart = (one: Breach, other: Breach): boolean =>
  keyOf(one) !== keyOf(other) || Math.abs(lastOf(one).fromMs - lastOf(other).fromMs) >= minuteMs

/** Below these other clients no longer explain what occurred at least so often. */
const unlikely = [
  { times: 2, probability: 0.001 },
  { times: 4, probability: 0.01 },
] as const

interface Judged extends Breach {
  readonly isViolation: boolean
}

type Traffic = ReturnType<typeof ownTrafficOf>

export class Findings implements Omit<OfKey, 'windows'> {
  readonly #lostBetween: LostBetween
  /** By the number of the exchange that shows it. */
  readonly #found = new Map<number, readonly Breach[]>()
  readonly #doubts = new Set<Breach>()
  readonly #tried = new Map(lawIds.map((law) => [law, new Set<number>()]))
  readonly #reported = new Set<Breach>()
  readonly #firsts = new Map<string, Breach>()
  readonly #repeated = new Set<string>()
  /** By place the chances of each key. */
  readonly #chances = new Map<string, Map<string | null, NonNullable<Breach['chance']>>>()
  /** Those that had repeated before any fall, as a fall may show another client. */
  readonly #unvisited = new Set<string>()
  /** Of each key the latest call at which Remaining fell by more than the calls. */
  readonly #falls = new Map<string | null, Call>()
  readonly #traffic = new Map<Call, Traffic>()

  constructor(lostBetween: LostBetween) {
    this.#lostBetween = lostBetween
  }

  readonly tried = (law: LawId, { seq }: Pick<Call, 'seq'>): void => {
    this.#tried.get(law)?.add(seq)
  }

  wasTried(law: LawId, { seq }: AnsweredExchange): boolean {
    return this.#tried.get(law)?.has(seq) ?? false
  }

  #note(breach: Breach): void {
    const { seq } = lastOf(breach)
    this.#found.set(seq, [...(this.#found.get(seq) ?? []), breach])
  }

  readonly doubt = (breach: Breach): void => {
    this.#doubts.add(breach)
    this.#note(breach)
  }

  readonly decide = (breach: Breach, stands: boolean): void => {
    const { seq } = lastOf(breach)
    this.#doubts.delete(breach)
    this.#found.set(seq, this.#found.get(seq)?.filter((one) => one !== breach) ?? [])
    if (stands) this.breach(breach)
  }

  /** Nothing more comes. @returns whether that decides any doubt */
  end(): boolean {
    const standing = [...this.#doubts].filter(({ standsAtEnd }) => standsAtEnd)
    for (const breach of standing) this.decide(breach, true)
    return standing.length > 0
  }

  readonly breach = (breach: Breach): void => {
    const { law, calls, missing = Number.POSITIVE_INFINITY } = breach
    const [from, to] = calls
    if (from && to && this.#lostBetween(from, to) >= missing) return
    this.#note(breach)
    if (law === 'remaining-falls-by-one') this.#falls.set(keyOf(breach), lastOf(breach))
    const place = placeOf(breach)
    // They are decided at the end, when each fall is known.
    if (breach.chance) {
      const chances = this.#chances.get(place) ?? new Map()
      this.#chances.set(place, chances.set(keyOf(breach), breach.chance))
      return
    }
    const first = this.#firsts.get(place)
    if (!first) this.#firsts.set(place, breach)
    else if (law === 'count-per-key' || isApart(first, breach)) {
      this.#repeated.add(place)
      if (!this.#falls.has(keyOf(breach))) this.#unvisited.add(place)
    }
  }

  of(law: LawId, { seq }: AnsweredExchange, history: History): Judged | undefined {
    const all = this.#found.get(seq)?.filter((one) => one.law === law) ?? []
    const violation = all.find((one) => this.#isViolation(one, history))
    const breach = violation ?? all.at(-1)
    if (violation) this.#reported.add(violation)
    if (!breach) return undefined
    const [from, to] = breach.calls
    const isFall = law === 'remaining-falls-by-one' && from && to
    const words = isFall ? this.#trafficOf(breach, history)?.wordsFor(from, to) : ''
    return {
      ...breach,
      actual: breach.actual + (words ?? ''),
      isViolation: violation !== undefined,
    }
  }

  /** Each key has clients of its own. */
  #isUnlikely(breach: Breach): boolean {
    const chances = this.#chances.get(placeOf(breach))?.values() ?? []
    const all = [...chances].map((chance) => chance())
    const times = all.reduce((sum, each) => sum + each.times, 0)
    const probability = all.reduce((product, each) => product * each.probability, 1)
    return unlikely.some((most) => times >= most.times && probability < most.probability)
  }

  #isViolation(breach: Breach, history: History): boolean {
    if (this.#doubts.has(breach)) return false
    if (breach.sure || this.#reported.has(breach)) return true
    const isFall = breach.law === 'remaining-falls-by-one'
    const isRepeated = isFall || this.#repeated.has(placeOf(breach))
    if (history.shared || !(breach.isUnseen?.() || this.#isUnlikely(breach) || isRepeated))
      return false
    // No client that uses one of two keys fills the gaps of both.
    if (breach.law === 'count-per-key' || !this.#falls.has(keyOf(breach))) return true
    if (this.#unvisited.has(placeOf(breach))) return true
    return this.#trafficOf(breach, history)?.isVisited === false
  }

  /** Known once the history is whole, as all calls of the key tell it; found out at each fall. */
  #trafficOf(breach: Breach, { exchanges, inFlight }: History): Traffic | undefined {
    const fall = this.#falls.get(keyOf(breach))
    if (!fall || inFlight !== undefined) return undefined
    const known = this.#traffic.get(fall) ?? ownTrafficOf(fall.all, exchanges, this.#lostBetween)
    this.#traffic.set(fall, known)
    return known
  }
}
