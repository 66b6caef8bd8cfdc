// Counts that calls of one kind have for themselves: Remaining of each kind falls by one with each
// of its calls, which no one count of all calls does.

import { memoized } from '../../history/exchange.ts'
import { read } from '../read.ts'
import { type Call, isBefore, mayHaveEnded } from './calls.ts'
import type { Breach, OfKey } from './laws.ts'

type NameOf = (call: Call) => string

const operationOf: NameOf = ({ exchange }) => read(exchange).name

/** In what calls differ, by the name of the kind. */
const kinds: readonly (readonly [name: string, nameOf: NameOf])[] = [
  ['spelling of the scheme', ({ exchange }) => exchange.apiRequest.scheme],
  ['operation', operationOf],
  ['method', ({ exchange }) => exchange.apiRequest.method],
  ['route', (call) => operationOf(call).split(' ')[1] ?? ''],
  ['path', ({ exchange }) => exchange.apiRequest.path.split('?')[0] ?? ''],
  ['query', ({ exchange }) => exchange.apiRequest.path.split('?')[1] ?? 'no query'],
]

const fieldsOf = memoized(
  ({ exchange }: Call) =>
    new Map(exchange.apiRequest.headers.map(([name, value]) => [name.toLowerCase(), value])),
)

/** The fields that some calls have, each a kind of its own. */
const fieldKinds = (calls: readonly Call[]): typeof kinds =>
  [...new Set(calls.flatMap((call) => [...fieldsOf(call).keys()]))]
    .filter((name) => name !== 'content-type')
    .map((name) => [name, (call) => fieldsOf(call).get(name) ?? `no ${name}`])

/** By this many steps of one each within the kinds they are known. */
const minSteps = 4

const isAbout = ({ window, refused }: Call, name: string | undefined): boolean =>
  window?.name === name && !refused

/** The calls of a key since which the window of this one cannot have ended. */
const stretchTo = (to: Call): readonly Call[] => {
  let { before: last } = to
  while (last && !(isAbout(last, to.window?.name) && mayHaveEnded(last, to))) last = last.before
  return to.all.slice(last ? last.place + 1 : 0, to.place + 1)
}

/** Whether each number occurs once, and none is missing that no call of these accounts for. */
const isRow = (calls: readonly Call[], max: number): boolean => {
  const numbers = calls.map(({ remaining }) => remaining)
  const isOnce = new Set(numbers).size === numbers.length
  return isOnce && Math.max(...numbers) - Math.min(...numbers) < max
}

/** How many counts there are, if calls of each name have one; those that fail need not count. */
const countApart = (
  calls: readonly Call[],
  evidence: readonly Call[],
  nameOf: NameOf,
): number | undefined => {
  const to = evidence.at(-1) as Call
  const crosses = (at: number) => nameOf(evidence[at - 1] as Call) !== nameOf(evidence[at] as Call)
  if (!evidence.every((_, at) => at % 2 === 0 || crosses(at))) return undefined
  const groups = [...Map.groupBy(calls, nameOf).values()]
  const about = calls.filter((call) => isAbout(call, to.window?.name))
  const same = about.filter((call, at) => at > 0 && nameOf(call) === nameOf(about[at - 1] as Call))
  // Two replicas in turn count apart what is sent in turn.
  if (same.length < minSteps || about.length - groups.length < minSteps) return undefined
  // An error may show the number of another count.
  if (!to.served && about.filter((call) => nameOf(call) === nameOf(to)).length < 2) return undefined
  const areRows = groups.every((group) => {
    const own = group.filter((call) => isAbout(call, to.window?.name))
    const served = own.filter((call) => call.served)
    return isRow(own, group.length) || (served.length > 0 && isRow(served, group.length))
  })
  return areRows ? groups.length : undefined
}

/** Whether calls differ in what may be counted apart. */
export const isOtherKind = (one: Call, other: Call): boolean => {
  const differs = ([, nameOf]: (typeof kinds)[number]) => nameOf(one) !== nameOf(other)
  return kinds.some(differs) || fieldKinds([one, other]).some(differs)
}

/** Whether no other call in its window is of its kind. */
const isFirstOfKind = (call: Call): boolean => {
  const earlier = stretchTo(call).slice(0, -1)
  const all = [...kinds, ...fieldKinds([...earlier, call])]
  return all.some(([, nameOf]) => earlier.every((one) => nameOf(one) !== nameOf(call)))
}

/**
 * What a law found, if calls of a kind are counted apart: the kinds with the fewest counts. A count
 * that is cleared rises once, so it takes a rise and another one, or a fall.
 */
const countedApart = ({ calls: evidence, ...breach }: Breach): Breach | undefined => {
  const [[from, risen], to] = [evidence, evidence.at(-1)]
  const calls = to ? stretchTo(to) : []
  if (!from || !risen || !to || evidence.length < 4 || !calls.includes(evidence[0] as Call))
    return undefined
  const fits = [...kinds, ...fieldKinds(calls)].flatMap(([name, nameOf]) => {
    const counts = countApart(calls, evidence, nameOf)
    return counts === undefined ? [] : [{ name, nameOf, counts }]
  })
  const fewest = Math.min(...fits.map(({ counts }) => counts))
  const [first, ...more] = fits.filter(({ counts }) => counts === fewest)
  if (!first) return undefined
  const name = [first, ...more].map((each) => each.name).join(' or ')
  return {
    ...breach,
    law: 'calls-share-one-count',
    calls: evidence,
    expected: 'one count for all calls of a key',
    actual:
      `each ${name} has a count of its own: Remaining went from ${from.remaining} on ` +
      `${first.nameOf(from)} to ${risen.remaining} on ${first.nameOf(risen)}`,
    wrong: { aspect: 'behaviour', name, kind: 'counted apart' },
  }
}

/** More are seldom behind one address, and so many calls show that they take turns. */
const maxReplicas = 4
const minTurns = 4

/** What a law found, if each call has the next number of one of a few counts, as replicas have. */
const countedInTurn = ({ calls: evidence, ...breach }: Breach): Breach | undefined => {
  const to = evidence.at(-1)
  const calls = to ? stretchTo(to).filter((call) => isAbout(call, to.window?.name)) : []
  const rows: number[][] = []
  const turns = calls.map(({ remaining }) => {
    const at = rows.findIndex((row) => row.at(-1) === remaining + 1)
    const own = rows[at] ?? []
    if (at < 0) rows.push(own)
    own.push(remaining)
    return own
  })
  const crossings = turns.filter((own, at) => at > 0 && own !== turns[at - 1]).length
  const areCounts = rows.length > 1 && rows.length <= maxReplicas && crossings >= minTurns
  if (!areCounts || rows.some(({ length }) => length <= minSteps)) return undefined
  const last = calls.slice(-minTurns).map(({ remaining }) => remaining)
  return {
    ...breach,
    law: 'calls-share-one-count',
    calls: evidence,
    expected: 'one count for all calls of a key',
    actual: `${rows.length} counts in turn, as of replicas: Remaining went ${last.join(', ')}`,
    wrong: { aspect: 'behaviour', name: 'replica', kind: 'counted apart' },
  }
}

/** What a law found, as that of several counts where these explain it. */
export const asSeveralCounts = (found: Breach): Breach =>
  countedApart(found) ?? countedInTurn(found) ?? found

/**
 * Reports rises; at the first call of a kind that may be counted apart, the next one of another
 * kind tells.
 */
export const createTelling = ({ breach, doubt, decide }: OfKey) => {
  let open: Breach | undefined
  return (rise: Breach | undefined, to: Call): void => {
    if (!rise && !open) return
    const isFirst = isFirstOfKind(to)
    if (rise && !isFirst) breach(rise)
    if (isFirst !== (rise !== undefined)) return
    if (rise) doubt(rise)
    else if (open && to.before) {
      decide(open, false)
      breach(countedApart({ ...open, calls: [...open.calls, to.before, to] }) ?? open)
    }
    open = rise
  }
}

/** Whether more came back than a bucket gives back meanwhile, in steps of any size. */
const isBeyondBucket = (rises: readonly (readonly [Call, Call])[]): boolean => {
  const [first, last] = [rises[0]?.[0], rises.at(-1)?.[1]]
  if (!first?.window || !last) return false
  const { limit, ms } = first.window
  const sizes = rises.map(([from, to]) => to.remaining - from.remaining)
  const given = (limit * (last.latestMs - first.fromMs)) / ms + Math.max(...sizes)
  return sizes.reduce((sum, size) => sum + size, 0) > given
}

const apartBy = (rises: readonly (readonly [Call, Call])[], { seq }: Call): Breach | undefined => {
  const found = { law: 'calls-share-one-count', place: seq, sure: true } as const
  return countedApart({ ...found, calls: rises.flat(), expected: '', actual: '' })
}

/** A rise of one may be a call that comes back. */
const minRise = 2
/** So many rises show a pattern; it is looked for as often as their number doubles. */
const minRises = 4

/** The call right before one, of which Remaining rises to it. */
const riseTo = (to: Call): Call | undefined => {
  const { before: from, window, remaining, refused } = to
  const isOfOne = from?.window !== undefined && from.window.name === window?.name
  if (!isOfOne || from.refused || refused) return undefined
  return remaining >= from.remaining + minRise && isBefore(from, to) ? from : undefined
}

/**
 * Small rises, each where a call is of another kind than the one before it, which a bucket may
 * explain one by one: with a count for each kind the numbers of each are a row.
 */
export const createCrossings = ({ breach }: Pick<OfKey, 'breach'>) => {
  let rises: (readonly [Call, Call])[] = []
  let next = minRises
  return (to: Call): void => {
    const from = riseTo(to)
    if (!from) return
    const isNew = rises[0] !== undefined && mayHaveEnded(rises[0][0], to)
    if (isNew) [rises, next] = [[], minRises]
    if (!isOtherKind(from, to)) return
    rises.push([from, to])
    const latest = rises.slice(-minRises)
    if (rises.length < next || !isBeyondBucket(latest)) return
    next *= 2
    const apart = apartBy(latest, to)
    if (apart) breach(apart)
  }
}
