// An id that no animal is known to have, made to resemble one that an animal has.
import { Untested } from '../../engine/outcome.ts'

const probesMost = 64n
/** Of an int64. */
const digitsMost = 19

/**
 * An id that no answer has shown, of as many characters, so that lengths can be compared; of one
 * digit more where the animals of a small store have them all.
 */
export const unknownIdLike = (id: bigint, isKnown: (id: bigint) => boolean): bigint => {
  const step = id < 0n ? -1n : 1n
  const digits = (id * step).toString().length
  for (const length of [digits, Math.min(digits + 1, digitsMost)]) {
    const least = 10n ** BigInt(length - 1)
    // A probe near the other end of the ids of this length; a store has far fewer animals.
    for (let probe = 0n; probe < probesMost && least * 9n > probe; probe++) {
      const candidate = step * (id * step < least * 5n ? least * 9n - probe : least + probe)
      if (!isKnown(candidate) && candidate !== id) return candidate
    }
  }
  throw new Untested('blocked', `every id probed beside ${id} is that of an animal`)
}
