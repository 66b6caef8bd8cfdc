// What marks a run: the names of what it creates, its own category, and the seed of each check.

import { Untested } from './outcome.ts'

/** FNV-1a over the id, mixed with the seed: a 32-bit integer. */
export const seedOf = (runSeed: number, id: string): number => {
  let hash = 0x811c9dc5 ^ runSeed
  for (const byte of Buffer.from(id)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash | 0
}

/** `count` neighbours of `all`, taken as a circle. */
export const takenFrom = <T>(all: readonly T[], count: number, seed: number): readonly T[] =>
  Array.from({ length: count }, (_, at) => all[((seed >>> 0) + at) % all.length] as T)

const maxNames = 1_000_000

/** @param attempt how often the run was resumed: no name is used twice */
export const createNames = (runId: string, attempt = 0) => {
  const mark = `petvet-${runId}-`
  let made = attempt * maxNames
  return {
    /** Begins every name of this run, except where the name itself is under test. */
    mark,
    fresh: (): string => {
      made += 1
      return `${mark}${made}`
    },
  }
}

export type Names = ReturnType<typeof createNames>

/** A positive int64 beyond 2^53 that no other run is likely to use. */
const ownCategory = (runId: string): bigint => {
  const digits = [...runId].reduce((sum, letter) => sum * 37n + BigInt(letter.charCodeAt(0)), 0n)
  return 2n ** 60n + (digits % 2n ** 60n)
}

/** @param configured categories known to exist; empty: any may be used until one is refused */
export const createCategories = (
  configured: readonly bigint[],
  runId: string,
  decided: (free: boolean, accepted: readonly bigint[]) => void = () => {},
) => {
  let free = configured.length === 0
  let known = configured
  const own = ownCategory(runId)
  return {
    /** Whether any positive int64 may be used, so far as this run has found out. */
    get free(): boolean {
      return free
    },
    /** Those that may be used when not free: configured ones, and those that were accepted. */
    get known(): readonly bigint[] {
      return known
    },
    configured,
    /**
     * One that may be used; of free ones, this run's own number.
     * @throws Untested (category) where none is known to exist
     */
    get any(): bigint {
      if (free) return own
      const [first] = known
      if (first !== undefined) return first
      throw new Untested(
        'category',
        'the target refuses unknown categories: give ids of existing ones (--category)',
      )
    },
    /** Records what the probe found: whether unknown categories are accepted, and which were. */
    decide: (found: boolean, accepted: readonly bigint[]) => {
      free = found
      known = [...new Set([...configured, ...accepted])]
      decided(found, accepted)
    },
  }
}

export type Categories = ReturnType<typeof createCategories>
