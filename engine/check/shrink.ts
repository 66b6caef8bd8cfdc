// The shrinker: what still fails with less, of a pack or of a sequence.
import { Violation } from '../../history/outcome.ts'

/**
 * Leaves out one part after another, halves first and single ones last, as long as the rest fails.
 * @param fails whether these fail likewise
 */
export const leaveOut = async <T>(
  all: readonly T[],
  fails: (rest: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> => {
  let left = all
  for (let size = Math.ceil(all.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < left.length && left.length > 1; ) {
      const end = Math.min(at + size, left.length)
      const rest = [...left.slice(0, at), ...left.slice(end)]
      if (rest.length > 0 && (await fails(rest))) left = rest
      else at += size
    }
  }
  return left
}

/** @returns what it throws, if that is a Violation */
export const violationIn = async (work: Promise<unknown>): Promise<Violation | undefined> => {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof Violation) return error
    throw error
  }
}

/**
 * Judges what concerns different parts of a request, all at once.
 * @param judge sends one request with these, and throws a Violation that names them
 * @returns the smallest part of the pack that fails; undefined: it does not fail
 */
export const findFailing = async <T>(
  pack: readonly T[],
  judge: (some: readonly T[]) => Promise<unknown>,
): Promise<{ readonly values: readonly T[]; readonly violation: Violation } | undefined> => {
  let found: { readonly values: readonly T[]; readonly violation: Violation } | undefined
  const fails = async (values: readonly T[]): Promise<boolean> => {
    const violation = await violationIn(judge(values))
    if (violation) found = { values, violation }
    return violation !== undefined
  }
  // What came first of a pack is more often the reason, so the rest is left out first.
  const failsTurned = (values: readonly T[]) => fails(values.toReversed())
  if (await fails(pack)) await leaveOut(pack.toReversed(), failsTurned)
  return found
}
