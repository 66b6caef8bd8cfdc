// A response belongs to its own request, whatever was sent before on its connection and whatever
// else is in flight.

import type { Context } from '../engine/check/context.ts'
import { type AnyCheck, check, type Needs } from '../engine/check/declare.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  isSuccess,
  withKey,
} from '../engine/check/exchange.ts'
import { violateAs } from '../engine/check/expect.ts'
import { expectEach } from '../engine/check/findings.ts'
import { NoResponseError, Untested } from '../engine/check/outcome.ts'
import { count } from '../engine/check/quote.ts'
import { shuffled } from './pets/arbitraries.ts'
import { adopt } from './pets/carried.ts'
import { ofMembers } from './pets/claims.ts'
import { acceptedStatus, idRepeated } from './pets/compare-pets.ts'
import { controlFailed, madeBy } from './pets/requests.ts'
import { fewerThan, type Misfit } from './response-matching/judge-own-response.ts'
import {
  carryingAt,
  creation,
  fetched,
  incomplete,
  invalid,
  judgeMisfit,
  keyless,
  list,
  misfitOf,
  otherKey,
  oversized,
  replaced,
  type Specimen,
  unknown,
} from './response-matching/specimens.ts'
import { otherKeys } from './response-matching/two-keys.ts'

/** Why it may be unknown whether another request caused a wrong response. */
const failsAlone = 'the same request gets a wrong response when sent alone too (blocked)'

interface Sent {
  readonly specimen: Specimen
  readonly response: AnsweredExchange
}

/** A server may close a connection after a refusal; the row then continues on a new one. */
const send = async (context: Context, specimen: Specimen, key: string | null) => {
  const keyed = () => {
    const request = specimen.request(context)
    return request.authorization === 'valid' ? withKey(request, key) : request
  }
  try {
    return await context.call(keyed())
  } catch (error) {
    if (!(error instanceof NoResponseError) || error.exchange.noResponse !== 'reset') throw error
    return context.call(keyed())
  }
}

/** Sends specimens one after another, and judges each response. */
const sendRow = async (
  context: Context,
  specimens: readonly Specimen[],
  key: string | null,
): Promise<readonly Sent[]> => {
  const row: Sent[] = []
  for (const specimen of specimens) {
    const response = await send(context, specimen, key)
    const before = row.at(-1)
    row.push({ specimen, response })
    const misfit = misfitOf(context, specimen, response)
    if (misfit) await judgeAfter(context, { specimen, response }, misfit, before)
  }
  return row
}

const judgeAfter = (
  context: Context,
  { specimen, response }: Sent,
  misfit: Misfit,
  before: Sent | undefined,
): Promise<never> => {
  const when = before
    ? `right after ${before.specimen.name} on its connection`
    : 'as the first of a row'
  // The oversized body is left out of the evidence: it would appear in every report.
  const isShown = before !== undefined && before.specimen !== oversized
  return judgeMisfit(context, specimen, response, misfit, when, isShown ? [before.response] : [])
}

/** The filter and the limit of a list do not affect the next one, which has neither. */
const expectOwnQuery = async (context: Context, key: string | null): Promise<void> => {
  const sendBoth = async () => {
    const { knownPets } = context
    const known = knownPets.matching(undefined).filter((id) => knownPets.lists.isKnown(key, id))
    const row = await sendRow(context, [list({ limit: 1, status: 'sold' }), list({})], key)
    return { known, row }
  }
  // A list may lag, so it is requested again; any other misfit counts immediately.
  let sent: Awaited<ReturnType<typeof sendBoth>> | undefined = await sendBoth()
  await context.settled(async () => {
    const { known, row } = sent ?? (await sendBoth())
    sent = undefined
    const [before, last] = row as [Sent, Sent]
    const misfit = fewerThan(last.response, known)
    if (!misfit) return
    const request = withKey(last.specimen.request(context), key)
    // If they are missing alone as well, other checks report it.
    if (fewerThan(await context.call({ ...request, fresh: true }), known)) return
    await judgeAfter(context, last, misfit, before)
  })
}

const filtered = list({ limit: 2, status: 'pending' })

const inARow = check({
  id: 'response-own-in-a-row',
  requirement: 'service.own-response',
  needs: { stage: 'creations', keyed: 7, ample: 9, anonymous: 1, allow: ['write'] },
  sends:
    'On one connection, one after another: `POST /pets` without `categoryId`, of more than 1 ' +
    'MiB without a name, and with a key that was never issued, each after a valid one; `PUT ' +
    '/pets`; a list with a limit and a status, and one with neither.',
  fails:
    'A response that the same request does not get alone: another status, the error of the ' +
    'previous request, values that were not sent, a list for the previous query.',
  inconclusive: `${controlFailed.create}; or ${failsAlone}`,
  run: async (context) => {
    const { key } = await context.control('create')
    const more = context.sample([oversized, filtered], 0)
    const valid = creation(acceptedStatus(context))
    const row = [...more, oversized, valid, incomplete, valid, replaced, otherKey]
    await sendRow(context, row, key)
    await expectOwnQuery(context, key)
  },
})

/** Those without a place are equal; the others carry claims of other checks. */
const sentTogether: readonly (readonly [status: string | undefined, place?: number | undefined])[] =
  [
    ['available'],
    ['pending', ofMembers[0]],
    ['sold', ofMembers[1]],
    ['available'],
    ['sold', ofMembers[2]],
    [undefined],
  ]

const carrying = new Map<Specimen, number>()

const creations = sentTogether.map(([status, place]) => {
  const plain = creation(status)
  if (place === undefined) return plain
  const carried = carryingAt(plain, place, status)
  carrying.set(carried, place)
  return carried
})

const equal = creations.filter(({ name }) => name.endsWith(' available'))

/** Similar requests are sent next to each other, since they are most easily mixed up. */
const lists = [list({ status: 'sold', limit: 1 }), list({ status: 'pending', limit: 100 })]
const refusals = [keyless, otherKey, invalid, unknown]

/** Two GETs, since a server may batch them and mix them up. */
const fetchesOf = ({ knownPets }: Context): Specimen[] => knownPets.creations.slice(-2).map(fetched)

/** Two checks share one mixture. */
const mixed: Needs & { readonly shares: string } = {
  sharesEach: [...carrying.values()].map((place) => `creation ${place}`),
  stage: 'creations',
  keyed: creations.length + 6,
  anonymous: 2,
  allow: ['write'],
  shares: 'a mixture',
}

/** An empty list fits any query, so there must be a pet with each of these statuses. */
const listed = ['sold', 'pending']

/** Creations that are sent first, since no pet with their status is known. */
const firstOf = ({ knownPets }: Context): readonly Specimen[] =>
  listed
    .filter((status) => knownPets.count(status) === 0)
    .flatMap((status) => creations.find(({ name }) => name.endsWith(` ${status}`)) ?? [])

/** Two of the creations are equal, and must create two pets. */
const requestsOf = (specimens: readonly Specimen[], context: Context): readonly ApiRequest[] => {
  const requests = specimens.map(({ request }) => request(context))
  const [original, copy] = equal.map((specimen) => specimens.indexOf(specimen))
  const body = requests[original ?? 0]?.body ?? null
  return requests.map((request, at) => (at === copy ? { ...request, body } : request))
}

const sendAll = async (context: Context, seed: number): Promise<readonly Sent[]> => {
  const first = firstOf(context)
  const before = await Promise.all(first.map(({ request }) => context.call(request(context))))
  const [one, ...rest] = creations.filter((specimen) => !first.includes(specimen))
  const groups = [rest, lists, fetchesOf(context)].map((group) => shuffled(group, seed))
  const mixed = [...refusals, ...shuffled(groups, seed).flat()]
  // If the quota is used up, the first request waits for the reset, and the others follow it.
  const specimens = one ? [one, ...mixed] : mixed
  const responses = await context.together(requestsOf(specimens, context))
  const all = [...before, ...responses]
  const sent = [...first, ...specimens].map((specimen, at) => ({
    specimen,
    response: all[at] as AnsweredExchange,
  }))
  for (const { specimen, response } of sent) {
    const place = carrying.get(specimen)
    if (place !== undefined) await adopt(context, place, response)
  }
  return sent
}

const mixture = async (context: Context): Promise<readonly Sent[]> => {
  await context.control('create')
  return context.once(mixed.shares, () => sendAll(context, context.seed))
}

const own = check({
  id: 'response-own-together',
  requirement: 'service.own-response',
  needs: mixed,
  sends:
    'At the same time, each on its own connection: six valid `POST /pets`, two of them ' +
    'equal and three with peculiarities of other checks, and one without a name; two lists by ' +
    'status, two GETs and one of an unknown id; a list without a key and a `POST /pets` with a ' +
    'key that was never issued.',
  fails:
    'A response that the same request does not get alone: another status, values of another ' +
    'request, pets for another query, another pet.',
  inconclusive: `${controlFailed.create}; or ${failsAlone}`,
  run: async (context) => {
    const round = await mixture(context)
    const when = `together with ${count(round.length - 1, 'other request', 'other requests')}`
    await expectEach(round, async ({ specimen, response }) => {
      try {
        const misfit = misfitOf(context, specimen, response)
        if (misfit) await judgeMisfit(context, specimen, response, misfit, when)
      } catch (error) {
        // A claim that fails alone too has a check of its own.
        if (!carrying.has(specimen) || !(error instanceof Untested)) throw error
      }
    })
  },
})

/** A list or a GET without a response does not affect the ids. */
const mixtureForIds = async (context: Context): Promise<readonly Sent[]> => {
  try {
    return await mixture(context)
  } catch (error) {
    if (!(error instanceof NoResponseError) || error.exchange.apiRequest.method === 'POST')
      throw error
    const message = `a request of the mixture got no response: ${error.message}`
    throw new Untested('blocked', message, [error.exchange])
  }
}

const distinct = check({
  id: 'create-together-distinct-ids',
  requirement: 'pet.id.unique',
  needs: mixed,
  sends: 'The six valid `POST /pets` of `response-own-together`, sent at the same time.',
  fails: 'Two of them have the same id, or any status other than 201.',
  inconclusive: controlFailed.create,
  run: async (context) => {
    const round = await mixtureForIds(context)
    const seen = new Map<bigint, AnsweredExchange>()
    for (const { specimen, response } of round) {
      if (!creations.includes(specimen)) continue
      if (carrying.has(specimen) && !isSuccess(response)) continue
      const { id } = madeBy(response).pet
      const other = seen.get(id)
      if (other) {
        const actual = `two pets with id ${id}`
        violateAs(idRepeated, 'a new id for each pet', actual, other, response)
      }
      seen.set(id, response)
    }
  },
})

export const ownResponse: readonly AnyCheck[] = [inARow, own, distinct, otherKeys]
