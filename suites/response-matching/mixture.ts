// Requests of every kind at the same time, each on its own connection; several checks judge them.

import type { Context } from '../../engine/check/context.ts'
import type { Needs } from '../../engine/check/declare.ts'
import type { AnsweredExchange, ApiRequest } from '../../engine/check/exchange.ts'
import { shuffled } from '../pets/arbitraries.ts'
import { adopt } from '../pets/carried.ts'
import { ofMembers } from '../pets/claims.ts'
import { offer } from '../pets/requests.ts'
import {
  carryingAt,
  creation,
  fetched,
  invalid,
  keyless,
  list,
  offered,
  otherKey,
  type Specimen,
  unknown,
} from './specimens.ts'

export interface Sent {
  readonly specimen: Specimen
  readonly response: AnsweredExchange
}

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

export const carrying = new Map<Specimen, number>()

export const creations = sentTogether.map(([status, place]) => {
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
export const mixed: Needs & { readonly shares: string } = {
  sharesEach: [
    ...[...carrying.values()].map((place) => `creation ${place}`),
    ...[invalid.name, unknown.name],
  ],
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
    if (offered.has(specimen)) await offer(context, specimen.name, response)
  }
  return sent
}

export const mixture = async (context: Context): Promise<readonly Sent[]> => {
  await context.control('create')
  return context.once(mixed.shares, () => sendAll(context, context.seed))
}
