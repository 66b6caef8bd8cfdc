// The seed of a check, made of the run's seed and the check's id, so that one alone repeats.

/** FNV-1a over the id, mixed with the seed: a 32-bit integer. */
export const seedOf = (runSeed: number, id: string): number => {
  let hash = 0x811c9dc5 ^ runSeed
  for (const byte of Buffer.from(id)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash | 0
}

/** `count` neighbours in the circle of all. */
export const takenFrom = <T>(all: readonly T[], count: number, seed: number): readonly T[] =>
  Array.from({ length: count }, (_, at) => all[((seed >>> 0) + at) % all.length] as T)
