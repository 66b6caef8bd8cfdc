// An id that no animal is known to have, made to resemble one that an animal has.
import { Untested } from '../kit/outcome.ts'

/** An id of as many characters that no answer has shown, so that lengths can be compared. */
export const unknownIdLike = (id: bigint, isKnown: (id: bigint) => boolean): bigint => {
  const step = id < 0n ? -1n : 1n
  const digits = id.toString().replace('-', '').length
  const least = 10n ** BigInt(digits - 1)
  // A probe near the other end of the ids of this length; a store has far fewer animals.
  for (let probe = 0n; probe < 64n && least * 9n > probe; probe++) {
    const candidate = step * (id * step < least * 5n ? least * 9n - probe : least + probe)
    if (!isKnown(candidate) && candidate !== id) return candidate
  }
  throw new Untested('blocked', `every id probed beside ${id} is that of an animal`)
}
