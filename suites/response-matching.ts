// Programs: a response belongs to its own request, whatever was sent before on its connection and
// whatever else is in flight. They are walks of fixed steps: what is wrong is shrunk, and what is
// wrong alone too is another fault.

import type { Context } from '../engine/check/context.ts'
import { type AnyCheck, check, type Needs } from '../engine/check/declare.ts'
import { failureOf, shrunk } from '../engine/run/shrink-walk.ts'
import type { MakeRequest, Step } from '../engine/run/steps.ts'
import { walk } from '../engine/run/walk.ts'
import { statusCode, takeKeyFrom, unauthorized, withKey } from '../history/exchange.ts'
import { type JsonObject, printJson } from '../history/json.ts'
import { Untested, type Wrong } from '../history/outcome.ts'
import { violateAs } from '../model/clause.ts'
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

/** Requests that may be sent to shrink what failed. */
const maxForShrinking = 40
/** Failures that are shrunk; the others are of the same fault, or come next. */
const maxFailures = 3

const failsAlone = 'the same request gets a wrong response when sent alone too'

/** @throws Violation for what fails only with other requests, Untested (blocked) for the rest */
const judge = async (context: Context, steps: readonly Step[]): Promise<void> => {
  const { found, ended, lost } = await walk(context, steps)
  if (lost?.error) throw lost.error
  let doubt = ended
  for (const [first] of [...Map.groupBy(found, failureOf).values()].slice(0, maxFailures)) {
    const last = first?.violation.evidence.at(-1)
    // A 5xx violates another requirement.
    if (!first || !last?.response || statusCode(last as never) >= 500) continue
    const { violation, steps: listed, isAlone } = await shrunk(context, first, maxForShrinking)
    const { expected, actual, evidence, wrong } = violation
    if (isAlone) doubt ??= new Untested('blocked', failsAlone, evidence)
    else {
      const inSequence = wrong.inSequence && { inSequence: wrong.inSequence }
      const unlike = { ...unlikeAlone, ...inSequence }
      violateAs(unlike, `${expected}, as alone`, `${actual}${listed}`, ...evidence)
    }
  }
  if (doubt) throw doubt
}

const program = (
  id: string,
  needs: Needs,
  sends: string,
  stepsOf: (context: Context) => readonly (readonly Step[])[],
): AnyCheck =>
  check({
    ...{ id, requirement: 'service.own-response', needs, sends },
    fails:
      'A response that the same request does not get alone: another status, the error of another ' +
      'request, values that were not sent, pets for another query, another pet.',
    inconclusive: `${controlFailed.create}; or ${failsAlone} (blocked)`,
    run: async (context) => {
      await context.control('create')
      for (const steps of stepsOf(context)) {
        // Pets of earlier steps must be listed by now.
        await context.aged()
        await judge(context, steps)
      }
    },
  })

const creation =
  (members: JsonObject = {}): MakeRequest =>
  ({ context }) =>
    createPet(context.newPet(members))

const fetched =
  (nth: number): MakeRequest =>
  ({ context }) => {
    const made = context.knownPets.creations.at(nth)
    return made && takeKeyFrom(getPet(made.id), made.exchange)
  }

const otherKey: MakeRequest = ({ context }) =>
  altered(keys.extended)(createPet(context.newPet()), context)

/** Above 1 MiB, the limit of many servers. */
const padding = ' '.repeat(1_250_000)

/** On one connection; a server may take what is missing from an earlier creation. */
const creations: readonly MakeRequest[] = [
  ({ context }) => createPet(printJson(nameless(context)).replace('{', `{${padding}`)),
  creation({ status: 'pending' }),
  // More bytes than characters: the next may be cut at the wrong place.
  ({ context }) => createPet({ name: `${context.names.fresh()} zarezervováno 🐾` }),
  creation({ status: 'pending' }),
  ({ context }) => ({ ...createPet(context.newPet()), method: 'PUT' }),
  otherKey,
]

/** The filter and the limit of a list do not affect the next one, which has neither. */
const lists: readonly MakeRequest[] = [
  () => listPets({ limit: 1, status: 'sold' }),
  () => listPets({}),
]

const one = (make: MakeRequest): Step => ({ kind: 'send', requests: [make] })

const inARow = program(
  'response-own-in-a-row',
  creating,
  'On one connection, one after another: `POST /pets` without a name, of more than 1 MiB; ' +
    'without `categoryId`; and with a key that was never issued, valid ones between them; `PUT ' +
    '/pets`; a list with a limit and a status, and one with neither.',
  ({ limits }) => {
    const [key] = limits.keys
    return [creations, lists].map((row) =>
      row.map((make) =>
        one((scene) => {
          const request = make(scene)
          return request && withKey(request, key?.label)
        }),
      ),
    )
  },
)

/** Names that encoders and templates mix up. */
const { scripts, markup } = riskyNames
const named = [scripts[1], markup[1], markup[4]].map((risky) => ({ name: risky?.[0] ?? '' }))

/** Similar requests next to each other, since they are most easily mixed up. */
const together = (context: Context): readonly MakeRequest[] => {
  const twin = context.newPet({ status: 'available' })
  const groups: readonly (readonly MakeRequest[])[] = [
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
  const refusals: readonly MakeRequest[] = [
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
  'Creations of pets that are pending and sold, if none is known; then at the same time, each on ' +
    'its own connection: six valid `POST /pets`, two of them equal, and one without a name; two lists by status, two GETs and one of an unknown ' +
    'id; a list without a key and a `POST /pets` with a key that was never issued.',
  (context) => [
    // An empty list fits any query.
    (['pending', 'sold'] as const)
      .filter((status) => context.knownPets.count(status) === 0)
      .map((status) => one(creation({ status }))),
    [{ kind: 'send', requests: together(context) }],
  ],
)

export const ownResponse: readonly AnyCheck[] = [inARow, own]
