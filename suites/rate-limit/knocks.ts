// Knocking on: a key of its own is exhausted and asks on, until it is banned or enough is known.

import type { Context, LimitKey, Limits } from '../../engine/context.ts'
import type { Needs } from '../../engine/declare.ts'
import { type Answered, statusOf } from '../../engine/exchange.ts'
import { Inapplicable, Untested } from '../../engine/outcome.ts'
import { knocksMost } from '../../engine/quota/experiments.ts'
import type { Round } from '../../engine/quota/round.ts'
import { createPet } from '../requests.ts'
import { canCreate, refusalsIn } from './exhausted.ts'
import { answered } from './flood.ts'
import { isShutOut, looksBanned, minuteSaid } from './reading.ts'
import { lastToEnd } from './retry.ts'
import { cheapest, holdRound, rareStatus, short } from './round.ts'

/** What looks at the knocks, and at the ban that they drew. */
export const aftermath: Needs = {
  stage: 'bans',
  keyed: 0,
  anonymous: 0,
  allow: ['exhaust', 'ban'],
  looksAt: ['knocks'],
  banKey: true,
}

/** Without a test clock the requests keep this distance. */
const pauseMs = 20

export interface Knocks {
  readonly round: Round
  readonly key: LimitKey
  /** The first refusal, which a ban must not be. */
  readonly refusal: Answered
  readonly knocks: readonly Answered[]
  /** The answer that shows a ban, the last of the knocks; and which refusal in a row it is. */
  readonly ban: Answered | undefined
  readonly refusals: number
  /** A creation sent during the ban, where creations are allowed. */
  readonly creation: Answered | undefined
}

/** Whether its minute ended meanwhile: what follows is no repeated request. */
const isNewMinute = (answer: Answered, { quota }: LimitKey): boolean =>
  (minuteSaid(answer, quota)?.remaining ?? 0) > quota.perMinute / 2

/** The key that shows whether a ban is confined: of the same plan, if there is one. */
export const otherOf = (limits: Limits, banned: LimitKey): LimitKey =>
  limits.keys.find(({ plan }) => plan === banned.plan) ?? cheapest(limits)

/** A creation with a banned key, where creations are allowed. */
const createBanned = async (context: Context, { label }: LimitKey) => {
  if (!(await canCreate(context))) return undefined
  const pet = context.newPet({ status: rareStatus(context) })
  return context.limits.insist(label, createPet(pet))
}

/**
 * Exhausts the key, and goes on until it is banned or enough is known.
 * @param most so many refusals after the first one
 */
const knockOn = async (context: Context, key: LimitKey, most: number): Promise<Knocks> => {
  const { limits } = context
  await context.control('list')
  // What the other key spent before is not to explain a refusal of it, nor to outlast the ban.
  if (limits.instant && limits.keys.length > 0) await limits.rest(otherOf(limits, key).label)
  const round = await holdRound(context, key, undefined, 'lists')
  const refused = refusalsIn(round)
  const refusal = refused.toSorted((a, b) => a.receivedMs - b.receivedMs)[0]
  const latest = lastToEnd(refused)
  if (!refusal || !latest) {
    throw new Untested('blocked', `key ${key.label} could not be exhausted`)
  }
  const knocks: Answered[] = []
  let ban = refused.length > 1 && looksBanned([refusal], latest) ? latest : undefined
  while (knocks.length < most && !ban) {
    if (!limits.instant) await limits.linger(pauseMs)
    const answer = await limits.insist(key.label, short)
    if (looksBanned([latest, ...knocks], answer)) ban = answer
    knocks.push(answer)
    if (isNewMinute(answer, key)) break
  }
  const refusals = refused.length + knocks.filter(isShutOut).length
  const creation = ban ? await createBanned(context, key) : undefined
  return { round, key, refusal, knocks, ban, refusals, creation }
}

const knockedAs = (context: Context, name: string, most = knocksMost): Promise<Knocks> => {
  const { banKey } = context.limits
  if (!banKey) {
    throw new Untested('key', 'it needs a key that may be banned (a second --key of its plan)')
  }
  return context.once(`${name}: ${banKey.label}`, () => answered(knockOn(context, banKey, most)))
}

export const knocked = async (context: Context): Promise<Knocks> => knockedAs(context, 'knocked')

/** The latest response to the knocks. */
export const latestOf = ({ ban, creation, knocks, refusal }: Knocks): Answered =>
  creation ?? ban ?? knocks.at(-1) ?? refusal

/** The same once more, where another client may have been there the first time and gone. */
export const knockedAgain = async (context: Context): Promise<Knocks> =>
  knockedAs(context, 'knocked again')

/** The same, but for the refusal that drew the ban the last time. */
export const knockedLess = async (context: Context, { refusals }: Knocks): Promise<Knocks> =>
  knockedAs(context, 'knocked without a ban', Math.max(0, refusals - 2))

export const lookOf = ({ ban, refusals }: Knocks): string =>
  ban ? `after ${refusals} refusals, ${statusOf(ban)}` : `none after ${refusals} refusals`

/** There is nothing to say of a ban that was not drawn. */
export const noBan = (knocks: Knocks): never => {
  throw new Inapplicable(`no ban was seen: ${lookOf(knocks)}`)
}
