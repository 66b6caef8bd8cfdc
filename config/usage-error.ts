// The error of wrong usage or configuration (exit 2), and the suggestions in its messages.

/** Its message is one line: what is wrong, then what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** @returns what `act` returns; what it throws becomes one line */
export const orRefuse = <T>(act: () => T, lineOf: (error: NodeJS.ErrnoException) => string): T => {
  try {
    return act()
  } catch (error) {
    throw new UsageError(lineOf(error as NodeJS.ErrnoException))
  }
}

/** Several mistakes at once, a line each, so that a user is not shown one at a time. */
export class Mistakes {
  readonly #lines: string[] = []

  /**
   * @param place where it was given, if that is a file
   * @returns undefined where it was a mistake
   */
  collect<T>(read: () => T, place = ''): T | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      this.#lines.push(place === '' ? error.message : `${place}: ${error.message}`)
      return undefined
    }
  }

  error(): UsageError {
    return new UsageError(this.#lines.join('\npetvet: '))
  }
}

/** The known word that was probably meant; undefined where more than a third of it differs. */
export const nearest = (word: string, known: readonly string[]): string | undefined => {
  const [best] = known
    .map((each) => ({ each, edits: editsBetween(word, each) }))
    .sort((a, b) => a.edits - b.edits)
  return best && best.edits <= Math.ceil(word.length / 3) ? best.each : undefined
}

/** The end of a message: the nearest word, or another hint where there is none. */
export const didYouMean = (word: string, known: readonly string[], otherwise?: string): string => {
  const meant = nearest(word, known)
  const hint = meant ? `did you mean ${meant}?` : otherwise
  return hint === undefined ? '' : `; ${hint}`
}

const maxWordLength = 100

/** Letters to insert, delete, change or swap. */
const editsBetween = (a: string, b: string): number => {
  if (a.length > maxWordLength || b.length > maxWordLength) return Number.POSITIVE_INFINITY
  const table = Array.from({ length: a.length + 1 }, (_, i) => [i])
  const edits = (i: number, j: number) => table[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let j = 1; j <= b.length; j++) table[0]?.push(j)
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const changed = edits(i - 1, j - 1) + (isSame ? 0 : 1)
      const swapped = isSwap ? edits(i - 2, j - 2) + 1 : changed
      table[i]?.push(Math.min(changed, swapped, edits(i - 1, j) + 1, edits(i, j - 1) + 1))
    }
  }
  return edits(a.length, b.length)
}
