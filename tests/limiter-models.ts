// The algorithms of some libraries, each as small as its numbers allow, for 60 calls a minute.

export interface Model {
  /** Times in milliseconds since 1970; what it has given back by then is taken in. */
  readonly take: (nowMs: number) => Taken
}

interface Taken {
  readonly granted: boolean
  readonly remaining: number
  readonly resetS: number
  readonly retryAfterS: number
}

const limit = 60
const windowMs = 60_000

const seconds = (ms: number) => Math.ceil(ms / 1_000)

const response = (
  nowMs: number,
  granted: boolean,
  left: number,
  resetMs: number,
  nextMs: number,
) => ({
  granted,
  remaining: Math.max(0, Math.floor(left)),
  resetS: seconds(resetMs),
  retryAfterS: Math.max(1, seconds(nextMs - nowMs)),
})

/** A window with a given start: limits, express-rate-limit, rate-limiter-flexible. */
const fixed = (beginOf: (nowMs: number) => number, renews: boolean) => (): Model => {
  let beginMs = Number.NEGATIVE_INFINITY
  let used = 0
  return {
    take: (nowMs) => {
      if (nowMs >= beginMs + windowMs) {
        beginMs = beginOf(nowMs)
        used = 0
      }
      const granted = used < limit
      if (granted) used += 1
      if (renews) beginMs = nowMs
      const endMs = beginMs + windowMs
      return response(nowMs, granted, limit - used, endMs, endMs)
    },
  }
}

const onClock = (phaseMs: number) => (nowMs: number) =>
  Math.floor((nowMs - phaseMs) / windowMs) * windowMs + phaseMs

/** The moving window of limits; `Reset` is when the oldest call leaves. */
const movingWindow = (): Model => {
  let calls: number[] = []
  return {
    take: (nowMs) => {
      calls = calls.filter((atMs) => atMs > nowMs - windowMs)
      const granted = calls.length < limit
      if (granted) calls.push(nowMs)
      const endMs = (calls[0] ?? nowMs) + windowMs
      return response(nowMs, granted, limit - calls.length, endMs, endMs)
    },
  }
}

type CounterWords = (
  nowMs: number,
  earlier: number,
  current: number,
) => {
  readonly resetMs: number
  readonly nextMs: number
}

/** Two windows of the clock, the earlier one weighing less and less. */
const counter = (words: CounterWords) => (): Model => {
  const counts = new Map<number, number>()
  return {
    take: (nowMs) => {
      const window = Math.floor(nowMs / windowMs)
      const [earlier, current] = [counts.get(window - 1) ?? 0, counts.get(window) ?? 0]
      const weighted = earlier * (1 - (nowMs % windowMs) / windowMs) + current
      const granted = weighted + 1 <= limit
      if (granted) counts.set(window, current + 1)
      const left = limit - weighted - (granted ? 1 : 0)
      const { resetMs, nextMs } = words(nowMs, earlier, current)
      return response(nowMs, granted, left, resetMs, nextMs)
    },
  }
}

/** httprate states the end of its window, and a wait of a whole one. */
const httprate = counter((nowMs) => ({
  resetMs: onClock(0)(nowMs) + windowMs,
  nextMs: nowMs + windowMs,
}))

/** limits states when the next call of the earlier window expires, else the end of the next. */
const limitsCounter = counter((nowMs, earlier) => {
  const endMs = onClock(0)(nowMs) + windowMs
  const nextMs = earlier > 0 ? nowMs + ((endMs - nowMs) % (windowMs / earlier)) : endMs + windowMs
  return { resetMs: nextMs, nextMs: Math.max(nextMs, nowMs + 1) }
})

type BucketWords = (nowMs: number, tokens: number) => number

/** Calls come back by the nanosecond: Bucket4j greedily, and GCRA, which is the same. */
const bucket = (resetOf: BucketWords, waitsWhole: boolean) => (): Model => {
  let tokens = limit
  let seenMs = 0
  return {
    take: (nowMs) => {
      tokens = Math.min(limit, tokens + ((nowMs - seenMs) * limit) / windowMs)
      seenMs = nowMs
      const granted = tokens >= 1
      if (granted) tokens -= 1
      const nextMs = nowMs + (waitsWhole ? windowMs : ((1 - tokens) * windowMs) / limit)
      return response(nowMs, granted, tokens, resetOf(nowMs, tokens), nextMs)
    },
  }
}

const untilFull: BucketWords = (nowMs, tokens) => nowMs + ((limit - tokens) * windowMs) / limit
const untilNext: BucketWords = (nowMs, tokens) =>
  nowMs + (tokens >= 1 ? 0 : ((1 - tokens) * windowMs) / limit)
const aMinute: BucketWords = (nowMs) => nowMs + windowMs

interface Named {
  readonly is: string
  readonly make: () => Model
  /** If the requests sent cannot distinguish it from another design. */
  readonly isUnsure?: true
}

export const models: Readonly<Record<string, Named>> = {
  'limits, fixed window': { is: 'fixed window on the clock', make: fixed(onClock(0), false) },
  'limits, fixed window with elastic expiry': {
    is: 'inconclusive',
    make: fixed((nowMs) => nowMs, true),
  },
  'limits, moving window': { is: 'sliding log', make: movingWindow },
  'limits, sliding window counter': {
    ...{ is: 'sliding counter', make: limitsCounter, isUnsure: true },
  },
  httprate: { is: 'sliding counter', make: httprate },
  'Bucket4j, greedily': { is: 'token bucket', make: bucket(untilNext, false) },
  'Bucket4j, by the interval': {
    ...{ is: 'fixed window off the clock', make: fixed(onClock(17_000), false), isUnsure: true },
  },
  'GCRA, Reset when full': { is: 'token bucket', make: bucket(untilFull, false) },
  'a bucket that states a minute': { is: 'token bucket', make: bucket(aMinute, false) },
  'a bucket that states a minute, and a wait of one': {
    ...{ is: 'token bucket', make: bucket(aMinute, true), isUnsure: true },
  },
  'express-rate-limit, @fastify/rate-limit, rate-limiter-flexible': {
    is: 'fixed window from the first request',
    make: fixed((nowMs) => nowMs, false),
  },
}
