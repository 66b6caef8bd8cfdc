// Knocking on: a key of its own is exhausted and asks on, until it is banned or enough is known.
import type { Needs } from '../kit/check.ts'
import type { Context } from '../kit/context.ts'
import type { Answered } from '../kit/exchange.ts'
import { statusOf } from '../kit/exchange.ts'
import { Inapplicable, Untested } from '../kit/outcome.ts'
import type { LimitKey } from '../kit/quota/limits.ts'
import type { Round } from '../kit/quota/round.ts'
import { exhaustedNow, isOfNow, refusalsIn } from './exhausted.ts'
import { answered } from './flood.ts'
import { isShutOut, looksBanned } from './reading.ts'
import { lastToEnd } from './retry.ts'
import { holdRound, short } from './round.ts'

/** What looks at the knocks, and at the ban that they drew. */
export const aftermath: Needs = {
  stage: 'bans',
  keyed: 0,
  anonymous: 0,
  allow: ['exhaust', 'ban'],
  looksAt: ['knocks'],
  banKey: true,
}

export const knocksMost = 15

export interface Knocks {
  readonly key: LimitKey
  /** The first refusal, which a ban must not be. */
  readonly refusal: Answered
  readonly knocks: readonly Answered[]
  /** The answer that shows a ban, the last of the knocks; and which refusal in a row it is. */
  readonly ban: Answered | undefined
  readonly refusals: number
}

const knockOn = async (context: Context, round: Round): Promise<Knocks> => {
  const { key } = round
  const refused = refusalsIn(round)
  const refusal = refused.toSorted((a, b) => a.receivedMs - b.receivedMs)[0]
  const latest = lastToEnd(refused)
  if (!refusal || !latest) {
    throw new Untested('blocked', `key ${key.label} could not be exhausted`)
  }
  const knocks: Answered[] = []
  let ban = refused.length > 1 && looksBanned(refusal, latest) ? latest : undefined
  while (knocks.length < knocksMost && !ban) {
    const answer = await context.limits.insist(key.label, short)
    knocks.push(answer)
    if (looksBanned(refusal, answer)) ban = answer
  }
  const refusals = refused.length + knocks.filter(isShutOut).length
  return { key, refusal, knocks, ban, refusals }
}

const banKeyOf = ({ limits }: Context): LimitKey => {
  if (limits.banKey) return limits.banKey
  throw new Untested('key', 'it needs a key that may be banned (a second --key of its plan)')
}

export const knocked = (context: Context): Promise<Knocks> => {
  const key = banKeyOf(context)
  return context.once(`knocked: ${key.label}`, async () =>
    answered(knockOn(context, await exhaustedNow(context, key))),
  )
}

/** The same for who goes on from it: where the run was broken off after it, it is done anew. */
export const knockedNow = async (context: Context): Promise<Knocks> => {
  const known = await knocked(context)
  if (isOfNow(context, known.ban ?? known.knocks.at(-1) ?? known.refusal)) return known
  const key = banKeyOf(context)
  return context.once(`knocked after ${context.limits.brokenAt()}: ${key.label}`, async () =>
    answered(knockOn(context, await exhaustedNow(context, key))),
  )
}

/** The same once more, where another client may have been there the first time and gone. */
export const knockedAgain = (context: Context): Promise<Knocks> => {
  const key = banKeyOf(context)
  return context.once(`knocked again: ${key.label}`, () =>
    answered(holdRound(context, key, undefined, false).then((round) => knockOn(context, round))),
  )
}

export const lookOf = ({ ban, refusals }: Knocks): string =>
  ban ? `after ${refusals} refusals, ${statusOf(ban)}` : `none after ${refusals} refusals`

/** There is nothing to say of a ban that was not drawn. */
export const noBan = (knocks: Knocks): never => {
  throw new Inapplicable(`no ban was seen: ${lookOf(knocks)}`)
}
