// POST /pets: what the interface leaves open about a body; each is asked once, and recorded.

import { observe } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { statusOf } from '../../engine/exchange.ts'
import { petsIn } from '../../engine/herd.ts'
import type { JsonObject } from '../../engine/json.ts'
import { int64Least, printJson } from '../../engine/json.ts'
import type { Header } from '../../engine/request.ts'
import { json, post } from '../../engine/request.ts'
import type { OpenRequirementId } from '../../spec/requirements.ts'
import { noAnimal, toldStatus } from '../animals.ts'
import { createPet } from '../requests.ts'
import { probeCategories, toldBySize } from './category-probe.ts'
import { creating, hindsight } from './made.ts'

const petOf = (answer: Answered): JsonObject | undefined =>
  statusOf(answer) === 201 ? petsIn(answer)[0] : undefined

/** The status of an answer, and for a member whether it came back as it was sent. */
const outcomeOf = (answer: Answered, sent: JsonObject, member: string): string => {
  const pet = petOf(answer)
  if (!pet) return `${statusOf(answer)}`
  const found = pet[member]
  if (found === undefined) return `201 without ${member}`
  return printJson(found) === printJson(sent[member] ?? null) ? '201 kept' : '201 changed'
}

const ask = async (context: Context, body: JsonObject | string): Promise<Answered> => {
  await context.control('create')
  return context.call(createPet(body))
}

type MemberRow = readonly [id: string, requirement: OpenRequirementId, members: JsonObject]

/** The first member of each row is the one that is told of. */
const members: readonly MemberRow[] = [
  ['create-name-empty', 'new-pet.name.extreme', { name: '' }],
  ['create-name-blank', 'new-pet.name.extreme', { name: '   ' }],
  ['create-name-101', 'new-pet.name.extreme', { name: 'n'.repeat(101) }],
  ['create-name-very-long', 'new-pet.name.extreme', { name: 'n'.repeat(5_000) }],
  ['create-name-control', 'new-pet.name.extreme', { name: 'a\t\u0001\u001b\u007fz' }],
  ['create-name-nul', 'new-pet.name.extreme', { name: 'a\u0000z' }],
  ['create-name-lone-surrogate', 'new-pet.name.extreme', { name: 'a\ud800z' }],
  ['create-category-zero', 'new-pet.category.non-positive', { categoryId: 0n }],
  ['create-category-negative', 'new-pet.category.non-positive', { categoryId: -1n }],
  ['create-category-least', 'new-pet.category.non-positive', { categoryId: int64Least }],
  ['create-status-null', 'new-pet.status.null', { status: null }],
  ['create-member-extra', 'new-pet.extra', { colour: 'red' }],
]

const memberRows = members.map(([id, requirement, given]) =>
  observe(id, requirement, creating(1), async (context) => {
    const [member = ''] = Object.keys(given)
    return outcomeOf(await ask(context, context.newPet(given)), given, member)
  }),
)

/** A usable category in another spelling, so that nothing but the spelling can be refused. */
const spellings = [
  ['create-category-point-zero', (digits: string) => `${digits}.0`],
  ['create-category-exponent', (digits: string) => `${digits}e0`],
] as const

const spellingRows = spellings.map(([id, spell]) =>
  observe(id, 'new-pet.category.spelling', creating(1), async (context) => {
    const sent = context.newPet()
    const digits = printJson(sent.categoryId ?? null)
    const body = printJson(sent).replace(`"categoryId":${digits}`, `"categoryId":${spell(digits)}`)
    return outcomeOf(await ask(context, body), sent, 'categoryId')
  }),
)

const repeated = observe(
  'create-name-twice',
  'create.repeated-member',
  creating(1),
  async (context) => {
    const [first, last] = [context.names.fresh(), context.names.fresh()]
    const body = printJson(context.newPet({ name: last })).replace('{', `{"name":"${first}",`)
    const answer = await ask(context, body)
    const pet = petOf(answer)
    if (!pet) return `${statusOf(answer)}`
    if (pet.name === first) return '201 with the first'
    return pet.name === last ? '201 with the last' : '201 with neither'
  },
)

const mediaTypes: readonly (readonly [string, readonly Header[]])[] = [
  ['create-media-type-text', [[json[0], 'text/plain']]],
  ['create-media-type-none', []],
]

const mediaTypeRows = mediaTypes.map(([id, headers]) =>
  observe(id, 'service.media-type', creating(1), async (context) => {
    await context.control('create')
    const body = printJson(context.newPet())
    return `${statusOf(await context.call(post('/pets', body, [...headers])))}`
  }),
)

const defaultStatus = observe(
  'create-status-default',
  'gap.default-status',
  hindsight,
  async (context) => {
    const { creations } = context.herd
    const without = creations.filter(({ sent }) => !Object.hasOwn(sent, 'status'))
    if (without.length === 0) throw noAnimal(context, 'was created without a status')
    const found = new Set(without.map(({ pet }) => toldStatus(pet, 'absent')))
    return [...found].sort().join(' or ')
  },
)

/** It goes first: until it has been asked, it is not known which categories may be used. */
export const unknownCategory = observe(
  'create-category-unknown',
  'gap.category',
  { ...creating(3), further: 2, stage: 'probes' },
  async (context) => toldBySize(await probeCategories(context)),
)

export const createUnsaid = [
  ...memberRows,
  ...spellingRows,
  repeated,
  ...mediaTypeRows,
  defaultStatus,
]
