// POST /pets with one fault each, as rows.

import type { Context } from '../../engine/check/context.ts'
import type { AnyCheck, Check, Make, Value } from '../../engine/check/declare.ts'
import { type Json, printJson } from '../../history/json.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'
import { createPet } from '../pets/requests.ts'
import { row } from '../pets/rows.ts'
import { bodies, type Entry, type Fault, lenient, members, moreLenient, without } from './faults.ts'

/** A category that no other creation has: where the name is the fault, the pet is known by it. */
const ownCategory = ({ categories: { free, any } }: Context, name: Json | undefined): bigint =>
  free ? any + BigInt(/\d+$/.exec(String(name))?.[0] ?? 1) : any

const faulty =
  (fault: Fault): Make =>
  (context, pick) => {
    const pet = context.newPet()
    return createPet(fault({ ...pet, categoryId: ownCategory(context, pet.name) }, pick))
  }

const needs = { stage: 'refusals', allow: ['write'] } as const
const only400 = 'Any status other than 400.'
const any4xx = 'Anything other than a 4xx response. It is a should: a lenient parser is a warning.'

const single = (all: readonly Entry[], fails: string, requirement?: BindingRequirementId) =>
  all.flatMap(([words, fault, id, own = requirement]) =>
    id === undefined || own === undefined
      ? []
      : [
          row('create', fails, {
            ...{ id: `create-${id}`, requirement: own, needs },
            values: [[words, faulty(fault)]],
          }),
        ],
  )

const valuesOf = (all: readonly Entry[]): readonly Value[] =>
  all.flatMap(([words, fault, id]) => (id === undefined ? [[words, faulty(fault)]] : []))

const isOfRange = ([, , , requirement]: Entry): boolean => requirement === 'new-pet.category.range'
const range = members.filter(isOfRange)
const others = valuesOf([...members.filter((each) => !isOfRange(each)), ...bodies])
/** Of each kind some; walks draw from the others too. */
const every = 3
const someFirst = Array.from({ length: every }, (_, part) =>
  others.filter((_value, at) => at % every === part),
)

export const createFaults: readonly AnyCheck[] = [
  ...single([...members, ...bodies], only400),
  ...single(lenient, any4xx, 'create.strict-json'),
  row('create', any4xx, {
    ...{ id: 'create-body-lenient-refused', requirement: 'create.strict-json', needs },
    values: valuesOf(moreLenient),
    most: 4,
  }),
  row('create', only400, {
    ...{ id: 'create-category-range-400', requirement: 'new-pet.category.range', needs },
    values: valuesOf(range),
    few: 2,
  }),
  row('create', only400, {
    ...{ id: 'create-other-fault-400', requirement: 'errors.400', needs },
    values: someFirst.flat(),
    most: someFirst[0]?.length ?? 0,
    few: 2,
  }),
]

const depth = 10_000

/** Beyond the limits of Express; of nginx and Fastify; of axum and Django; and 10 MB. */
const paddings = [300_000, 1_572_864, 3_145_728, 11_534_336]

const tooLarge = 'Any status other than 400 and 413: it was accepted, or the server failed.'

/** They may crash the target, so they come late. */
export const createTooLarge: readonly Check[] = [
  row('create', tooLarge, {
    ...{ id: 'create-body-deep-refused', requirement: 'create.too-large' },
    needs: { stage: 'hazards', allow: ['write'] },
    values: [
      [
        'with a name that is an array nested 10,000 deep',
        faulty((pet) =>
          printJson(pet).replace(
            printJson(pet.name ?? null),
            '['.repeat(depth) + ']'.repeat(depth),
          ),
        ),
      ],
    ],
  }),
  row('create', tooLarge, {
    ...{ id: 'create-body-large-refused', requirement: 'create.too-large' },
    needs: { stage: 'hazards', allow: ['write'] },
    values: paddings.map((padding) => [
      `without name, after ${padding} spaces`,
      // On a new connection, since unread bytes of the body would precede the next request.
      (context, pick) => ({ ...faulty(without('name'))(context, pick), padding, fresh: true }),
    ]),
  }),
]
