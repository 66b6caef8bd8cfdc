// What a GET by id shows: the pet that was asked for, as it was created, and as long as it has to
// be there.

import { isUnread, usableObject } from '../history/body.ts'
import { type AnsweredExchange, recognizeOperation, statusCode } from '../history/exchange.ts'
import { folded, type History } from '../history/history.ts'
import { requestedId } from '../history/known-pets.ts'
import { Inapplicable, Untested } from '../history/outcome.ts'
import { fromMs, toMs } from '../history/rate-headers.ts'
import { exactly } from '../history/statuses.ts'
import { describeChange } from '../history/value-kinds.ts'
import { type Clause, ofKeys, shownValue, violateAs, violateStatus } from './clause.ts'
import { dueOf, isDue, isPastRemoval } from './due.ts'
import { asIn201, isFetched, judgeChanged, makerOf } from './shown.ts'

const isKnownFetch = (exchange: AnsweredExchange): boolean =>
  requestedId(exchange) !== undefined &&
  [200, 404].includes(statusCode(exchange)) &&
  !isPastRemoval(exchange)

/** Fetches of one pet that are remembered: the latest. */
const maxFetches = 8

/** Whether two pets were shown, each by its id, where both were there and have one double. */
const isExact = folded(
  () => ({ created: new Set<bigint>(), shown: new Map<number, bigint>(), isKnown: false }),
  (state, exchange) => {
    const id = isUnread(exchange) ? undefined : usableObject(exchange)?.id
    if (typeof id !== 'bigint') return
    if (recognizeOperation(exchange) === 'create') state.created.add(id)
    if (!isFetched(exchange) || requestedId(exchange) !== id) return
    const isSame = (other: bigint) => state.created.has(other) && Number(other) === Number(id)
    if (![id - 1n, id + 1n, id - 2n, id + 2n].some(isSame)) return
    const first = state.shown.get(Number(id)) ?? id
    state.shown.set(Number(id), first)
    if (first !== id) state.isKnown = true
  },
)

const judgeOwnId = (fetched: AnsweredExchange, history: History): void => {
  const [id, found] = [requestedId(fetched), usableObject(fetched)?.id]
  // A body without an id is another fault, and so is an id of no pet that is served.
  if (id === undefined || found === undefined || found === id) return
  if (!isDue(dueOf(fetched, history), 200)) return
  const isSame = typeof found === 'bigint' && Number(found) === Number(id)
  const isDouble = isSame && !isExact(history).isKnown
  const kind = isDouble ? 'another one, the same as a double' : describeChange(id, found)
  const wrong = { aspect: 'member', name: 'id', kind } as const
  violateAs(wrong, `a pet with id ${id}`, `id ${shownValue(found)}`, fetched)
}

/** What was served, by path. */
const fetchesOf = folded(
  () => new Map<string, AnsweredExchange[]>(),
  (fetches, exchange) => {
    if (!isFetched(exchange)) return
    const { path } = exchange.apiRequest
    fetches.set(path, [...(fetches.get(path) ?? []).slice(-maxFetches), exchange])
  },
)

/** The same fetch on a connection opened later, where it was served: replicas may lead apart. */
const foundElsewhere = (missed: AnsweredExchange, history: History) =>
  (fetchesOf(history).get(missed.apiRequest.path) ?? []).find(
    (one) => one.seq > missed.seq && one.response.opened === true && one.key === missed.key,
  )

const judgeFound = (exchange: AnsweredExchange, history: History): void => {
  const { knownPets } = history
  const id = requestedId(exchange) ?? 0n
  const fromMs = knownPets.fetchedFromMs(exchange.key, id)
  if (fromMs === undefined || fromMs > exchange.sentMs || knownPets.isRepeated(id)) {
    throw new Untested('ambiguous', 'no pet was fetched that was known before')
  }
  if (statusCode(exchange) === 200) return
  const found = foundElsewhere(exchange, history)
  const wrong = { aspect: 'behaviour', kind: 'on some connections' } as const
  const actual = '404 on one connection, and 200 on another'
  if (found) violateAs(wrong, `200 for the pet ${id}`, actual, found, exchange)
  violateStatus({ ...exactly(200), why: ` for the pet ${id}` }, ...makerOf(id, history), exchange)
}

const noneFetched = 'no pet was fetched by its id'
const noneOld = 'no pet was fetched that had been created ten minutes before'

/** After this time at the target a pet has stayed for longer than any lag. */
const minStayMs = 600_000

export const fetchedClauses: readonly Clause[] = ofKeys([
  {
    id: 'get-each-own-id',
    requirement: 'get.own-id',
    judges: 'Every 200 to a GET by id with a valid key.',
    fails: 'A pet with another id.',
    sentBy: ['get-fragile-200'],
    optional: noneFetched,
    applies: isFetched,
    judge: judgeOwnId,
  },
  {
    id: 'get-each-as-created',
    requirement: 'get.faithful',
    judges: 'Every 200 to a GET of a pet that this run created.',
    fails: asIn201,
    optional: noneFetched,
    sentBy: ['get-fragile-200'],
    applies: isFetched,
    judge: judgeChanged,
  },
  {
    id: 'get-each-known-200',
    requirement: 'get.success',
    judges: 'Every 200 and 404 to a GET by id, before the removal of the operation.',
    fails: 'A 404 for a pet that its key created before, or was shown a second before.',
    inconclusive: 'no pet was fetched that was known before (ambiguous)',
    optional: noneFetched,
    sentBy: ['get-fragile-200'],
    applies: isKnownFetch,
    judge: judgeFound,
  },
  {
    id: 'pet-stays',
    requirement: 'pet.stays',
    judges: 'Every GET of a pet that this run created at least ten minutes before.',
    fails: 'A 404, or another name, category or given status than it was created with.',
    optional: noneOld,
    applies: isKnownFetch,
    judge: (exchange, history) => {
      const made = history.knownPets.creationOf(requestedId(exchange) ?? 0n)
      if (!made || fromMs(exchange) - toMs(made.exchange) < minStayMs)
        throw new Inapplicable(noneOld)
      judgeFound(exchange, history)
      judgeChanged(exchange, history)
    },
  },
])
