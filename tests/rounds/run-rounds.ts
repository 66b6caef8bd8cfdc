// Round after round: the suites on a fresh reference, in one process that lives through them all.

import { forked } from '../forked.ts'
import type { Round, Vetted } from './round-process.ts'

export interface Past extends Omit<Vetted, 'outcomes'> {
  readonly ms: number
}

export interface Rounds {
  readonly past: readonly Past[]
  /** How each check ended in the first round. */
  readonly outcomes: readonly string[]
  /** Where a later round ended otherwise, up to a number of lines. */
  readonly differing: readonly string[]
  /** How the process ended by itself once it was disconnected; null if it did not. */
  readonly code: number | null
}

const maxDiffering = 50

const differences = (round: number, first: readonly string[], own: readonly string[]): string[] => {
  const before = new Set(first)
  const now = new Set(own)
  return [
    ...own.filter((line) => !before.has(line)).map((line) => `round ${round}: ${line}`),
    ...first.filter((line) => !now.has(line)).map((line) => `round ${round}: no longer ${line}`),
  ]
}

/**
 * Holds rounds until there is no further one.
 * @param next the round of this number, from 0 on; undefined ends them
 * @param seen called after each round
 * @param endMs within which the process has to end by itself, once it is disconnected
 */
export const holdRounds = async (
  next: (at: number) => Round | undefined,
  seen: (past: Past, at: number) => void,
  endMs: number,
): Promise<Rounds> => {
  const worker = forked(new URL('round-process.ts', import.meta.url), [], ['--expose-gc'])
  const past: Past[] = []
  const differing: string[] = []
  let outcomes: readonly string[] = []
  let code: number | null = null
  try {
    for (let round = next(0); round; round = next(past.length)) {
      const startMs = performance.now()
      const { outcomes: own, ...vetted } = await worker.ask<Vetted>(round)
      if (past.length === 0) outcomes = own
      differing.push(...differences(past.length, outcomes, own))
      differing.splice(maxDiffering)
      const last = { ...vetted, ms: performance.now() - startMs }
      past.push(last)
      seen(last, past.length - 1)
    }
  } finally {
    code = await worker.end(endMs)
  }
  return { past, outcomes, differing, code }
}
