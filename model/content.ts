// What a success shows, compared with its own request and with all that was sent and received
// before: as clauses, and as one function for a response that has just come.
import {
  type AnsweredExchange,
  isSuccess,
  recognizeOperation,
  statusCode,
} from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { petsIn, requestedId, sentObject } from '../history/known-pets.ts'
import { Inapplicable, Untested } from '../history/outcome.ts'
import { type Clause, clause, violateAs } from './clause.ts'
import { isPastRemoval } from './due.ts'
import {
  beyondFilter,
  beyondLimit,
  changedMember,
  changedPet,
  createdAgain,
  type How,
  idTaken,
  isRefusedCategory,
  lacking,
  type Misfit,
  type MisfitOf,
  newId,
  noneKnown,
  notFound,
  otherEcho,
  otherId,
  outOfRange,
} from './misfits.ts'
import { servedQuery } from './read.ts'
import { isExtremeName, isOrdinaryName, statuses } from './read-body.ts'
import { traceOf } from './refused-creations.ts'

/** A clause over the successes of valid keys, and what of one does not fit. */
interface Content extends Omit<Parameters<typeof clause>[0], 'judge'> {
  readonly misfitOf: MisfitOf
}

const isCreated = (exchange: AnsweredExchange): boolean =>
  recognizeOperation(exchange) === 'create' && isSuccess(exchange)
const isListed = (exchange: AnsweredExchange): boolean => servedQuery(exchange) !== undefined
const isFilled = (exchange: AnsweredExchange): boolean =>
  isListed(exchange) && petsIn(exchange).length > 0
const hasLimit = ({ apiRequest }: AnsweredExchange): boolean => apiRequest.path.includes('limit=')
const isFetched = (exchange: AnsweredExchange): boolean =>
  recognizeOperation(exchange) === 'get' && statusCode(exchange) === 200
const isKnownFetch = (exchange: AnsweredExchange): boolean =>
  requestedId(exchange) !== undefined &&
  [200, 404].includes(statusCode(exchange)) &&
  !isPastRemoval(exchange)
/** How a number with a fraction or an exponent comes back is open. */
const isAsSent = (exchange: AnsweredExchange): boolean =>
  isCreated(exchange) && /"categoryId"\s*:\s*-?\d+\s*[,}]/.test(exchange.request.body ?? '')
/** How a lone surrogate comes back is open: it cannot be encoded in UTF-8. */
const hasExtremeName = (exchange: AnsweredExchange): boolean => {
  const name = sentObject(exchange)?.name
  return isCreated(exchange) && isExtremeName(name) && String(name).isWellFormed()
}
const hasOuterSpace = (exchange: AnsweredExchange): boolean => {
  const name = sentObject(exchange)?.name
  if (typeof name !== 'string') return false
  return isCreated(exchange) && isOrdinaryName(name.trim()) && name.trim() !== name
}

const plainLists = 'Every 200 to a list with a valid key and at most a limit and a status'
const asIn201 = 'Another name, category or given status than in its 201.'
const noneFetched = 'no pet was fetched by its id'
const noneCreated = 'no creation succeeded'

const contents: readonly Content[] = [
  {
    id: 'create-ids-all-distinct',
    requirement: 'pet.id.unique',
    judges: 'Every creation that succeeded, after the first.',
    fails: 'The id of an earlier one.',
    optional: noneCreated,
    sentBy: ['create-sound-201'],
    applies: isCreated,
    misfitOf: newId,
  },
  {
    id: 'create-id-assigned',
    requirement: 'pet.id.assigned',
    judges: 'Every creation with an `id` in its body that succeeded.',
    fails: 'That id, also rounded to a double or cut to 32 bits, where no pet has it.',
    optional: 'no creation with an id was accepted',
    sentBy: ['create-id-sent', 'create-id-taken'],
    applies: isCreated,
    misfitOf: idTaken,
  },
  {
    id: 'create-each-echoed',
    requirement: 'create.echo',
    judges: 'Every 2xx to a creation with a valid key, whose body has one reading only.',
    fails:
      'Another name, category or status than was sent, or no status although one was sent. ' +
      'Trimmed ends of a name, and the spelling of a lone surrogate, are judged by other checks.',
    optional: noneCreated,
    sentBy: ['create-sound-201'],
    applies: isCreated,
    misfitOf: otherEcho,
  },
  {
    id: 'create-category-never-changed',
    requirement: 'new-pet.category.exact',
    judges: 'Every creation that succeeded whose category was sent as a plain integer.',
    fails: 'Another `categoryId` in the response; one that may be refused is not changed either.',
    optional: noneCreated,
    sentBy: ['create-category-201'],
    applies: isAsSent,
    misfitOf: (exchange) => changedMember(exchange, 'categoryId'),
  },
  {
    id: 'create-category-whole-range-201',
    requirement: 'new-pet.category.exact',
    judges: 'Every creation that was refused, and whose categoryId alone may be why.',
    fails:
      'Three random unconfigured categories are accepted and all larger ones refused: the server ' +
      'does not look categories up, and its integers are too short.',
    optional: 'no category was refused after others were accepted',
    sentBy: ['create-category-unknown', 'create-category-201'],
    applies: isRefusedCategory,
    misfitOf: outOfRange,
  },
  {
    id: 'create-name-extreme-kept',
    requirement: 'new-pet.name.extreme-kept',
    judges:
      'Every creation that succeeded with an extreme name: empty, blank, over 100 characters, or ' +
      'with control characters.',
    fails: 'Another name in the response. A target may refuse extreme names.',
    optional: 'no creation with an extreme name was accepted',
    sentBy: ['create-name-control'],
    applies: hasExtremeName,
    misfitOf: (exchange) => changedMember(exchange, 'name'),
  },
  {
    id: 'create-name-outer-space-kept',
    requirement: 'new-pet.name.edge-space',
    judges: 'Every creation that succeeded with spaces at an end of an ordinary name.',
    fails: 'A name that lacks any of the spaces. It is a should: trimming is a warning.',
    optional: 'no creation with such a name was accepted',
    sentBy: ['create-name-outer-space'],
    applies: hasOuterSpace,
    misfitOf: (exchange) => changedMember(exchange, 'name'),
  },
  {
    id: 'list-limit-most',
    sentBy: ['list-limit-200'],
    requirement: 'list.limit.most',
    judges: `${plainLists}, if it gives a limit and pets are returned.`,
    fails: 'More pets than the limit.',
    applies: (exchange) => isFilled(exchange) && hasLimit(exchange),
    misfitOf: beyondLimit,
  },
  {
    id: 'list-limit-default',
    sentBy: ['list-no-query-200', 'list-no-limit-200'],
    requirement: 'list.limit.default',
    judges: `${plainLists}, if it gives no limit and pets are returned.`,
    fails: 'More than 20 pets.',
    applies: (exchange) => isFilled(exchange) && !hasLimit(exchange),
    misfitOf: beyondLimit,
  },
  {
    id: 'list-each-filtered',
    requirement: 'list.status.filter',
    judges: `${plainLists}, if it gives a status and pets are returned.`,
    fails: 'A pet with another status.',
    sentBy: statuses.map((status) => `list-status-${status}-200`),
    applies: (exchange) => isFilled(exchange) && exchange.apiRequest.path.includes('status='),
    misfitOf: beyondFilter,
  },
  {
    id: 'list-each-as-created',
    requirement: 'list.faithful',
    judges: `${plainLists}: every pet that this run created before.`,
    fails: asIn201,
    sentBy: ['list-no-limit-200'],
    applies: isFilled,
    misfitOf: changedPet,
  },
  {
    id: 'list-each-created-once',
    requirement: 'list.faithful',
    judges: `${plainLists}: pets with a name that this run alone uses.`,
    fails: 'More pets with such a name, of different ids, than creations that were sent with it.',
    sentBy: ['list-no-limit-200'],
    applies: isFilled,
    misfitOf: createdAgain,
  },
  {
    id: 'list-limit-no-fewer',
    sentBy: ['list-limit-bounds-200', 'list-status-sold-200'],
    requirement: 'list.limit.exact',
    judges: `${plainLists}, compared with the pets known to its key for at least a second.`,
    fails: 'Fewer pets than match, up to the limit; or a match is missing from an uncut list.',
    inconclusive: 'no list was requested a second after a pet was known (inapplicable)',
    optional: noneKnown,
    applies: isListed,
    misfitOf: lacking,
  },
  {
    id: 'get-each-own-id',
    requirement: 'get.own-id',
    judges: 'Every 200 to a GET by id with a valid key.',
    fails: 'A pet with another id.',
    sentBy: ['get-fragile-200'],
    optional: noneFetched,
    applies: isFetched,
    misfitOf: otherId,
  },
  {
    id: 'get-each-as-created',
    requirement: 'get.faithful',
    judges: 'Every 200 to a GET of a pet that this run created.',
    fails: asIn201,
    optional: noneFetched,
    sentBy: ['get-fragile-200'],
    applies: isFetched,
    misfitOf: changedPet,
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
    misfitOf: notFound,
  },
  {
    id: 'create-refused-no-trace',
    requirement: 'create.refused-no-trace',
    judges: 'Every list and GET after a creation that was refused, also for want of a key.',
    fails: 'A pet that has the name of a refused creation, or the category that only it had.',
    sentBy: ['list-after-refusals-200'],
    optional: 'no creation was refused, or nothing was read afterwards',
    applies: (exchange) => isFilled(exchange) || isFetched(exchange),
    misfitOf: traceOf,
  },
]

const isOfKey = ({ key }: AnsweredExchange): boolean => key !== null

/** What a success of a valid key shows: each judged over all responses of a run. */
export const contentClauses: readonly Clause[] = contents.map(
  ({ applies, misfitOf, ...declared }) =>
    clause({
      ...declared,
      applies: (exchange) => isOfKey(exchange) && applies(exchange),
      judge: (exchange, history) => {
        const misfit = misfitOf(exchange, history)
        if (!misfit) return
        const { wrong, expected, actual, before = [] } = misfit
        violateAs(wrong, expected, actual, ...before, exchange)
      },
    }),
)

const unlessUnclear = (judge: () => Misfit | undefined): Misfit | undefined => {
  try {
    return judge()
  } catch (error) {
    if (error instanceof Inapplicable || error instanceof Untested) return undefined
    throw error
  }
}

/** The first that a response does not fit, with the id of the clause. */
export const findMisfit = (
  exchange: AnsweredExchange,
  history: History,
  how: How = {},
): (Misfit & { readonly clause: string }) | undefined => {
  if (!isOfKey(exchange)) return undefined
  for (const { id, applies, misfitOf } of contents) {
    const misfit = unlessUnclear(() =>
      applies(exchange) ? misfitOf(exchange, history, how) : undefined,
    )
    if (misfit) return { ...misfit, clause: id }
  }
  return undefined
}
