// Whether what is served without a key is counted as calls of a key that was sent before.
import { type Exchange, isAnswered, isSuccess, memoized } from '../../history/exchange.ts'
import { rateHeaders } from '../../history/rate-headers.ts'
import { inFlightIn, inOrder, type Seen } from './seen.ts'

interface Count {
  readonly count: string
  remaining: number
}

/** What was left of a count of a key, with the requests without a key that may have used it. */
interface Left extends Count {
  readonly used: Exchange[]
}

/**
 * Requests without a key that were served, by whether each took one of the count of a key: the next
 * response to that has fewer still.
 */
const countedIn = memoized((seen: Seen) => {
  const left = new Map<string, Left>()
  const [counted, others]: [Exchange[], Exchange[]] = [[], []]
  const takeOfKey = (key: string, { count, remaining }: Count, isServed: boolean): void => {
    const own = left.get(key)
    // What is refused need not count.
    const isTaken = own !== undefined && remaining <= own.remaining - Number(isServed)
    if (own?.count === count) (isTaken ? counted : others).push(...own.used)
    left.delete(key)
    left.set(key, { count, remaining, used: [] })
  }
  const takeBare = (one: Exchange, { count, remaining }: Count): void => {
    // Of two keys with one count the one that was sent last.
    const own = [...left.values()].findLast(
      (each) => each.count === count && each.remaining - 1 === remaining,
    )
    if (own) own.remaining = remaining
    const isMeant = isSuccess(one) && !inFlightIn(seen).has(one)
    if (isMeant) (own?.used ?? others).push(one)
  }
  for (const one of inOrder(seen)) {
    const said = isAnswered(one) ? rateHeaders(one) : undefined
    if (!said) continue
    const count = { count: `${said.limit} until ${said.reset}`, remaining: said.remaining }
    if (one.key === null) takeBare(one, count)
    else takeOfKey(one.key, count, isSuccess(one))
  }
  return { counted, others }
})

/** Fewer may be so by chance. */
const minCounted = 3
const minShare = 0.8

/** `with the count of a key that was sent before`: so are most that are served without a key. */
export const countedOnKey = (exchanges: readonly Exchange[], seen: Seen): string | undefined => {
  if (!exchanges.every((one) => one.key === null && isSuccess(one))) return undefined
  const { counted, others } = countedIn(seen)
  const all = counted.length + others.length
  const areMany = counted.length >= minCounted && counted.length >= minShare * all
  return areMany ? 'with the count of a key that was sent before' : undefined
}
