// What a key may be granted at most: in a span, in a window that the server declared, after a rest
// of two windows; and how much has to remain after such a rest.

import { asHeader } from '../clause.ts'
import {
  type Call,
  graceMs,
  mayBeBan,
  mayBePast,
  realMs,
  roundingMs,
  slackMs,
  soonMs,
  type Window,
} from './calls.ts'
import { type Breach, type Law, ofEachWindow } from './laws.ts'
import { firstPlace } from './spans.ts'

const seconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`

/** A suspended machine, such as a virtual one, measures less time than has passed. */
const mayHaveSlept = (first: Call, last: Call, ms: number): boolean => {
  const [from, to] = [first.clocksMs.at(-1), last.clocksMs.at(-1)]
  return from !== undefined && to !== undefined && to - from >= ms
}

const tooMany = (
  first: Call,
  last: Call,
  ms: number,
  said: Pick<Breach, 'place' | 'expected' | 'actual'>,
): Breach => ({
  law: 'limit-not-late',
  ...said,
  sure: !mayHaveSlept(first, last, ms),
  calls: [first, last],
  wrong: { aspect: 'behaviour', kind: 'too many served' },
})

/** In less than one window no design grants more than two windows' worth. */
export const grantedInSpan = ofEachWindow(({ name, limit, ms }, { breach, tried }) => {
  const served: Call[] = []
  let begin = 0
  return (last) => {
    // Once the whole quota was sent within a window, the next call may be one too many.
    const sent = last.place < limit ? undefined : last.all[last.place - limit]
    if (sent && last.toMs - sent.fromMs < ms) tried('limit-not-late', last)
    if (!last.served) return
    const at = served.push(last) - 1
    const first = at - 2 * limit < begin ? undefined : served[at - 2 * limit]
    if (!first || last.latestMs - first.fromMs >= ms - graceMs) return
    begin = at + 1
    const expected = `at most ${2 * limit} requests (2 x ${limit}) served in less than a ${name}`
    const actual = `${2 * limit + 1} served within ${seconds(last.latestMs - first.fromMs)}`
    breach(tooMany(first, last, ms, { place: 'span', expected, actual }))
  }
})

/** Under one declared Reset no more than Limit are granted; a bucket's next token is no window. */
export const grantedDeclared: Law = ({ breach }) => {
  const groups = new Map<string, Call[]>()
  return (last) => {
    const { served, window, reset } = last
    if (!served || !window) return
    const { name, limit, ms } = window
    const group = groups.get(`${name} ${reset}`) ?? []
    groups.set(`${name} ${reset}`, group)
    if (group.push(last) <= limit) return
    // A longer time with one Reset is no window: calls may have left the count meanwhile.
    const at = firstPlace(group, (call) => last.toMs - call.fromMs < ms)
    const first = group[at] ?? last
    const isToken = last.fromMs - first.toMs <= roundingMs
    const max = limit + (isToken ? Math.floor(((last.latestMs - first.fromMs) * limit) / ms) : 0)
    const count = group.length - at
    if (count <= max) return
    group.length = 0
    const expected = `at most ${max} requests served until Reset ${reset}`
    const actual = `${count} served`
    breach(tooMany(first, last, ms, { place: 'declared', expected, actual }))
  }
}

const quarterMs = 900_000
/** Quarters of the UTC day that begin at midnight in Chatham (two offsets), Eucla and Kathmandu. */
const oddQuarters: readonly number[] = [41, 45, 61, 73]

/** All other zones have their midnight on the hour of UTC, or at half past. */
const slotOf = (ms: number): number => {
  const quarter = Math.floor(ms / quarterMs)
  return oddQuarters.includes(quarter % 96) ? quarter : quarter - (quarter % 2)
}

const slotsOf = ({ clocksMs }: Call): string => clocksMs.map(slotOf).join()

/** The calls after a rest of two windows, until the window that they began may have ended. */
interface Rested {
  readonly first: Call
  /** That with the first Reset about the window: of calls in flight any may be answered first. */
  said?: Call | undefined
  calls: number
  served: number
  isFound?: true
}

const earlierReset = (said: Call | undefined, call: Call, name: Window['name']) =>
  call.window?.name === name && (said?.reset ?? Number.POSITIVE_INFINITY) > call.reset ? call : said

/** Whether their window may have ended at a call: by its Reset, or if none was announced. */
const hasEnded = ({ first, said }: Rested, call: Call, name: Window['name']): boolean => {
  if (said) return mayBePast(said, call)
  const isDated = name === 'day' && call.clocksMs.length > 0
  return call !== first && !(isDated && slotsOf(first) === slotsOf(call))
}

/** A window's number, and while Reset moves floor(D N / W) more, which a bucket gives back. */
const maxRested = ({ first, said }: Rested, call: Call, { name, limit, ms }: Window): number => {
  const isSame = call.window?.name === name && said?.reset === call.reset
  // A bucket may state when its next tokens come, and twice the same second.
  const isFar = said?.clocksMs.some((at) => said.reset * 1000 - at > ms / 10 + roundingMs)
  if (said && isSame && isFar && call.fromMs - said.toMs > roundingMs) return limit
  return limit + Math.floor(((call.latestMs - first.fromMs) * limit) / ms)
}

/** Whether the test clock was moved by a window while a key was silent. */
const wasMovedBy = ({ before, exchange }: Call, ms: number): boolean =>
  before !== undefined && exchange.movedMs - before.exchange.movedMs >= ms

/** After two windows of silence, until the first announced Reset. */
export const grantedRested = ofEachWindow((window, { breach, tried }) => {
  const { name, limit, ms } = window
  let rested: Rested | undefined
  const isOver = (call: Call): boolean =>
    rested !== undefined && (hasEnded(rested, call, name) || mayBeBan(call))
  return (call) => {
    if (call.silentMs >= 2 * ms) rested = { first: call, calls: 0, served: 0 }
    if (isOver(call)) rested = undefined
    if (!rested || call.refused) return
    rested.said = earlierReset(rested.said, call, name)
    rested.calls += 1
    if (rested.calls > limit) tried('limit-not-late', call)
    rested.served += Number(call.served)
    const max = maxRested(rested, call, window)
    if (!call.served || rested.isFound || rested.served <= max) return
    rested.isFound = true
    const { first, said } = rested
    const over = rested
    const expected = `at most ${max} requests served in a ${name} after a rest`
    const found = tooMany(first, call, ms, { place: `rested ${name}`, expected, actual: '' })
    // A window that another client's call began may have ended before it was announced: its calls
    // would show, unless none was announced, and they had time to come before.
    breach({
      ...found,
      sure: said === first && found.sure === true,
      isUnseen: () => (said !== undefined || wasMovedBy(first, ms)) && found.sure === true,
      get actual() {
        return `${over.served} served`
      },
    })
  }
})

/** A count that was known exactly when nothing was in flight. */
interface Exact {
  readonly remaining: number
  readonly servedCount: number
  readonly atMs: number
}

/** Measures how long each call of a key was counted once, as no other client called meanwhile. */
const createAloneTime = () => {
  let exact: Exact | undefined
  let [least, latestMs, aloneMs] = [0, 0, 0]
  /** All that was sent has ended. */
  const settle = ({ servedCount }: Call, from: Exact) => {
    const isAlone = least === from.remaining - (servedCount - from.servedCount)
    if (isAlone) aloneMs += latestMs - from.atMs
    return isAlone ? { remaining: least, servedCount, atMs: latestMs } : undefined
  }
  return {
    add: (call: Call): void => {
      const { before, remaining, servedCount, exchange } = call
      if (exact && before && call.silentMs >= -slackMs) exact = settle(before, exact)
      const isCounted = call.window !== undefined && call.served
      const { receivedMs } = exchange
      // What is refused takes nothing, and shows nothing.
      if (!isCounted && !call.refused) exact = undefined
      if (before?.exchange.movedMs !== exchange.movedMs) exact = undefined
      if (!isCounted || !(exact || call.quiet)) return
      if (!exact) [least, latestMs] = [remaining, receivedMs]
      exact ??= { remaining, servedCount, atMs: receivedMs }
      least = Math.min(least, remaining)
      latestMs = Math.max(latestMs, receivedMs)
    },
    aloneMs: () => aloneMs,
  }
}

/**
 * After two windows of silence nothing counts any more. Calls of another client may come while the
 * test clock is moved, but not only then.
 */
export const restedIsWhole: Law = ({ doubt, tried }) => {
  const alone = createAloneTime()
  let gapsMs = 0
  const seen = new Map<string, number>()
  return (call) => {
    alone.add(call)
    const { window, before, remaining } = call
    if (!before || !window || !call.quiet || !call.served) return
    if (call.silentMs < 2 * window.ms + 1_000) return
    tried('limit-not-below-quota', call)
    const missing = window.limit - 1 - remaining
    const isSoon = realMs(before, call) < soonMs
    if (isSoon) gapsMs += call.exchange.receivedMs - before.exchange.receivedMs
    if (missing <= 0) return
    const at = `rested ${window.name} ${remaining}`
    if (isSoon) seen.set(at, (seen.get(at) ?? 0) + 1)
    const chance = () => {
      const times = seen.get(at) ?? 0
      return { times, probability: (gapsMs / (gapsMs + alone.aloneMs())) ** times }
    }
    doubt({
      law: 'limit-not-below-quota',
      standsAtEnd: true,
      place: isSoon ? at : call.seq,
      ...(isSoon && { chance }),
      missing,
      calls: [before, call],
      expected: `Remaining: ${window.limit - 1} after two windows without a request`,
      actual: `X-RateLimit-Remaining: ${remaining}`,
      wrong: asHeader('X-RateLimit-Remaining', 'too low', String(remaining)),
    })
  }
}
