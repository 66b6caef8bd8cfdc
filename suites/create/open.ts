// POST /pets with bodies that the interface leaves open: each is sent once, and its response is
// recorded.

import type { Context } from '../../engine/check/context.ts'
import { check, observe } from '../../engine/check/declare.ts'
import {
  type AnsweredExchange,
  type Header,
  isSuccess,
  json,
  post,
  statusCode,
} from '../../engine/check/exchange.ts'
import { expectStatus } from '../../engine/check/expect.ts'
import { type Json, type JsonObject, minInt64, printJson } from '../../engine/check/json.ts'
import { petsIn } from '../../engine/check/known-pets.ts'
import type { OpenRequirementId } from '../../spec/requirements.ts'
import { describeStatus, noPet, statuses } from '../pets/compare-pets.ts'
import {
  afterControl,
  asHazard,
  createPet,
  creating,
  hindsight,
  listPets,
  oneCreation,
  recordsStatus,
} from '../pets/requests.ts'

const petOf = (response: AnsweredExchange): JsonObject | undefined =>
  isSuccess(response) ? petsIn(response)[0] : undefined

/** The status of a response; of a 201 also whether a member was returned as it was sent. */
const outcomeOf = (response: AnsweredExchange, member: string, sent: Json): string => {
  const pet = petOf(response)
  if (!pet) return `${statusCode(response)}`
  const found = pet[member]
  if (found === undefined) return `201 without ${member}`
  return printJson(found) === printJson(sent) ? '201 kept' : '201 changed'
}

const recordsMember = 'The status; of a 201, whether the member was returned as it was sent.'

/**
 * Creations with an extreme name and a category that is not positive: one that is accepted shows
 * what became of both.
 */
const pairs: readonly JsonObject[] = [
  { name: 'a\u0000z', categoryId: -1n },
  { name: 'n'.repeat(5_000), categoryId: minInt64 },
  { name: '', categoryId: 0n },
]

const pairAt = (place: number): string => `a creation with two open members, ${place}`

const placeOf = (member: string, value: Json): number =>
  pairs.findIndex((pair) =>
    Object.entries(pair).some(([at, one]) => at === member && one === value),
  )

/** The pair that has the member; if that is refused, or there is none, the member alone. */
const sendOpen = async (context: Context, member: string, value: Json) => {
  const place = placeOf(member, value)
  const send = (members: JsonObject) => context.call(createPet(context.newPet(members)))
  const pair = pairs[place]
  const together = pair && (await context.once(pairAt(place), () => send(pair)))
  return together && isSuccess(together) ? together : send({ [member]: value })
}

/** What the plan takes such a creation for. */
const placed = (member: string, value: Json) => {
  const place = placeOf(member, value)
  return place >= 0 && { ifRefused: 1, sharesEach: [pairAt(place)] }
}

const withMember = (
  id: string,
  requirement: OpenRequirementId,
  words: string,
  member: string,
  value: Json,
) =>
  observe({
    id,
    requirement,
    needs: { ...creating(1), ...placed(member, value) },
    sends: oneCreation(words),
    records: recordsMember,
    ...afterControl('create', async (context) =>
      outcomeOf(await sendOpen(context, member, value), member, value),
    ),
  })

const withValues = (
  member: 'name' | 'categoryId' | 'status',
  requirement: OpenRequirementId,
  values: readonly (readonly [kind: string, words: string, value: Json])[],
) =>
  values.map(([kind, words, value]) => {
    const id = `create-${member === 'categoryId' ? 'category' : member}-${kind}`
    return withMember(id, requirement, `whose \`${member}\` ${words}`, member, value)
  })

const members = [
  ...withValues('name', 'new-pet.name.extreme', [
    ['empty', 'is empty', ''],
    ['blank', 'is three spaces', '   '],
    ['101', 'has 101 characters', 'n'.repeat(101)],
    ['very-long', 'has 5,000 characters', 'n'.repeat(5_000)],
    ['control', 'has a tab and other control characters', 'a\t\u0001\u001b\u007fz'],
    ['nul', 'contains a NUL', 'a\u0000z'],
  ]),
  ...withValues('categoryId', 'new-pet.category.non-positive', [
    ['zero', 'is 0', 0n],
    ['negative', 'is -1', -1n],
    ['least', 'is -2^63', minInt64],
  ]),
  ...withValues('status', 'new-pet.status.null', [['null', 'is null', null]]),
  withMember(
    'create-member-extra',
    'new-pet.extra',
    'with another member, `colour`',
    'colour',
    'red',
  ),
]

const unencodable = 'a\ud800z'
const unencodableAs = 'a creation with a lone surrogate'

/** With the status that the fewest pets have, so that a list of a hundred shows it. */
const sendUnencodable = (context: Context) =>
  context.once(unencodableAs, async () => {
    const byCount = [...statuses].sort(
      (a, b) => context.knownPets.count(a) - context.knownPets.count(b),
    )
    const [status = ''] = byCount
    const response = await context.call(createPet(context.newPet({ name: unencodable, status })))
    return { status, response }
  })

const surrogate = observe({
  id: 'create-name-lone-surrogate',
  requirement: 'new-pet.name.extreme',
  needs: { ...creating(1), sharesEach: [unencodableAs] },
  sends: oneCreation('whose `name` contains a lone surrogate'),
  records: recordsMember,
  ...afterControl('create', async (context) =>
    outcomeOf((await sendUnencodable(context)).response, 'name', unencodable),
  ),
})

/** A name that UTF-8 cannot express may be stored, and then fail each response that has it. */
const surrogateListed = check({
  id: 'create-lone-surrogate-list-200',
  requirement: 'list.success',
  needs: { ...creating(2), sharesEach: [unencodableAs] },
  sends:
    'One `POST /pets` whose `name` contains a lone surrogate, which a target may refuse, and one ' +
    '`GET /pets?limit=100` of its status.',
  fails: 'Any status of the list other than 200.',
  ...afterControl('create', async (context) => {
    const { status } = await sendUnencodable(context)
    expectStatus(await context.call(listPets({ limit: 100, status })), 200)
  }),
})

/** A usable category in another spelling, so that only the spelling can be refused. */
const spellings = [
  ['create-category-point-zero', '1.0', '.0'],
  ['create-category-exponent', '1e0', 'e0'],
] as const

const spellingRows = spellings.map(([id, like, end]) =>
  observe({
    id,
    requirement: 'new-pet.category.spelling',
    needs: creating(1),
    sends: oneCreation(`with a usable \`categoryId\` written like \`${like}\``),
    records: recordsMember,
    ...afterControl('create', async ({ call, newPet }) => {
      const sent = newPet()
      const body = printJson(sent).replace(/"categoryId":-?\d+/, `$&${end}`)
      return outcomeOf(await call(createPet(body)), 'categoryId', sent.categoryId ?? null)
    }),
  }),
)

const repeated = observe({
  id: 'create-name-twice',
  requirement: 'create.repeated-member',
  needs: creating(1),
  sends: 'One `POST /pets` with two members `name`.',
  records: 'The status; of a 201, which of the two names was stored.',
  ...afterControl('create', async ({ call, names, newPet }) => {
    const [first, last] = [names.fresh(), names.fresh()]
    const body = printJson(newPet({ name: last })).replace('{', `{"name":"${first}",`)
    const response = await call(createPet(body))
    const pet = petOf(response)
    if (!pet) return `${statusCode(response)}`
    if (pet.name === first) return '201 with the first'
    return pet.name === last ? '201 with the last' : '201 with neither'
  }),
})

const mediaTypes: readonly (readonly [id: string, words: string, headers: Header[]])[] = [
  ['create-media-type-text', 'sent as `text/plain`', [[json[0], 'text/plain']]],
  ['create-media-type-none', 'sent without a `Content-Type`', []],
]

const mediaTypeRows = mediaTypes.map(([id, words, headers]) =>
  observe({
    id,
    requirement: 'service.media-type',
    needs: creating(1),
    sends: `One \`POST /pets\` with a valid body ${words}.`,
    ...recordsStatus('create', ({ newPet }) => post('/pets', printJson(newPet()), headers)),
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
  ...[...members, ...spellingRows, repeated, ...mediaTypeRows, defaultStatus],
  ...[surrogate, surrogateListed].map(asHazard),
]
