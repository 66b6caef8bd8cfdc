// Requests in flight at the same time: each response belongs to its own request.

import { check, type Needs } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import { count } from '../../engine/count.ts'
import type { Answered } from '../../engine/exchange.ts'
import { violate } from '../../engine/expect.ts'
import { NoAnswerError } from '../../engine/no-answer.ts'
import { Untested } from '../../engine/outcome.ts'
import type { ApiRequest } from '../../engine/request.ts'
import { shuffled } from '../arbitraries.ts'
import { madeBy } from '../create/made.ts'
import { judgeMisfit } from './alone.ts'
import {
  creation,
  fetched,
  invalid,
  keyless,
  list,
  misfitOf,
  otherKey,
  type Specimen,
  unknown,
} from './specimens.ts'

const creations = [
  ...['available', 'pending', 'sold', 'available', 'sold'].map((status) => creation(status)),
  creation(),
]

const equal = creations.filter(({ name }) => name.endsWith(' available'))

/** Like ones leave side by side: what they share is most easily mixed up. */
const lists = [list({ status: 'sold', limit: 1 }), list({ status: 'pending', limit: 100 })]
const refusals = [keyless, otherKey, invalid, unknown]

/** Fetched among the others: two, so that what loads them at once may mix them up. */
const fetchesOf = ({ herd }: Context): Specimen[] => herd.creations.slice(-2).map(fetched)

/** The mixture, sent once: two checks look at it. */
const needs: Needs & { readonly shares: string } = {
  stage: 'creations',
  keyed: creations.length + 6,
  anonymous: 2,
  allow: ['write'],
  shares: 'a mixture',
}

interface Mixed {
  readonly specimen: Specimen
  readonly answer: Answered
}

/** A list with nothing in it fits any query: of these statuses there has to be a pet. */
const listed = ['sold', 'pending']

/** Creations that are sent before the others, as no pet with their status is known. */
const firstOf = ({ herd }: Context): readonly Specimen[] =>
  listed
    .filter((status) => herd.count(status) === 0)
    .flatMap((status) => creations.find(({ name }) => name.endsWith(` ${status}`)) ?? [])

/** Two of the creations are equal, and make two pets all the same. */
const requestsOf = (specimens: readonly Specimen[], context: Context): readonly ApiRequest[] => {
  const requests = specimens.map(({ request }) => request(context))
  const [original, copy] = equal.map((specimen) => specimens.indexOf(specimen))
  const body = requests[original ?? 0]?.body ?? null
  return requests.map((request, at) => (at === copy ? { ...request, body } : request))
}

const sendAll = async (context: Context, seed: number): Promise<readonly Mixed[]> => {
  const first = firstOf(context)
  const before = await Promise.all(first.map(({ request }) => context.call(request(context))))
  const [one, ...rest] = creations.filter((specimen) => !first.includes(specimen))
  const groups = [rest, lists, fetchesOf(context)].map((group) => shuffled(group, seed))
  const mixed = [...refusals, ...shuffled(groups, seed).flat()]
  // Behind a reset the first one is sent before the others.
  const specimens = one ? [one, ...mixed] : mixed
  const answers = await context.together(requestsOf(specimens, context))
  const all = [...before, ...answers]
  return [...first, ...specimens].map((specimen, at) => ({ specimen, answer: all[at] as Answered }))
}

const mixture = async (context: Context): Promise<readonly Mixed[]> => {
  await context.control('create')
  return context.once(needs.shares, () => sendAll(context, context.seed))
}

const expectOwn = async (context: Context, round: readonly Mixed[]): Promise<void> => {
  for (const { specimen, answer } of round) {
    const misfit = misfitOf(context, specimen, answer)
    const when = `together with ${count(round.length - 1, 'other request', 'other requests')}`
    if (misfit) await judgeMisfit(context, specimen, answer, misfit, when)
  }
}

const own = check('response-own-together', 'service.own-response', needs, async (context) => {
  await expectOwn(context, await mixture(context))
})

/** That a list or a fetch got no answer says nothing of the ids. */
const mixtureForIds = async (context: Context): Promise<readonly Mixed[]> => {
  try {
    return await mixture(context)
  } catch (error) {
    if (!(error instanceof NoAnswerError) || error.exchange.asked.method === 'POST') throw error
    const message = `a request beside the creations got no answer: ${error.message}`
    throw new Untested('blocked', message, [error.exchange])
  }
}

const distinct = check('create-together-distinct-ids', 'pet.id.unique', needs, async (context) => {
  const round = await mixtureForIds(context)
  const met = new Map<bigint, Answered>()
  for (const { specimen, answer } of round) {
    if (!creations.includes(specimen)) continue
    const { id } = madeBy(answer).pet
    const other = met.get(id)
    if (other) violate('a new id for each animal', `${id} twice`, other, answer)
    met.set(id, answer)
  }
})

export const together = [own, distinct]
