// Every list of a run, whichever check asked for it: its length, its filter, and what it shows.
import { asCreated, differenceOf } from '../animals.ts'
import { operationOf, removalDay } from '../answers.ts'
import type { Trace } from '../kit/check.ts'
import { invariant } from '../kit/check.ts'
import type { Answered } from '../kit/exchange.ts'
import { statusOf } from '../kit/exchange.ts'
import { shownValue, told, violate } from '../kit/expect.ts'
import { createHerd, type Herd, petsIn } from '../kit/herd.ts'
import { idAsked, queryOf } from '../kit/lacked.ts'
import { dateMs } from '../kit/quota/rate-headers.ts'
import { statuses } from '../requests.ts'

/** The query of a list that was answered 200, where each parameter of it is valid. */
const validQueryOf = (exchange: Answered): ReturnType<typeof queryOf> => {
  if (operationOf(exchange) !== 'list' || statusOf(exchange) !== 200) return undefined
  const query = queryOf(exchange)
  if (!query || query.limit < 1 || query.limit > 100) return undefined
  const isFilter = query.status === undefined || statuses.some((each) => each === query.status)
  return isFilter ? query : undefined
}

const hasLimit = ({ asked }: Answered): boolean => asked.path.includes('limit=')

const expectAtMost = (exchange: Answered): void => {
  const { limit = 100 } = validQueryOf(exchange) ?? {}
  const { length } = petsIn(exchange)
  if (length > limit) violate(`at most ${limit} pets`, `${length} pets`, exchange)
}

const isFiltered = (exchange: Answered): boolean =>
  validQueryOf(exchange)?.status !== undefined && petsIn(exchange).length > 0

const herds = new WeakMap<Trace, Herd>()

/** What this run created, as far as its trace shows. */
const herdOf = (trace: Trace): Herd => {
  const known = herds.get(trace)
  if (known) return known
  const { herd, learn } = createHerd()
  for (const exchange of trace.exchanges) learn(exchange)
  herds.set(trace, herd)
  return herd
}

const showsPets = (exchange: Answered): boolean => {
  const operation = operationOf(exchange)
  if (operation !== 'list' && operation !== 'get') return false
  return statusOf(exchange) === 200 && petsIn(exchange).length > 0
}

const expectAsCreated = (exchange: Answered, trace: Trace): void => {
  const herd = herdOf(trace)
  for (const pet of petsIn(exchange)) {
    const creation = typeof pet.id === 'bigint' ? herd.creationOf(pet.id) : undefined
    if (!creation) continue
    const difference = differenceOf(asCreated(creation), pet)
    if (!difference) continue
    violate(`pet ${pet.id} as it was created`, difference, creation.exchange, exchange)
  }
}

/** Long before the removal: a clock that was moved further may be past it, whatever `Date` says. */
const isEarly = (exchange: Answered): boolean =>
  exchange.movedMs < 30 * 86_400_000 && (dateMs(exchange) ?? Infinity) < removalDay.firstMs

/** A fetch by the plain id, which is there at once for the key that created the pet. */
const expectFound = (exchange: Answered, trace: Trace): void => {
  const creation = herdOf(trace).creationOf(idAsked(exchange) ?? 0n)?.exchange
  if (!creation || creation.key !== exchange.key || exchange.sentMs < creation.receivedMs) return
  if (statusOf(exchange) !== 404) return
  violate('200 for a pet that this run created', told(exchange), creation, exchange)
}

export const lists = [
  invariant(
    'list-any-limit-most',
    'list.limit.most',
    (exchange) => hasLimit(exchange) && validQueryOf(exchange) !== undefined,
    expectAtMost,
  ),

  invariant(
    'list-any-default-most',
    'list.limit.default',
    (exchange) => !hasLimit(exchange) && validQueryOf(exchange) !== undefined,
    expectAtMost,
  ),

  invariant('list-any-status-only', 'list.status.filter', isFiltered, (exchange) => {
    const wanted = validQueryOf(exchange)?.status ?? null
    const other = petsIn(exchange).find(({ status }) => status !== wanted)
    if (!other) return
    violate(`only pets with the status ${wanted}`, `one with ${shownValue(other.status)}`, exchange)
  }),

  invariant(
    'pet-any-found',
    'pet.stays',
    (exchange) => idAsked(exchange) !== undefined && isEarly(exchange),
    expectFound,
  ),

  invariant('pet-any-as-created', 'pet.stays', showsPets, expectAsCreated),
]
