// A program of the limiter, and what it can do with a key: send requests, whatever is left of its
// quota, and let time pass. The laws judge. Each is whole: it rests the key that it needs.

import type { Context } from '../../engine/check/context.ts'
import { type Check, check, type Needs } from '../../engine/check/declare.ts'
import { type KeyHandle, shortList } from '../../engine/check/key-handle.ts'
import { createPet, getPet, listPets } from '../../engine/check/requests.ts'
import { allKeys, firstSmallest } from '../../engine/check/spendable-keys.ts'
import type { ApiRequest } from '../../history/exchange.ts'
import { completes, Untested } from '../../history/outcome.ts'
import { isShutOut } from '../../history/rate-headers.ts'
import type { LawId } from '../../model/limiter/laws.ts'
import type { Plan } from '../../spec/plans.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'
import { getUnknown } from '../pets/requests.ts'

export const lists = (count: number): ApiRequest[] =>
  Array<ApiRequest>(Math.max(0, count)).fill(shortList)

/** Whatever the design, a key that is not banned is served after this rest (ruling 17). */
export const silenceMs = 75_000
/** A server may count refusals over a day, also of earlier runs; after this time none counts. */
export const forgottenMs = 25 * 3_600_000
/** The furthest that a program moves the clock: the removal date must not come. */
const maxClockMs = Date.UTC(2030, 11, 1)
/** How long replicas may take to synchronise their count. */
export const lagMs = 300
/** @throws Untested (clock) if later programs would not find the deprecated operation any more */
export const passDays = async ({ clock, limits }: Context, ms: number): Promise<void> => {
  if ((await clock.now()) + ms > maxClockMs) {
    const message = 'the test clock is too near the removal date: restart the target'
    throw new Untested('clock', message)
  }
  await limits.pass(ms)
}

const maxOtherKeys = 8

/** Some other keys than one, those of its plan first. */
export const otherKeys = ({ limits }: Context, { label, plan }: KeyHandle): readonly KeyHandle[] =>
  allKeys(limits)
    .filter((key) => key.label !== label)
    .toSorted((a, b) => Number(b.plan === plan) - Number(a.plan === plan))
    .slice(0, maxOtherKeys)

/** A call with each of these keys: each has a count of its own; it may have no quota left. */
export const callWith = async (keys: readonly KeyHandle[]): Promise<void> => {
  for (const { call } of keys) await completes(call())
}

export const limitNeeds: Needs = { stage: 'limits', allow: ['exhaust'] }

/** @throws Untested where the only key of a plan is the one for bans */
export const expectKey = (key: KeyHandle | undefined, plan: Plan = 'free'): KeyHandle => {
  if (key) return key
  const what = `another key of the plan ${plan} that is not the one for bans`
  throw new Untested('key', `it needs ${what} (--key ${plan}=OTHER)`)
}

/** The key, of a plan or of any, that is cheapest to exhaust. */
export const cheapest = ({ limits }: Context, plan?: Plan): KeyHandle =>
  expectKey(firstSmallest(limits.keys, 'perMinute', plan), plan)

/** A list of the status of the last creation that was refused for its key: clauses look for it. */
export const listRefused = async ({ knownPets }: Context, { label, call }: KeyHandle) => {
  const refused = knownPets.refusals.findLast(
    ({ exchange }) => exchange.key === label && isShutOut(exchange),
  )
  if (refused) await completes(call(listPets({ limit: 100, status: String(refused.sent.status) })))
}

/** A server may refuse a key for so many errors in turn, which it must not. */
const maxFaulty = 20

/** Requests that are refused for what they are, in each way. */
export const faulty = (context: Context): readonly ApiRequest[] => {
  const creations = Array<ApiRequest>(maxFaulty).fill(createPet({}))
  return context.allow.includes('write')
    ? [...creations, getUnknown(context), getPet('no-id')]
    : [getUnknown(context), getPet('no-id')]
}

interface Program extends Pick<Check, 'id' | 'needs' | 'sends'> {
  readonly requirement: BindingRequirementId
  readonly laws: readonly [LawId, ...LawId[]]
  readonly clauses?: readonly LawId[]
  readonly run: NonNullable<Check['run']>
}

export const program = (declared: Program): Check =>
  check({
    ...declared,
    after: 'list',
    sends: `${declared.sends} Again if a law is in doubt.`,
    fails: `What ${declared.laws.map((law) => `\`${law}\``).join(', ')} find about its calls.`,
    inconclusive: 'what the laws find may be due to another client of the key (ambiguous)',
  })
