// Programs: a response belongs to its own request, whatever was sent before on its connection and
// whatever else is in flight. What is wrong alone too is another fault.

import type { Context } from '../engine/check/context.ts'
import { expectNotShutOut } from '../engine/check/control-request.ts'
import { type AnyCheck, check, type Needs } from '../engine/check/declare.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  statusCode,
  takeKeyFrom,
  unauthorized,
  withKey,
} from '../history/exchange.ts'
import { type JsonObject, printJson } from '../history/json.ts'
import { NoResponseError, Untested, type Wrong } from '../history/outcome.ts'
import { violateAs } from '../model/clause.ts'
import { findBreach } from '../model/judge.ts'
import { altered, keys } from './authentication/demand.ts'
import { riskyNames, shuffled } from './pets/arbitraries.ts'
import {
  controlFailed,
  createPet,
  creating,
  getPet,
  getUnknown,
  listPets,
  nameless,
} from './pets/requests.ts'

/** Whatever is wrong with the response. */
const unlikeAlone: Wrong = { aspect: 'behaviour', kind: 'unlike alone' }

const failsAlone = 'the same request gets a wrong response when sent alone too'

/** Makes a request of what is known by then. */
type Make = (context: Context) => ApiRequest | undefined

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
  let doubt: Untested | undefined
  for (const [at, response] of responses.entries()) {
    const breach = findBreach(response, context.history)
    // A 5xx violates another requirement.
    if (!breach || statusCode(response) >= 500) continue
    await expectNotShutOut(context, response)
    const again = await context.call(takeKeyFrom(response.apiRequest, response))
    if (findBreach(again, context.history)) {
      doubt ??= new Untested('blocked', failsAlone, [response, again])
      continue
    }
    const { expected, actual, evidence } = breach.violation
    const latest = inSequence && responses[at - 1]
    const unlike = { ...unlikeAlone, ...(latest && { inSequence }) }
    violateAs(unlike, `${expected}, as alone`, actual, ...(latest ? [latest, response] : evidence))
  }
  if (doubt) throw doubt
}

const program = (
  id: string,
  needs: Needs,
  sends: string,
  send: (context: Context) => Promise<void>,
): AnyCheck =>
  check({
    ...{ id, requirement: 'service.own-response', needs, sends },
    fails:
      'A response that the same request does not get alone: another status, the error of another ' +
      'request, values that were not sent, pets for another query, another pet.',
    inconclusive: `${controlFailed.create}; or ${failsAlone} (blocked)`,
    run: async (context) => {
      await context.control('create')
      // Pets of earlier requests must be listed by now.
      await context.aged()
      await send(context)
    },
  })

const creation =
  (members: JsonObject = {}): Make =>
  ({ newPet }) =>
    createPet(newPet(members))

const fetched =
  (nth: number): Make =>
  ({ knownPets }) => {
    const made = knownPets.creations.at(nth)
    return made && takeKeyFrom(getPet(made.id), made.exchange)
  }

const otherKey: Make = (context) => altered(keys.extended)(createPet(context.newPet()), context)

/** Above 1 MiB, the limit of many servers. */
const padding = ' '.repeat(1_250_000)

/** On one connection; a server may take what is missing from an earlier creation. */
const creations: readonly Make[] = [
  (context) => createPet(printJson(nameless(context)).replace('{', `{${padding}`)),
  creation({ status: 'pending' }),
  // More bytes than characters: the next may be cut at the wrong place.
  ({ names }) => createPet({ name: `${names.fresh()} zarezervováno 🐾` }),
  creation({ status: 'pending' }),
  ({ newPet }) => ({ ...createPet(newPet()), method: 'PUT' }),
  otherKey,
]

/** The filter and the limit of a list do not affect the next one, which has neither. */
const lists: readonly Make[] = [() => listPets({ limit: 1, status: 'sold' }), () => listPets({})]

/** A server may close a connection after a refusal: what was sent on it is sent again, once. */
const callAgain = async ({ call }: Context, request: ApiRequest): Promise<AnsweredExchange> => {
  try {
    return await call(request)
  } catch (error) {
    if (!(error instanceof NoResponseError) || error.exchange.noResponse !== 'reset') throw error
    return call(request)
  }
}

const inARow = program(
  'response-own-in-a-row',
  creating,
  'On one connection, one after another: `POST /pets` without a name, of more than 1 MiB; ' +
    'without `categoryId`; and with a key that was never issued, valid ones between them; `PUT ' +
    '/pets`; a list with a limit and a status, and one with neither.',
  async (context) => {
    const label = context.limits.keys[0]?.label
    for (const row of [creations, lists]) {
      const responses: AnsweredExchange[] = []
      for (const make of row) {
        const request = make(context)
        if (request) responses.push(await callAgain(context, withKey(request, label)))
      }
      await judge(context, responses, true)
      await context.aged()
    }
  },
)

/** Names that encoders and templates mix up. */
const { scripts, markup } = riskyNames
const named = [scripts[2], markup[1], markup[4]].map((risky) => ({ name: risky?.[0] ?? '' }))

/** Similar requests next to each other, since they are most easily mixed up. */
const together = (context: Context): readonly Make[] => {
  const twin = context.newPet({ status: 'available' })
  const groups: readonly (readonly Make[])[] = [
    [
      () => createPet(twin),
      () => createPet(twin),
      creation({ status: 'pending', ...named[0] }),
      creation({ status: 'sold', ...named[1] }),
      creation({ status: 'sold', ...named[2] }),
    ],
    [
      () => listPets({ status: 'sold', limit: 1 }),
      () => listPets({ status: 'pending', limit: 100 }),
    ],
    // Two, since a server may batch them.
    [fetched(-2), fetched(-1)],
  ]
  const refusals: readonly Make[] = [
    () => unauthorized(listPets({ limit: 1 })),
    otherKey,
    () => createPet(nameless(context)),
    () => getUnknown(context),
  ]
  // If the quota is used up, the first request waits for the reset, and the others follow it.
  return [
    creation(),
    ...refusals,
    ...shuffled(
      groups.map((group) => shuffled(group, context.seed)),
      context.seed,
    ).flat(),
  ]
}

const own = program(
  'response-own-together',
  creating,
  'Two creations; then at the same time, each on its own connection: six valid `POST /pets`, two ' +
    'of them equal, and one without a name; two lists by status, two GETs and one of an unknown ' +
    'id; a list without a key and a `POST /pets` with a key that was never issued.',
  async (context) => {
    // An empty list fits any query.
    for (const status of ['pending', 'sold'])
      await context.call(createPet(context.newPet({ status })))
    await context.aged()
    const requests = together(context).flatMap((make) => make(context) ?? [])
    await judge(context, await context.together(requests))
  },
)

export const ownResponse: readonly AnyCheck[] = [inARow, own]
