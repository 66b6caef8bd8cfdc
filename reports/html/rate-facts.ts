// What the exchanges of a run show of the rate limiter, collected in bounded memory.
import { dateMs, rateHeaders, retryAfterMs } from '../../engine/quota/rate-headers.ts'
import type { RecordedExchange } from '../exchanges.ts'

/** `banned`: a refusal after a refusal that extends it; see `isBan`. */
export type Fate = 'served' | 'refused' | 'banned' | 'other'

/** A response to a key, and when it came, in Unix milliseconds of the target's clock. */
export interface Answer {
  readonly atMs: number
  readonly fate: Fate
  readonly status: number
  readonly limit: number | null
  readonly remaining: number | null
  readonly resetS: number | null
  readonly retryAfterMs: number | null
}

export interface RateFacts {
  /** By key, in the order in which the keys were first used. */
  readonly answers: ReadonlyMap<string, readonly Answer[]>
  /** Responses beyond the bound, which were only counted. */
  readonly leftOut: number
}

const maxAnswers = 200_000

export const gatherRates = (exchanges: Iterable<RecordedExchange>): RateFacts => {
  const answers = new Map<string, Answer[]>()
  const clock = createClock()
  let kept = 0
  let leftOut = 0
  for (const recorded of exchanges) {
    const { at, ms, key, response } = recorded
    if (response === null) continue
    const atMs = clock(Date.parse(at) + ms, dateMs(recorded))
    if (key === null || Number.isNaN(atMs)) continue
    if (kept === maxAnswers) {
      leftOut += 1
      continue
    }
    const own = answers.get(key) ?? []
    if (own.length === 0) answers.set(key, own)
    own.push(answerOf(atMs, recorded, response.status, own.at(-1)))
    kept += 1
  }
  return { answers, leftOut }
}

/** `Date` has whole seconds, and responses may overtake each other. */
const clockGraceMs = 2_000

/**
 * The time at the target: that of the run, plus the offset that its `Date` shows. A test clock is
 * only moved forward.
 */
const createClock = () => {
  let aheadMs: number | undefined
  return (hereMs: number, thereMs: number | undefined): number => {
    if (thereMs !== undefined) {
      const nowAheadMs = thereMs - hereMs
      aheadMs ??= Math.abs(nowAheadMs) > clockGraceMs ? nowAheadMs : 0
      if (nowAheadMs > aheadMs + clockGraceMs) aheadMs = nowAheadMs
    }
    return hereMs + (aheadMs ?? 0)
  }
}

const answerOf = (
  atMs: number,
  recorded: RecordedExchange,
  status: number,
  before: Answer | undefined,
): Answer => {
  const rate = rateHeaders(recorded)
  const retryMs = retryAfterMs(recorded)
  const answer = {
    atMs,
    status,
    limit: rate?.limit ?? null,
    remaining: rate?.remaining ?? null,
    resetS: rate?.reset ?? null,
    retryAfterMs: retryMs ?? null,
  }
  return { ...answer, fate: fateOf(answer, before) }
}

const fateOf = (answer: Omit<Answer, 'fate'>, before: Answer | undefined): Fate => {
  if (before !== undefined && isBan(answer, before)) return 'banned'
  if (answer.status === 429) return 'refused'
  return answer.status < 500 ? 'served' : 'other'
}

const until = ({ atMs, retryAfterMs: waitMs }: Omit<Answer, 'fate'>): number | null =>
  waitMs === null ? null : atMs + waitMs

/**
 * After a refusal: a 401 or 403 to a key that was valid, a 429 that extends the stated wait though
 * nothing was served in between, and what follows such a response until the key is served again.
 */
const isBan = (answer: Omit<Answer, 'fate'>, before: Answer): boolean => {
  const wasRefused = before.fate === 'refused' || before.fate === 'banned'
  if (!wasRefused) return false
  if (answer.status === 401 || answer.status === 403) return true
  if (answer.status !== 429) return false
  if (before.fate === 'banned') return answer.atMs < (until(before) ?? Number.POSITIVE_INFINITY)
  const [stated, now] = [until(before), until(answer)]
  return stated !== null && now !== null && now > stated + clockGraceMs && answer.atMs < stated
}
