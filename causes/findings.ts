// From violations to findings: what was observed, as data, from the evidence alone.
import { type Kind, kindOf, last, recordFinding, Violations } from '../engine/check/findings.ts'
import type { Finding } from '../engine/check/run-file.ts'
import type { Explain } from '../engine/run/run-options.ts'
import { type Exchange, isSuccess, memoized, statusCode } from '../history/exchange.ts'
import { Violation } from '../history/outcome.ts'
import { isShutOut } from '../history/rate-headers.ts'
import { exactly } from '../history/statuses.ts'
import { wrongStatus } from '../model/clause.ts'
import { type Isolated, isTogether, spanOf } from '../model/conditions.ts'
import { ofAnyValue } from '../model/isolation/by-value.ts'
import { faultsIn, faultsOf, isolate, isolateOrState } from '../model/isolation/isolate.ts'
import { countedOnKey } from '../model/isolation/lent-keys.ts'
import { type Seen, seenIn } from '../model/isolation/seen.ts'
import { read } from '../model/read.ts'
import type { Part } from '../model/read-body.ts'
import { conditionsOf, isOfStatus } from './conditions.ts'
import { byRanks, isDrawn } from './groups.ts'
import { partApart, shareAmong, targetsOf } from './shares.ts'
import { type Around, dateOf, inFlight, isLate, keysOf, whatIsAround } from './surroundings.ts'

/** More than a headline names. */
const maxAlso = 10

/** What matters, and what others had in its place. */
const writtenPart = ({ part, is, kind, words, brief }: Part, exchanges: readonly Exchange[]) => {
  const isLike = (each: Part) => each.kind === kind || (is === 'invalid' && each.is === is)
  const others = exchanges
    .flatMap((one) => read(one).parts)
    .filter((each) => each.part === part && each.words !== words && isLike(each))
    .map(({ words, brief }) => ({ words, ...(brief !== undefined && { brief }) }))
  const also = [...new Map(others.map((each) => [each.words, each])).values()].slice(0, maxAlso)
  const said = { words, ...(brief !== undefined && { brief }) }
  return { about: part, kind, ...said, ...(also.length > 0 && { also }) }
}

/** Whether what was sent before explains a refusal, or an error, and not the request itself. */
const wasServedBefore = (exchange: Exchange, isPlain: boolean, trace: readonly Exchange[]) => {
  const { name } = read(exchange)
  const mayDepend = isShutOut(exchange) || (statusCode(exchange) >= 300 && isPlain)
  const isBefore = (one: Exchange) =>
    one.seq < exchange.seq && isSuccess(one) && read(one).name === name
  return mayDepend && exchange.key !== null && trace.some(isBefore)
}

type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

const defined = <T extends object>(own: T): Defined<T> =>
  Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) as Defined<T>

const maxCreations = 100

/** Where the pet that was seen first is one of this run; who created others may not be known. */
const creationsOf = (kind: Kind): readonly number[] | undefined => {
  const creations = new Set(kind.map(({ wrong, evidence: [first] }) => wrong.ofPet && first?.seq))
  const [seen] = creations
  if (seen === undefined) return undefined
  return [...creations].filter((each) => each !== undefined).slice(0, maxCreations)
}

/** Whether it is a creation that had to be refused, and was served. */
const isTaken = (one: Exchange): boolean => {
  const { operation, key, parts } = read(one)
  const isOfPet = operation === 'create' && key === 'valid' && isSuccess(one)
  return isOfPet && parts.some(({ is }) => is === 'invalid')
}

/** Where all were to be refused, what is wrong with what they returned is what was sent. */
const shownBy = (first: Violation, exchanges: readonly Exchange[]): Violation => {
  const exchange = last(first)
  return exchange && first.wrong.aspect === 'body' && exchanges.every(isTaken)
    ? wrongStatus(exactly(400), [exchange])
    : first
}

const passingIn = ({ parts, passing = [] }: Partial<Isolated> = {}) =>
  parts?.length && passing.length > 0 ? passing.map(({ seq }) => seq) : undefined

/** What happened to a pet decides, which no pair of requests shows. */
const isOfPet = ({ parts, passing }: Partial<Isolated> = {}): boolean =>
  parts?.length !== 0 && passing?.length === 0

const valueKinds: readonly string[] = ['value', 'unknown id']

/** A value says nothing of the fault that is due to be refused; chance and a state neither. */
const needsFaults = ({ parts, chance, after }: Isolated, exchange: Exchange): boolean =>
  parts.some(({ kind }) => valueKinds.includes(kind)) ||
  ((chance ?? after) !== undefined && isSuccess(exchange))

/** What decides of a status; where no pair isolates it its faults, or what no other one has. */
const partsOfStatus = (
  exchange: Exchange,
  exchanges: readonly Exchange[],
  isolated: Isolated | undefined,
  seen: Seen,
): readonly Part[] => {
  if (isolated) {
    const faults = needsFaults(isolated, exchange) ? faultsIn(exchange) : []
    return [...faults, ...ofAnyValue(isolated.parts, exchange, seen)]
  }
  const faults = faultsOf(exchange, seen)
  return faults.length > 0 ? faults : partApart(exchanges, seen.trace)
}

/**
 * Of a list that repeats another one it says nothing which pets it lacks; but lists that lag show
 * a new pet some time later, whatever was requested before.
 */
const withoutRepeat = (around: Around, own: readonly Part[]) => {
  if (!around.isRepeat) return { ...around, conditions: own }
  const isLag = own.some(({ part, kind }) => part === 'pet' && kind === 'age')
  return isLag
    ? { conditions: own }
    : { ...around, conditions: own.filter(({ part }) => part !== 'pet') }
}

const joinedText = (...all: readonly (string | undefined)[]): string | undefined =>
  all.filter((each) => each !== undefined).join(', ') || undefined

/** What of the request may matter, and what around it. */
const mattering = (
  first: Violation,
  exchanges: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  seen: Seen,
) => {
  const exchange = last(first)
  if (!exchange) return { conditions: [] }
  const { trace } = seen
  const chance = spanOf(exchange, trace)
  if (chance !== undefined) return { conditions: [], chance }
  const isStatus = isOfStatus(first.wrong.aspect)
  const isOfRequest = isStatus && !first.wrong.ofKey
  const isolated = isOfRequest ? isolateOrState(exchange, seen) : undefined
  const { explains, ...around } = whatIsAround(first, exchanges, failing, isolated, seen)
  const own = isOfRequest
    ? partsOfStatus(exchange, exchanges, isolated, seen)
    : conditionsOf(first, exchanges, failing, seen)
  const {
    after: step = isolated?.after,
    isRepeat,
    conditions,
  } = withoutRepeat(around, explains ? [] : own)
  const after = joinedText(step, countedOnKey(exchanges, seen))
  const isPlain = conditions.length === 0
  const isAfter = isOfPet(isolated) || (isStatus && wasServedBefore(exchange, isPlain, trace))
  const isOfTime = isOfRequest || first.wrong.aspect === 'count'
  const date = isOfTime ? dateOf(first.wrong, exchanges, failing, trace) : undefined
  const isOpen = isOfRequest && isPlain && !isolated && !explains && !date
  return {
    conditions: conditions.map((part) => writtenPart(part, isStatus ? exchanges : [])),
    ...defined({
      ...(!explains && { passing: passingIn(isolated), chance: isolated?.chance }),
      // Nothing isolates what decides: what was sent is shown.
      ...(isOpen && { isOpen, targets: targetsOf(exchanges) }),
      ...{ after, isRepeat },
      keys: keysOf(first.wrong, exchanges, trace),
      dependsOnHistory: isAfter || isLate(exchanges) ? (true as const) : undefined,
      date,
    }),
  }
}

/** The lower, the plainer; of what a sequence was reduced to no part can be left out. */
const oddityOf = memoized(({ wrong, evidence }: Violation): readonly number[] => {
  const exchange = evidence.at(-1)
  if (!exchange) return []
  const lengths = evidence.map(
    ({ apiRequest: { method, path, headers, body } }) =>
      [method, path, body, ...headers.flat()].join().length,
  )
  return [
    Number(!wrong.inSequence),
    Number(isTogether(exchange)),
    evidence.length,
    read(exchange).parts.length,
    Number(isDrawn(exchange.check)),
    lengths.reduce((sum, each) => sum + each, 0),
  ]
})

/** The plainest, then the others in their order; of calls of a key all matter. */
const ordered = (kind: Kind, all: readonly Violation[]): Kind => {
  const [first] = kind
  const isOfKey = kind.some(({ wrong }) => wrong.ofKey)
  const own = new Set(kind)
  const others = all.filter((each) => own.has(each) && (isOfKey || each !== first))
  return isOfKey || !first ? others : [first, ...others]
}

/** What decides at a plainer request explains the others that have it. */
const groupByKind = (all: readonly Violation[], seen: Seen): readonly Kind[] => {
  const keyFor = (violation: Violation): string => {
    const { aspect, ofKey } = violation.wrong
    const exchange = last(violation)
    if (!exchange || aspect !== 'status' || ofKey) return kindOf(violation, () => [])
    const isolated = isolateOrState(exchange, seen)
    const { parts = faultsOf(exchange, seen), chance = '', after = chance } = isolated ?? {}
    const words = parts.map(({ part, kind }) => `${part} ${kind}`)
    return kindOf(violation, () => [...words, after])
  }
  const plainestFirst = all.toSorted((a, b) => byRanks(oddityOf(a), oddityOf(b)))
  const kinds = Map.groupBy(plainestFirst, keyFor)
  return [...kinds.values()].map((kind) => ordered(kind, all))
}

/** The plainest request that fails for the same reason shows it best. */
const plainestOf = (
  violation: Violation,
  seen: Seen,
  shows: Parameters<Explain>[2] = () => undefined,
): Violation => {
  const { wrong } = violation
  const exchange = last(violation)
  const isolated = exchange && wrong.aspect === 'status' && !wrong.ofKey && isolate(exchange, seen)
  if (!isolated || isolated.failing === exchange) return violation
  // A row is shown by its own requests, unless they were in flight with others.
  if (isolated.failing.check !== exchange.check && !isTogether(exchange)) return violation
  const own = shows(isolated.failing)
  if (!own) return violation
  const { requirement: _, ...its } = own.wrong
  const { requirement } = wrong
  return new Violation(own.expected, own.actual, own.evidence, {
    ...its,
    ...(requirement !== undefined && { requirement }),
  })
}

const isOfStep = ({ after }: Pick<Finding, 'after'>): boolean =>
  after !== undefined && after !== inFlight

/** What a violation observed, the most frequent kind first, and what of its requests matters. */
export const explain: Explain = (violation, trace, shows) => {
  const seen = seenIn(trace)
  const regrouped = violation instanceof Violations && violation.by((all) => groupByKind(all, seen))
  const shown = regrouped || violation
  const { kinds, judged } = shown instanceof Violations ? shown : { kinds: [[shown]], judged: 1 }
  const failing = new Set(kinds.flat().flatMap((each) => last(each) ?? []))
  const all = kinds.flatMap((kind) => {
    const [first] = kind
    if (!first) return []
    const exchanges = kind.flatMap((each) => last(each) ?? [])
    const own = plainestOf(shownBy(first, exchanges), seen, shows)
    const found = recordFinding([own, ...kind.slice(1)], judged).map((finding) => ({
      ...shareAmong(first.wrong, exchanges, failing, trace),
      ...defined({ creations: creationsOf(kind) }),
      ...finding,
      ...mattering(own, exchanges, failing, seen),
    }))
    return [{ first, found }]
  })
  const found = all.flatMap((each) => each.found)
  const steps = new Set(found.filter(isOfStep).map(({ status }) => status))
  const isolated = new Set(found.filter(({ isOpen }) => !isOpen).map(({ status }) => status))
  // What was sent before explains more than what was in flight, any condition more than none.
  const isLess = ({ found }: (typeof all)[number]) =>
    found.every(
      (one) =>
        (one.after === inFlight && steps.has(one.status)) ||
        (one.isOpen && isolated.has(one.status)),
    )
  const placed = all.toSorted((one, other) => Number(isLess(one)) - Number(isLess(other)))
  const [first] = placed.map((each) => each.first)
  const plainest = first && plainestOf(first, seen, shows)
  const findings = placed.flatMap(({ found }) => found)
  return { shown: plainest && plainest !== kinds[0]?.[0] ? plainest : shown, findings }
}
