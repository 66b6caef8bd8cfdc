// Requests after 429: the key for bans is exhausted and continues to send until it is banned, or 40
// requests were refused.

import type { Context, LimitKey, Limits } from '../../engine/check/context.ts'
import type { Needs } from '../../engine/check/declare.ts'
import { type AnsweredExchange, type ApiRequest, statusCode } from '../../history/exchange.ts'
import { Inapplicable, Untested } from '../../history/outcome.ts'
import { count } from '../../history/quote.ts'
import { isServed, isShutOut, minuteSaid } from '../../history/rate-headers.ts'
import { unlikelyIds } from '../pets/arbitraries.ts'
import { acceptedStatus } from '../pets/compare-pets.ts'
import { createPet, getPet, listPetsWith } from '../pets/requests.ts'
import { looksBanned } from './banned.ts'
import {
  canCreate,
  cheapest,
  exhausting,
  extraBurst,
  lastToExpire,
  refusalsIn,
} from './experiments.ts'
import type { Round } from './run-burst.ts'
import { callAnyway, unlessLost } from './sending.ts'

/** Servers ban after 3 to 30 refusals: so many requests follow the first one. */
const maxRequestsAfter429 = 40

/** The needs of a check that judges these requests, or the ban that they caused. */
export const banNeeds: Needs = { stage: 'bans', allow: ['exhaust', 'ban'] }

/** The pause between the requests, without a test clock. */
const pauseMs = 20

export interface After429 {
  readonly round: Round
  readonly key: LimitKey
  /** The first refusal, which must not be a ban. */
  readonly refusal: AnsweredExchange
  /** The responses to the requests after it. */
  readonly responses: readonly AnsweredExchange[]
  /** The last of them, if it shows a ban. */
  readonly ban: AnsweredExchange | undefined
  /** The number of refusals, the one that shows the ban included. */
  readonly refusals: number
  /** The response to a creation during the ban, if the run may create. */
  readonly creation: AnsweredExchange | undefined
}

/** Whether the minute ended, so that the next request is not a repeated one. */
const isNewMinute = (response: AnsweredExchange, { quota }: LimitKey): boolean =>
  isServed(response) && (minuteSaid(response)?.remaining ?? 0) > quota.perMinute / 2

/** Requests that are refused whatever the quota: they may get 429, or what is due to them. */
const invalidRequests = (context: Context, mayCreate: boolean): readonly ApiRequest[] => {
  const { categoryId: _, ...body } = context.newPet({ status: acceptedStatus(context) })
  const [unknownId = 0n] = unlikelyIds(context.seed, 1)
  return [...(mayCreate ? [createPet(body)] : []), getPet(unknownId), listPetsWith('limit=0')]
}

/** The key that must not be banned as well: of the same plan, if there is one. */
export const chooseOtherKey = (limits: Limits, banned: LimitKey): LimitKey =>
  limits.keys.find(({ plan }) => plan === banned.plan) ?? cheapest(limits)

const createBanned = async (context: Context, key: LimitKey, mayCreate: boolean) => {
  if (!mayCreate) return undefined
  const pet = context.newPet({ status: acceptedStatus(context) })
  return callAnyway(context, key, createPet(pet))
}

interface Attempt {
  /** Exhausts the key. */
  readonly burst: (context: Context, key: LimitKey) => Promise<Round>
  /** At most this many requests after the first refusal. */
  readonly maxRequests: number
}

/** Exhausts the key, and continues until it is banned. */
const exhaustAndContinue = async (
  context: Context,
  key: LimitKey,
  { burst, maxRequests }: Attempt,
) => {
  const { limits } = context
  await context.control('list')
  // Asked before there is a ban, which may refuse the control request of another key.
  const mayCreate = await canCreate(context)
  // Earlier calls of the other key must not explain a refusal of it.
  if (limits.instant && limits.keys.length > 0) await limits.rest(chooseOtherKey(limits, key).label)
  const round = await burst(context, key)
  const refused = refusalsIn(round)
  const refusal = refused.toSorted((a, b) => a.receivedMs - b.receivedMs)[0]
  const latest = lastToExpire(refused)
  if (!refusal || !latest) {
    throw new Untested('blocked', `key ${key.label} could not be exhausted`)
  }
  const responses: AnsweredExchange[] = []
  const invalid = invalidRequests(context, mayCreate)
  let ban = refused.length > 1 && looksBanned([refusal], latest) ? latest : undefined
  while (responses.length < maxRequests && !ban) {
    if (!limits.instant) await limits.passRealTime(pauseMs)
    const response = await callAnyway(context, key, invalid[responses.length])
    if (looksBanned([latest, ...responses], response)) ban = response
    responses.push(response)
    if (isNewMinute(response, key)) break
  }
  const refusals = refused.length + responses.filter(isShutOut).length
  const creation = ban ? await createBanned(context, key, mayCreate) : undefined
  return { round, key, refusal, responses, ban, refusals, creation }
}

const usual: Attempt = { burst: extraBurst, maxRequests: maxRequestsAfter429 }

const runOnce = async (context: Context, name: string, own: Partial<Attempt>) => {
  const { banKey } = context.limits
  if (!banKey) {
    throw new Untested('key', 'needs a key that may be banned (a second --key of its plan)')
  }
  return context.once(`${name}: ${banKey.label}`, () =>
    unlessLost(exhaustAndContinue(context, banKey, { ...usual, ...own })),
  )
}

/** The burst that all checks of the key's quota judge; of lists, which only a limit refuses. */
const listBurst: Attempt['burst'] = (context, key) =>
  context.once(exhausting(key), () => extraBurst(context, key))

export const after429 = (context: Context) => runOnce(context, 'after 429', { burst: listBurst })

/** A second time, or a third, since another client may have interfered the first time. */
export const after429Again = (context: Context, time = 1) =>
  runOnce(context, `after 429 again, ${time}`, {})

/** Without the refusal that led to the ban the last time; `time` counts these. */
export const after429WithoutBan = (context: Context, { refusals }: After429, time = 1) =>
  runOnce(context, `after 429 without a ban, ${time}`, { maxRequests: Math.max(0, refusals - 2) })

export const findLatest = ({ ban, creation, responses, refusal }: After429): AnsweredExchange =>
  creation ?? ban ?? responses.at(-1) ?? refusal

export const describeBan = ({ ban, refusals }: After429): string =>
  ban
    ? `after ${count(refusals - 1, 'refusal', 'refusals')}, ${statusCode(ban)}`
    : `none after ${count(refusals, 'refusal', 'refusals')}`

/** For checks that judge a ban, if there was none. */
export const noBan = (seen: After429): never => {
  throw new Inapplicable(`no ban was observed: ${describeBan(seen)}`)
}
