// The plainest request that still fails: what of a failing request is left out, or made plainer, as
// long as the rest fails likewise. What it sends is judged like all else, and shows in the history
// what decides.
import {
  type AnsweredExchange,
  type ApiRequest,
  type Exchange,
  json,
  keptIn,
  recognizeOperation,
  statusCode,
  withKey,
} from '../../history/exchange.ts'
import { printJson } from '../../history/json.ts'
import type { Violation } from '../../history/outcome.ts'
import { isShutOut } from '../../history/rate-headers.ts'
import { anyOwnName, oddCharactersOf } from '../../model/characters.ts'
import { type Isolated, passes } from '../../model/conditions.ts'
import { ofLimit } from '../../model/isolation/by-size.ts'
import { isolate } from '../../model/isolation/isolate.ts'
import { type Measure, measureNamed, measuresOf } from '../../model/isolation/measures.ts'
import { seenIn } from '../../model/isolation/seen.ts'
import { read } from '../../model/read.ts'
import { petIn, withMember } from '../../model/sent-pet.ts'
import type { Context } from '../check/context.ts'
import { bisect, boundOf, leastWhere, openPartOf } from './bisect.ts'
import { contextOf } from './contexts.ts'
import { leaveOut } from './packs.ts'
import { type Plainer, plainersOf } from './plainer.ts'
import type { Session } from './session.ts'

/** So often what passed at last is sent again. */
const maxAgain = 3
/** So many of one character are tried. */
const maxTimes = 4
/** Ends the reduction of one group, or of all. */
export class Spent extends Error {}

export type Spending = Record<'keyed' | 'keyless' | 'group', number>

/** A group of what fails likewise, by its plainest one. */
interface Group {
  readonly first: AnsweredExchange
  /** All of it, for another reason perhaps. */
  readonly alike: readonly AnsweredExchange[]
  readonly violated: (one: AnsweredExchange, session: Session) => readonly Violation[]
}

/** Whether what passes to a valid request passed before: another state may be what decides. */
export const isStale = ({ failing, passing }: Isolated, { trace }: Session): boolean => {
  const isValid = read(failing).parts.every(({ is }) => is === 'valid' || is === 'open')
  const isSince = (one: Exchange) => one.seq > failing.seq && passes(one)
  return isValid && passing.some((one) => !seenIn(trace).alikeTo(one).some(isSince))
}

export class Reduction {
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
    if (typeof open === 'object' && (await this.#bisect(open, isolated?.failing.apiRequest))) return
    if (isolated && open !== 'characters' && !isStale(isolated, this.#session)) return
    const plainers = plainersOf(apiRequest, this.#context)
    const plainBut = (left: readonly Plainer[]) =>
      plainers.filter((each) => !left.includes(each)).reduce((sent, each) => each(sent), apiRequest)
    // That it has no status may be what decides.
    const isPlain = plainers.length === 0 || (await this.#fails(plainBut([])))
    if (isPlain) {
      await this.#withStatus(plainBut([]))
      return this.#anew(plainBut([]))
    }
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
    const isOfSize = await this.#isOfAnySize(least)
    const isOfText = !isOfSize && !(await this.#withFewerCharacters(least))
    await this.#anew(least)
    if (isOfText) await this.#withLessText(least)
  }

  /** On a connection of its own; where it passes there, once more of each. */
  async #anew(request: ApiRequest): Promise<void> {
    const anew = { ...request, fresh: true } as const
    if (await this.#fails(anew)) return
    await this.#fails(anew)
    await this.#fails(request)
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

  /**
   * The name with as few characters as fail: first as few other ones, then as few of one.
   * @returns whether one decides
   */
  async #withFewerCharacters(request: ApiRequest): Promise<boolean> {
    const odd = oddCharactersOf(`${petIn(request)?.name ?? ''}`)
    const failsWith = (characters: readonly string[]) => {
      const name = `${this.#context.newPet().name}x${characters.join('x')}x`
      return this.#fails(withMember(request, 'name', name))
    }
    if (odd.length === 0 || !(await failsWith(odd))) return false
    const [one, ...others] = await leaveOut([...new Set(odd)], (rest) =>
      failsWith(odd.filter((each) => rest.includes(each))),
    )
    if (one === undefined || others.length > 0) return false
    // Twice in a row it fails with more of them too.
    for (let times = 1, inRow = 0; times <= maxTimes && inRow < 2; times += 1) {
      inRow = (await failsWith(Array(times).fill(one))) ? inRow + 1 : 0
    }
    return true
  }

  /** The name with as little text as fails: as few words, then none of its ends. */
  async #withLessText(request: ApiRequest): Promise<void> {
    const [, further] = `${petIn(request)?.name ?? ''}`.split(anyOwnName)
    const failsWith = (text: readonly string[]) => {
      const own = `${this.#context.newPet().name}`
      // It ends with a digit.
      const name = `${own}${/^\d/.test(text[0] ?? '') ? 'x' : ''}${text.join('')}`
      return this.#fails(withMember(request, 'name', name))
    }
    const words = further ? further.split(/(?= )/) : []
    if (words.length === 0 || !(await failsWith(words))) return
    const characters = [...(await leaveOut(words, failsWith)).join('')]
    const end = await leastWhere(characters.length, (at) => failsWith(characters.slice(0, at)))
    const kept = characters.slice(0, end)
    const left = await leastWhere(end, (count) => failsWith(kept.slice(end - count)))
    // It fails again, and was sent with one less of each end.
    await failsWith(kept.slice(end - left))
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
