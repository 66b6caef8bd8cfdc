// What was sent before decides: right before each request that fails and none that passes, of any
// request or on its connection; or once, and all requests fail since.
import { bodyText } from '../../history/body.ts'
import { type Exchange, isSuccess, keptIn, memoized, statusCode } from '../../history/exchange.ts'
import {
  groupedBy,
  has,
  isDue,
  isFar,
  isFault,
  isLike,
  isOfPlain,
  isOnNewConnection,
  isTogether,
  isValid,
  keyOf,
  kindOf,
  mayBeDue,
  minNoChance,
  passes,
  textOf,
} from '../conditions.ts'
import { describeRequest, joinWords, read } from '../read.ts'
import type { Seen } from './seen.ts'

/** So many of the requests after a step pass after others. */
const minElsewhere = 2

/** What comes before so many of those that fail, and before none that passes. */
const onlyBefore = (
  failing: readonly Exchange[],
  passing: readonly Exchange[],
  stepsBefore: (one: Exchange) => readonly string[],
  least: number,
): ReadonlySet<string> => {
  const harmless = new Set(passing.flatMap(stepsBefore))
  const steps = Map.groupBy(failing.flatMap(stepsBefore), (step) => step)
  const isStep = ([step, { length }]: [string, unknown[]]) => !harmless.has(step) && length >= least
  return new Set([...steps].filter(isStep).map(([step]) => step))
}

/** For each request with a key the steps since the last one of its operation. */
const stepsIn = memoized(({ trace }: Seen): ReadonlyMap<Exchange, ReadonlySet<string>> => {
  const since = new Map<string, Set<string>>()
  const steps = new Map<Exchange, ReadonlySet<string>>()
  for (const one of trace) {
    const { name, operation } = read(one)
    // What is refused for its quota changes nothing.
    if (operation === undefined || one.key === null || statusCode(one) === 429) continue
    steps.set(one, since.get(name) ?? new Set())
    since.delete(name)
    const step = `a ${name} (${statusCode(one)})`
    for (const before of isDue(one) ? since.values() : []) before.add(step)
    since.set(name, new Set())
  }
  return steps
})

const stepsOfKinds = memoized((_: Seen) => new Map<string, ReadonlySet<string>>())

/** Steps before many that fail so and before none of their operation that passes, also later. */
const stepsBefore = (one: Exchange, seen: Seen): ReadonlySet<string> =>
  keptIn(stepsOfKinds(seen), kindOf(one), () => {
    const before = stepsIn(seen)
    const isLike = (each: Exchange) => kindOf(each) === kindOf(one) && !passes(each)
    const failing = [...before.keys()].filter(isLike)
    const firstSeq = failing[0]?.seq ?? 0
    const passing = seen.trace.filter((each) => read(each).name === read(one).name && passes(each))
    const after = passing.filter(({ seq }) => seq > firstSeq)
    if (failing.length < minNoChance || after.length < minNoChance) return new Set()
    return onlyBefore(failing, passing, (each) => [...(before.get(each) ?? [])], minNoChance)
  })

/** A request that may leave something on its connection: its body, where it is refused. */
const wordsOf = (one: Exchange): string => {
  const { name, key } = read(one)
  const { method, body } = one.apiRequest
  const without = [
    ...(key === 'valid' ? [] : ['without a valid key']),
    ...(method === 'POST' && !body ? ['without a body'] : []),
  ]
  return `a ${name}${without.map((each) => ` ${each}`).join(' and')} (${statusCode(one)})`
}

const isKept = (one: Exchange): boolean =>
  one.apiRequest.fresh !== true && one.response?.opened !== true && !isTogether(one)

/** By step what followed it on its connection, and all that followed any. */
const followingIn = memoized(({ trace }: Seen) => {
  const following = new Map<string, Exchange[]>()
  let last: Exchange | undefined
  for (const one of trace) {
    if (one.apiRequest.fresh) continue
    // Of what was in flight with others it is not known which connection it had.
    if (last && isDue(last) && isKept(one) && one.sentMs >= last.receivedMs) {
      keptIn(following, wordsOf(last), () => []).push(one)
    }
    last = isTogether(one) ? undefined : one
  }
  return { steps: [...following], kept: new Set([...following.values()].flat()) }
})

/** After which step a connection gives each request this status, which elsewhere passes. */
const stepOnConnection = (one: Exchange, seen: Seen): string | undefined => {
  if (mayBeDue(one)) return undefined
  const { steps, kept } = followingIn(seen)
  /** What is read alike and passes with another status. */
  const passingLike = (each: Exchange) =>
    seen.alikeTo(each).filter((two) => !isLike(each)(two) && isDue(two))
  // It is not that they are sent right after any other one that passes.
  const isElsewhere = (each: Exchange) => passingLike(each).some((two) => kept.has(two))
  const [step] =
    steps.find(([, own]) => {
      // What is in flight with others may have any connection that was used before.
      const isOwn = isTogether(one) ? own.some(({ seq }) => seq < one.seq) : own.includes(one)
      const isOfAll = own.every(isLike(one))
      if (!isOwn || !isOfAll || own.length < minNoChance) return false
      return own.filter(isElsewhere).length >= minElsewhere
    }) ?? []
  return step && passingLike(one).length > 0 ? `${step} on its connection` : undefined
}

export const onUsedConnection = 'on some connections that were used before, and on no new one'

/** What was sent alone, by its operation and its faults. */
const aloneIn = memoized(({ trace }: Seen) =>
  groupedBy(
    trace.filter((one) => !isTogether(one)),
    (one) => [read(one).name, ...read(one).parts.filter(isFault).map(keyOf)].join('\n'),
  ),
)

/** Equal requests pass on new connections alone, where none with the same faults fails. */
export const byConnection = (one: Exchange, seen: Seen): string | undefined => {
  const own = aloneIn(seen)(one)
  const failing = own.filter(isLike(one))
  const passing = seen.equalTo(one).filter(passes)
  const isOfUsed = failing.length >= minNoChance && !failing.some(isOnNewConnection)
  return isOfUsed && passing.length >= minElsewhere && passing.every(isOnNewConnection)
    ? onUsedConnection
    : undefined
}

const rightAfter = (step: string): string => `right after ${step}`

/** What came right before it, as before many that fail likewise, and none that passes. */
export const stepBefore = (one: Exchange, seen: Seen): string | undefined => {
  const [own] = stepsIn(seen).get(one)?.intersection(stepsBefore(one, seen)) ?? []
  const step = own ?? stepOnConnection(one, seen)
  return step && rightAfter(step)
}

/** In the order of the responses the latest one that was sent earlier. */
const latestBefore = memoized(({ trace }: Seen) =>
  memoized(({ seq }: Exchange) => trace.findLast((each) => each.seq < seq)),
)

/** Likewise of its operation, and with a key. */
const latestOfOwn = memoized(({ trace }: Seen) =>
  memoized((one: Exchange) => {
    const { name } = read(one)
    return trace.findLast(
      (each) => each.seq < one.seq && each.key !== null && read(each).name === name,
    )
  }),
)

/** So often at least equal requests pass, and fail. */
const minOfOthers = 2

const maxParts = 3

const describeStep = (one: Exchange): string => {
  const { name, parts } = read(one)
  const odd = parts.filter((each) => !isOfPlain(each)).slice(0, maxParts)
  return `${name}${odd.length > 0 ? ` ${joinWords(odd)}` : ''} (${statusCode(one)})`
}

/** What came right before each equal request that fails, and before none that passes. */
export const stepBeforeEqual = (one: Exchange, seen: Seen): string | undefined => {
  const equal = seen.equalTo(one)
  const latest = latestBefore(seen)
  const before = latest(one)
  const textsBefore = (each: Exchange) => [textOf((latest(each) ?? each).apiRequest)]
  const own = equal.filter(isLike(one))
  const others = equal.filter((each) => !isLike(one)(each))
  const texts = onlyBefore(own, others, textsBefore, own.length)
  const isStep = before && texts.size > 0 && !texts.has(textOf(one.apiRequest))
  // They fail right after others of their operation only.
  const { name } = read(one)
  const isAgain = (each: Exchange) => equal.includes(latestOfOwn(seen)(each) ?? each)
  const [failing, passing] = [equal.filter((each) => !passes(each)), equal.filter(passes)]
  const isEnough = Math.min(failing.length, passing.length) >= minOfOthers
  const areOfOthers = isEnough && passing.every(isAgain) && !failing.some(isAgain)
  if (areOfOthers && (!isStep || isSuccess(before))) return rightAfter(`another ${name}`)
  return isStep ? rightAfter(describeStep(before)) : undefined
}

/** Fewer valid requests may fail one by one. */
const minInState = 3
const maxBefore = 2
/** More say nothing. */
const maxCounted = 12

/** Of more than two the first and the last are named. */
const afterAll = (before: readonly string[]): string =>
  before.length > maxBefore
    ? `after one of ${before.length} requests, ${before[0]} to ${before.at(-1)}`
    : `after ${before.join(' and ')}`

/**
 * A request that may have changed the state, with what is peculiar about it first of all.
 * @param harmless what requests had after which the server still served
 */
const changeIn = (one: Exchange, harmless: readonly Exchange[]) => {
  const { name, parts } = read(one)
  // A method that there is not changes nothing.
  const isNone = one.apiRequest.method === 'GET' || [405, 501].includes(statusCode(one))
  const peculiar = parts.find(
    (part) => part.is !== 'valid' && !harmless.some((each) => has(each, part)),
  )
  return isNone || !peculiar
    ? []
    : [{ one, words: `${name} ${peculiar.words} (${statusCode(one)})` }]
}

const isBroken = (one: Exchange): boolean => statusCode(one) >= 500

const isRefused = (one: Exchange): boolean => statusCode(one) >= 400 && !isBroken(one)

const firstLine = (one: Exchange): string => bodyText(one).trim().split('\n', 1)[0] ?? ''

/**
 * What left a state that breaks the server: what was sent from a request that was served to the
 * second one that broke since, or to the first one with the same error.
 */
export const changesSince = (
  served: Exchange,
  since: readonly Exchange[],
  { trace }: Seen,
): string | undefined => {
  const [first, second] = since.filter(isBroken)
  // What breaks it may get another error than what finds it broken, and is peculiar.
  const wasBroken = first && second && firstLine(first) === firstLine(second) && isValid(first)
  const endSeq = (wasBroken ? first : second)?.seq ?? served.seq
  const harmless = trace.filter(({ seq }) => seq < served.seq)
  const before = trace
    .filter(({ seq }) => seq >= served.seq && seq < endSeq)
    .flatMap((one) => changeIn(one, harmless))
  // What is refused leaves nothing behind, as far as something else may have.
  const left = before.filter(({ one }) => !isRefused(one))
  const words = (left.length > 0 ? left : before).map((each) => each.words)
  return words.length === 0 || words.length > maxCounted ? undefined : afterAll(words)
}

/** What was sent before the server broke at every valid request of an operation since. */
export const brokenSince = (one: Exchange, seen: Seen): string | undefined => {
  if (!isBroken(one)) return undefined
  const { name } = read(one)
  const own = seen.trace.filter((each) => read(each).name === name && statusCode(each) !== 429)
  const [served, ...since] = own.slice(Math.max(0, own.findLastIndex(isSuccess)))
  if (!served || !isSuccess(served) || one.seq <= served.seq) return undefined
  // The time at the target may be why.
  if (since[0] && isFar(served, since[0])) return undefined
  // What is peculiar about a request may be refused before the state is reached.
  const isFaultless = (each: Exchange) =>
    read(each).key === 'valid' && !read(each).parts.some(isFault)
  const valid = since.filter((each) => isFaultless(each) && (isBroken(each) || isValid(each)))
  if (valid.length < minInState || !valid.every(isBroken)) return undefined
  return changesSince(served, since, seen)
}

/** The requests of a sequence before the last one. */
export const inSequence = (evidence: readonly Exchange[]): string => {
  const before = evidence.slice(0, -1)
  const shown = before
    .slice(-maxBefore)
    .map((one) => `${describeRequest(one)} (${statusCode(one)})`)
    .join(' and ')
  return `${before.length > maxBefore ? 'after' : 'right after'} ${shown}`
}
