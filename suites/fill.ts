// Enough animals for a list of a hundred to be cut: what the other checks have not made of them.

import type { Check, Question, Stage } from '../engine/check.ts'
import { check } from '../engine/check.ts'
import { isAsked } from '../engine/order.ts'
import { scarcestStatus } from './animals.ts'
import { bodyOf, creating, made } from './create/made.ts'
import { unknownCategory } from './create/unsaid.ts'
import { listPets } from './requests.ts'

/** One more than any list may hold. */
const enough = 101

/**
 * What the other creations of a run leave of the hundred: one or none at a target that takes
 * whatever it may take. One that refuses what it may refuse makes no animals of extreme names,
 * categories that are not positive, other spellings of one, members twice or beyond the three, a
 * status of null, an id, another media type, unknown categories and none long enough to be told
 * exactly, or of spaces at the ends of a name; past its removal date none that are fetched either.
 */
const left = { usual: 1, further: 33 }

/** @param most how many creations it may cost */
const fillWith =
  (most: number): Check['run'] =>
  async (context) => {
    const missing = Math.min(most, enough - context.herd.seen.size)
    for (let at = 0; at < missing; at += 1) {
      const status = scarcestStatus(context)
      const category = 2n ** BigInt(at % 63)
      await made(context, bodyOf(context, { tail: `of a crowd, ${at}`, category, status }))
    }
  }

/** What is left of the hundred when all other creations have been made. */
export const fill: Check = check(
  'create-hundredth-201',
  'create.success',
  { ...creating(left.usual), further: left.further },
  fillWith(left.usual + left.further),
)

/** The whole hundred, less those that are there: a look at them spares as many creations. */
const fillAlone: Check = {
  ...fill,
  needs: creating(enough + 1),
  run: async (context) => {
    if (context.herd.seen.size < enough) await context.call(listPets({ limit: 100 }))
    await fillWith(enough)(context)
  },
}

/** What makes something that others judge. */
const makers = {
  creations: ['probes', 'creations'],
  refusals: ['refusals'],
  crowd: ['probes'],
} as const

/** What a target without a key may have made all the same. */
const isStranger = (question: Question): boolean =>
  isAsked(question) &&
  question.needs.stage === 'strangers' &&
  (question.needs.allow?.includes('write') ?? false)

/**
 * The chosen questions, with those before them that make what they judge, so that a few of a
 * catalogue can be asked alone.
 */
export const withSetUp = (
  all: readonly Question[],
  chosen: readonly Question[],
): readonly Question[] => {
  const wanted = new Set(chosen.filter(isAsked).map(({ needs }) => needs.made))
  const isShort = !wanted.has('creations') && (wanted.has('crowd') || chosen.includes(fill))
  const stages: readonly Stage[] = [
    ...(wanted.has('creations') ? makers.creations : []),
    ...(wanted.has('refusals') ? makers.refusals : []),
    ...(isShort ? makers.crowd : []),
  ]
  const isWriting = chosen.some(
    (question) => isAsked(question) && (question.needs.allow?.includes('write') ?? false),
  )
  const isMaker = (question: Question) =>
    (question === unknownCategory && isWriting) ||
    (isAsked(question) && stages.includes(question.needs.stage)) ||
    (wanted.has('refusals') && isStranger(question))
  const asked = all.filter((question) => chosen.includes(question) || isMaker(question))
  return isShort ? [fillAlone, ...asked.filter((question) => question !== fill)] : asked
}
