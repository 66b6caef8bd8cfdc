// The shrinker: what still fails with less, of a pack or of a sequence.
import { Violation } from '../../history/outcome.ts'

/**
 * Leaves out one part after another, halves first and single ones last, as long as the rest fails.
 * @param fails whether these fail likewise
 * @param kept how many at the end stay
 */
export const leaveOut = async <T>(
  all: readonly T[],
  fails: (rest: readonly T[]) => Promise<boolean>,
  kept = 0,
): Promise<readonly T[]> => {
  let left = all
  for (let size = Math.ceil(all.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at + size + kept <= left.length && left.length > 1; ) {
      const rest = [...left.slice(0, at), ...left.slice(at + size)]
      if (rest.length > 0 && (await fails(rest))) left = rest
      else at += size
    }
  }
  return left
}

/**
 * Judges what concerns different parts of a request, all at once; of what fails the smallest pack
 * is shown that fails too.
 * @param judge sends one request with these, and throws a Violation that names them
 * @throws Violation of the smallest pack that fails
 */
export const judgePack = async <T>(
  pack: readonly T[],
  judge: (some: readonly T[]) => Promise<void>,
): Promise<void> => {
  let failed: Violation | undefined
  const fails = async (some: readonly T[]): Promise<boolean> => {
    try {
      await judge(some)
      return false
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      failed = error
      return true
    }
  }
  if (await fails(pack)) await leaveOut(pack, fails)
  if (failed) throw failed
}
