// Enough animals for a list of a hundred to be cut: what the other checks have not made of them.
import { bodyOf, creating, made } from './create/made.ts'
import type { Check, Question } from './kit/check.ts'
import { check } from './kit/check.ts'
import { isAsked } from './kit/order.ts'
import { statuses } from './requests.ts'

/** One more than any list may hold. */
const enough = 101

/** @param most how many creations it may cost */
const fillWith = (most: number): Check =>
  check('create-hundredth-201', 'create.success', creating(most), async (context) => {
    const missing = Math.min(most, enough - context.herd.seen.size)
    for (let at = 0; at < missing; at += 1) {
      const status = statuses[at % statuses.length] ?? null
      const category = 2n ** BigInt(at % 63)
      await made(context, bodyOf(context, { tail: `of a crowd, ${at}`, category, status }))
    }
  })

/** What is left of the hundred when all other creations have been made. */
export const fill: Check = fillWith(8)

const makes = (question: Question): boolean =>
  isAsked(question) && ['probes', 'creations'].includes(question.needs.stage)

/**
 * The chosen questions, with those before them that make what they judge, so that a few of a
 * catalogue can be asked alone.
 */
export const withSetUp = (
  all: readonly Question[],
  chosen: readonly Question[],
): readonly Question[] => {
  const wanted = new Set(chosen.filter(isAsked).map(({ needs }) => needs.made))
  if (wanted.has('creations')) {
    return all.filter((question) => chosen.includes(question) || makes(question))
  }
  if (!wanted.has('crowd') || chosen.includes(fill)) return chosen
  const probes = all.filter((question) => isAsked(question) && question.needs.stage === 'probes')
  return [...probes.filter((probe) => !chosen.includes(probe)), fillWith(enough), ...chosen]
}
