// The plainest request that still fails: what of a failing request is left out, or made plainer, as
// long as the rest fails likewise. What it sends is judged like all else, and shows in the history
// what decides.
import {
  type AnsweredExchange,
  type ApiRequest,
  isAnswered,
  recognizeOperation,
  statusCode,
  withKey,
} from '../../history/exchange.ts'
import { NoResponseError, Untested, type Violation } from '../../history/outcome.ts'
import { nameLength, nameLengthOf } from '../../model/conditions.ts'
import { isolate, longMs, seenIn } from '../../model/isolate.ts'
import { read } from '../../model/read.ts'
import { statusDue } from '../../model/status.ts'
import { plans } from '../../spec/plans.ts'
import type { Context } from '../check/context.ts'
import { kindOf } from '../check/findings.ts'
import { leaveOut } from '../check/shrink.ts'
import type { KeyOption, PlanOptions } from '../check/spendable-keys.ts'
import { contextOf } from './contexts.ts'
import { type Plainer, petIn, plainersOf, withMember } from './plainer.ts'
import type { Session } from './session.ts'

/** So often what passed at last is sent again. */
const maxAgain = 3
/** Requests for one group of findings. */
const maxOfGroup = 12
/** Requests of a run: with one key of a small quota, with more, and without a valid key. */
const maxKeyed = { few: 36, ample: 300 }
const maxKeyless = 100

/** Ends the reduction of one group, or of all. */
class Spent extends Error {}

interface Spending {
  keyed: number
  keyless: number
}

class Reduction {
  readonly #session: Session
  readonly #context: Context
  readonly #spending: Spending
  readonly #first: AnsweredExchange
  /** The shortest name of what fails likewise. */
  readonly #shortest: number
  #left = maxOfGroup

  /** @param alike what fails likewise, for another reason perhaps */
  constructor(
    session: Session,
    first: AnsweredExchange,
    alike: readonly AnsweredExchange[],
    spending: Spending,
  ) {
    this.#shortest = Math.min(...alike.map(nameLength).filter((length) => length > 0))
    this.#session = session
    this.#context = contextOf(session, first.check)
    this.#spending = spending
    this.#first = first
  }

  /** Whether a request gets what the first one got, and violates the same clause. */
  readonly #fails = async (request: ApiRequest): Promise<boolean> => {
    const kind = request.authorization === 'valid' ? 'keyed' : 'keyless'
    if (this.#left === 0 || this.#spending[kind] <= 0) throw new Spent()
    this.#left -= 1
    this.#spending[kind] -= 1
    const { also: _, ...plain } = request
    const response = await this.#context.call(withKey(plain, this.#first.key))
    return (
      statusCode(response) === statusCode(this.#first) &&
      this.#session.judge.violatedBy(response).some(({ clause }) => clause.id === statusDue.id)
    )
  }

  /** It begins with the request as it was: what no longer fails has another reason. */
  async run(): Promise<void> {
    const { apiRequest } = this.#first
    // What fails every second or third time does not fail twice in a row.
    const isSteady = (await this.#fails(apiRequest)) && (await this.#fails(apiRequest))
    if (!isSteady) return this.#repeat(apiRequest)
    if (isolate(this.#first, seenIn(this.#session.trace))) return
    const plainers = plainersOf(apiRequest, this.#context)
    const plainBut = (left: readonly Plainer[]) =>
      plainers.filter((each) => !left.includes(each)).reduce((sent, each) => each(sent), apiRequest)
    // That it has no status may be what decides.
    const isPlain = plainers.length === 0 || (await this.#fails(plainBut([])))
    if (isPlain) return this.#withStatus(plainBut([]))
    const known = new Map<string, Promise<boolean>>()
    const failsWith = (rest: readonly Plainer[]): Promise<boolean> => {
      const key = rest.map((each) => plainers.indexOf(each)).join()
      const fails = known.get(key) ?? this.#fails(plainBut(rest))
      known.set(key, fails)
      return fails
    }
    const left = await leaveOut(plainers, failsWith)
    // Each part that is left decides only if the request passes without it.
    for (const each of left.length > 1 ? left : []) {
      await failsWith(left.filter((one) => one !== each))
    }
    const least = plainBut(left)
    if (!(await this.#shorten(least))) await this.#withFewerCharacters(least)
    await this.#fails(least)
  }

  /** What no longer fails may fail by chance. */
  async #repeat(request: ApiRequest): Promise<void> {
    for (let left = maxAgain; left > 0; left -= 1) if (await this.#fails(request)) return
  }

  async #withStatus(plain: ApiRequest): Promise<void> {
    if (recognizeOperation({ apiRequest: plain }) !== 'create') return
    await this.#fails(withMember(plain, 'status', 'available'))
  }

  /** The name with as few kinds of characters as fail. */
  async #withFewerCharacters(request: ApiRequest): Promise<void> {
    const { name } = petIn(request) ?? {}
    const odd = [...new Set(`${name ?? ''}`.match(/[^\w -]/gu) ?? [])]
    if (typeof name !== 'string' || odd.length < 2) return
    const renamed = (characters: readonly string[]) =>
      withMember(request, 'name', `${this.#context.newPet().name} x${characters.join('x')}x`)
    if (await this.#fails(renamed(odd))) await leaveOut(odd, (rest) => this.#fails(renamed(rest)))
  }

  /** @returns whether its length decides: the shortest name that fails is then known */
  async #shorten(request: ApiRequest): Promise<boolean> {
    const pet = petIn(request)
    const served = this.#session.trace.filter((one) => statusCode(one) === 201).map(nameLength)
    let low = Math.max(0, ...served)
    let high = Math.min(this.#shortest, nameLengthOf(pet?.name))
    const named = (length: number) => {
      const name = `${this.#context.newPet().name}-`.padEnd(length, 'a')
      return withMember(request, 'name', name)
    }
    if (high <= low || !(await this.#fails(named(high)))) return false
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (await this.#fails(named(middle))) high = middle
      else low = middle
    }
    return true
  }
}

/** What may be left out of a request says nothing of a key's calls, of a ban, or of others. */
const isReducible = (one: AnsweredExchange, { pace, history }: Session): boolean => {
  const { insists, carries, padding, body } = one.apiRequest
  const isOfOthers = insists || carries !== undefined
  const isLong = padding !== undefined || (body?.length ?? 0) > maxBodyLength
  const isOfKey = one.key !== null && [401, 403, 429].includes(statusCode(one))
  const isLate = pace.movedMs() - one.movedMs > longMs
  return !isOfOthers && !isLong && !isOfKey && !isLate && !history.isVoid(one)
}

/** A longer body is no pet with something odd about it, and is slow to change. */
const maxBodyLength = 4_096

/** Requests of a group that are reduced without effect, before it is left as it is. */
const maxWithoutEffect = 2

/** The violations of a clause that one cause may have. */
const groupsOf = (violations: Iterable<Violation>) =>
  Map.groupBy(violations, (one) =>
    kindOf(one, (exchange) =>
      read(exchange).parts.flatMap(({ is, part }) => (is === 'valid' ? [] : part)),
    ),
  )

/** How many requests of its keys a run spends on reduction at most. */
export const maxReduced = ({ keys, clockUrl }: Pick<PlanOptions, 'keys' | 'clockUrl'>): number => {
  const isLarge = ({ quota }: KeyOption) => quota.perMinute > plans.free.perMinute
  const isPlenty = clockUrl !== null || keys.length > 1 || keys.some(isLarge)
  return maxKeyed[isPlenty ? 'ample' : 'few']
}

const countParts = (one: AnsweredExchange): number => read(one).parts.length

/**
 * @returns reduces what was found since it was called last, where the history does not isolate what
 * decides
 */
export const createReduce = (session: Session) => {
  const failed = new Map<string, number>()
  const tried = new Set<AnsweredExchange>()
  const spending: Spending = { keyed: maxReduced(session.options), keyless: maxKeyless }
  const reduceFirst = async (open: readonly AnsweredExchange[]): Promise<void> => {
    const [first] = open.toSorted((a, b) => countParts(a) - countParts(b))
    if (!first) return
    tried.add(first)
    try {
      await new Reduction(session, first, open, spending).run()
    } catch (error) {
      const isOver = error instanceof Untested && error.because !== 'interrupted'
      if (!(isOver || error instanceof Spent || error instanceof NoResponseError)) throw error
    }
  }
  // What failed once may have failed by chance, whatever passes.
  const isIsolated = (one: AnsweredExchange): boolean => {
    const seen = seenIn(session.trace)
    const { failing, chance } = isolate(one, seen) ?? {}
    const again = failing && seen.equalTo(failing).filter(({ seq }) => seq > failing.seq)
    return chance !== undefined || (again?.length ?? 0) > 0
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
  return async (): Promise<void> => {
    if (!session.options.explain) return
    const { violations } = session.judge.of(statusDue)
    for (const [group, all] of groupsOf(violations.values())) await reduceGroup(group, all)
  }
}
