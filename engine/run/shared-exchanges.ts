// By which exchanges a check passes that sends nothing of its own: those of what checks share.

import type { Context } from '../check/context.ts'
import type { AnsweredExchange } from '../check/exchange.ts'

/** The exchanges in what checks share: one, that of a creation, or those of a mixture. */
const exchangesIn = (shared: unknown): readonly AnsweredExchange[] =>
  [shared].flat().flatMap((one) => {
    if (typeof one !== 'object' || one === null) return []
    const found = 'response' in one && !('apiRequest' in one) ? one.response : one
    const isExchange = typeof found === 'object' && found !== null && 'apiRequest' in found
    return isExchange ? [found as AnsweredExchange] : []
  })

/** Notes the exchanges of other checks that a check is given. */
export const noting = (context: Context, id: string, judged: Set<number>): Context => ({
  ...context,
  once: async (name, make) => {
    const shared = await context.once(name, make)
    for (const { seq, check } of exchangesIn(shared)) if (check !== id) judged.add(seq)
    return shared
  },
})
