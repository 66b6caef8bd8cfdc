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

const maxFailures = 2

/** Which servers are asked no more: two requests got no response there, and none got one. */
export class Reach {
  readonly #failures = new Map<string, number>()

  note(server: string, isLost: boolean): void {
    const failures = (this.#failures.get(server) ?? 0) + 1
    this.#failures.set(server, isLost ? failures : Number.NEGATIVE_INFINITY)
  }

  isGivenUp(server: string): boolean {
    return (this.#failures.get(server) ?? 0) >= maxFailures
  }
}
