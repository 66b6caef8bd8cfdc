// How a check makes an animal: a sound body of a draft, and the 201 that it must draw.
import type { Draft } from '../arbitraries.ts'
import type { Context } from '../kit/context.ts'
import type { Answered } from '../kit/exchange.ts'
import { expectPet, expectStatus } from '../kit/expect.ts'
import type { JsonObject } from '../kit/json.ts'
import { createPet } from '../requests.ts'

export const creating = (keyed: number) =>
  ({ stage: 'creations', keyed, anonymous: 0, allow: ['write'] }) as const

/** Judges what other checks made; it sends nothing itself. */
export const hindsight = {
  stage: 'reads',
  keyed: 0,
  anonymous: 0,
  allow: ['write'],
  made: 'creations',
} as const

/** A category that may be used: the one wanted, where any may be. */
const usable = ({ categories }: Context, wanted: bigint): bigint => {
  if (categories.free || categories.known.length === 0) {
    return categories.free ? wanted : categories.any
  }
  const at = Number(wanted % BigInt(categories.known.length))
  return categories.known[at] ?? categories.any
}

export const bodyOf = (context: Context, { tail, category, status }: Draft): JsonObject => ({
  name: `${context.names.fresh()} ${tail}`,
  categoryId: usable(context, category),
  ...(status !== null && { status }),
})

export interface Made {
  readonly sent: JsonObject
  readonly answer: Answered
  readonly pet: JsonObject
  readonly id: bigint
}

/** @throws Violation unless the sound body is answered 201 and a Pet */
export const made = async (context: Context, sent: JsonObject): Promise<Made> => {
  await context.control('create')
  return madeAlone(context, sent)
}

/** For what the control itself rests on: were it asked first, a breach would only block. */
export const madeAlone = async (context: Context, sent: JsonObject): Promise<Made> =>
  madeBy(sent, await context.call(createPet(sent)))

export const madeBy = (sent: JsonObject, answer: Answered): Made => {
  expectStatus(answer, 201)
  const pet = expectPet(answer)
  return { sent, answer, pet, id: BigInt(pet.id as bigint) }
}
