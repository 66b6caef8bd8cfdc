// Calls of one key for tests of the laws, and what a law says of them.
import type { AnsweredExchange } from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { Suspicion, Violation } from '../history/outcome.ts'
import { judge } from '../model/judge.ts'
import type { LawId } from '../model/limiter/laws.ts'
import { clauseOf } from '../model/limiter/relation.ts'
import { fakeExchange, fakeTrace } from './fakes/fake-exchange.ts'

const beganMs = Date.UTC(2026, 10, 20, 12)
export const minuteMs = 60_000

interface Answer {
  readonly status?: number
  /** None: the headers are missing. */
  readonly remaining?: number
  /** Milliseconds from the beginning. */
  readonly resetMs?: number
  /** Retry-After, in seconds. */
  readonly wait?: number | undefined
  /** Retry-After as it is given, if not in whole seconds. */
  readonly waitText?: string
  /** How far the test clock was moved by then: no other client calls meanwhile. */
  readonly movedMs?: number
}

/** A call that takes 10 ms, sent so long after the beginning. */
export const call = (atMs: number, answer: Answer = {}) => {
  const { status = 200, remaining, resetMs = minuteMs, wait, waitText, movedMs = 0 } = answer
  const isSaid = remaining !== undefined
  const exchange = fakeExchange('/pets', {
    status,
    body: '[]',
    headers: {
      Date: new Date(beganMs + atMs).toUTCString(),
      'X-RateLimit-Limit': isSaid ? '60' : undefined,
      'X-RateLimit-Remaining': isSaid ? `${remaining}` : undefined,
      'X-RateLimit-Reset': isSaid ? `${(beganMs + resetMs) / 1000}` : undefined,
      'Retry-After': waitText ?? (wait === undefined ? undefined : `${wait}`),
    },
  })
  const sentMs = atMs - movedMs
  const at = new Date(beganMs + sentMs).toISOString()
  return { ...exchange, at, sentMs, receivedMs: sentMs + 10, movedMs }
}

/** So many calls, 20 ms apart, with Remaining counted down from what is given. */
export const row = (count: number, fromMs: number, first?: number, resetMs = minuteMs) =>
  Array.from({ length: count }, (_, at) =>
    call(fromMs + 20 * at, first === undefined ? {} : { remaining: first - at, resetMs }),
  )

/** What a law finds in a history: violations, and doubts. */
export const foundBy = (law: LawId, history: History): (Violation | Suspicion)[] =>
  history.exchanges.flatMap((one) => {
    const found = judge(clauseOf(law), one, history)
    return found instanceof Violation || found instanceof Suspicion ? [found] : []
  })

/**
 * What a law says of the whole: `violation`, `doubt`, or undefined.
 * @param seqOf numbers the calls: those that it leaves out were lost
 * @param lostKey on which those may have counted
 */
export const foundIn = (
  law: LawId,
  exchanges: readonly AnsweredExchange[],
  shared = false,
  seqOf = (at: number) => at + 1,
  lostKey = 'free-1',
) => {
  const numbered = exchanges.map((one, at) => ({ ...one, seq: seqOf(at) }))
  const answered = new Set(numbered.map(({ seq }) => seq))
  const numbers = Array.from({ length: Math.max(...answered) }, (_, at) => at + 1)
  const lost = numbers.filter((seq) => !answered.has(seq)).map((seq) => ({ seq, key: lostKey }))
  const found = foundBy(law, { ...fakeTrace(...numbered), lost, shared })
  if (found.some((one) => one instanceof Violation)) return 'violation'
  return found.length > 0 ? 'doubt' : undefined
}

/** Thirty calls an hour of the test clock after those before, with so many less than are due. */
export const rests = (times: number, gapMs: number, skipped = 0, less = 1) =>
  Array.from({ length: times }, (_, nth) => {
    const movedMs = nth * 60 * minuteMs
    const fromMs = movedMs + nth * (590 + gapMs)
    return Array.from({ length: 30 }, (_, at) =>
      call(fromMs + 20 * at, {
        ...{ remaining: 59 - less - at - (at > 20 ? skipped : 0), movedMs },
        resetMs: Math.ceil(fromMs / 1_000) * 1_000 + minuteMs,
      }),
    )
  }).flat()

/** A whole minute, then one call more that gets 429. */
export const spent = (fromMs: number) => [
  ...row(60, fromMs, 59, fromMs + minuteMs),
  call(fromMs + 1_500, { status: 429, remaining: 0, resetMs: fromMs + minuteMs, wait: 59 }),
]

/** A refusal for the first minute. */
export const refusal = (answer: Answer, atMs = 1_500) =>
  call(atMs, { status: 429, remaining: 0, ...answer })

/** Calls from a minute after noon on. */
export const everySecond = (count: number) =>
  Array.from({ length: count }, (_, at) => call(minuteMs + 1_000 * at))
