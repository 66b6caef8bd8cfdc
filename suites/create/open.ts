// POST /pets: bodies that the interface leaves open, and what builds on earlier creations. Clauses
// judge what was accepted.

import type { Context } from '../../engine/check/context.ts'
import { type AnyCheck, type Make, observe } from '../../engine/check/declare.ts'
import {
  type AnsweredExchange,
  isSuccess,
  json,
  post,
  recognizeOperation,
  statusCode,
  withKey,
} from '../../history/exchange.ts'
import { type JsonObject, minInt64, printJson } from '../../history/json.ts'
import { petsIn, sentObject } from '../../history/known-pets.ts'
import { Untested } from '../../history/outcome.ts'
import type { OpenRequirementId } from '../../spec/requirements.ts'
import { unlikelyIds } from '../pets/arbitraries.ts'
import { describeStatus, expectOwnId, noPet, scarcestStatus, someId } from '../pets/compare-pets.ts'
import { createPet, creating, listPets } from '../pets/requests.ts'
import { openRow, row } from '../pets/rows.ts'
import { createFaults, createHazards, createValid } from './rows.ts'

/** The status; of a success also whether each member came back as it was sent. */
const outcomeOf = (response: AnsweredExchange): string => {
  const [pet] = isSuccess(response) ? petsIn(response) : []
  if (!pet) return `${statusCode(response)}`
  const sent = Object.entries(sentObject(response) ?? {}).filter(([member]) => member !== 'id')
  const lost = sent.find(([member]) => !(member in pet))
  if (lost) return `201 without ${lost[0]}`
  const isKept = sent.every(
    ([member, value]) => printJson(pet[member] ?? null) === printJson(value),
  )
  return isKept ? '201 kept' : '201 changed'
}

type Entry = readonly [
  id: string,
  requirement: OpenRequirementId,
  words: string,
  make: Make,
  isHazard?: true,
]

const ofMembers = (
  requirement: OpenRequirementId,
  ...all: readonly (readonly [id: string, words: string, members: JsonObject])[]
): readonly Entry[] =>
  all.map(([id, words, members]) => [
    ...([id, requirement, words] as const),
    ({ newPet }) => createPet(newPet(members)),
  ])

/** A usable category in another spelling, so that only the spelling can be refused. */
const spelled =
  (end: string): Make =>
  ({ newPet }) =>
    createPet(printJson(newPet()).replace(/"categoryId":-?\d+/, `$&${end}`))

const entries: readonly Entry[] = [
  [
    'name-outer-space',
    'new-pet.name.extreme',
    'with two spaces at each end of the name',
    ({ names, newPet }) => createPet(newPet({ name: `  ${names.fresh()}  ` })),
  ],
  ...ofMembers(
    'new-pet.name.extreme',
    ['name-empty', 'with an empty name', { name: '' }],
    ['name-blank', 'with a name of three spaces', { name: '   ' }],
    ['name-101', 'with a name of 101 characters', { name: 'n'.repeat(101) }],
    ['name-very-long', 'with a name of 5,000 characters', { name: 'n'.repeat(5_000) }],
    ['name-control', 'with control characters in the name', { name: 'a\t\u0001\u001b\u007fz' }],
    ['name-nul', 'with a NUL in the name', { name: 'a\u0000z' }],
  ),
  ...ofMembers(
    'new-pet.category.non-positive',
    ['category-zero', 'with the categoryId 0', { categoryId: 0n }],
    ['category-negative', 'with the categoryId -1', { categoryId: -1n }],
    ['category-least', 'with the categoryId -2^63', { categoryId: minInt64 }],
  ),
  ...ofMembers('new-pet.status.null', ['status-null', 'with the status null', { status: null }]),
  ...ofMembers('new-pet.extra', ['member-extra', 'with the member colour', { colour: 'red' }]),
  ...(
    [
      ['category-point-zero', 'with the categoryId written like 1.0', '.0'],
      ['category-exponent', 'with the categoryId written like 1e0', 'e0'],
    ] as const
  ).map(([id, words, end]): Entry => [id, 'new-pet.category.spelling', words, spelled(end)]),
  [
    'name-twice',
    'create.repeated-member',
    'with two members name; the last one counts as sent',
    ({ names, newPet }) =>
      createPet(printJson(newPet()).replace('{', `{"name":"${names.fresh()}",`)),
  ],
  [
    'media-type-text',
    'service.media-type',
    'as text/plain',
    ({ newPet }) => post('/pets', printJson(newPet()), [[json[0], 'text/plain']]),
  ],
  [
    'media-type-none',
    'service.media-type',
    'without Content-Type',
    ({ newPet }) => post('/pets', printJson(newPet()), []),
  ],
  [
    'name-lone-surrogate',
    'new-pet.name.extreme',
    'with a lone surrogate in the name',
    (context) => createPet(context.newPet({ name: 'a\ud800z', status: scarcestStatus(context) })),
    true,
  ],
]

/** A name that UTF-8 cannot express may be stored, and then fail each response that has it. */
const surrogateListed = row('list', 'Any status other than 200.', {
  ...{ id: 'create-lone-surrogate-list-200', requirement: 'list.success' },
  follows: 'after POST /pets with a lone surrogate in the name',
  ...{ sentBy: ['create-name-lone-surrogate'], needs: { stage: 'hazards', allow: ['write'] } },
  values: [
    [
      'of the status of a pet with a lone surrogate in its name',
      ({ knownPets }) =>
        listPets({ limit: 100, status: String(knownPets.creations.at(-1)?.sent.status ?? 'sold') }),
    ],
  ],
})

const defaultStatus = observe({
  id: 'create-status-default',
  requirement: 'gap.default-status',
  sentBy: ['create-status-omitted-201'],
  needs: { ...creating, stage: 'reads' },
  sends: 'No requests: it looks at all pets of the run that were created without a status.',
  records: 'The status of these pets, or that they have none.',
  inconclusive: 'no pet was created without a status',
  run: async (context) => {
    const { creations } = context.knownPets
    const without = creations.filter(({ sent }) => !Object.hasOwn(sent, 'status'))
    if (without.length === 0) throw noPet(context, 'was created without a status')
    const found = new Set(without.map(({ pet }) => describeStatus(pet, 'absent')))
    return [...found].sort().join(' or ')
  },
})

export const createOpen = [
  ...entries.map(([id, requirement, words, make, isHazard]) =>
    openRow('create', {
      ...{ id: `create-${id}`, requirement },
      needs: { stage: isHazard ? 'hazards' : 'creations', allow: ['write'] },
      records: 'The status; of a 201, whether the members were returned as they were sent.',
      record: outcomeOf,
      values: [[words, make]],
    }),
  ),
  defaultStatus,
  surrogateListed,
]

/** Clauses judge that it is another pet. */
const twice = row('create', 'Any status other than 201.', {
  ...{ id: 'create-equal-bodies-201', requirement: 'create.twice' },
  needs: { stage: 'creations', allow: ['write'] },
  values: [
    [
      'with the body of an earlier one, and the same key',
      ({ history }) => {
        const last = history.exchanges.findLast(
          (one) => one.key !== null && isSuccess(one) && recognizeOperation(one) === 'create',
        )
        if (!last) throw new Untested('blocked', 'no creation was served yet')
        return withKey(createPet(last.apiRequest.body), last.key)
      },
    ],
  ],
})

const sentId = (
  kind: 'sent' | 'taken',
  stage: 'hazards' | 'creations',
  words: string,
  idOf: (context: Context) => bigint,
) =>
  openRow('create', {
    ...{ id: `create-id-${kind}`, requirement: 'pet.id.sent', needs: { stage, allow: ['write'] } },
    records: 'Whether the id was ignored, or the creation refused.',
    record: (response) => {
      if (!isSuccess(response)) return `refused with ${statusCode(response)}`
      return petsIn(response)[0]?.id === sentObject(response)?.id ? 'taken' : 'ignored'
    },
    values: [[words, (context) => createPet(context.newPet({ id: idOf(context) }))]],
  })

const sentIds = [
  // Where the largest id is taken, a server that counts on from it creates no pet any more.
  sentId(
    'sent',
    'hazards',
    'with an id that no pet has, by the seed',
    ({ seed }) => unlikelyIds(seed, 1)[0] ?? 0n,
  ),
  sentId('taken', 'creations', 'with an id of an existing pet', (context) => {
    const id = someId(context)
    expectOwnId(context, id)
    return id
  }),
]

/** Each refused creation had a name of its own, or a category, including those without a key. */
const afterRefusals = row('list', 'Any status other than 200.', {
  ...{ id: 'list-after-refusals-200', requirement: 'list.success' },
  sentBy: ['create-other-fault-400', 'create-name-number-400', 'create-name-missing-400'],
  needs: { stage: 'refusals', allow: ['write'] },
  values: [
    [
      'of a hundred pets after the creations that were refused',
      ({ knownPets }) => {
        const last = knownPets.refusals.findLast(({ exchange }) => exchange.key !== null)
        if (!last) throw new Untested('blocked', 'no creation was refused yet')
        return withKey(listPets({ limit: 100 }), last.exchange.key)
      },
    ],
  ],
})

export const create: readonly AnyCheck[] = [
  ...createFaults,
  ...createHazards,
  ...createValid,
  twice,
  ...sentIds,
  afterRefusals,
  ...createOpen,
]
