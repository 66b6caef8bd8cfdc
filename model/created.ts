// What a creation that succeeded shows, compared with what it sent and with all that was created
// before: as clauses over the responses to valid keys.

import { usableObject } from '../history/body.ts'
import {
  type AnsweredExchange,
  isSuccess,
  recognizeOperation,
  statusCode,
} from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { isInt64, type Json, printJson } from '../history/json.ts'
import { type Creation, petsIn, sentObject } from '../history/known-pets.ts'
import { Inapplicable, Untested } from '../history/outcome.ts'
import { exactly } from '../history/statuses.ts'
import { describeChange } from '../history/value-kinds.ts'
import {
  type Clause,
  describeMember,
  ofKeys,
  shownValue,
  violateAs,
  wrongStatus,
} from './clause.ts'
import { findDifference, wrongMember } from './compare-pets.ts'
import { keyOf } from './conditions.ts'
import { read } from './read.ts'
import { isExtremeName, isOrdinaryName } from './read-body.ts'

const isCreated = (exchange: AnsweredExchange): boolean =>
  recognizeOperation(exchange) === 'create' && isSuccess(exchange)
/** How a number with a fraction or an exponent comes back is open. */
const isAsSent = (exchange: AnsweredExchange): boolean =>
  isCreated(exchange) && /"categoryId"\s*:\s*-?\d+\s*[,}]/.test(exchange.request.body ?? '')

/** Whether it succeeded with such a name. */
const hasName = (test: (name: string) => boolean) => (exchange: AnsweredExchange) => {
  const name = sentObject(exchange)?.name
  return isCreated(exchange) && typeof name === 'string' && test(name)
}

const judgeNewId = (exchange: AnsweredExchange, { knownPets }: History): void => {
  const [pet] = petsIn(exchange)
  const first = typeof pet?.id === 'bigint' ? knownPets.creationOf(pet.id) : undefined
  if (!first || first.exchange === exchange) return
  const wrong = { aspect: 'member', name: 'id', kind: 'repeated' } as const
  violateAs(wrong, 'a new id', `two pets with id ${pet?.id}`, first.exchange, exchange)
}

/** In which ways a server may take an id that was sent, and not keep all of it. */
const inexact: readonly string[] = ['rounded to a double', 'cut to 32 bits', 'clamped']

/** An id that a server counts may come to be so close to one that was sent, or to zero. */
const maxApart = 1_000_000n

/** Whether an id may be the next one of a server that counts, by what other clients created. */
const mayBeNext = (got: bigint, { knownPets, shared }: History): boolean =>
  (shared || knownPets.unread !== undefined) &&
  [0n, ...knownPets.seen.keys()].some(
    (id) => id !== got && id - got <= maxApart && got - id <= maxApart,
  )

const judgeIdTaken = (exchange: AnsweredExchange, history: History): void => {
  const { knownPets } = history
  const sent = sentObject(exchange)?.id
  const got = petsIn(exchange)[0]?.id
  if (!isInt64(sent) || typeof got !== 'bigint') throw new Inapplicable('no id was sent')
  const change = describeChange(sent, got)
  // A new id may lie close to one that exists: a double is the same for both.
  const isTaken = sent === got || (inexact.includes(change) && !knownPets.seen.has(sent))
  if (!isTaken) return
  if (mayBeNext(got, history)) {
    throw new Untested('ambiguous', `the id ${got} may be the next one by chance`, [exchange])
  }
  const how = sent === got ? '' : `, ${change} (${got})`
  const wrong = { aspect: 'member', name: 'id', kind: 'as sent' } as const
  const actual = `the id ${sent} that was sent${how}`
  violateAs(wrong, 'an id assigned by the service', actual, exchange)
}

/**
 * Compares the pet of a 201 with the body that was sent. Of the members only a status that was
 * given may be missing here (ruling 8): that another one is missing is another fault.
 */
const judgeEcho = (created: AnsweredExchange): void => {
  const pet = usableObject(created)
  if (!pet) return
  const sent = Object.entries(read(created).pet ?? {})
  const due = sent.filter(([member]) => member in pet || member === 'status')
  const found = findDifference(Object.fromEntries(due), pet)
  if (found) violateAs(found.wrong, `${found.expected}, as sent`, found.actual, created)
}

/** That a member comes back as it was sent. */
const judgeKept = (member: string) => (exchange: AnsweredExchange) => {
  const [pet = {}] = petsIn(exchange)
  const sent = sentObject(exchange)?.[member]
  const got: Json | undefined = pet[member]
  if (sent === undefined || got === undefined) {
    throw new Inapplicable('no such member was returned')
  }
  if (printJson(sent) === printJson(got)) return
  const wrong = wrongMember(member, sent, got)
  violateAs(wrong, `${member} ${shownValue(sent)}`, describeMember(pet, member), exchange)
}

const categoryIn = ({ sent: { categoryId: id } }: Pick<Creation, 'sent'>): bigint =>
  isInt64(id) && id > 0n ? id : 0n

/** Whether a creation was refused in which all is valid. */
const isRefusedCategory = (exchange: AnsweredExchange): boolean =>
  recognizeOperation(exchange) === 'create' &&
  [400, 422].includes(statusCode(exchange)) &&
  read(exchange).parts.every(({ is }) => is === 'valid')

/** What a creation has besides its category. */
const othersIn = ({ exchange }: Pick<Creation, 'exchange'>): readonly string[] =>
  read(exchange)
    .parts.filter(({ part }) => part !== 'categoryId')
    .map(keyOf)

/**
 * A server that accepts three or more random categories, so does not look them up, but refuses all
 * larger ones: its integers are too short.
 */
const judgeRange = (
  exchange: AnsweredExchange,
  { knownPets, categories: { configured } }: History,
): void => {
  const isRandom = (id: bigint) => id > 0n && !configured.includes(id)
  const accepted = new Set(knownPets.creations.map(categoryIn).filter(isRandom))
  const largest = [...accepted].reduce((a, b) => (a > b ? a : b), 0n)
  const own = categoryIn({ sent: sentObject(exchange) ?? {} })
  if (!isRandom(own) || accepted.has(own)) throw new Inapplicable('no category was refused')
  // What was accepted elsewhere is not why a creation with it was refused.
  const others = new Set(knownPets.creations.flatMap(othersIn))
  const refused = knownPets.refusals.filter(
    (one) =>
      isRandom(categoryIn(one)) &&
      !accepted.has(categoryIn(one)) &&
      isRefusedCategory(one.exchange) &&
      othersIn(one).every((other) => others.has(other)),
  )
  if (!refused.some((one) => one.exchange === exchange)) {
    throw new Untested('ambiguous', 'no creation with all else that it has succeeded', [exchange])
  }
  if (accepted.size < 3 || refused.length < 2) {
    const message =
      'fewer than three categories were accepted, or two refused: too few to tell how they are read'
    throw new Untested('ambiguous', message, [exchange])
  }
  if (refused.some((one) => categoryIn(one) < largest)) return
  const ids = [...accepted].slice(0, 4).join(', ')
  const before = knownPets.creations.filter((one) => categoryIn(one) === largest).slice(0, 1)
  const evidence = [...before.map((one) => one.exchange), exchange]
  const why = ` for every positive int64 category, as for ${ids}`
  throw wrongStatus({ ...exactly(201), why }, evidence, ` for ${own}`)
}

const noneCreated = 'no creation succeeded'

export const createdClauses: readonly Clause[] = ofKeys([
  {
    id: 'create-ids-all-distinct',
    requirement: 'pet.id.unique',
    judges: 'Every creation that succeeded, after the first.',
    fails: 'The id of an earlier one.',
    optional: noneCreated,
    sentBy: ['create-valid-201'],
    applies: isCreated,
    judge: judgeNewId,
  },
  {
    id: 'create-id-assigned',
    requirement: 'pet.id.assigned',
    judges: 'Every creation with an `id` in its body that succeeded.',
    fails: 'That id, also rounded to a double or cut to 32 bits, where no pet has it.',
    optional: 'no creation with an id was accepted',
    sentBy: ['create-id-sent', 'create-id-taken'],
    applies: isCreated,
    judge: judgeIdTaken,
  },
  {
    id: 'create-each-echoed',
    requirement: 'create.echo',
    judges: 'Every 2xx to a creation with a valid key, whose body has one reading only.',
    fails:
      'Another name, category or status than was sent, or no status although one was sent. ' +
      'Trimmed ends of a name, and the spelling of a lone surrogate, are judged by other checks.',
    optional: noneCreated,
    sentBy: ['create-valid-201'],
    applies: isCreated,
    judge: judgeEcho,
  },
  {
    id: 'create-category-never-changed',
    requirement: 'new-pet.category.exact',
    judges: 'Every creation that succeeded whose category was sent as a plain integer.',
    fails: 'Another `categoryId` in the response; one that may be refused is not changed either.',
    optional: noneCreated,
    sentBy: ['create-category-201'],
    applies: isAsSent,
    judge: judgeKept('categoryId'),
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
    judge: judgeRange,
  },
  {
    id: 'create-name-extreme-kept',
    requirement: 'new-pet.name.extreme-kept',
    judges:
      'Every creation that succeeded with an extreme name: empty, blank, over 100 characters, or ' +
      'with control, private or unassigned characters or separators of lines.',
    fails: 'Another name in the response. A target may refuse extreme names.',
    optional: 'no creation with an extreme name was accepted',
    sentBy: ['create-name-control'],
    // How a lone surrogate comes back is open: it cannot be encoded in UTF-8.
    applies: hasName((name) => isExtremeName(name) && name.isWellFormed()),
    judge: judgeKept('name'),
  },
  {
    id: 'create-name-outer-space-kept',
    requirement: 'new-pet.name.edge-space',
    judges: 'Every creation that succeeded with spaces at an end of an ordinary name.',
    fails: 'A name that lacks any of the spaces. It is a should: trimming is a warning.',
    optional: 'no creation with such a name was accepted',
    sentBy: ['create-name-outer-space'],
    applies: hasName((name) => isOrdinaryName(name.trim()) && name.trim() !== name),
    judge: judgeKept('name'),
  },
])
