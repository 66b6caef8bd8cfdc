// A program of the limiter, and what it can do with a key: send requests, whatever is left of its
// quota, and let time pass. The laws judge. Each is whole: it rests the key that it needs.

import type { Context } from '../../engine/check/context.ts'
import { type Check, check, type Needs } from '../../engine/check/declare.ts'
import { errorIn } from '../../engine/check/findings.ts'
import { type KeyHandle, shortList, unlessLost } from '../../engine/check/key-handle.ts'
import { listPets } from '../../engine/check/requests.ts'
import { allKeys, firstSmallest } from '../../engine/check/spendable-keys.ts'
import { type ApiRequest, unauthorized } from '../../history/exchange.ts'
import { completes, Untested } from '../../history/outcome.ts'
import { isShutOut } from '../../history/rate-headers.ts'
import type { LawId } from '../../model/limiter/laws.ts'
import { whyUntried } from '../../model/limiter/relation.ts'
import type { Plan } from '../../spec/plans.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'

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

/** Sends requests one after another, whatever the responses are. */
const sendAll = async ({ call }: Context, requests: readonly ApiRequest[]): Promise<void> => {
  for (const request of requests) await completes(unlessLost(call(request)))
}

/** A server may limit requests without a valid key by client address, and then responds 429. */
export const callWithInvalidKeys = (context: Context, count: number): Promise<unknown> => {
  const requests = Array.from({ length: count }, (_, at) =>
    unauthorized(shortList, `Bearer never-issued-key-${at}`),
  )
  return completes(sendAll(context, requests))
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

interface Program {
  readonly id: string
  readonly requirement: BindingRequirementId
  readonly needs: Needs
  readonly sends: string
  /** Those that are about its requirement, by the ids of their clauses. */
  readonly laws: readonly [LawId, ...LawId[]]
  /** More laws that its calls may break: their clauses judge them, and a doubt repeats it. */
  readonly clauses?: readonly LawId[]
  /**
   * Sends; what ends it early is thrown once what was received has been judged.
   * @param time counts from 0: it is repeated where a law is in doubt
   */
  readonly run: (context: Context, time: number) => Promise<void>
}

/** What spends a quota takes many requests; in real time days and bans are not repeated. */
const timesOf = ({ needs }: Program, { limits }: Context): number => {
  if (limits.instant) return needs.plan === undefined ? 3 : 2
  return needs.stage === 'limits' ? 2 : 1
}

/** Again while it is in doubt: what is seen twice at one place is no other client. */
const runInDoubt = async (context: Context, declared: Program, isInDoubt: () => boolean) => {
  const [first] = await Promise.allSettled([declared.run(context, 0)])
  for (let time = 1; time < timesOf(declared, context) && isInDoubt(); time += 1) {
    context.again()
    await completes(declared.run(context, time))
  }
  if (first.status === 'rejected') throw first.reason
}

export const program = (declared: Program): Check => {
  const { laws, clauses = [] } = declared
  return check({
    ...declared,
    ...{ judgesItself: true, after: 'list' },
    sends: `${declared.sends} Again if a law is in doubt.`,
    fails: `What ${laws.map((law) => `\`${law}\``).join(', ')} find about its calls.`,
    inconclusive: 'what the laws find may be due to another client of the key (ambiguous)',
    run: async (context) => {
      const { exchanges } = context.history
      const [begin, seq] = [exchanges.length, exchanges.at(-1)?.seq ?? 0]
      const find = (ids: readonly LawId[]) => context.foundSince(seq, ids)
      const isInDoubt = () =>
        find(laws).violations.length === 0 && find([...laws, ...clauses]).doubts.length > 0
      const [ended] = await Promise.allSettled([runInDoubt(context, declared, isInDoubt)])
      const found = find(laws)
      const own = exchanges.slice(begin).filter(({ key }) => key !== null)
      const error = errorIn(found, own.length)
      if (error) throw error
      if (ended.status === 'rejected') throw ended.reason
      if (!found.isMet) throw new Untested('ambiguous', whyUntried(laws[0]))
    },
  })
}
