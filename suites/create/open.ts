// POST /pets with bodies that the interface leaves open: each is sent once, and its response is
// recorded.

import type { Context } from '../../engine/context.ts'
import { observe } from '../../engine/declare.ts'
import { type AnsweredExchange, type Header, json, post, statusOf } from '../../engine/exchange.ts'
import { type JsonObject, minInt64, printJson } from '../../engine/json.ts'
import { petsIn } from '../../engine/pets/known-pets.ts'
import type { OpenRequirementId } from '../../spec/requirements.ts'
import { describeStatus, noPet } from '../pets.ts'
import { controlFailed, createPet, creating, hindsight, oneCreation } from '../requests.ts'

const petOf = (response: AnsweredExchange): JsonObject | undefined =>
  statusOf(response) === 201 ? petsIn(response)[0] : undefined

/** The status of a response; of a 201 also whether a member was returned as it was sent. */
const outcomeOf = (response: AnsweredExchange, sent: JsonObject, member: string): string => {
  const pet = petOf(response)
  if (!pet) return `${statusOf(response)}`
  const found = pet[member]
  if (found === undefined) return `201 without ${member}`
  return printJson(found) === printJson(sent[member] ?? null) ? '201 kept' : '201 changed'
}

const send = async (context: Context, body: JsonObject | string): Promise<AnsweredExchange> => {
  await context.control('create')
  return context.call(createPet(body))
}

type MemberRow = readonly [
  id: string,
  requirement: OpenRequirementId,
  words: string,
  members: JsonObject,
]

/** The first member of each row is the one that is recorded. */
const members: readonly MemberRow[] = [
  ['create-name-empty', 'new-pet.name.extreme', 'whose `name` is empty', { name: '' }],
  ['create-name-blank', 'new-pet.name.extreme', 'whose `name` is three spaces', { name: '   ' }],
  [
    'create-name-101',
    'new-pet.name.extreme',
    'whose `name` has 101 characters',
    { name: 'n'.repeat(101) },
  ],
  [
    'create-name-very-long',
    'new-pet.name.extreme',
    'whose `name` has 5,000 characters',
    { name: 'n'.repeat(5_000) },
  ],
  [
    'create-name-control',
    'new-pet.name.extreme',
    'whose `name` has a tab and other control characters',
    { name: 'a\t\u0001\u001b\u007fz' },
  ],
  ['create-name-nul', 'new-pet.name.extreme', 'whose `name` contains a NUL', { name: 'a\u0000z' }],
  [
    'create-name-lone-surrogate',
    'new-pet.name.extreme',
    'whose `name` contains a lone surrogate',
    { name: 'a\ud800z' },
  ],
  [
    'create-category-zero',
    'new-pet.category.non-positive',
    'whose `categoryId` is 0',
    { categoryId: 0n },
  ],
  [
    'create-category-negative',
    'new-pet.category.non-positive',
    'whose `categoryId` is -1',
    { categoryId: -1n },
  ],
  [
    'create-category-least',
    'new-pet.category.non-positive',
    'whose `categoryId` is -2^63',
    { categoryId: minInt64 },
  ],
  ['create-status-null', 'new-pet.status.null', 'whose `status` is null', { status: null }],
  ['create-member-extra', 'new-pet.extra', 'with another member, `colour`', { colour: 'red' }],
]

const recordsMember = 'The status; of a 201, whether the member was returned as it was sent.'

const memberRows = members.map(([id, requirement, words, given]) =>
  observe({
    id,
    requirement,
    needs: creating(1),
    sends: oneCreation(words),
    records: recordsMember,
    inconclusive: controlFailed.create,
    run: async (context) => {
      const [member = ''] = Object.keys(given)
      return outcomeOf(await send(context, context.newPet(given)), given, member)
    },
  }),
)

/** A usable category in another spelling, so that only the spelling can be refused. */
const spellings = [
  ['create-category-point-zero', '1.0', (digits: string) => `${digits}.0`],
  ['create-category-exponent', '1e0', (digits: string) => `${digits}e0`],
] as const

const spellingRows = spellings.map(([id, like, spell]) =>
  observe({
    id,
    requirement: 'new-pet.category.spelling',
    needs: creating(1),
    sends: oneCreation(`with a usable \`categoryId\` written like \`${like}\``),
    records: recordsMember,
    inconclusive: controlFailed.create,
    run: async (context) => {
      const sent = context.newPet()
      const digits = printJson(sent.categoryId ?? null)
      const body = printJson(sent).replace(
        `"categoryId":${digits}`,
        `"categoryId":${spell(digits)}`,
      )
      return outcomeOf(await send(context, body), sent, 'categoryId')
    },
  }),
)

const repeated = observe({
  id: 'create-name-twice',
  requirement: 'create.repeated-member',
  needs: creating(1),
  sends: 'One `POST /pets` with two members `name`.',
  records: 'The status; of a 201, which of the two names was stored.',
  inconclusive: controlFailed.create,
  run: async (context) => {
    const [first, last] = [context.names.fresh(), context.names.fresh()]
    const body = printJson(context.newPet({ name: last })).replace('{', `{"name":"${first}",`)
    const response = await send(context, body)
    const pet = petOf(response)
    if (!pet) return `${statusOf(response)}`
    if (pet.name === first) return '201 with the first'
    return pet.name === last ? '201 with the last' : '201 with neither'
  },
})

const mediaTypes: readonly (readonly [id: string, words: string, headers: readonly Header[]])[] = [
  ['create-media-type-text', 'sent as `text/plain`', [[json[0], 'text/plain']]],
  ['create-media-type-none', 'sent without a `Content-Type`', []],
]

const mediaTypeRows = mediaTypes.map(([id, words, headers]) =>
  observe({
    id,
    requirement: 'service.media-type',
    needs: creating(1),
    sends: `One \`POST /pets\` with a valid body ${words}.`,
    records: 'The status.',
    inconclusive: controlFailed.create,
    run: async (context) => {
      await context.control('create')
      const body = printJson(context.newPet())
      return `${statusOf(await context.call(post('/pets', body, [...headers])))}`
    },
  }),
)

const defaultStatus = observe({
  id: 'create-status-default',
  requirement: 'gap.default-status',
  needs: hindsight,
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
  ...memberRows,
  ...spellingRows,
  repeated,
  ...mediaTypeRows,
  defaultStatus,
]
