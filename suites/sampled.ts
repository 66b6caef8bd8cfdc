// Questions too many for every run: each run asks some of them, by its seed.
import { violate } from './kit/expect.ts'
import { Violation } from './kit/outcome.ts'

/** `count` neighbours in the circle of all. */
export const takenFrom = <T>(all: readonly T[], count: number, seed: number): readonly T[] =>
  Array.from({ length: count }, (_, at) => all[((seed >>> 0) + at) % all.length] as T)

/** Says which of them it was that broke the sentence. */
export const naming = (name: string, judge: () => void): void => {
  try {
    judge()
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    violate(error.expected, `${error.actual} to ${name}`, ...error.evidence)
  }
}
