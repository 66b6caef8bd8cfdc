// Enough animals for a list of a hundred to be cut: what the other checks have not made of them.
import { bodyOf, creating, made } from './create/made.ts'
import type { Check, Question, Stage } from './kit/check.ts'
import { check } from './kit/check.ts'
import { isAsked } from './kit/order.ts'
import { listPets, statuses } from './requests.ts'

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

/** The whole hundred, less those that are there: a look at them spares as many creations. */
const fillAlone: Check = {
  ...fill,
  needs: { ...fill.needs, keyed: enough + 1 },
  run: async (context) => {
    if (context.herd.seen.size < enough) await context.call(listPets({ limit: 100 }))
    await fillWith(enough).run(context)
  },
}

/** What makes something that others judge. */
const makers = {
  creations: ['probes', 'creations'],
  refusals: ['refusals'],
  crowd: ['probes'],
} as const

/**
 * The chosen questions, with those before them that make what they judge, so that a few of a
 * catalogue can be asked alone.
 */
export const withSetUp = (
  all: readonly Question[],
  chosen: readonly Question[],
): readonly Question[] => {
  const wanted = new Set(chosen.filter(isAsked).map(({ needs }) => needs.made))
  const isShort = wanted.has('crowd') && !wanted.has('creations') && !chosen.includes(fill)
  const stages: readonly Stage[] = [
    ...(wanted.has('creations') ? makers.creations : []),
    ...(wanted.has('refusals') ? makers.refusals : []),
    ...(isShort ? makers.crowd : []),
  ]
  const isMaker = (question: Question) => isAsked(question) && stages.includes(question.needs.stage)
  const asked = all.filter((question) => chosen.includes(question) || isMaker(question))
  return isShort ? [fillAlone, ...asked] : asked
}
