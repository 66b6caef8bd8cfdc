// What tells a restart from a fault: pets that were shown since the connection was opened again.
import { expect, test } from 'vitest'
import type { AnsweredExchange } from '../../history/exchange.ts'
import { post } from '../../history/exchange.ts'
import { PetIndex } from '../../history/known-pets.ts'
import { fakeExchange } from '../../tests/fakes/fake-exchange.ts'
import { expectSameTarget } from './restart.ts'
import type { Session } from './session.ts'

/** A session that can send nothing, with what it has sent and received. */
const sessionOf = (trace: readonly AnsweredExchange[]): Session => {
  const knownPets = new PetIndex()
  for (const one of trace) knownPets.learn(one)
  const session = { trace, knownPets, clock: null, pace: { movedMs: () => 0 }, wallMs: () => 0 }
  return session as unknown as Session
}

const pet = { id: 7, name: 'Rex', categoryId: 1 }
const created = fakeExchange(post('/pets', '{"name":"Rex","categoryId":1}'), {
  ...{ status: 201, body: JSON.stringify(pet), seq: 1 },
})
const listed = (seq: number, name: string) =>
  fakeExchange('/pets', { status: 200, body: JSON.stringify([{ ...pet, name }]), seq })

test.for([
  ['was shown since', listed(9, 'Rex'), false],
  ['was shown before the last time only', listed(5, 'Rex'), true],
  ['has the id of another one since', listed(9, 'Tom'), true],
] as const)('a pet that %s', async ([, shown, isAsked]) => {
  const looked = expectSameTarget(sessionOf([created, shown]), 3, 6)
  const failed = await looked.then(
    () => false,
    () => true,
  )
  // It asks for the pet, where that may be gone.
  expect(failed).toBe(isAsked)
})
