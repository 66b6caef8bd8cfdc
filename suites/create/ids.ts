// POST /pets: the ids that the service assigns.

import { check, observe } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import { statusOf } from '../../engine/exchange.ts'
import { expectRefused, violate } from '../../engine/expect.ts'
import { noAnimal, someId } from '../animals.ts'
import { strangeIds } from '../arbitraries.ts'
import { createPet } from '../requests.ts'
import { creating, hindsight, made, madeBy } from './made.ts'

const twice = check('create-equal-bodies-two', 'create.twice', creating(2), async (context) => {
  const sent = context.newPet()
  const first = await made(context, sent)
  const second = await made(context, sent)
  if (first.pet.id !== second.pet.id) return
  violate('two animals', `one id, ${first.pet.id}, for both`, first.answer, second.answer)
})

const unique = check('create-ids-all-distinct', 'pet.id.unique', hindsight, async (context) => {
  const { herd } = context
  if (herd.creations.length < 2) throw noAnimal(context, 'beside another was created')
  for (const creation of herd.creations) {
    const first = herd.creationOf(creation.id)
    if (first === creation || !first) continue
    const evidence = [first.exchange, creation.exchange]
    violate('a new id for each animal', `${creation.id} twice`, ...evidence)
  }
})

/** Sends an id that is not to be honoured; a creation that is refused for it is as good. */
const sendId = async (context: Context, id: bigint) => {
  await context.control('create')
  const answer = await context.call(createPet(context.newPet({ id })))
  if (statusOf(answer) !== 201) return expectRefused(answer)
  if (madeBy(answer).pet.id === id)
    violate('an id of the service', `the id ${id} that was sent`, answer)
}

const newId = check('create-id-sent-ignored', 'pet.id.assigned', creating(1), async (context) => {
  const [id = 0n] = strangeIds(context.seed, 1)
  await sendId(context, id)
})

const takenId = check(
  'create-id-taken-ignored',
  'pet.id.assigned',
  creating(1),
  async (context) => {
    await context.control('create')
    await sendId(context, someId(context))
  },
)

const sentId = observe('create-id-sent', 'pet.id.sent', hindsight, async (context) => {
  const { herd } = context
  if (herd.creations.some(({ sent }) => sent.id !== undefined)) return 'ignored'
  if (herd.refusals.some(({ sent, exchange }) => sent.id !== undefined && exchange.key !== null))
    return 'refused'
  throw noAnimal(context, 'was created from a body with an id')
})

export const createIds = [twice, unique, newId, takenId, sentId]
