// Checks that send several requests of one kind: which of them it was that failed.
import { violate } from '../engine/expect.ts'
import { Violation } from '../engine/outcome.ts'

/** Says which of them it was that broke the sentence. */
export const naming = (name: string, judge: () => void): void => {
  try {
    judge()
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    violate(error.expected, `${error.actual} to ${name}`, ...error.evidence)
  }
}
