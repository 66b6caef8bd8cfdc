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
import { Categories, Names } from '../history/naming.ts'
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

/**
 * Refusals of a key that say nothing of the server: it may have been withdrawn, or never valid. One
 * may be a ban where there was a 429 since the key was served, and it is served later.
 */
const unclearOf = (own: readonly AnsweredExchange[]): readonly Exchange[] => {
  const unclear: Exchange[] = []
  let [isRefused, open] = [false, [] as Exchange[]]
  for (const exchange of own) {
    if (is429(exchange)) isRefused = true
    else if (isSuccess(exchange)) [isRefused, open] = [false, []]
    else if ([401, 403].includes(statusCode(exchange))) (isRefused ? open : unclear).push(exchange)
  }
  return [...unclear, ...open]
}

/** Categories are open: the server may be configured with any that was accepted so far. */
const learnCategory = (known: bigint[], exchange: AnsweredExchange): void => {
  const category = sentObject(exchange)?.categoryId
  const isMade = isSuccess(exchange) && recognizeOperation(exchange) === 'create'
  if (isMade && typeof category === 'bigint') known.push(category)
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
  const byKey = [...Map.groupBy(answered, ({ key }) => key)].filter(([key]) => key !== null)
  const unclear = new Set<Exchange>(byKey.flatMap(([, own]) => unclearOf(own)))
  const begins = new Set<Exchange | undefined>(findEmptied(answered).map((at) => answered[at]))
  const isWholly = alone && begins.size === 0
  const names = isWholly ? namesIn(exchanges) : anyNames
  const begin = () => {
    const known: bigint[] = []
    const categories = new Categories(known, '')
    categories.free = false
    const history = new RunHistory({ names, categories, shared: !isWholly })
    history.isWhole = true
    return { history, known }
  }
  const all = [begin()]
  for (const exchange of came) {
    if (begins.has(exchange)) all.push(begin())
    const { history, known } = all.at(-1) ?? begin()
    record(exchange)
    if (unclear.has(exchange)) history.lost.push({ seq: exchange.seq, key: exchange.key })
    else {
      if (isAnswered(exchange)) {
        learnCategory(known, exchange)
        noteDue(exchange, history)
      }
      history.complete(exchange)
    }
  }
  return { histories: all.map(({ history }) => history), unclear: unclear.size }
}
