// What `npm test` takes of a long proof: a part of its cases, the same each time.

/** `npm run prove` sets how often what is random is repeated, and takes every case. */
export const isProof = process.env.PETVET_RUNS !== undefined

/** Every nth of these, beginning in the middle of the first n; all of them in a proof. */
export const sample = <T>(all: readonly T[], every: number): readonly T[] =>
  isProof ? all : all.filter((_, at) => at % every === Math.floor(every / 2))
