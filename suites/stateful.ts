// A client that lists, creates and fetches pets in any order, compared with a model of the store.

import type { Context } from '../engine/check/context.ts'
import { fetchKnown } from '../engine/check/control-request.ts'
import type { AnyCheck } from '../engine/check/declare.ts'
import { withKey } from '../engine/check/exchange.ts'
import { expectStatus, violateAs } from '../engine/check/expect.ts'
import type { JsonObject } from '../engine/check/json.ts'
import { Violation } from '../engine/check/outcome.ts'
import { type AsyncCommand, property, runModel } from '../engine/check/property.ts'
import { beyondFilter, beyondLimit } from './own-response/judge.ts'
import { type Step, steps } from './pets/arbitraries.ts'
import {
  expectSamePet,
  howMany,
  idRepeated,
  petMissing,
  petsWithIds,
  petWithId,
  without,
  wrongCount,
} from './pets/compare.ts'
import { getPet, listPets, made } from './pets/requests.ts'

/** The pets that this sequence created, and the steps that it took. */
interface Model {
  readonly created: Map<bigint, JsonObject>
  readonly taken: string[]
}

const create = async (model: Model, context: Context, status: string | null) => {
  const sent = context.newPet(status === null ? {} : { status })
  const { pet, response } = await made(context, sent)
  const { id } = pet
  if (model.created.has(id))
    violateAs(idRepeated, 'a new id', `the id ${id} of an earlier pet`, response)
  model.created.set(id, { id, ...sent })
}

type ListStep = Extract<Step, { kind: 'list' }>

const list = async (model: Model, context: Context, { limit, status }: ListStep) => {
  const all = [...model.created].filter(([, { status: its }]) => !status || its === status)
  const response = await context.call(listPets({ limit, ...(status !== null && { status }) }))
  expectStatus(response, 200)
  const pets = petsWithIds(response)
  const misfit = beyondLimit(response) ?? beyondFilter(response)
  if (misfit) violateAs(misfit.wrong, misfit.expected, misfit.actual, response)
  // A list need not have pets that another key created.
  const mine = all.filter(([id]) => context.knownPets.lists.isKnown(response.key, id))
  const wanted = Math.min(limit, mine.length)
  if (pets.length < wanted) {
    const wrong = wrongCount(pets.length, wanted)
    violateAs(wrong, `at least ${howMany(wanted)}`, howMany(pets.length), response)
  }
  for (const [id, created] of mine) {
    const found = pets.find((pet) => pet.id === id)
    if (!found && pets.length < limit)
      violateAs(petMissing, `pet ${id} in the list`, without, response)
    if (found) expectSamePet(`pet ${id} as it was created`, created, found, response)
  }
}

const get = async (model: Model, context: Context, which: number) => {
  const all = [...model.created]
  const [id, created] = all[which % all.length] ?? []
  if (id === undefined || !created) return
  const response = await fetchKnown(context, id)
  expectStatus(response, 200)
  expectSamePet(`pet ${id} as it was created`, created, petWithId(response), response)
}

const getUnknown = async (context: Context, id: bigint) => {
  if (context.knownPets.seen.has(id)) return
  expectStatus(await context.call(getPet(id)), 404)
}

const take = (step: Step, model: Model, context: Context): Promise<void> => {
  if (step.kind === 'create') return create(model, context, step.status)
  if (step.kind === 'list') return context.settled(() => list(model, context, step))
  if (step.kind === 'get') return get(model, context, step.which)
  return getUnknown(context, step.id)
}

const describeStep = (step: Step): string => {
  if (step.kind === 'create') return `create ${step.status ?? 'without status'}`
  if (step.kind === 'list') return `list limit ${step.limit} status ${step.status ?? 'any'}`
  return step.kind === 'get' ? `get pet ${step.which}` : `get unknown ${step.id}`
}

const commandOf = (step: Step): AsyncCommand<Model, Context> => ({
  check: (model) => step.kind !== 'get' || model.created.size > 0,
  run: async (model, context) => {
    model.taken.push(describeStep(step))
    await take(step, model, context)
  },
  toString: () => describeStep(step),
})

/** Uses one key for all steps, if it matters which. */
const asOneClient = (context: Context): Context => {
  const key = context.knownPets.lists.chosen(context.knownPets.matching(undefined))
  return { ...context, call: (request) => context.call(withKey(request, key)) }
}

const pairs = 4
const runs = 2

/** Sent in every run: caches and replicas may return a list as it was before it grew. */
const growing: readonly Step[] = [
  { kind: 'create', status: 'sold' },
  { kind: 'list', status: 'sold', limit: 1 },
  { kind: 'create', status: 'sold' },
  { kind: 'list', status: 'sold', limit: 100 },
  { kind: 'create', status: null },
  { kind: 'get', which: 2 },
  { kind: 'create', status: 'pending' },
  { kind: 'get', which: 0 },
]

export const stateful: readonly AnyCheck[] = [
  property({
    id: 'stateful-list-add-fetch',
    requirement: 'service.operations',
    needs: {
      stage: 'creations',
      keyed: runs * pairs * 2,
      anonymous: 0,
      allow: ['write'],
      getPet: true,
      runs,
      examples: [growing],
      shrinks: 24,
      reportsValue: false,
    },
    sends:
      'Two sequences of four `POST /pets` and four reads (a list, a GET, an unknown id), one ' +
      'of them generated, compared with a model.',
    fails:
      'The first step that contradicts the model: a pet is missing or changed, too many or ' +
      'too few are listed, or another status. The sequence is shrunk. A new pet must be ' +
      'listed within one second.',
    inconclusive: 'a `POST /pets` does not return 201 (blocked)',
    arbitrary: steps(pairs),
    run: async (context, sequence) => {
      const model: Model = { created: new Map(), taken: [] }
      try {
        await runModel(() => ({ model, real: asOneClient(context) }), sequence.map(commandOf))
      } catch (error) {
        if (!(error instanceof Violation)) throw error
        const actual = `${error.actual}; steps: ${model.taken.join(', ')}`
        throw new Violation(error.expected, actual, error.evidence, error.wrong)
      }
    },
  }),
]
