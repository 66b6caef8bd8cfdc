// Whether a key is refused because another one was: while that waits, after so many refusals. Or
// because each of its calls moves its Reset.
import { type Exchange, isSuccess, memoized, statusCode } from '../../history/exchange.ts'
import { unique } from '../../history/quote.ts'
import { isShutOut, rateHeaders, readWaitMs, toMs } from '../../history/rate-headers.ts'
import { inOrder, type Seen } from './seen.ts'

/** So many calls are served where another key has fewer refusals. */
const minServed = 20

interface Refused {
  readonly key: string
  readonly times: number
  readonly status: number
  readonly untilMs: number
}

/** For each call the other keys that have to wait then: how often each was refused, and how. */
const refusalsIn = memoized((seen: Seen): ReadonlyMap<Exchange, readonly Refused[]> => {
  const refused = new Map<string, Refused>()
  const found = new Map<Exchange, readonly Refused[]>()
  for (const one of inOrder(seen)) {
    const { key } = one
    if (key === null || one.response === null) continue
    const isWaiting = ({ untilMs }: Refused) => toMs(one) < untilMs
    const others = [...refused].filter(([each]) => each !== key).map(([, own]) => own)
    found.set(one, others.filter(isWaiting))
    if (isSuccess(one)) refused.delete(key)
    if (!isShutOut(one)) continue
    const before = refused.get(key)
    const times = before && isWaiting(before) ? before.times + 1 : 1
    const untilMs = toMs(one) + (readWaitMs(one) ?? 0)
    refused.set(key, { key, times, status: statusCode(one), untilMs })
  }
  return found
})

/** Keys are labelled by their plan. */
const planOf = (key: string | null): string => `${key}`.replace(/-\d+$/, '')

/** With which statuses other keys are refused, in words, each of which may decide. */
const statusesOf = (_: Exchange, others: readonly Refused[]): readonly string[] =>
  others.map(({ status }) => `while another key is refused with ${status}`)

/** Of which plans they are: that it is another one says less than which one, which comes last. */
const plansOf = (one: Exchange, others: readonly Refused[]): readonly string[] =>
  others
    .map(({ key }) => planOf(key))
    .filter((plan) => plan !== planOf(one.key))
    .flatMap((plan) => [
      'while a key of another plan is refused',
      `while a key of the plan ${plan} is refused`,
    ])

/** So many pauses between its calls show how Reset moves. */
const minPauses = 3
/** A pause is longer than Reset is rounded by, and shorter than a window. */
const pauseMs = { least: 2_000, most: 55_000 }

/** Whether the calls of its key moved Reset by as long as each of the last pauses before them. */
export const whereResetMoves = ([first]: readonly Exchange[], seen: Seen): string | undefined => {
  if (!first || !isShutOut(first)) return undefined
  const own = inOrder(seen).flatMap((one) => {
    const { reset } = (one.key === first.key && isSuccess(one) && rateHeaders(one)) || {}
    return reset !== undefined && one.seq < first.seq ? [{ ms: toMs(one), reset }] : []
  })
  const pauses = own.flatMap((one, at) => {
    const { ms, reset } = own[at - 1] ?? one
    const pause = one.ms - ms
    const isPause = pause >= pauseMs.least && pause <= pauseMs.most
    return isPause ? [Math.abs((one.reset - reset) * 1000 - pause)] : []
  })
  const last = pauses.slice(-minPauses)
  const areMoved = last.length === minPauses && last.every((by) => by < pauseMs.least)
  return areMoved ? 'where each call moves X-RateLimit-Reset' : undefined
}

/** All of these came while others were refused as none that is served did. */
export const afterRefusals = (exchanges: readonly Exchange[], seen: Seen): string | undefined => {
  const refusals = refusalsIn(seen)
  const served = [...refusals.keys()].filter(isSuccess)
  const [first] = exchanges
  if (served.length < minServed || !first || !exchanges.every(isShutOut)) return undefined
  const others = (one: Exchange) => refusals.get(one) ?? []
  /** The least of a number that is larger for each than for all that is served. */
  const leastOf = (of: (others: readonly Refused[]) => number): number | undefined => {
    const least = Math.min(...exchanges.map((one) => of(others(one))))
    return served.every((one) => of(others(one)) < least) ? least : undefined
  }
  const keys = leastOf((all) => all.length)
  if (keys === 1) return 'while another key is refused'
  const apartBy = (wordsOf: typeof plansOf): readonly string[] => {
    const has = (words: string) => (one: Exchange) => wordsOf(one, others(one)).includes(words)
    const isApart = (words: string) => exchanges.every(has(words)) && !served.some(has(words))
    return unique(wordsOf(first, others(first))).filter(isApart)
  }
  const ways = [
    ...(keys === undefined ? [] : [`while ${keys} keys are refused`]),
    ...apartBy(statusesOf),
    ...apartBy(plansOf).slice(-1),
  ]
  if (ways.length > 0) return ways.length === 1 ? ways[0] : undefined
  const times = leastOf((all) => Math.max(0, ...all.map((each) => each.times)))
  return times === undefined ? undefined : `after ${times} refusals of another key`
}
