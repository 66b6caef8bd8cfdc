// One relation over the history: is there a legal rate limiter that answers like this? Each law is
// an inequality over the calls of a key. It is looked at with no calls of other clients, and with
// any number of them. What no number explains is a violation; what some number explains is a doubt,
// and a violation once it repeats at the same place. Each law is a clause.

import { type AnsweredExchange, memoized } from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import { Inapplicable, Suspicion, Untried } from '../../history/outcome.ts'
import { minuteMs } from '../../history/rate-headers.ts'
import { type Clause, clause, violateAs } from '../clause.ts'
import { type Call, isBefore, readCalls, windowsOf } from './calls.ts'
import { grantedDeclared, grantedInSpan, grantedRested } from './granted.ts'
import { type Breach, isCall, type Law, type LawId, lawIds, laws, type OfKey } from './laws.ts'
import {
  refillsWithin,
  remainingFalls,
  remainingRises,
  resetKept,
  restedIsWhole,
} from './numbers.ts'
import {
  banTemporary,
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
import { countedTogether } from './two-keys.ts'

const inequalities: readonly Law[] = [
  ...[grantedInSpan, grantedRested, grantedDeclared],
  ...[restedIsWhole, remainingFalls, remainingRises, refillsWithin, resetKept],
  ...[refusedBelow, refusedAnnounced, servedAfterWait, servedAfterSilence, shutOutFirst],
  ...[refusedAtZero, refusedWith429, banTemporary, waitStated, waitNotExcessive],
]

interface Looked {
  readonly calls: readonly Call[]
  readonly breaches: readonly Breach[]
  /** The numbers of the exchanges that each law was tried at. */
  readonly tried: ReadonlyMap<LawId, ReadonlySet<number>>
}

/** By the last exchange of a key: while it sends nothing, its calls are not looked at again. */
const looked = new WeakMap<AnsweredExchange, Looked>()

const lookAt = (exchanges: readonly AnsweredExchange[]): Looked => {
  const last = exchanges.at(-1) as AnsweredExchange
  const known = looked.get(last)
  if (known?.calls.length === exchanges.length) return known
  const calls = readCalls(exchanges)
  const breaches: Breach[] = []
  const tried = new Map(lawIds.map((law) => [law, new Set<number>()]))
  const found = { calls, breaches, tried }
  looked.set(last, found)
  if (!last.quota) return found
  const of: OfKey = {
    calls,
    windows: windowsOf(last),
    breach: (breach) => breaches.push(breach),
    tried: (law, { seq }) => tried.get(law)?.add(seq),
  }
  for (const law of inequalities) law(of)
  return found
}

/** How many requests of the run, after one call and before another, may have counted unseen. */
type LostBetween = (from: Call, to: Call) => number

/** Of those that were lost, and of those that carried a valid key elsewhere, on the same key. */
const countLost = ({ exchanges, lost }: Pick<History, 'exchanges' | 'lost'>): LostBetween => {
  // A target may take a valid key that is not sent as the interface has it.
  const carried = exchanges.flatMap(({ seq, apiRequest: { carries: key } }) =>
    key === undefined ? [] : [{ seq, key }],
  )
  const byKey = Map.groupBy([...lost, ...carried], ({ key }) => key)
  return (from, to) =>
    (byKey.get(to.exchange.key) ?? []).filter(({ seq }) => seq > from.seq && seq < to.seq).length
}

/** Two calls of a key, one after the other, and what else the run sent meanwhile. */
interface Step {
  /** By how much more Remaining fell than by one. */
  readonly beyond: number
  readonly realMs: number
  readonly factors: ReadonlySet<string>
}

/** What goes with a step, in words. */
const factorsOf = (from: Call, to: Call, all: readonly Call[]): ReadonlySet<string> => {
  const { method, path } = to.exchange.apiRequest
  const [, query] = path.split('?')
  const others = all.filter(
    ({ exchange: { key }, fromMs, toMs }) =>
      key !== to.exchange.key && toMs > from.fromMs && fromMs < to.toMs,
  )
  return new Set([
    `a ${method}`,
    ...(query?.split('&').map((part) => `with ${part}`) ?? ['without a query']),
    ...others.flatMap(({ exchange: { key } }) =>
      key === null
        ? ['with requests without a key between']
        : [
            `with calls of key ${key} between`,
            `with calls of another ${key.split('-')[0]} key between`,
            'with calls of other keys between',
          ],
    ),
  ])
}

const stepsOf = (
  calls: readonly Call[],
  all: readonly Call[],
  lostBetween: LostBetween,
): readonly Step[] =>
  calls.flatMap((to): Step[] => {
    const { before: from } = to
    if (!from?.window || !to.served || from.refused || !from.quiet || !to.quiet) return []
    if (from.window.name !== to.window?.name || !isBefore(from, to)) return []
    if (lostBetween(from, to) > 0) return []
    const beyond = from.remaining - to.remaining - 1
    const realMs = to.exchange.receivedMs - from.exchange.sentMs
    return [{ beyond, realMs, factors: factorsOf(from, to, all) }]
  })

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** With so little chance all falls would be at one kind of step if others had caused them. */
const maxChance = 0.001
/** A server that takes more with each call does so in this share of them, and so many times. */
const habit = { share: 0.8, falls: 5, pauseFactor: 5 }

/** The rarest kind of step at which each fall is, among all steps that took as long. */
const kindOf = (fell: readonly Step[], steps: readonly Step[]): string | undefined => {
  const minMs = Math.min(...fell.map(({ realMs }) => realMs))
  // Other clients come and go: only what lies between two falls tells them from a habit.
  const since = steps.indexOf(fell[0] as Step)
  const near = steps.slice(since, steps.lastIndexOf(fell.at(-1) as Step) + 1)
  const long = near.filter(({ realMs, beyond }) => realMs >= minMs || beyond > 0)
  const kinds = [...(fell[0]?.factors ?? [])]
  const common = kinds.filter((kind) => fell.every(({ factors }) => factors.has(kind)))
  const shares = common.map((kind) => {
    return { kind, share: long.filter(({ factors }) => factors.has(kind)).length / long.length }
  })
  const [rarest] = shares.sort((a, b) => a.share - b.share)
  return rarest && rarest.share ** fell.length < maxChance ? rarest.kind : undefined
}

/** Whether Remaining falls so with each call, and by no more after a pause. */
const isHabit = (fell: readonly Step[], steps: readonly Step[]): boolean => {
  if (fell.length < habit.falls || fell.length < habit.share * steps.length) return false
  const pauseMs = habit.pauseFactor * median(fell.map(({ realMs }) => realMs))
  const same = median(fell.map(({ beyond }) => beyond))
  if (fell.some(({ beyond }) => beyond > same)) return false
  return steps.some(({ realMs, beyond }) => realMs >= pauseMs && beyond === same)
}

/**
 * Why Remaining of a key fell by more than its calls, by the run's own requests: whether nothing
 * of the run explains it, so that other clients use the key; and what goes with it: `, a POST`.
 */
const ownTrafficOf = (calls: readonly Call[], all: readonly Call[], lostBetween: LostBetween) => {
  const steps = stepsOf(calls, all, lostBetween)
  const fell = steps.filter(({ beyond }) => beyond > 0)
  const kind = fell.length === 0 ? undefined : kindOf(fell, steps)
  return {
    isVisited: fell.length === 0 || (kind === undefined && !isHabit(fell, steps)),
    wordsFor: (from: Call, to: Call): string =>
      kind !== undefined && factorsOf(from, to, all).has(kind) ? `, ${kind}` : '',
  }
}

const keyOf = ({ calls }: Breach) => calls.at(-1)?.exchange.key

/** Whether one is another occasion than the other: a minute apart, or on another key. */
const isApart = (one: Breach, other: Breach): boolean => {
  const apartMs = (one.calls.at(-1)?.fromMs ?? 0) - (other.calls.at(-1)?.fromMs ?? 0)
  return keyOf(one) !== keyOf(other) || Math.abs(apartMs) >= minuteMs
}

interface Judged extends Breach {
  readonly isViolation: boolean
}

/** What the laws found in a history: of an exchange, and whether it could have violated a law. */
const relationOf = memoized((history: History) => {
  const inOrder = history.exchanges.toSorted((a, b) => a.seq - b.seq)
  const keyed = inOrder.filter((one) => one.key !== null && !history.isVoid(one))
  const keys = new Map(
    [...Map.groupBy(keyed, ({ key }) => key)].map(([key, some]) => [key, lookAt(some)]),
  )
  const lostBetween = countLost(history)
  const found = [...keys.values()].flatMap(({ breaches }) => breaches)
  const triedOfTwo = new Set<number>()
  countedTogether(
    [...keys.values()].flatMap(({ calls }) => calls).toSorted((a, b) => a.seq - b.seq),
    (breach) => found.push(breach),
    ({ seq }) => triedOfTwo.add(seq),
  )
  const isLost = ({ missing, calls: [from, to] }: Breach): boolean =>
    missing !== undefined && from && to ? lostBetween(from, to) >= missing : false
  const breaches = found.filter((breach) => !isLost(breach))
  const fell = new Set(breaches.filter(({ law }) => law === 'remaining-falls-by-one').map(keyOf))
  const all = fell.size > 0 ? readCalls(inOrder) : []
  const traffic = new Map(
    [...fell].map((key) => [key, ownTrafficOf(keys.get(key ?? '')?.calls ?? [], all, lostBetween)]),
  )
  const groups = Map.groupBy(breaches, ({ law, place }) => `${law} ${place}`)
  // Calls of other clients leave no trace at the same place twice.
  const isRepeated = (breach: Breach): boolean => {
    const [first = breach, ...more] = groups.get(`${breach.law} ${breach.place}`) ?? []
    if (breach.law === 'count-per-key') return more.length > 0
    return breach.law === 'remaining-falls-by-one' || more.some((one) => isApart(first, one))
  }
  const judged = new Map(lawIds.map((law) => [law, new Map<number | undefined, Judged>()]))
  for (const breach of breaches) {
    const at = breach.calls.at(-1)?.seq
    const ofLaw = judged.get(breach.law)
    // No client that uses one of two keys fills the gaps of both.
    const isVisited = breach.law !== 'count-per-key' && traffic.get(keyOf(breach))?.isVisited
    const isOurs = !history.shared && isVisited !== true
    const isViolation = breach.sure || (isOurs && (breach.unseen === true || isRepeated(breach)))
    if (ofLaw?.get(at)?.isViolation) continue
    const [from, to] = breach.calls
    const isFall = breach.law === 'remaining-falls-by-one' && from && to
    const words = isFall ? traffic.get(keyOf(breach))?.wordsFor(from, to) : ''
    ofLaw?.set(at, { ...breach, actual: `${breach.actual}${words ?? ''}`, isViolation })
  }
  return {
    of: (law: LawId, exchange: AnsweredExchange): Judged | undefined =>
      judged.get(law)?.get(exchange.seq),
    wasTried: (law: LawId, exchange: AnsweredExchange): boolean =>
      law === 'count-per-key'
        ? triedOfTwo.has(exchange.seq)
        : (keys.get(exchange.key)?.tried.get(law)?.has(exchange.seq) ?? false),
  }
})

/** Throws if a response violates a law, or may. @returns whether it was looked at */
const judgeLaw = (id: LawId, exchange: AnsweredExchange, history: History): boolean => {
  const relation = relationOf(history)
  const found = relation.of(id, exchange)
  if (!found) return relation.wasTried(id, exchange)
  const evidence = found.calls.map((call) => call.exchange)
  const { wrong = { aspect: 'status' }, expected, actual, isViolation, doubt } = found
  if (isViolation) violateAs({ ...wrong, ofKey: true }, expected, actual, ...evidence)
  throw new Suspicion(`${actual}: ${doubt ?? 'another client may have used the key'}`, evidence)
}

/** Thrown for most calls: one error of each law. */
const whyNot = (optional: string | undefined, untried: string | undefined) => {
  if (untried !== undefined) return new Untried(untried)
  return optional === undefined ? undefined : new Inapplicable(optional)
}

export const limiterClauses = Object.entries(laws).map(
  ([id, { applies = isCall, untried, ...declared }]): Clause => {
    const none = whyNot(declared.optional, untried)
    return clause({
      ...declared,
      id,
      inconclusive: 'another client may have used the key (ambiguous)',
      applies: (exchange) => isCall(exchange) && applies(exchange),
      judge: (exchange, history) => {
        if (!judgeLaw(id as LawId, exchange, history) && none) throw none
      },
    })
  },
)

/** Why no call could have broken a law. */
export const whyUntried = (id: string): string =>
  laws[id as LawId]?.optional ?? 'no response could have shown it'

/** The clause of a law, over all calls of a program: refusals show that no more was served. */
export const lawClause = (id: LawId): Clause => ({
  ...(limiterClauses[lawIds.indexOf(id)] as Clause),
  applies: isCall,
  judge: (exchange, history) => {
    if (!judgeLaw(id, exchange, history)) throw new Untried(whyUntried(id))
  },
})
