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
