// The rounds that several checks look at: each is held once in a run.
import type { Context, LimitKey } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { Untested } from '../../engine/outcome.ts'
import type { Round } from '../../engine/quota/round.ts'
import { answered, orUntested } from './flood.ts'
import { isRefused, isServed, minuteSaid } from './reading.ts'
import { cheapest, type Ending, holdRound } from './round.ts'

const restedName = (label: string) => `served after a rest: ${label}`

/** Whoever let a key rest tells what its first request then got, so that none has to rest again. */
export const rememberRested = (context: Context, key: LimitKey, first: Answered): void => {
  context.once(restedName(key.label), () => Promise.resolve(first))
}

/** Only an answer after which all others remain shows that the key had rested enough. */
const restedFirst = async (context: Context, key: LimitKey): Promise<Answered | undefined> => {
  const first = await context.once<Answered | null>(restedName(key.label), async () => null)
  if (!first || !isServed(first)) return undefined
  const isLast = context.limits.heard(key.label).at(-1) === first
  const isWhole = minuteSaid(first, key.quota)?.remaining === key.quota.perMinute - 1
  return isLast && isWhole ? first : undefined
}

/** Whether a sound request is served; a server that serves none yet has a limit too. */
const isServing = (context: Context, operation: 'create' | 'get'): Promise<boolean> =>
  orUntested(context.control(operation))

export const canCreate = async (context: Context): Promise<boolean> =>
  context.allow.includes('write') && isServing(context, 'create')

/** What this needs is found out before a key rests. */
const endingOn = async (context: Context, key: LimitKey): Promise<Ending> => {
  if (key.label !== cheapest(context.limits).label) {
    return (await isServing(context, 'get')) ? 'fetches' : 'lists'
  }
  return (await canCreate(context)) ? 'creations' : 'lists'
}

/** The burst on a key; on the cheapest one with creations in it, else with fetches. */
export const exhausted = async (context: Context, key: LimitKey): Promise<Round> => {
  await context.control('list')
  const ending = await endingOn(context, key)
  return context.once(`exhausted: ${key.label}`, async () =>
    answered(holdRound(context, key, await restedFirst(context, key), ending)),
  )
}

/** Held where the first round alone does not decide: on another key, if there is one. */
export const exhaustedAgain = (context: Context, key: LimitKey): Promise<Round> => {
  const { keys } = context.limits
  const twin = keys.find(({ label, plan }) => label !== key.label && plan === key.plan)
  const other = twin ?? key
  return context.once(`exhausted again: ${key.label}`, () =>
    answered(holdRound(context, other, undefined, 'lists')),
  )
}

/** The same on the key itself, where its fault may be its own. */
export const exhaustedAnew = async (context: Context, key: LimitKey): Promise<Round> => {
  const ending = await endingOn(context, key)
  return context.once(`exhausted anew: ${key.label}`, () =>
    answered(holdRound(context, key, undefined, ending)),
  )
}

export const refusalsIn = ({ probes, burst }: Round): readonly Answered[] =>
  [...probes, ...burst].filter(isRefused)

/** The round on the cheapest key, in which at least one request was refused with 429. */
export const refusedRound = async (context: Context): Promise<Round> => {
  const round = await exhausted(context, cheapest(context.limits))
  if (refusalsIn(round).length > 0) return round
  const message = 'no request was answered 429, so there is no refusal to look at'
  throw new Untested('blocked', message, round.burst.slice(-1))
}
