// The histories of recorded traffic: other clients are assumed, categories are open, and what may
// be of a key that was withdrawn, or of a store that was emptied, says nothing.
import {
  type AnsweredExchange,
  type Exchange,
  isAnswered,
  isSuccess,
  recognizeOperation,
  statusCode,
} from '../history/exchange.ts'
import { RunHistory } from '../history/history.ts'
import { sentObject } from '../history/known-pets.ts'
import { Names } from '../history/naming.ts'
import { Untested } from '../history/outcome.ts'
import { is429 } from '../history/rate-headers.ts'
import { noteDue } from '../model/due.ts'
import { findEmptied } from './epochs.ts'

/** Not known to be of one run only. */
const anyNames: RunHistory['names'] = { mark: '\0', timesSent: () => Number.POSITIVE_INFINITY }

/** petvet gives what it creates names of their own. */
const namesIn = (exchanges: readonly Exchange[]): RunHistory['names'] => {
  const bodies = exchanges.map(({ request }) => request.body)
  const [, runId] = bodies.flatMap((body) => /petvet-(\w+)-\d+/.exec(body ?? '') ?? [])
  if (runId === undefined) return anyNames
  const names = new Names(runId)
  for (const body of bodies) names.countSent(body)
  return names
}

/** Those that were accepted so far; any of them may be one that the server was configured with. */
class OpenCategories {
  readonly free = false
  readonly isOpen = false
  readonly known: bigint[] = []
  readonly configured = this.known
  get any(): bigint {
    throw new Untested('category', 'no category is known to exist')
  }

  learn(exchange: AnsweredExchange): void {
    const category = sentObject(exchange)?.categoryId
    const isMade = isSuccess(exchange) && recognizeOperation(exchange) === 'create'
    if (isMade && typeof category === 'bigint') this.known.push(category)
  }
}

/**
 * Whether a 401 or 403 to a key may be a ban: there was a 429 since it was served, and it is served
 * later. Else the key may have been withdrawn, or never valid.
 */
const mayBeBans = (own: readonly AnsweredExchange[]): ReadonlySet<Exchange> => {
  const found = new Set<Exchange>()
  let [isRefused, open] = [false, [] as Exchange[]]
  for (const exchange of own) {
    if (is429(exchange)) isRefused = true
    else if (isSuccess(exchange)) {
      for (const one of open) found.add(one)
      isRefused = false
      open = []
    } else if ([401, 403].includes(statusCode(exchange)) && isRefused) open.push(exchange)
  }
  return found
}

/** Refusals of keys that say nothing of the server. */
const findUnclear = (answered: readonly AnsweredExchange[]): ReadonlySet<Exchange> => {
  const byKey = Map.groupBy(answered, ({ key }) => key)
  const isRefusal = (one: AnsweredExchange) => [401, 403].includes(statusCode(one))
  return new Set(
    [...byKey].flatMap(([key, own]) => {
      const bans = mayBeBans(own)
      return key === null ? [] : own.filter((one) => isRefusal(one) && !bans.has(one))
    }),
  )
}

/**
 * @param exchanges a piece of traffic, in the order of sending
 * @param alone whether no other client used the keys
 * @param record gets each exchange when its response came
 */
export const makeHistories = (
  exchanges: readonly Exchange[],
  alone: boolean,
  record: (exchange: Exchange) => void,
) => {
  const came = exchanges.toSorted((a, b) => a.receivedMs - b.receivedMs || a.seq - b.seq)
  const answered = came.filter(isAnswered)
  const unclear = findUnclear(answered)
  const emptied = findEmptied(answered)
  const begins = new Set(emptied.map((place) => answered[place] as Exchange))
  const isWholly = alone && begins.size === 0
  const names = isWholly ? namesIn(exchanges) : anyNames
  const begin = () => {
    const categories = new OpenCategories()
    const history = new RunHistory({ names, categories, shared: !isWholly })
    history.isWhole = true
    return { history, categories }
  }
  let { history, categories } = begin()
  const histories = [history]
  for (const exchange of came) {
    if (begins.has(exchange)) {
      ;({ history, categories } = begin())
      histories.push(history)
    }
    record(exchange)
    if (unclear.has(exchange)) history.lost.push({ seq: exchange.seq, key: exchange.key })
    else {
      if (isAnswered(exchange)) {
        categories.learn(exchange)
        noteDue(exchange, history)
      }
      history.complete(exchange)
    }
  }
  return { histories, unclear: unclear.size, emptied: begins.size }
}
