// The values in the exchanges of a run: the ids that it knows, and the names that it has given.
import { isUnread } from '../../history/body.ts'
import { type Exchange, isAnswered, isSuccess, statusCode } from '../../history/exchange.ts'
import { petsIn, requestedId, sentObject } from '../../history/known-pets.ts'
import { namedIn } from '../characters.ts'
import { isFault, isOfPlain, passes } from '../conditions.ts'
import { read } from '../read.ts'

const nameOf = (one: Exchange): unknown => sentObject(one)?.name

/** A creation that nothing is wrong with. */
const isCreation = (one: Exchange): boolean =>
  read(one).operation === 'create' &&
  typeof nameOf(one) === 'string' &&
  !read(one).parts.some(isFault)

const charactersOf = (one: Exchange): string => namedIn(one.apiRequest).characters.join('')

const isPlainGet = (one: Exchange): boolean =>
  one.key !== null && requestedId(one) !== undefined && read(one).parts.every(isOfPlain)

/** When each id was shown first. */
const shownIn = (trace: readonly Exchange[]): ReadonlyMap<unknown, number> => {
  const shown = new Map<unknown, number>()
  for (const one of trace) {
    if (!isAnswered(one) || !isSuccess(one) || isUnread(one)) continue
    for (const { id } of petsIn(one)) shown.set(id, Math.min(one.seq, shown.get(id) ?? one.seq))
  }
  return shown
}

const isNegative = (one: Exchange): boolean => (requestedId(one) ?? 0n) < 0n

/** Creations, and whether a pet had the name of each before. */
const namesIn = (trace: readonly Exchange[]) => {
  const creations = trace.filter(isCreation)
  const first = new Map<unknown, Exchange>()
  const served = creations.filter((one) => statusCode(one) === 201)
  for (const one of served.toSorted((a, b) => a.seq - b.seq)) {
    if (!first.has(nameOf(one))) first.set(nameOf(one), one)
  }
  const firstOf = (one: Exchange) => {
    const earlier = isCreation(one) ? first.get(nameOf(one)) : undefined
    return earlier && earlier.seq < one.seq ? earlier : undefined
  }
  const isNamed = (one: Exchange) =>
    read(one).parts.every((each) => isOfPlain(each) || each.part === 'name')
  const named = creations.filter((one) => namedIn(one.apiRequest).isOwn && isNamed(one))
  const byCharacters = Map.groupBy(named.filter(passes), charactersOf)
  return { creations, firstOf, named, byCharacters }
}

/** The values in the exchanges of a run. */
export class SeenValues {
  readonly #trace: readonly Exchange[]
  #shown: ReadonlyMap<unknown, number> | undefined
  #due: Readonly<Record<'all' | 'known' | 'unknown', readonly Exchange[]>> | undefined
  #names: ReturnType<typeof namesIn> | undefined

  constructor(trace: readonly Exchange[]) {
    this.#trace = trace
  }

  get #named(): ReturnType<typeof namesIn> {
    this.#names ??= namesIn(this.#trace)
    return this.#names
  }

  /** Whether an earlier response has a pet with this id. */
  isShown(id: bigint | undefined, { seq }: Exchange): boolean {
    this.#shown ??= shownIn(this.#trace)
    return (this.#shown.get(id) ?? seq) < seq
  }

  /** Pets that were found, where this one is known; else unknown ids of its sign with their 404. */
  dueIds(one: Exchange): readonly Exchange[] {
    const isKnown = (other: Exchange) => this.isShown(requestedId(other), other)
    if (!this.#due) {
      const all = this.#trace.filter(isPlainGet)
      const isUnknown = (other: Exchange) => statusCode(other) === 404 && !isKnown(other)
      this.#due = { all, known: all.filter(passes), unknown: all.filter(isUnknown) }
    }
    const isOfSign = (other: Exchange) => isNegative(other) === isNegative(one)
    return isKnown(one) ? this.#due.known : this.#due.unknown.filter(isOfSign)
  }

  /** One with a positive id that got what is due, where all negative ones get a wrong status. */
  positiveFor(one: Exchange): Exchange | undefined {
    if (!isNegative(one) || this.dueIds(one).length > 0) return undefined
    const { all = [], known = [], unknown = [] } = this.#due ?? {}
    const negative = all.filter((other) => isNegative(other))
    const isAlike = negative.every((other) => statusCode(other) === statusCode(one))
    const ids = new Set(negative.map(requestedId))
    return isAlike && ids.size > 1
      ? [...known, ...unknown].find((other) => !isNegative(other))
      : undefined
  }

  /** The creation that gave a pet its name first, where that was an earlier one. */
  firstNamed(one: Exchange): Exchange | undefined {
    return this.#named.firstOf(one)
  }

  /** Whether creations get a status that have the name of an earlier pet, or are the same again. */
  areRepeats(status: number): boolean {
    const { creations, firstOf } = this.#named
    const own = creations.filter((one) => statusCode(one) === status)
    const isSame = (one: Exchange) => firstOf(one)?.request.body === one.request.body
    const isRepeated = (one: Exchange) => firstOf(one) !== undefined
    return own.some(isSame) && own.every(isRepeated) && !creations.filter(passes).some(isRepeated)
  }

  /** How many of a character names have that have no other odd one: that pass, or get a status. */
  countsOf(character: string, isMeant: (one: Exchange) => boolean): readonly number[] {
    return this.#named.named
      .filter(isMeant)
      .map(({ apiRequest }) => namedIn(apiRequest).characters)
      .filter((all) => all.every((each) => each === character))
      .map(({ length }) => length)
  }

  /** A creation that passes, in which nothing is odd but these characters of its name. */
  namedWith(characters: readonly string[]): Exchange | undefined {
    return this.#named.byCharacters.get(characters.join(''))?.[0]
  }
}
