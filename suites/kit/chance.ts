// The seed of a check, made of the run's seed and the check's id, so that one alone repeats.

/** FNV-1a over the id, mixed with the seed: a 32-bit integer. */
export const seedOf = (runSeed: number, id: string): number => {
  let hash = 0x811c9dc5 ^ runSeed
  for (const byte of Buffer.from(id)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash | 0
}
