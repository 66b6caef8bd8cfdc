// How servers are asked: few requests at a time, and none of a server that does not respond.

/** Works through the items, so many at a time; an interruption leaves out the rest. */
export const eachOf = async <T>(
  items: readonly T[],
  maxConcurrent: number,
  signal: AbortSignal,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> => {
  const rest = items.entries()
  const worker = async () => {
    for (const [index, item] of rest) if (!signal.aborted) await work(item, index)
  }
  await Promise.all(Array.from({ length: maxConcurrent }, worker))
}

/** Silence of all servers may be a pause of this machine, so that takes more. */
const maxFailures = { whileOthersRespond: 2, ofAll: 4 } as const

/** Which servers are asked no more: some requests, one after the other, got no response there. */
export class Reach {
  readonly #silent = new Map<string, { readonly failures: number; readonly atMs: number }>()
  #hasResponse = false

  /** @param startMs when the request was sent: those in flight together fail for one reason */
  note(server: string, isLost: boolean, startMs: number): void {
    const { failures, atMs } = this.#silent.get(server) ?? { failures: 0, atMs: startMs }
    const count = isLost ? failures + 1 : Number.NEGATIVE_INFINITY
    this.#hasResponse ||= !isLost
    if (!isLost || startMs >= atMs) {
      this.#silent.set(server, { failures: count, atMs: performance.now() })
    }
  }

  isGivenUp(server: string): boolean {
    const { whileOthersRespond, ofAll } = maxFailures
    const max = this.#hasResponse ? whileOthersRespond : ofAll
    return (this.#silent.get(server)?.failures ?? 0) >= max
  }
}
