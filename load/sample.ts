// One request of a load, and what became of it: light, as there may be a million of them.

/** Why no whole answer came to a request that was put on the wire. */
export type Lost = 'timeout' | 'reset'

export interface Sample {
  /** The key by plan and position (`free-1`). */
  readonly key: string
  /** 0 where no whole answer came. */
  readonly status: number
  readonly lost: Lost | null
  /** When it was put on the wire, by `performance.now()`. */
  readonly sentMs: number
  /** From then to the last byte of the answer, or to its loss. */
  readonly ms: number
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  /** The body as it came, where bodies are kept. */
  readonly body: string | null
}

const remainingName = 'x-ratelimit-remaining'
/** A server writes its headers in the same order each time: where it was last. */
let likelyAt = 0

const placeOf = (rawHeaders: readonly string[]): number | undefined => {
  if (rawHeaders[likelyAt]?.toLowerCase() === remainingName) return likelyAt
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== remainingName) continue
    likelyAt = at
    return at
  }
  return undefined
}

/** `X-RateLimit-Remaining` as a whole number; undefined for anything else. */
export const remainingIn = ({ rawHeaders }: Sample): number | undefined => {
  const at = placeOf(rawHeaders)
  const text = at === undefined ? '' : (rawHeaders[at + 1] ?? '').trim()
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
