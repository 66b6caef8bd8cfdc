// Round after round: the suites on a fresh reference, in two processes that live through them all.

import { forked } from '../forked.ts'
import type { Held } from './held-resources.ts'
import type { Round, Target, ToServer, ToVetter, Vetted } from './messages.ts'

/** As of the built-in reference: two of a plan, so that one of them may be banned. */
const usualKeys = (['free', 'free', 'pro', 'business'] as const).map((plan, at) => ({
  plan,
  key: `petvet-rounds-key-${at}`,
}))

/** The whole catalogue, with the test clock. */
export const wholeRound = (seed: number): Round => ({
  seed,
  keys: usualKeys,
  clock: true,
  only: [],
  leaves: false,
})

export interface Past {
  readonly round: Round
  readonly verdict: string
  readonly requests: number
  readonly ms: number
  /** What each process held after the round. */
  readonly vetter: Held
  readonly server: Held
}

export interface Rounds {
  readonly past: readonly Past[]
  /** How each check ended in the first round. */
  readonly outcomes: readonly string[]
  /** Where a later round ended otherwise, up to a number of lines. */
  readonly differing: readonly string[]
  /** How the processes ended by themselves once they were disconnected; null if they did not. */
  readonly codes: { readonly vetter: number | null; readonly server: number | null }
}

const maxDiffering = 50

const processOf = (name: 'server' | 'vetter') =>
  forked(new URL(`${name}.ts`, import.meta.url), [], ['--expose-gc'])

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
 * @param endMs within which the processes have to end by themselves, once they are disconnected
 */
export const holdRounds = async (
  next: (at: number) => Round | undefined,
  seen: (past: Past, at: number) => void,
  endMs: number,
): Promise<Rounds> => {
  const vetter = processOf('vetter')
  const server = processOf('server')
  const past: Past[] = []
  const differing: string[] = []
  let outcomes: readonly string[] = []
  let codes: Rounds['codes'] = { vetter: null, server: null }
  try {
    for (let round = next(0); round; round = next(past.length)) {
      const startMs = performance.now()
      const target = await server.ask<Target>({ start: round } satisfies ToServer)
      const vetted = await vetter.ask<Vetted>({ target, round } satisfies ToVetter)
      const held = await server.ask<Held>({ stop: true } satisfies ToServer)
      if (past.length === 0) outcomes = vetted.outcomes
      differing.push(...differences(past.length, outcomes, vetted.outcomes))
      differing.splice(maxDiffering)
      const { verdict, requests } = vetted
      const ms = performance.now() - startMs
      const last = { round, verdict, requests, ms, vetter: vetted.held, server: held }
      past.push(last)
      seen(last, past.length - 1)
    }
  } finally {
    codes = { vetter: await vetter.end(endMs), server: await server.end(endMs) }
  }
  return { past, outcomes, differing, codes }
}
