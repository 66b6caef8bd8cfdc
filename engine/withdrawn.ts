// Keys that stop working in the middle of a run: what such a key would decide is not tested.
import type { Ask } from './asker.ts'
import { controlId } from './control.ts'
import type { Answered, Exchange } from './exchange.ts'
import { statusOf } from './exchange.ts'
import { Untested } from './outcome.ts'
import { get } from './request.ts'

/** A key that was served is invalid now, as its owner may have decided. */
export class KeyWithdrawn extends Untested {}

export interface Withdrawals {
  /** Sends as it is asked to, unless its key is withdrawn. @throws KeyWithdrawn */
  readonly ask: Ask
  /**
   * Finds out whether a 401 to a valid key, where it is one, was the end of the key.
   * @throws KeyWithdrawn where it was
   */
  readonly expectValid: (exchange: Exchange) => Promise<void>
  /** What has come out since this was last asked, in a sentence for each key. */
  readonly news: () => readonly string[]
}

interface Parts {
  readonly ask: Ask
  /** All keys of the run. */
  readonly labels: readonly string[]
  /** All whole responses so far; those of a withdrawn key are taken out of it. */
  readonly trace: Answered[]
  /** The key is not chosen any more. */
  readonly leave: (label: string) => void
}

/** Two operations: a cache may hold the 401 of one of them. */
const controls = [get('/pets?limit=1'), get('/pets/1')]

const isServed = (exchange: Exchange): boolean => [200, 201].includes(statusOf(exchange))

/**
 * Whether nothing explains a 401 but the key itself: it was served last, and no key was refused
 * since, after which it might be a ban, or what another key has drawn on it.
 */
const isSurprise = (trace: readonly Answered[], { key, seq, response }: Exchange): boolean => {
  if (key === null || response?.status !== 401) return false
  const before = trace.filter((one) => one.key !== null && one.seq < seq)
  const last = before.findLast((one) => one.key === key && statusOf(one) !== 401)
  if (last === undefined || !isServed(last)) return false
  return !before.some((one) => one.seq > last.seq && [403, 429].includes(statusOf(one)))
}

export const createWithdrawals = ({ ask, labels, trace, leave }: Parts): Withdrawals => {
  const withdrawn = new Map<string, string>()
  const asking = new Map<string, Promise<boolean>>()
  let news: string[] = []

  const isRefusedAgain = async (key: string): Promise<boolean> => {
    for (const request of controls) {
      const again = await ask(controlId, { ...request, key }, false)
      if (statusOf(again) !== 401) return false
    }
    return true
  }

  /** One at a time for each key: of a burst many may be refused. */
  const findOut = (key: string): Promise<boolean> => {
    const found = asking.get(key) ?? isRefusedAgain(key)
    asking.set(key, found)
    return found.finally(() => asking.delete(key))
  }

  const withdraw = (key: string): void => {
    const why = `key ${key} was served and is answered 401 now: it was withdrawn, or has expired`
    withdrawn.set(key, why)
    news = [...news, `${why}; what it would decide from then on is not tested`]
    leave(key)
    const lastSeq = trace.findLast((one) => one.key === key && statusOf(one) !== 401)?.seq ?? 0
    const kept = trace.filter((one) => one.key !== key || one.seq <= lastSeq)
    trace.splice(0, trace.length, ...kept)
  }

  const unlessWithdrawn = (key: string): void => {
    const why = withdrawn.get(key)
    if (why !== undefined) throw new KeyWithdrawn('blocked', why)
  }

  const expectValid = async (exchange: Exchange): Promise<void> => {
    const { key } = exchange
    if (key === null) return
    if (statusOf(exchange) === 401) unlessWithdrawn(key)
    if (!isSurprise(trace, exchange) || !(await findOut(key))) return
    if (!withdrawn.has(key)) withdraw(key)
    unlessWithdrawn(key)
  }

  return {
    ask: async (check, asked, own) => {
      if (asked.authorization === 'valid') {
        const all = asked.key === undefined ? labels : [asked.key]
        if (all.every((label) => withdrawn.has(label))) unlessWithdrawn(all[0] ?? '')
      }
      const exchange = await ask(check, asked, own)
      // In a burst a 401 may be its first refusal: what is made of it is the check's to say.
      if (!asked.insists) await expectValid(exchange)
      return exchange
    },
    expectValid,
    news: () => {
      const said = news
      news = []
      return said
    },
  }
}
