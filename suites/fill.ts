// Enough animals for a list of a hundred to be cut: what the other checks have not made of them.
import { bodyOf, creating, made } from './create/made.ts'
import type { Question } from './kit/check.ts'
import { check } from './kit/check.ts'
import { statuses } from './requests.ts'

/** One more than any list may hold. */
const enough = 101
const most = 8

export const fill: readonly Question[] = [
  check('create-hundredth-201', 'create.success', creating(most), async (context) => {
    const missing = Math.min(most, enough - context.herd.seen.size)
    for (let at = 0; at < missing; at += 1) {
      const status = statuses[at % statuses.length] ?? null
      const category = 2n ** BigInt(at % 63)
      await made(context, bodyOf(context, { tail: `of a crowd, ${at}`, category, status }))
    }
  }),
]
