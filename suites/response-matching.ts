// Programs: a response belongs to its own request, whatever was sent before on its connection and
// whatever else is in flight. What is wrong alone too is another fault.

import type { Context } from '../engine/check/context.ts'
import { fetchIn } from '../engine/check/control-request.ts'
import { type AnyCheck, check, controlFailed } from '../engine/check/declare.ts'
import { createPet, getPet, listPets } from '../engine/check/requests.ts'
import { requestOf } from '../engine/run/send-row.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  recognizeOperation,
  statusCode,
  unauthorized,
  withKey,
} from '../history/exchange.ts'
import { type JsonObject, printJson } from '../history/json.ts'
import type { Creation } from '../history/known-pets.ts'
import { NoResponseError, Untested } from '../history/outcome.ts'
import { exactly } from '../history/statuses.ts'
import type { Wrong } from '../history/wrong.ts'
import { violateAs, wrongStatus } from '../model/clause.ts'
import { contentClauses } from '../model/clauses.ts'
import { isStatusDue } from '../model/status.ts'
import { altered } from './authentication/demand.ts'
import { shuffled } from './pets/arbitraries.ts'
import { creating, getUnknown } from './pets/requests.ts'

const failsAlone = 'the same request gets a wrong response when sent alone too'

const contentIds: ReadonlySet<string> = new Set(contentClauses.map(({ id }) => id))

/** What is wrong with its status, or with the pets that it shows; a 5xx violates another one. */
const wrongIn = async ({ history, judged }: Context, response: AnsweredExchange) => {
  if (statusCode(response) >= 500) return undefined
  // What may explain that a request without a key is served, alone or not, is not asked for.
  if (response.key === null)
    return isStatusDue(response, history) ? undefined : wrongStatus(exactly(401), [response])
  return (await judged(response)).find(({ clause }) => contentIds.has(clause.id))?.violation
}

/**
 * Sends again alone what got a wrong response.
 * @param inSequence whether they were sent one after another
 * @throws Violation for what fails only with other requests, Untested (blocked) for the rest
 */
const judge = async (
  context: Context,
  responses: readonly AnsweredExchange[],
  inSequence?: true,
): Promise<void> => {
  const wrongAlone: AnsweredExchange[] = []
  for (const [at, response] of responses.entries()) {
    const violation = await wrongIn(context, response)
    if (!violation) continue
    const again = await context.call(withKey(response.apiRequest, response.key))
    if (await wrongIn(context, again)) {
      wrongAlone.push(response, again)
      continue
    }
    const { expected, actual, evidence } = violation
    const { brief, says } = violation.wrong
    const latest = inSequence && responses[at - 1]
    // Whatever is wrong with the response.
    const wrong: Wrong = {
      ...({ aspect: 'behaviour', kind: 'unlike alone' } as const),
      ...(latest && { inSequence }),
      ...(brief !== undefined && { brief }),
      ...(says && { says }),
    }
    violateAs(wrong, `${expected}, as alone`, actual, ...(latest ? [latest, response] : evidence))
  }
  // The other responses are their own.
  if (wrongAlone.length > responses.length) throw new Untested('blocked', failsAlone, wrongAlone)
}

const program = (id: string, sends: string, send: (context: Context) => Promise<void>): AnyCheck =>
  check({
    ...{ id, requirement: 'service.own-response', needs: creating, sends, judgesItself: true },
    fails:
      'A response that the same request does not get alone: another status, the error of another ' +
      'request, values that were not sent, pets for another query, another pet.',
    inconclusive:
      `${controlFailed.create}; or ${failsAlone} (blocked); or a valid key is refused once ` +
      '(ambiguous)',
    after: 'create',
    run: send,
  })

const created = ({ newPet }: Context, members: JsonObject = {}): ApiRequest =>
  createPet(newPet(members))

const otherKey = (context: Context, request = created(context)): ApiRequest =>
  altered('extended')(request, context)

/** Above 1 MiB, the limit of many servers. */
const padding = ' '.repeat(1_250_000)

/** On one connection; a server may take what is missing from an earlier creation. */
const creations = (context: Context): readonly ApiRequest[] => {
  const { name: _, ...nameless } = context.newPet()
  return [
    createPet(printJson(nameless).replace('{', `{${padding}`)),
    created(context, { status: 'pending' }),
    // More bytes than characters: the next may be cut at the wrong place.
    createPet({ name: `${context.names.fresh()} zarezervováno 🐾` }),
    created(context, { status: 'pending' }),
    { ...created(context), method: 'PUT' },
    // What a refusal leaves unread would be taken for the next request.
    otherKey(context, createPet(printJson(context.newPet()).replace('{', `{${' '.repeat(5_000)}`))),
  ]
}

/** The filter and the limit of a list do not affect the next one, which has neither. */
const lists = [listPets({ limit: 1, status: 'sold' }), listPets({})]

/** A server may close a connection after a refusal: what was sent on it is sent again, once. */
const callAgain = async ({ call }: Context, request: ApiRequest): Promise<AnsweredExchange> => {
  try {
    return await call(request)
  } catch (error) {
    if (!(error instanceof NoResponseError) || error.exchange.noResponse !== 'reset') throw error
    return call(request)
  }
}

/** In its place what is sent again, once new pets must be listed, where a list lacks one. */
const againIfLate = async (
  { aged, isLate }: Context,
  responses: readonly AnsweredExchange[],
  send: () => Promise<readonly AnsweredExchange[]>,
): Promise<readonly AnsweredExchange[]> => {
  if (!responses.some(isLate)) return responses
  await aged()
  return [...responses.filter((one) => !isLate(one)), ...(await send())]
}

const inARow = program(
  'response-own-in-a-row',
  'On one connection, one after another: `POST /pets` without a name, of more than 1 MiB; ' +
    'without `categoryId`; and with a key that was never issued, valid ones between them; `PUT ' +
    '/pets`; a list with a limit and a status, and one with neither.',
  async (context) => {
    const label = context.limits.keys[0]?.label
    const send = async (row: readonly ApiRequest[]): Promise<readonly AnsweredExchange[]> => {
      const responses: AnsweredExchange[] = []
      for (const request of row) responses.push(await callAgain(context, withKey(request, label)))
      return responses
    }
    for (const row of [creations(context), lists]) {
      await judge(context, await againIfLate(context, await send(row), () => send(row)), true)
    }
  },
)

/** Similar requests next to each other, since they are most easily mixed up. */
const similar = (
  { history, knownPets }: Context,
  create: (status: string) => ApiRequest,
): readonly (readonly ApiRequest[])[] => {
  const twin = create('available')
  // Two, since a server may batch them: a new one, and one that was fetched before.
  const fetched = fetchIn(history.exchanges)
  const ofPet = ({ id, exchange }: Creation) => withKey(getPet(id), exchange.key)
  const latest = knownPets.creations.slice(-2).map(ofPet)
  return [
    [twin, { ...twin }, create('pending'), create('sold'), create('sold')],
    [listPets({ status: 'sold', limit: 1 }), listPets({ status: 'pending', limit: 100 })],
    fetched ? [...latest.slice(1), withKey(fetched.apiRequest, fetched.key)] : latest,
  ]
}

const own = program(
  'response-own-together',
  'A plain `POST /pets`; creations of pets that are pending and sold, if none is known; then at ' +
    'the same time, each on its own connection: six valid `POST /pets`, two of them equal, and ' +
    'one of `{}`; two lists by status, two GETs and one of an unknown id; a list without a key ' +
    'and a `POST /pets` with a key that was never issued.',
  async (context) => {
    const { call, knownPets, seed, together } = context
    const usual = statusCode(await context.control('create'))
    // Its creations have what rows of creations are about.
    const packs = [...context.packsFor(7, ['status', 'framing'])]
    const create = (status: string): ApiRequest => {
      const pieces = packs.shift() ?? []
      return context.carrying(pieces, requestOf('create', context, pieces, { status }), usual)
    }
    // An empty list fits any query.
    for (const status of ['pending', 'sold']) {
      if (knownPets.count(status) === 0) await call(create(status))
    }
    const groups = similar(context, create).map((group) => shuffled(group, seed))
    const all = [
      // If the quota is used up, it waits for the reset, and the others follow it.
      create('available'),
      unauthorized(listPets({ limit: 1 })),
      otherKey(context),
      createPet('{}'),
      getUnknown(context),
      ...shuffled(groups, seed).flat(),
    ]
    const responses = await together(all)
    const listing = all.filter((request) => recognizeOperation({ apiRequest: request }) === 'list')
    await judge(context, await againIfLate(context, responses, () => together(listing)))
  },
)

export const ownResponse: readonly AnyCheck[] = [inARow, own]
