// POST /pets: what the service stores: ids that it assigns, nothing of a refused creation, and
// accepted extreme names.

import type { Context } from '../../engine/check/context.ts'
import { check, observe } from '../../engine/check/declare.ts'
import { isSuccess, statusCode, takeKeyFrom } from '../../engine/check/exchange.ts'
import { expectMember, expectRefused, expectStatus, violateAs } from '../../engine/check/expect.ts'
import { expectEach } from '../../engine/check/findings.ts'
import type { JsonObject } from '../../engine/check/json.ts'
import type { KnownPets } from '../../engine/check/known-pets.ts'
import { Untested, Violation } from '../../engine/check/outcome.ts'
import { describeChange } from '../../engine/check/value-kinds.ts'
import { unlikelyIds } from '../pets/arbitraries.ts'
import {
  expectOwnId,
  idAsSent,
  idRepeated,
  isExtremeName,
  noPet,
  petMissing,
  petsWithIds,
  refusedStored,
  someId,
  without,
} from '../pets/compare-pets.ts'
import { type Listed, listedFor, longest } from '../pets/lists.ts'
import {
  afterControl,
  createPet,
  creating,
  hindsight,
  listPets,
  madeBy,
  readMade,
} from '../pets/requests.ts'
import { validBody } from '../response-matching/judge-own-response.ts'

const twice = check({
  id: 'create-equal-bodies-two',
  requirement: 'create.twice',
  needs: creating(1),
  sends: 'The same valid `POST /pets` as the control request, with the same key.',
  fails: 'Both get the same id, or any status other than 201.',
  ...afterControl('create', async (context, control) => {
    const { body } = control.apiRequest
    const first = await readMade(context, control)
    const second = await readMade(
      context,
      await context.call(takeKeyFrom(createPet(body), control)),
    )
    if (first.pet.id !== second.pet.id) return
    const actual = `one pet, ${first.pet.id}, for both`
    violateAs(idRepeated, 'two pets', actual, first.response, second.response)
  }),
})

const unique = check({
  id: 'create-ids-all-distinct',
  requirement: 'pet.id.unique',
  needs: hindsight,
  sends: 'No requests: it looks at all creations of the run.',
  fails: 'Two pets have the same id.',
  inconclusive: 'fewer than two pets were created',
  run: async (context) => {
    const { knownPets } = context
    if (knownPets.creations.length < 2) throw noPet(context, 'in addition to another was created')
    for (const creation of knownPets.creations) {
      const first = knownPets.creationOf(creation.id)
      if (first === creation || !first) continue
      const evidence = [first.exchange, creation.exchange]
      const actual = `two pets with id ${creation.id}`
      violateAs(idRepeated, 'a new id for each pet', actual, ...evidence)
    }
  },
})

const created = check({
  id: 'create-each-201',
  requirement: 'create.success',
  needs: hindsight,
  sends: 'No requests: it looks at all creations of the run with a valid body.',
  fails: 'Any status other than 201.',
  inconclusive: 'no pet was created',
  run: async (context) => {
    const valid = context.knownPets.creations.filter(({ exchange }) => validBody(exchange))
    if (valid.length === 0) throw noPet(context, 'by this run')
    await expectEach(valid, async ({ exchange }) => expectStatus(exchange, 201))
  },
})

/** In which ways a server may take an id that was sent, and not keep all of it. */
const inexact: readonly string[] = ['rounded to a double', 'cut to 32 bits', 'clamped']

/** How the id of a pet was made of the one that was sent; undefined: it was not. */
const takenFrom = (sent: bigint, got: bigint): string | undefined => {
  if (sent === got) return idAsSent.kind
  const change = describeChange(sent, got)
  return inexact.includes(change) ? change : undefined
}

const sentIds = (
  [
    ['sent', 'that no pet has, by the seed', ({ seed }) => unlikelyIds(seed, 1)[0] ?? 0n],
    ['taken', 'of an existing pet', someId],
  ] satisfies readonly (readonly [string, string, (context: Context) => bigint])[]
).map(([kind, words, idOf]) =>
  check({
    id: `create-id-${kind}-ignored`,
    requirement: 'pet.id.assigned',
    // Where the largest id is taken, a server that counts on from it creates no pet any more.
    needs: { ...creating(1), ...(kind === 'sent' && { stage: 'hazards' }) },
    sends: `One \`POST /pets\` with an \`id\` ${words}.`,
    fails:
      kind === 'sent'
        ? 'A 201 with that id, also rounded to a double or cut to 32 bits. A 4xx is as good as ' +
          'another id.'
        : 'A 201 with that id. A 4xx is as good as another id.',
    ...afterControl('create', async (context) => {
      const id = idOf(context)
      expectOwnId(context, id)
      const response = await context.call(createPet(context.newPet({ id })))
      if (!isSuccess(response)) return expectRefused(response)
      const { pet } = madeBy(response)
      // A new id may lie close to one that exists: a double is the same for both.
      const how = kind === 'taken' && pet.id !== id ? undefined : takenFrom(id, pet.id)
      if (how === undefined) return
      const actual = `the id ${id} that was sent${pet.id === id ? '' : `, ${how}: ${pet.id}`}`
      violateAs({ ...idAsSent, kind: how }, 'an id assigned by the service', actual, response)
    }),
  }),
)

const sentId = observe({
  id: 'create-id-sent',
  requirement: 'pet.id.sent',
  needs: hindsight,
  sends: 'No requests: it looks at all creations of the run with an `id` in the body.',
  records: 'Whether the id was ignored or the creation was refused.',
  inconclusive: 'no body with an id was sent',
  run: async (context) => {
    const { knownPets } = context
    if (knownPets.creations.some(({ sent }) => sent.id !== undefined)) return 'ignored'
    const refused = knownPets.refusals.filter(({ sent }) => sent.id !== undefined)
    if (refused.some(({ exchange }) => exchange.key !== null)) return 'refused'
    throw noPet(context, 'was created from a body with an id')
  },
})

export const createIds = [twice, created, unique, ...sentIds, sentId]

type Refusal = KnownPets['refusals'][number]

/**
 * Whether a listed pet without a 201 is that of a refused creation. Names of this run are unique;
 * if the name was the fault, the category of the run and a name without its mark identify the pet.
 */
const isOf = ({ sent }: Refusal, pet: JsonObject, { names, categories }: Context): boolean => {
  if (typeof sent.name === 'string') {
    return sent.name.startsWith(names.mark) && pet.name === sent.name
  }
  if (!categories.free || sent.categoryId !== categories.any) return false
  const isMarked = typeof pet.name === 'string' && pet.name.startsWith(names.mark)
  return pet.categoryId === sent.categoryId && !isMarked
}

const isCreated = ({ creations, keylessNames }: KnownPets, pet: JsonObject): boolean =>
  keylessNames.has(pet.name) ||
  creations.some(({ id, sent }) => id === pet.id || sent.name === pet.name)

/** A list that another check requested after all creations, whatever became of them. */
const knownList = ({ knownPets, limits }: Context, newest: bigint): Listed | undefined => {
  const maker = knownPets.creationOf(newest)?.exchange
  const last = knownPets.refusals.at(-1)?.exchange
  const sinceMs = Math.max(maker?.receivedMs ?? 0, last?.receivedMs ?? 0)
  const response = limits
    .responsesTo(maker?.key ?? '')
    .findLast((one) => one.apiRequest.path === listPets(longest).path && statusCode(one) === 200)
  if (!response || response.sentMs < sinceMs) return undefined
  const pets = petsWithIds(response)
  return pets.some(({ id }) => id === newest) ? { response, pets } : undefined
}

/** A list proves nothing about refused creations until it has the newest created pet. */
const currentList = async (context: Context, newest: bigint) => {
  const known = knownList(context, newest)
  if (known) return known
  const { response, pets } = await listedFor(context, longest, [newest])
  const isCurrent = pets.length >= 100 || pets.some(({ id }) => id === newest)
  if (!isCurrent) violateAs(petMissing, 'the newest pet in the list', without, response)
  return { response, pets }
}

const settledList = async (context: Context, newest: bigint) => {
  try {
    return await context.settled(() => currentList(context, newest))
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    const message = `the list cannot be used: expected ${error.expected}, got ${error.actual}`
    throw new Untested('blocked', message, error.evidence)
  }
}

/** The newest pet; if each key has pets of its own, the newest of each. */
const newestOfEach = ({ creations, lists }: KnownPets): readonly bigint[] => {
  const newest = new Map(creations.map(({ id, exchange }) => [exchange.key, id]))
  return lists.isApart() ? [...newest.values()] : creations.slice(-1).map(({ id }) => id)
}

const expectNoTrace = ({ response, pets }: Listed, context: Context) => {
  const { knownPets } = context
  for (const pet of pets) {
    if (isCreated(knownPets, pet)) continue
    const refusal = knownPets.refusals.find((one) => isOf(one, pet, context))
    if (!refusal) continue
    const actual = `pet ${pet.id} was stored`
    violateAs(refusedStored, 'no pet of a refused creation', actual, refusal.exchange, response)
  }
  if (pets.length >= 100) {
    const message = 'the list is cut and may hide a pet; use a target with fewer than 100 pets'
    throw new Untested('ambiguous', message, [response])
  }
}

const noTrace = check({
  id: 'create-refused-no-trace',
  requirement: 'create.refused-no-trace',
  needs: { stage: 'refusals', keyed: 1, anonymous: 0, allow: ['write'], made: 'refusals' },
  sends:
    'One `GET /pets?limit=100` after the creations that must be refused, once it has the ' +
    'newest pet of this run; none if another check has requested it since. Each refused ' +
    'creation had a name of its own, including those without a valid key.',
  fails:
    'A pet without a 201 that has the name of a refused creation or, if the name was the ' +
    'fault, its category.',
  inconclusive:
    'nothing was refused yet (blocked), or the list holds 100 pets and may hide one (ambiguous)',
  run: async (context) => {
    await context.control('create')
    const { knownPets } = context
    if (knownPets.refusals.length === 0)
      throw new Untested('blocked', 'no creation was refused yet')
    for (const id of newestOfEach(knownPets)) expectNoTrace(await settledList(context, id), context)
  },
})

const extremeKept = check({
  id: 'create-name-extreme-kept',
  requirement: 'new-pet.name.extreme-kept',
  needs: hindsight,
  sends:
    'No requests: it looks at all creations of the run with an extreme name: empty, blank, ' +
    'over 100 characters, or with control characters.',
  fails:
    'A 201 with another name. A target may refuse extreme names, and may return a lone ' +
    'surrogate in any form.',
  inconclusive: 'no extreme name was sent',
  run: async ({ knownPets, control }) => {
    await control('create')
    const isSent = knownPets.refusals.some(({ sent }) => isExtremeName(sent.name))
    const accepted = knownPets.creations.filter(({ sent }) => isExtremeName(sent.name))
    if (accepted.length === 0 && !isSent) {
      throw new Untested('ambiguous', 'no extreme name was sent; run the checks create-name-*')
    }
    for (const { sent, pet, exchange } of accepted) {
      // A lone surrogate cannot be encoded in UTF-8, so how it comes back is open.
      if (!String(sent.name).isWellFormed() || sent.name === pet.name || !('name' in pet)) continue
      expectMember(pet, 'name', sent.name ?? null, exchange)
    }
  },
})

export const createAftermath = [noTrace, extremeKept]
