// Whether what is served without a key is counted as calls of a key that was sent before.
import { type Exchange, isAnswered, isSuccess, memoized } from '../../history/exchange.ts'
import { rateHeaders } from '../../history/rate-headers.ts'
import { inFlightIn, inOrder, type Seen } from './seen.ts'

const countOf = (one: Exchange) => (isAnswered(one) ? rateHeaders(one) : undefined)

/** Requests without a key that were served, and which of them count one less than a key had. */
const countedIn = memoized((seen: Seen) => {
  const left = new Map<string, { readonly count: string; remaining: number }>()
  const all: Exchange[] = []
  const counted = new Set<Exchange>()
  for (const one of inOrder(seen)) {
    const said = countOf(one)
    if (!said) continue
    const { limit, reset, remaining } = said
    const count = `${limit} until ${reset}`
    if (one.key !== null) left.set(one.key, { count, remaining })
    if (one.key !== null) continue
    const isMeant = isSuccess(one) && !inFlightIn(seen).has(one)
    if (isMeant) all.push(one)
    const own = left.values().find((key) => key.count === count && key.remaining - 1 === remaining)
    if (own) own.remaining = remaining
    if (own && isMeant) counted.add(one)
  }
  return { all, counted }
})

/** Fewer may be so by chance. */
const minCounted = 3
const minShare = 0.8

/** `with the count of a key that was sent before`: so are most that are served without a key. */
export const countedOnKey = (exchanges: readonly Exchange[], seen: Seen): string | undefined => {
  if (!exchanges.every((one) => one.key === null && isSuccess(one))) return undefined
  const { all, counted } = countedIn(seen)
  const areMany = counted.size >= minCounted && counted.size >= minShare * all.length
  return areMany ? 'with the count of a key that was sent before' : undefined
}
