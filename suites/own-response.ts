// A response belongs to its own request, whatever went before it on its connection and whatever
// else is in flight.

import type { Context } from '../engine/context.ts'
import { type AnyCheck, check, type Needs } from '../engine/declare.ts'
import { type Answered, type ApiRequest, withKey } from '../engine/exchange.ts'
import { violate } from '../engine/expect.ts'
import { NoResponseError, Untested } from '../engine/outcome.ts'
import { count } from '../engine/record/text.ts'
import { shuffled } from './arbitraries.ts'
import { fewerThan, type Misfit } from './own-response/judge.ts'
import { otherKeys } from './own-response/keys.ts'
import {
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
} from './own-response/specimens.ts'
import { controlFailed, madeBy } from './requests.ts'

/** What leaves open whether another request caused a wrong response. */
const failsAlone = 'the same request alone does not get a valid response either (blocked)'

interface Sent {
  readonly specimen: Specimen
  readonly answer: Answered
}

/** A server may close a connection after a refusal: then the row continues on a new one. */
const send = async (context: Context, specimen: Specimen, key: string | null) => {
  const keyed = () => {
    const request = specimen.request(context)
    return request.authorization === 'valid' ? withKey(request, key) : request
  }
  try {
    return await context.call(keyed())
  } catch (error) {
    if (!(error instanceof NoResponseError) || error.exchange.noAnswer !== 'reset') throw error
    return context.call(keyed())
  }
}

/** Pets that this key must be shown, except in the second in which a list may lag. */
const knownTo = ({ herd }: Context, key: string | null): readonly bigint[] =>
  herd.matching(undefined).filter((id) => herd.lists.isKnown(key, id))

/** Sends specimens one after another, each judged by itself. */
const sendRow = async (
  context: Context,
  specimens: readonly Specimen[],
  key: string | null,
): Promise<readonly Sent[]> => {
  const row: Sent[] = []
  for (const specimen of specimens) {
    const answer = await send(context, specimen, key)
    const before = row.at(-1)
    row.push({ specimen, answer })
    const misfit = misfitOf(context, specimen, answer)
    if (misfit) await judgeAfter(context, { specimen, answer }, misfit, before)
  }
  return row
}

const judgeAfter = (
  context: Context,
  { specimen, answer }: Sent,
  misfit: Misfit,
  before: Sent | undefined,
): Promise<never> => {
  const when = before ? `right after ${before.specimen.name} on its connection` : 'first in a row'
  // As evidence the oversized body would appear in every report, several times.
  const isShown = before !== undefined && before.specimen !== oversized
  return judgeMisfit(context, specimen, answer, misfit, when, isShown ? [before.answer] : [])
}

/** The filter and the limit of a list do not affect the next one, which gives neither. */
const expectOwnQuery = async (context: Context, key: string | null): Promise<void> => {
  const sendBoth = async () => {
    const known = knownTo(context, key)
    const row = await sendRow(context, [list({ limit: 1, status: 'sold' }), list({})], key)
    return { known, row }
  }
  // A list may lag, and is requested again; any other misfit counts at once.
  let sent: Awaited<ReturnType<typeof sendBoth>> | undefined = await sendBoth()
  await context.settled(async () => {
    const { known, row } = sent ?? (await sendBoth())
    sent = undefined
    const [before, last] = row as [Sent, Sent]
    const misfit = fewerThan(last.answer, known)
    if (!misfit) return
    const request = withKey(last.specimen.request(context), key)
    // Alone it lacks them as well: other checks report that.
    if (fewerThan(await context.call({ ...request, fresh: true }), known)) return
    await judgeAfter(context, last, misfit, before)
  })
}

const valid = creation('pending')
const filtered = list({ limit: 2, status: 'pending' })

const inARow = check({
  id: 'response-own-in-a-row',
  requirement: 'service.own-response',
  needs: { stage: 'creations', keyed: 7, ample: 9, anonymous: 1, allow: ['write'] },
  sends:
    'On one connection, one after another: creations without `categoryId`, of more than 1 MiB ' +
    'without a name, and with a key that was never issued, with valid creations before them; a ' +
    'PUT of the collection; a list with a limit and a status, and one with neither.',
  fails:
    'A response that the same request does not get alone: another status, a refusal of the ' +
    'request before, values that were not sent, a list by the query before.',
  inconclusive: `${controlFailed.create}; or ${failsAlone}`,
  run: async (context) => {
    const { key } = await context.control('create')
    const more = context.sample([oversized, filtered], 0)
    const row = [...more, oversized, valid, incomplete, valid, replaced, otherKey]
    await sendRow(context, row, key)
    await expectOwnQuery(context, key)
  },
})

const creations = [
  ...['available', 'pending', 'sold', 'available', 'sold'].map((status) => creation(status)),
  creation(),
]

const equal = creations.filter(({ name }) => name.endsWith(' available'))

/** Similar requests leave next to each other: shared state is most easily mixed up. */
const lists = [list({ status: 'sold', limit: 1 }), list({ status: 'pending', limit: 100 })]
const refusals = [keyless, otherKey, invalid, unknown]

/** Two GETs among the others, so that a server which batches them may mix them up. */
const fetchesOf = ({ herd }: Context): Specimen[] => herd.creations.slice(-2).map(fetched)

/** The mixture is sent once for two checks. */
const mixed: Needs & { readonly shares: string } = {
  stage: 'creations',
  keyed: creations.length + 6,
  anonymous: 2,
  allow: ['write'],
  shares: 'a mixture',
}

/** An empty list fits any query: there must be a pet with each of these statuses. */
const listed = ['sold', 'pending']

/** Creations sent before the others, since no pet with their status is known. */
const firstOf = ({ herd }: Context): readonly Specimen[] =>
  listed
    .filter((status) => herd.count(status) === 0)
    .flatMap((status) => creations.find(({ name }) => name.endsWith(` ${status}`)) ?? [])

/** Two of the creations are equal, but must create two pets. */
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
  // After a reset the first one is sent before the others.
  const specimens = one ? [one, ...mixed] : mixed
  const answers = await context.together(requestsOf(specimens, context))
  const all = [...before, ...answers]
  return [...first, ...specimens].map((specimen, at) => ({ specimen, answer: all[at] as Answered }))
}

const mixture = async (context: Context): Promise<readonly Sent[]> => {
  await context.control('create')
  return context.once(mixed.shares, () => sendAll(context, context.seed))
}

const expectOwn = async (context: Context, round: readonly Sent[]): Promise<void> => {
  for (const { specimen, answer } of round) {
    const misfit = misfitOf(context, specimen, answer)
    const when = `together with ${count(round.length - 1, 'other request', 'other requests')}`
    if (misfit) await judgeMisfit(context, specimen, answer, misfit, when)
  }
}

const own = check({
  id: 'response-own-together',
  requirement: 'service.own-response',
  needs: mixed,
  sends:
    'At the same time, each on its own connection: six valid creations, two of them equal, and ' +
    'one without a name, two lists by status, two GETs and one of an unknown id, a list ' +
    'without a key and a creation with a key that was never issued.',
  fails:
    'A response that the same request does not get alone: another status, values that another ' +
    'request sent, pets by another query, another pet.',
  inconclusive: `${controlFailed.create}; or ${failsAlone}`,
  run: async (context) => {
    await expectOwn(context, await mixture(context))
  },
})

/** A list or a GET without a response says nothing about the ids. */
const mixtureForIds = async (context: Context): Promise<readonly Sent[]> => {
  try {
    return await mixture(context)
  } catch (error) {
    if (!(error instanceof NoResponseError) || error.exchange.asked.method === 'POST') throw error
    const message = `a request next to the creations got no response: ${error.message}`
    throw new Untested('blocked', message, [error.exchange])
  }
}

const distinct = check({
  id: 'create-together-distinct-ids',
  requirement: 'pet.id.unique',
  needs: mixed,
  sends: 'The six valid creations of `response-own-together`, sent at the same time.',
  fails: 'Two of them with the same id, or any status but 201.',
  inconclusive: controlFailed.create,
  run: async (context) => {
    const round = await mixtureForIds(context)
    const met = new Map<bigint, Answered>()
    for (const { specimen, answer } of round) {
      if (!creations.includes(specimen)) continue
      const { id } = madeBy(answer).pet
      const other = met.get(id)
      if (other) violate('a new id for each pet', `${id} twice`, other, answer)
      met.set(id, answer)
    }
  },
})

export const ownResponse: readonly AnyCheck[] = [inARow, own, distinct, otherKeys]
