// What the exchanges of a run show of the rate limiter, collected in bounded memory.
import { dateMs, rateHeaders, retryAfterMs } from '../../engine/quota/rate-headers.ts'
import type { RecordedExchange } from '../exchanges.ts'

/** `banned`: a refusal after a refusal that extends it; see `isBan`. */
export type Fate = 'served' | 'refused' | 'banned' | 'other'

/** A response to a key, and when it came, in Unix milliseconds of the target's clock. */
export interface KeyResponse {
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
  readonly responses: ReadonlyMap<string, readonly KeyResponse[]>
  /** Responses beyond the bound, which were only counted. */
  readonly leftOut: number
}

const maxResponses = 200_000

export const gatherRates = (exchanges: Iterable<RecordedExchange>): RateFacts => {
  const responses = new Map<string, KeyResponse[]>()
  const clock = createClock()
  let kept = 0
  let leftOut = 0
  for (const recorded of exchanges) {
    const { at, ms, key, response } = recorded
    if (response === null) continue
    const atMs = clock(Date.parse(at) + ms, dateMs(recorded))
    if (key === null || Number.isNaN(atMs)) continue
    if (kept === maxResponses) {
      leftOut += 1
      continue
    }
    const own = responses.get(key) ?? []
    if (own.length === 0) responses.set(key, own)
    own.push(keyResponseOf(atMs, recorded, response.status, own.at(-1)))
    kept += 1
  }
  return { responses, leftOut }
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

const keyResponseOf = (
  atMs: number,
  recorded: RecordedExchange,
  status: number,
  before: KeyResponse | undefined,
): KeyResponse => {
  const rate = rateHeaders(recorded)
  const retryMs = retryAfterMs(recorded)
  const response = {
    atMs,
    status,
    limit: rate?.limit ?? null,
    remaining: rate?.remaining ?? null,
    resetS: rate?.reset ?? null,
    retryAfterMs: retryMs ?? null,
  }
  return { ...response, fate: fateOf(response, before) }
}

const fateOf = (response: Omit<KeyResponse, 'fate'>, before: KeyResponse | undefined): Fate => {
  if (before !== undefined && isBan(response, before)) return 'banned'
  if (response.status === 429) return 'refused'
  return response.status < 500 ? 'served' : 'other'
}

const until = ({ atMs, retryAfterMs: waitMs }: Omit<KeyResponse, 'fate'>): number | null =>
  waitMs === null ? null : atMs + waitMs

/**
 * After a refusal: a 401 or 403 to a key that was valid, a 429 that extends the stated wait though
 * nothing was served in between, and what follows such a response until the key is served again.
 */
const isBan = (response: Omit<KeyResponse, 'fate'>, before: KeyResponse): boolean => {
  const wasRefused = before.fate === 'refused' || before.fate === 'banned'
  if (!wasRefused) return false
  if (response.status === 401 || response.status === 403) return true
  if (response.status !== 429) return false
  if (before.fate === 'banned') return response.atMs < (until(before) ?? Number.POSITIVE_INFINITY)
  const [stated, now] = [until(before), until(response)]
  return stated !== null && now !== null && now > stated + clockGraceMs && response.atMs < stated
}
