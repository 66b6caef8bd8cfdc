// Which checks, asked again alone, would break a sentence about every answer once more.
import { type Alike, alikeOf } from './alike.ts'
import type { Invariant, Question, Trace } from './check.ts'
import { type Answered, statusOf } from './exchange.ts'
import { petsRead } from './herd.ts'
import { judgeInvariant } from './judge-invariants.ts'
import { type Asked, isAsked } from './order.ts'
import { Untested, Violation } from './outcome.ts'
import { smokeId } from './smoke.ts'

/** A breach, and the checks that draw it again when they alone are asked. */
export interface Provoked {
  readonly violation: Violation
  readonly checks: readonly string[]
}

interface Broken {
  readonly violation: Violation
  readonly exchange: Answered
  readonly alike: Alike
}

/** Breaches looked at, and of those as many tried, for each sentence. */
const brokenMost = 500
const triesMost = 20
/** A longer answer is judged once and no more: it may be a hostile one. */
const bytesMost = 1_000_000
/** What is read a second time for a sentence; a breach that is frequent shows in it. */
const bytesReadMost = 16_000_000
/** A list of more than this shows animals that a check alone does not make. */
const ownMost = 20

/** How many answers alike keep a sentence, and how many break it. */
type Tally = Map<string, { all: number; broken: number }>

/** As many answers as are read once more in no time. */
const affordable = (exchanges: readonly Answered[]): readonly Answered[] => {
  const short = exchanges.filter(({ response }) => response.bytes.length <= bytesMost)
  let read = 0
  const end = short.findIndex(({ response }) => {
    read += response.bytes.length
    return read > bytesReadMost
  })
  return end < 0 ? short : short.slice(0, end)
}

/** What a sentence says of an answer; undefined where it cannot be judged. */
const heldBy = (
  invariant: Invariant,
  exchange: Answered,
  trace: Trace,
): Violation | 'kept' | undefined => {
  try {
    if (!invariant.applies(exchange)) return undefined
    invariant.holds(exchange, trace)
    return 'kept'
  } catch (error) {
    if (error instanceof Violation) return error
    if (error instanceof Untested) return undefined
    throw error
  }
}

const count = (tally: Tally, alike: Alike, isBroken: boolean): void => {
  for (const key of [alike.request, alike.answer, alike.operation]) {
    const so = tally.get(key) ?? { all: 0, broken: 0 }
    tally.set(key, { all: so.all + 1, broken: so.broken + Number(isBroken) })
  }
}

const look = (invariant: Invariant, trace: Trace, alikeOfOne: (one: Answered) => Alike) => {
  const found: Broken[] = []
  const tally: Tally = new Map()
  for (const exchange of affordable(trace.exchanges)) {
    const held = heldBy(invariant, exchange, trace)
    if (held === undefined) continue
    const alike = alikeOfOne(exchange)
    count(tally, alike, held !== 'kept')
    if (held !== 'kept') found.push({ violation: held, exchange, alike })
    if (found.length >= brokenMost) break
  }
  return { found, tally }
}

/** What an exchange rests on, from what stands by itself to what takes a whole run. */
const ranks = ['itself', 'fetch', 'own', 'crowd', 'creations', 'list', 'limits', 'late'] as const
type Rank = (typeof ranks)[number]

const late = ['days', 'time', 'removal']

const rankOf = (exchange: Answered, asked: Asked | undefined, trace: Trace): Rank => {
  const { method, path } = exchange.asked
  const stage = asked?.needs.stage ?? 'probes'
  if (late.includes(stage)) return 'late'
  if (stage === 'limits' || stage === 'bans') return 'limits'
  if (method !== 'GET' || statusOf(exchange) !== 200) return 'itself'
  const made = asked?.needs.made
  const isLong = petsRead(exchange).length > ownMost
  if (made === 'crowd') return isLong ? 'own' : 'crowd'
  if (made !== undefined) return 'creations'
  if (path.startsWith('/pets/')) return 'fetch'
  const isOwn = (other: Answered) =>
    other.check === exchange.check && other.seq < exchange.seq && statusOf(other) === 201
  return !isLong && trace.exchanges.some(isOwn) ? 'own' : 'list'
}

/** What tells whether an answer is broken each time. */
const tellingOf = ({ ofCount }: Invariant, exchange: Answered): keyof Alike => {
  // Of a count that all calls move, one request says nothing.
  if (ofCount) return 'operation'
  // A fault of the server may be of one request alone; what else it is answered tells.
  return statusOf(exchange) >= 500 ? 'request' : 'answer'
}

/** Those that hold what they look at need no other; a refusal of the others came of all calls. */
const standsAlone = (
  invariant: Invariant,
  { exchange, alike }: Broken,
  asked: Asked | undefined,
  tally: Tally,
): boolean => {
  const { stage, holds, looksAt } = asked?.needs ?? { stage: 'probes' }
  if (['limits', 'bans', 'days'].includes(stage)) return Boolean(holds ?? looksAt)
  if (invariant.ofCount === 'over time') return false
  const so = tally.get(alike[tellingOf(invariant, exchange)])
  return statusOf(exchange) !== 429 && so !== undefined && so.broken * 2 >= so.all
}

const checksOf = ({ violation }: Broken): string[] => [
  ...new Set(violation.evidence.map(({ check }) => check)),
]

/** Those that could draw it again, the likeliest first. */
const candidates = (
  invariant: Invariant,
  asked: ReadonlyMap<string, Asked>,
  trace: Trace,
): Provoked[] => {
  const alikeOfOne = (one: Answered) => alikeOf(one, asked.get(one.check)?.needs.made)
  const { found, tally } = look(invariant, trace, alikeOfOne)
  const isNamed = (id: string) => id === smokeId || asked.has(id)
  const ranked = found
    .filter((each) => checksOf(each).every(isNamed))
    .filter((each) => standsAlone(invariant, each, asked.get(each.exchange.check), tally))
    .map((each) => {
      const rank = ranks.indexOf(rankOf(each.exchange, asked.get(each.exchange.check), trace))
      return { violation: each.violation, rank, checks: checksOf(each) }
    })
    .toSorted((a, b) => a.rank - b.rank || a.checks.length - b.checks.length)
  const first = new Map(ranked.toReversed().map((each) => [each.checks.join(' '), each]))
  return ranked.filter((each) => first.get(each.checks.join(' ')) === each)
}

/**
 * Looks for checks whose own answers break a sentence that was broken, with what they rest on.
 * @returns undefined where only all answers together are known to
 */
export const provokedBy = (
  invariant: Invariant,
  questions: readonly Question[],
  trace: Trace,
): Provoked | undefined => {
  const asked = new Map(questions.filter(isAsked).map((each) => [each.id, each]))
  return candidates(invariant, asked, trace)
    .slice(0, triesMost)
    .find(({ checks }) => {
      const isTheirs = ({ check }: Answered) => check === smokeId || checks.includes(check)
      const exchanges = affordable(trace.exchanges.filter(isTheirs))
      const ending = judgeInvariant(invariant, { ...trace, exchanges })
      return ending.kind === 'threw' && ending.error instanceof Violation
    })
}
