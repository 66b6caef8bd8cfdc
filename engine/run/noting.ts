// Notes which exchanges of other checks a check was given, and so judged.

import type { AnsweredExchange } from '../../history/exchange.ts'
import type { Context } from '../check/context.ts'
import type { Session } from './session.ts'

/** The exchanges in what checks share: one, that of a creation, or those of a mixture. */
const exchangesIn = (shared: unknown): readonly AnsweredExchange[] =>
  [shared].flat().flatMap((one) => {
    if (typeof one !== 'object' || one === null) return []
    const found = 'response' in one && !('apiRequest' in one) ? one.response : one
    const isExchange = typeof found === 'object' && found !== null && 'apiRequest' in found
    return isExchange ? [found as AnsweredExchange] : []
  })

/** The context of a check, and the numbers of the exchanges of other checks that it judged. */
export const noting = ({ contextOf, packs }: Session, id: string) => {
  const context = contextOf(id)
  const judged = new Set<number>()
  const noted: Context = {
    ...context,
    once: async (name, make) => {
      const shared = await context.once(name, make)
      for (const { seq, check } of exchangesIn(shared)) if (check !== id) judged.add(seq)
      return shared
    },
    packed: async (send) => {
      await context.packed(send)
      for (const seq of packs.seqsOf(id)) judged.add(seq)
    },
  }
  return { context: noted, judged }
}
