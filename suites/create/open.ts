// POST /pets with bodies that the interface leaves open: each is sent once, and its response is
// recorded. Clauses judge what was accepted.

import { type Make, observe } from '../../engine/check/declare.ts'
import { type AnsweredExchange, isSuccess, json, post, statusCode } from '../../history/exchange.ts'
import { type JsonObject, minInt64, printJson } from '../../history/json.ts'
import { petsIn, sentObject } from '../../history/known-pets.ts'
import type { OpenRequirementId } from '../../spec/requirements.ts'
import { describeStatus, noPet, scarcestStatus } from '../pets/compare-pets.ts'
import { createPet, creating, listPets } from '../pets/requests.ts'
import { openRow, row } from '../pets/rows.ts'

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

type Entry = readonly [id: string, requirement: OpenRequirementId, words: string, make: Make]

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
]

const rowOf = (
  [id, requirement, words, make]: Entry,
  stage: 'creations' | 'hazards' = 'creations',
) =>
  openRow('create', {
    ...{ id: `create-${id}`, requirement, needs: { stage, allow: ['write'] } },
    records: 'The status; of a 201, whether the members were returned as they were sent.',
    record: outcomeOf,
    values: [[words, make]],
  })

const unencodable = 'a\ud800z'
const withSurrogate: Make = (context) =>
  createPet(context.newPet({ name: unencodable, status: scarcestStatus(context) }))

const surrogate = rowOf(
  [
    'name-lone-surrogate',
    'new-pet.name.extreme',
    'with a lone surrogate in the name',
    withSurrogate,
  ],
  'hazards',
)

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
  ...entries.map((entry) => rowOf(entry)),
  defaultStatus,
  surrogate,
  surrogateListed,
]
