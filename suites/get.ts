// GET /pets/{petId}: animals that exist, as they were created.
import { asCreated, differenceOf, knownOf, someId } from './animals.ts'
import { draft } from './arbitraries.ts'
import { bodyOf, made } from './create/made.ts'
import { getStrangers } from './get/strangers.ts'
import type { Question } from './kit/check.ts'
import { check } from './kit/check.ts'
import { expectMember, expectPet, expectStatus, violate } from './kit/expect.ts'
import type { Creation } from './kit/herd.ts'
import { Untested } from './kit/outcome.ts'
import { property } from './kit/property.ts'
import { withKeyOf } from './kit/request.ts'
import { getPet } from './requests.ts'

const reads = (keyed: number) => ({ stage: 'reads', keyed, anonymous: 0, getPet: true }) as const

const atOnce = property(
  'get-new-animal-200',
  'get.success',
  {
    stage: 'creations',
    keyed: 2,
    anonymous: 0,
    allow: ['write'],
    getPet: true,
    runs: 1,
    shrinks: 4,
  },
  draft,
  async (context, value) => {
    const { id, answer: created } = await made(context, bodyOf(context, value))
    const answer = await context.call(withKeyOf(getPet(id), created))
    if (answer.response.status === 200) return
    violate(`200 for the new animal ${id}`, `${answer.response.status}`, created, answer)
  },
)

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value)

/** What is most easily lost or changed: great ids and categories, long and strange names. */
const weightOf = ({ id, sent }: Creation): bigint => {
  const category = typeof sent.categoryId === 'bigint' ? sent.categoryId : 0n
  const name = typeof sent.name === 'string' ? sent.name : ''
  const strange = [...name].filter((letter) => letter > '~' || letter < ' ').length
  return magnitude(id) + magnitude(category) + 2n ** 56n * BigInt(strange)
}

const heaviest = (creations: readonly Creation[], count: number): Creation[] =>
  [...creations].sort((a, b) => (weightOf(a) < weightOf(b) ? 1 : -1)).slice(0, count)

const faithful = check('get-animal-as-created', 'get.faithful', reads(3), async (context) => {
  const { creations } = context.herd
  if (creations.length === 0) {
    throw new Untested('ambiguous', 'this run created no animal; allow write')
  }
  const newest = creations.findLast(({ sent }) => typeof sent.status === 'string')
  const sample = new Set([...heaviest(creations, 2), ...(newest ? [newest] : [])])
  for (const creation of sample) {
    const { id, exchange } = creation
    const answer = await context.call(getPet(id))
    expectStatus(answer, 200)
    const difference = differenceOf(asCreated(creation), expectPet(answer))
    if (difference) violate(`animal ${id} as it was created`, difference, exchange, answer)
  }
})

const ownId = check('get-id-own', 'get.own-id', reads(1), async (context) => {
  await context.control('get')
  const id = context.herd.seen.keys().next().value ?? someId(context)
  const answer = await context.call(getPet(id))
  expectStatus(answer, 200)
  expectMember(expectPet(answer), 'id', id, answer)
})

const oldestStays = check('pet-stays-oldest', 'pet.stays', reads(1), async (context) => {
  await context.control('get')
  const oldest = context.herd.creations[0]?.id ?? context.herd.seen.keys().next().value
  if (oldest === undefined) throw new Untested('blocked', 'no animal is known; allow write')
  const answer = await context.call(getPet(oldest))
  expectStatus(answer, 200)
  const difference = differenceOf(knownOf(context, oldest) ?? {}, expectPet(answer))
  if (difference) violate(`animal ${oldest} as it was before`, difference, answer)
})

export const get: readonly Question[] = [atOnce, faithful, ownId, oldestStays, ...getStrangers]
