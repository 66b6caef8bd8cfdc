// The exchanges of a run so far, by what isolates: what passes, and what fails likewise.
import { isUnread } from '../../history/body.ts'
import {
  type Exchange,
  isAnswered,
  isSuccess,
  memoized,
  statusCode,
} from '../../history/exchange.ts'
import type { JsonObject } from '../../history/json.ts'
import { petsIn, requestedId } from '../../history/known-pets.ts'
import { namedIn } from '../characters.ts'
import {
  groupedBy,
  has,
  isOfPlain,
  isTogether,
  kindOf,
  mayBeDue,
  passes,
  readingOf,
  textOf,
} from '../conditions.ts'
import { read } from '../read.ts'
import type { Part } from '../read-body.ts'
import { type Measure, measureNamed, measures, measuresOf } from './measures.ts'

/** The exchanges of a run so far, by what isolates. */
export class Seen {
  readonly trace: readonly Exchange[]
  /** All that are read alike. */
  readonly alikeTo: (one: Exchange) => readonly Exchange[]
  /** All requests that are the same, whatever fresh name they have. */
  readonly equalTo: (one: Exchange) => readonly Exchange[]
  /** All that pass, by operation; of those that are read alike a few. */
  readonly passing: (one: Exchange) => readonly Exchange[]
  readonly #failing: (one: Exchange) => readonly Exchange[]
  readonly #failingTexts: ReadonlySet<string>
  readonly #shown: ReadonlyMap<unknown, number>

  constructor(trace: readonly Exchange[]) {
    this.trace = trace
    this.alikeTo = groupedBy(trace, (one) => `${read(one).name}\n${readingOf(one.apiRequest)}`)
    this.equalTo = groupedBy(trace, ({ apiRequest }) => textOf(apiRequest))
    this.#shown = shownIn(trace)
    const isKnown = (one: Exchange) =>
      statusCode(one) === 404 && this.isShown(requestedId(one), one)
    const failing = trace.filter((one) => !passes(one) && (!mayBeDue(one) || isKnown(one)))
    this.passing = groupedBy(distinct(trace.filter(passes), [ofName]), (one) => read(one).name)
    this.#failing = groupedBy(distinct(failing, measures), kindOf)
    this.#failingTexts = new Set(failing.map(textIn))
  }

  /** Whether an earlier response has a pet with this id. */
  isShown(id: bigint | undefined, { seq }: Exchange): boolean {
    return (this.#shown.get(id) ?? seq) < seq
  }

  /** The plainest first of those that fail likewise and have no part that this one has not. */
  failingIn(one: Exchange): readonly Exchange[] {
    // Of two limits the larger one may fail as the smaller does.
    const isLess = (other: Exchange, { of, textIn, sizeIn }: Measure) => {
      const size = sizeIn(other.apiRequest)
      return (of === 'limit' || textIn) && size > 0n && size <= sizeIn(one.apiRequest)
    }
    const isOfOwn = (other: Exchange) => (each: Part) =>
      isOfPlain(each) ||
      has(one, each) ||
      measuresOf(other.apiRequest).some((own) => own.part === each.part && isLess(other, own))
    const own = this.#failing(one).filter((other) => read(other).parts.every(isOfOwn(other)))
    return own.includes(one) ? own : [...own, one]
  }

  /** Whether the same request, which passes, failed like another one at another time. */
  alsoFails({ apiRequest }: Exchange, one: Exchange): boolean {
    return this.#failingTexts.has(textIn({ ...one, apiRequest }))
  }
}

const textIn = (one: Exchange): string => `${statusCode(one)} ${textOf(one.apiRequest)}`

/** The pets of a response that was served and read. */
export const petsShownBy = (one: Exchange): readonly JsonObject[] =>
  isAnswered(one) && isSuccess(one) && !isUnread(one) ? petsIn(one) : []

/** When each id was shown first. */
const shownIn = (trace: readonly Exchange[]): ReadonlyMap<unknown, number> => {
  const shown = new Map<unknown, number>()
  for (const one of trace) {
    for (const { id } of petsShownBy(one))
      shown.set(id, Math.min(one.seq, shown.get(id) ?? one.seq))
  }
  return shown
}

const countParts = (one: Exchange): number =>
  read(one).parts.filter((each) => !isOfPlain(each)).length

/** How many odd characters its name has; most where it is all of the name. */
const countOdd = ({ apiRequest }: Exchange): number => {
  const { isOwn, characters } = namedIn(apiRequest)
  return isOwn ? characters.length : Number.MAX_SAFE_INTEGER
}

const ofName = measureNamed('name')

/** For each reading those with the smallest of each measure, and that with the longest name. */
const distinct = (all: readonly Exchange[], ofEach: readonly Measure[]): readonly Exchange[] => {
  const groupOf = (one: Exchange) => `${kindOf(one)}\n${readingOf(one.apiRequest)}`
  const chosen = [...Map.groupBy(all, groupOf).values()].flatMap((own) => {
    const aloneFirst = own.toSorted((a, b) => Number(isTogether(a)) - Number(isTogether(b)))
    const by = ({ sizeIn }: Measure) =>
      aloneFirst.toSorted((a, b) => Number(sizeIn(a.apiRequest) - sizeIn(b.apiRequest)))
    const smallest = ofEach.flatMap((measure) => by(measure).slice(0, 1))
    const fewest = own.toSorted((a, b) => countOdd(a) - countOdd(b)).slice(0, 1)
    return [...new Set([...smallest, ...fewest, ...by(ofName).slice(-1)])]
  })
  return chosen.sort((a, b) => countParts(a) - countParts(b))
}

const known = new WeakMap<readonly Exchange[], Seen>()

/** The exchanges of one run are grouped once for all that is asked of them at a time. */
export const seenIn = (trace: readonly Exchange[]): Seen => {
  const own = known.get(trace)
  if (own?.trace.length === trace.length) return own
  const seen = new Seen([...trace])
  known.set(trace, seen)
  return seen
}

/** All exchanges in the order of sending. */
export const inOrder = memoized(({ trace }: Seen): readonly Exchange[] =>
  trace.toSorted((a, b) => a.seq - b.seq),
)

/** All that were in flight with another one, whatever sent it. */
export const inFlightIn = memoized(({ trace }: Seen): ReadonlySet<Exchange> => {
  const found = new Set<Exchange>(trace.filter(isTogether))
  let latest: Exchange | undefined
  for (const one of trace.toSorted((a, b) => a.sentMs - b.sentMs)) {
    if (latest && one.sentMs < latest.receivedMs) for (const each of [latest, one]) found.add(each)
    if (!latest || one.receivedMs > latest.receivedMs) latest = one
  }
  return found
})
