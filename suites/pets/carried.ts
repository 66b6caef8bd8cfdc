// Sends valid creations that carry many claims at once. Where one fails, each claim is sent alone,
// and only that result counts.

import type { Context } from '../../engine/check/context.ts'
import { type AnsweredExchange, isSuccess, json } from '../../engine/check/exchange.ts'
import type { JsonObject } from '../../engine/check/json.ts'
import { sentObject } from '../../engine/check/known-pets.ts'
import { NoResponseError, Untested, Violation } from '../../engine/check/outcome.ts'
import { type Claim, findPlace, joinNames, packed, sharedBy } from './claims.ts'
import { acceptedStatus } from './compare-pets.ts'
import { createPet, creating } from './requests.ts'

/** A creation as it was sent, and its response. */
interface Sent {
  readonly sent: JsonObject
  readonly response: AnsweredExchange
}

export type Judge = (sent: Sent) => Promise<void>

/** The wanted category if every category is accepted. */
const membersOf = (context: Context, carried: readonly Claim[]): JsonObject => {
  const name = joinNames(carried)
  const category = carried.find(({ categoryId }) => categoryId !== undefined)?.categoryId
  const status = carried.find((claim) => claim.status !== undefined)?.status
  return {
    ...(name !== undefined && { name }),
    ...(category !== undefined && context.categories.free && { categoryId: category }),
    ...(status !== undefined && { status }),
  }
}

const bodyOf = (context: Context, carried: readonly Claim[], others: JsonObject): JsonObject => {
  const all = context.newPet({ ...others, ...membersOf(context, carried) })
  const { status, ...rest } = all
  return status === 'omitted' ? rest : all
}

export const sendCarrying = async (
  context: Context,
  carried: readonly Claim[],
  others: JsonObject = {},
): Promise<Sent> => {
  const sent = bodyOf(context, carried, others)
  const type = carried.find(({ mediaType }) => mediaType !== undefined)?.mediaType
  const framing = carried.find((claim) => claim.framing !== undefined)?.framing
  const overriding = carried.flatMap((claim) => claim.overriding ?? [])
  const response = await context.call({
    ...createPet(sent),
    headers: [type === undefined ? json : [json[0], type], ...overriding],
    ...(framing !== undefined && { framing }),
  })
  return { sent, response }
}

const sendAt = async (
  context: Context,
  place: number,
  others: JsonObject,
): Promise<Sent | undefined> => {
  try {
    // Checks of lists need pets of each status.
    return await sendCarrying(context, packed[place] ?? [], {
      status: acceptedStatus(context),
      ...others,
    })
  } catch (error) {
    // One of its claims may be the cause, which is then found when it is sent alone.
    if (error instanceof NoResponseError) return undefined
    throw error
  }
}

const probedAs = (place: number): string => `creation ${place}, which probes a category`

/**
 * The creation at this place with a category that the target may refuse: only if it is accepted it
 * is that of other checks too.
 * @returns undefined if it got no response, or was sent before
 */
export const sendProbing = (
  context: Context,
  place: number,
  categoryId: bigint,
): Promise<Sent | undefined> =>
  context.once(probedAs(place), () => sendAt(context, place, { categoryId }))

/** The creation at this place, for all whose claims it carries; undefined without a response. */
export const sendTogether = (context: Context, place: number): Promise<Sent | undefined> =>
  context.once(`creation ${place}`, async () => {
    const probed = await context.once(
      probedAs(place),
      async (): Promise<Sent | undefined> => undefined,
    )
    return probed && isSuccess(probed.response) ? probed : sendAt(context, place, {})
  })

/** The body of the creation at this place, for a check that sends it among other requests. */
export const bodyAt = (context: Context, place: number, others: JsonObject): JsonObject =>
  bodyOf(context, packed[place] ?? [], others)

/** Takes a creation for the one at this place, unless it was sent before. */
export const adopt = (context: Context, place: number, response: AnsweredExchange) =>
  context.once(`creation ${place}`, async () => ({ sent: sentObject(response) ?? {}, response }))

const sendAlone = (context: Context, claim: Claim): Promise<Sent> =>
  context.once(`a creation with ${claim.words}`, () => sendCarrying(context, [claim]))

/** @returns what is wrong; undefined if nothing is */
export const wrongIn = async (
  judge: Judge,
  sent: Sent,
): Promise<Violation | Untested | undefined> => {
  try {
    await judge(sent)
    return undefined
  } catch (error) {
    if (error instanceof Violation || error instanceof Untested) return error
    throw error
  }
}

/** The claims that were found to fail when they are sent alone. */
export const failingAlone = (context: Context): Promise<Set<Claim>> =>
  context.once('claims that fail alone', async () => new Set<Claim>())

/**
 * Judges the creation that carries a claim and others; if it fails, that which carries the claim
 * alone, and only this result counts.
 */
export const expectClaim = async (context: Context, claim: Claim, judge: Judge): Promise<void> => {
  await context.control('create')
  const together = await sendTogether(context, findPlace(claim))
  if (together && (await wrongIn(judge, together)) === undefined) return
  const wrong = await wrongIn(judge, await sendAlone(context, claim))
  if (wrong === undefined) return
  if (wrong instanceof Violation) (await failingAlone(context)).add(claim)
  throw wrong
}

/** For checks of which each request is one of these creations. */
export const carrying = (all: readonly Claim[]) => {
  const sharesEach = sharedBy(all)
  return { ...creating(sharesEach.length), sharesEach }
}
