// The plainest request that still fails: what of a failing request is left out, or made plainer, as
// long as the rest fails likewise. What it sends is judged like all else, and shows in the history
// what decides.
import {
  type AnsweredExchange,
  type ApiRequest,
  type Exchange,
  isAnswered,
  json,
  keptIn,
  recognizeOperation,
  statusCode,
  withKey,
} from '../../history/exchange.ts'
import { printJson } from '../../history/json.ts'
import { NoResponseError, Untested, type Violation } from '../../history/outcome.ts'
import { isShutOut } from '../../history/rate-headers.ts'
import { oddCharactersOf } from '../../model/characters.ts'
import { type Isolated, isTogether, passes } from '../../model/conditions.ts'
import { isMiscount, limitIn, limitsApart, ofLimit } from '../../model/isolation/by-size.ts'
import { isolate } from '../../model/isolation/isolate.ts'
import { type Measure, measureNamed, measuresOf } from '../../model/isolation/measures.ts'
import { seenIn } from '../../model/isolation/seen.ts'
import { read } from '../../model/read.ts'
import { petIn, withMember } from '../../model/sent-pet.ts'
import type { Context } from '../check/context.ts'
import { groupOf } from '../check/findings.ts'
import { leaveOut } from '../check/shrink.ts'
import { hasAmpleQuota, type PlanOptions } from '../check/spendable-keys.ts'
import { bisect, boundOf, isOpenAt, openPartOf } from './bisect.ts'
import { contextOf } from './contexts.ts'
import { createFetchOthers } from './fetch-others.ts'
import { isReducible, type Plainer, plainersOf } from './plainer.ts'
import type { Session } from './session.ts'

/** So often what passed at last is sent again. */
const maxAgain = 3
/** So many of one character are tried. */
const maxTimes = 4
/**
 * Requests of a run with a valid key and without, and for one group of findings: with one key of a
 * small quota, and with more.
 */
const maxOfRun = {
  few: { keyed: 36, keyless: 16, group: 14 },
  ample: { keyed: 300, keyless: 48, group: 24 },
}

/** Ends the reduction of one group, or of all. */
class Spent extends Error {}

type Spending = Record<'keyed' | 'keyless' | 'group', number>

/** A group of what fails likewise, by its plainest one. */
interface Group {
  readonly first: AnsweredExchange
  /** All of it, for another reason perhaps. */
  readonly alike: readonly AnsweredExchange[]
  readonly violated: typeof violatedBy
}

class Reduction {
  readonly #session: Session
  readonly #context: Context
  readonly #spending: Spending
  readonly #group: Group
  #left: number

  constructor(session: Session, spending: Spending, group: Group) {
    this.#session = session
    this.#context = contextOf(session, group.first.check)
    this.#spending = spending
    this.#left = spending.group
    this.#group = group
  }

  async #send(request: ApiRequest, key: string | null): Promise<AnsweredExchange> {
    const kind = request.authorization === 'valid' ? 'keyed' : 'keyless'
    if (this.#left === 0 || this.#spending[kind] <= 0) throw new Spent()
    this.#left -= 1
    this.#spending[kind] -= 1
    // It is of no row.
    const { also: _, ...plain } = request
    return this.#context.call(withKey(plain, key))
  }

  /** Whether a request gets what the first one got, and violates the same clause. */
  readonly #fails = async (request: ApiRequest): Promise<boolean> => {
    const { first, violated } = this.#group
    const response = await this.#send(request, first.key)
    const isAlike = statusCode(response) === statusCode(first)
    return isAlike && violated(response, this.#session).length > 0
  }

  /** It begins with the request as it was: what no longer fails has another reason. */
  async run(): Promise<void> {
    const { first } = this.#group
    const { apiRequest } = first
    // What fails every second or third time does not fail twice in a row.
    const isSteady = (await this.#fails(apiRequest)) && (await this.#fails(apiRequest))
    if (!isSteady) return this.#repeat(apiRequest)
    const isolated = isolate(first, seenIn(this.#session.trace))
    const open = isolated && openPartOf(first, isolated)
    if (await this.#bisect(measureNamed('body'))) return
    const isOfSize = typeof open === 'object' && this.#bisect(open, isolated?.failing.apiRequest)
    if (await isOfSize) return
    if (isolated && open !== 'characters' && !isStale(isolated, this.#session)) return
    const plainers = plainersOf(apiRequest, this.#context)
    const plainBut = (left: readonly Plainer[]) =>
      plainers.filter((each) => !left.includes(each)).reduce((sent, each) => each(sent), apiRequest)
    // That it has no status may be what decides.
    const isPlain = plainers.length === 0 || (await this.#fails(plainBut([])))
    if (isPlain) return this.#withStatus(plainBut([]))
    const known = new Map<string, Promise<boolean>>()
    const failsWith = (rest: readonly Plainer[]): Promise<boolean> => {
      const key = rest.map((each) => plainers.indexOf(each)).join()
      return keptIn(known, key, () => this.#fails(plainBut(rest)))
    }
    const left = await leaveOut(plainers, failsWith)
    // Each part that is left decides only if the request passes without it.
    for (const each of left.length > 1 ? left : []) {
      await failsWith(left.filter((one) => one !== each))
    }
    const least = plainBut(left)
    if (!(await this.#isOfAnySize(least))) await this.#withFewerCharacters(least)
    await this.#fails(least)
  }

  async #isOfAnySize(request: ApiRequest): Promise<boolean> {
    for (const measure of measuresOf(request)) {
      if (await this.#bisect(measure, request)) return true
    }
    return false
  }

  /** Whether it fails again, twice, right after what came before it. */
  async #failsAfterStep(request: ApiRequest): Promise<boolean> {
    const { seq } = this.#group.first
    const before = this.#session.trace.findLast((one) => one.seq < seq)
    if (!before || before.apiRequest.carries !== undefined || isShutOut(before)) return false
    for (let time = 0; time < 2; time += 1) {
      // It is no more than the quota has.
      const { insists: _, ...step } = before.apiRequest
      await this.#send(step, before.key)
      if (!(await this.#fails(request))) return false
    }
    return !(await this.#fails(request))
  }

  /** What no longer fails may fail after a step alone, or by chance. */
  async #repeat(request: ApiRequest): Promise<void> {
    if (await this.#failsAfterStep(request)) return
    for (let left = maxAgain; left > 0; left -= 1) if (await this.#fails(request)) return
    const isOther = recognizeOperation({ apiRequest: request }) === 'create'
    if (isOther)
      await this.#fails({ ...request, headers: [json], body: printJson(this.#context.newPet()) })
    await this.#fails(request)
  }

  async #withStatus(plain: ApiRequest): Promise<void> {
    if (recognizeOperation({ apiRequest: plain }) !== 'create') return
    await this.#fails(withMember(plain, 'status', 'available'))
  }

  /** The name with as few characters as fail: first as few other ones, then as few of one. */
  async #withFewerCharacters(request: ApiRequest): Promise<void> {
    const odd = oddCharactersOf(`${petIn(request)?.name ?? ''}`)
    const failsWith = (characters: readonly string[]) => {
      const name = `${this.#context.newPet().name}x${characters.join('x')}x`
      return this.#fails(withMember(request, 'name', name))
    }
    if (odd.length === 0 || !(await failsWith(odd))) return
    const [one, ...others] = await leaveOut([...new Set(odd)], (rest) =>
      failsWith(odd.filter((each) => rest.includes(each))),
    )
    if (one === undefined || others.length > 0) return
    // Twice in a row it fails with more of them too.
    for (let times = 1, inRow = 0; times <= maxTimes && inRow < 2; times += 1) {
      inRow = (await failsWith(Array(times).fill(one))) ? inRow + 1 : 0
    }
  }

  /** @returns whether a size decides */
  #bisect(
    measure: Measure,
    request = this.#group.first.apiRequest,
    low = boundOf(measure, this.#group.first, seenIn(this.#session.trace)),
  ) {
    const { first, alike } = this.#group
    const known = measure.textIn ? seenIn(this.#session.trace).failingIn(first) : []
    const failing = [request, ...[...alike, ...known].map(({ apiRequest }) => apiRequest)]
    return bisect(measure, request, { low, failing }, this.#context.newPet, this.#fails)
  }

  /** Above which limit a list is wrong; it is not up to this one. */
  ofLimit(above: bigint): Promise<boolean> {
    return this.#bisect(ofLimit, this.#group.first.apiRequest, above)
  }
}

/** Whether what passes to a valid request passed before: another state may be what decides. */
const isStale = ({ failing, passing }: Isolated, { trace }: Session): boolean => {
  const isValid = read(failing).parts.every(({ is }) => is === 'valid' || is === 'open')
  const isSince = (one: Exchange) => one.seq > failing.seq && passes(one)
  return isValid && passing.some((one) => !seenIn(trace).alikeTo(one).some(isSince))
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
