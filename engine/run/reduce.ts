// Reduces what a run found: of each group that the history does not isolate the plainest request.
import { type AnsweredExchange, type Exchange, isAnswered } from '../../history/exchange.ts'
import { NoResponseError, Untested, type Violation } from '../../history/outcome.ts'
import { isTogether } from '../../model/conditions.ts'
import { isMiscount, limitIn, limitsApart } from '../../model/isolation/by-size.ts'
import { isolate } from '../../model/isolation/isolate.ts'
import { seenIn } from '../../model/isolation/seen.ts'
import { read } from '../../model/read.ts'
import { groupOf } from '../check/findings.ts'
import { hasAmpleQuota, type PlanOptions } from '../check/spendable-keys.ts'
import { isOpenAt } from './bisect.ts'
import { createFetchOthers } from './fetch-others.ts'
import { isReducible } from './plainer.ts'
import { isStale, Reduction, type Spending, Spent } from './reduction.ts'
import type { Session } from './session.ts'

/**
 * Requests of a run with a valid key and without, and for one group of findings: with one key of a
 * small quota, and with more.
 */
const maxOfRun = {
  few: { keyed: 36, keyless: 16, group: 14 },
  ample: { keyed: 300, keyless: 48, group: 24 },
}

/** What a response violates, of some kind. */
const violationsOf =
  (isMeant: (wrong: Violation['wrong']) => boolean) =>
  (one: AnsweredExchange, { judge }: Session): readonly Violation[] =>
    judge
      .violatedBy(one)
      .map(({ violation }) => violation)
      .filter(({ wrong }) => isMeant(wrong))

/** By its status. */
const violatedBy = violationsOf(({ aspect, ofKey }) => aspect === 'status' && !ofKey)

/** That a list has too many pets, or too few. */
const miscountsIn = violationsOf(isMiscount)

/** Requests of a group that are reduced without effect, before it is left as it is. */
const maxWithoutEffect = 2

/** How many requests of its keys a run spends on reduction at most. */
export const maxReduced = (options: Pick<PlanOptions, 'keys' | 'clockUrl'>): number =>
  maxOfRun[hasAmpleQuota(options) ? 'ample' : 'few'].keyed

const countParts = (one: AnsweredExchange): number => read(one).parts.length

/**
 * @returns reduces what was found since it was called last, where the history does not isolate what
 * decides
 */
export const createReduce = (session: Session) => {
  const failed = new Map<string, number>()
  const tried = new Set<AnsweredExchange>()
  const spending: Spending = { ...maxOfRun[hasAmpleQuota(session.options) ? 'ample' : 'few'] }
  /** Reduces the plainest of them, as long as requests are left. */
  const reduceFirst = async (
    alike: readonly AnsweredExchange[],
    violated = violatedBy,
    reduce = (reduction: Reduction): Promise<unknown> => reduction.run(),
  ): Promise<void> => {
    const [first] = alike.toSorted((a, b) => countParts(a) - countParts(b))
    if (!first || tried.has(first)) return
    tried.add(first)
    try {
      await reduce(new Reduction(session, spending, { first, alike, violated }))
    } catch (error) {
      const isOver = error instanceof Untested && error.because !== 'interrupted'
      if (!(isOver || error instanceof Spent || error instanceof NoResponseError)) throw error
    }
  }
  /** Lists of a wrong number of pets: from which limit on. */
  const reduceLists = async (lists: readonly AnsweredExchange[]): Promise<void> => {
    const { largest } = limitsApart(lists, session.trace) ?? {}
    if (largest === undefined || limitIn(lists, session.trace).length > 0) return
    await reduceFirst(lists, miscountsIn, (reduction) => reduction.ofLimit(BigInt(largest)))
  }
  // What failed once may have failed by chance, whatever passes.
  const isIsolated = (one: AnsweredExchange): boolean => {
    const seen = seenIn(session.trace)
    const isolated = isolate(one, seen)
    const { failing, chance } = isolated ?? {}
    if (isolated && (isOpenAt(one, isolated, seen) || isStale(isolated, session))) return false
    if (failing && isTogether(failing)) return false
    const isAgain = (other: Exchange) =>
      other !== failing && other.response?.status === failing?.response?.status
    return chance !== undefined || (failing && seen.equalTo(failing).some(isAgain)) === true
  }
  const reduceGroup = async (group: string, all: readonly Violation[]): Promise<void> => {
    const own = all.flatMap(({ evidence }) => evidence.slice(-1)).filter(isAnswered)
    const openIn = () => own.filter((one) => isReducible(one, session) && !isIsolated(one))
    for (let without = failed.get(group) ?? 0; without < maxWithoutEffect; ) {
      const open = openIn()
      const left = open.filter((one) => !tried.has(one))
      if (left.length === 0) return
      await reduceFirst(left)
      if (openIn().length === open.length) without += 1
      failed.set(group, without)
    }
  }
  const fetchOthers = createFetchOthers(session, () => {
    spending.keyed -= 1
    return spending.keyed >= 0
  })
  return async (): Promise<void> => {
    if (!session.options.explain) return
    const violations = session.judge.violating().flatMap((one) => violatedBy(one, session))
    for (const [group, all] of Map.groupBy(violations, groupOf)) await reduceGroup(group, all)
    await fetchOthers(violations)
    const lists = session.judge.violating().filter((one) => miscountsIn(one, session).length > 0)
    const kindIn = (one: AnsweredExchange) => miscountsIn(one, session)[0]?.wrong.kind
    for (const [, own] of Map.groupBy(lists, kindIn)) await reduceLists(own)
  }
}
