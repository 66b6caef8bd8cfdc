// How a check makes an animal: a sound body of a draft, and the 201 that it must draw.

import type { Context } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { expectStatus } from '../../engine/expect.ts'
import type { JsonObject } from '../../engine/json.ts'
import type { Animal } from '../animals.ts'
import { animalIn } from '../animals.ts'
import type { Draft } from '../arbitraries.ts'
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
  readonly answer: Answered
  readonly pet: Animal
}

/**
 * @throws Violation unless the sound body is answered 201
 * @throws Untested (blocked) where that shows no animal with an id
 */
export const made = async (context: Context, sent: JsonObject): Promise<Made> => {
  await context.control('create')
  return madeBy(await context.call(createPet(sent)))
}

/** As above, of the answer to a sound body. */
export const madeBy = (answer: Answered): Made => {
  expectStatus(answer, 201)
  return { answer, pet: animalIn(answer) }
}
