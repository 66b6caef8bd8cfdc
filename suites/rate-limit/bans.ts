// Programs: requests after 429. Bans are never for a first refusal, never of another key, and
// temporary; a server may have none.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { type AnyCheck, type Needs, observe } from '../../engine/check/declare.ts'
import { bodyObject } from '../../history/body.ts'
import { type AnsweredExchange, type ApiRequest, statusCode } from '../../history/exchange.ts'
import { completes, Inapplicable, Untested } from '../../history/outcome.ts'
import { count, duration } from '../../history/quote.ts'
import {
  dayMs,
  isRefused,
  isServed,
  isShutOut,
  minuteSaid,
  readWaitMs,
  toMs,
} from '../../history/rate-headers.ts'
import { unlikelyIds } from '../pets/arbitraries.ts'
import { acceptedStatus } from '../pets/compare-pets.ts'
import { createPet, getPet, listPetsWith } from '../pets/requests.ts'
import { spend } from './bursts.ts'
import { cheapest, program } from './program.ts'
import { forgottenMs, passDays, silenceMs, Verbs } from './verbs.ts'

/** Servers ban after 3 to 30 refusals: so many requests follow the first one. */
const maxRequestsAfter429 = 40
const maxTries = 3
/** The pause between the requests, without a test clock. */
const pauseMs = 20
/** A shorter wait is not halved: in whole seconds its half hardly differs. */
const minHalvedMs = 10_000

const banNeeds: Needs = { stage: 'bans', allow: ['exhaust', 'ban'] }

const banKeyOf = ({ limits }: Context): LimitKey => {
  if (limits.banKey) return limits.banKey
  throw new Untested('key', 'needs a key that may be banned (a second --key of its plan)')
}

/** The key that must not be banned as well: of the same plan, if there is one. */
const otherKeyOf = (context: Context, banned: LimitKey): LimitKey =>
  context.limits.keys.find(({ plan }) => plan === banned.plan) ?? cheapest(context)

/** Requests that are refused whatever the quota: they may get 429, or what is due to them. */
const invalidRequests = (context: Context): readonly ApiRequest[] => {
  const { categoryId: _, ...body } = context.newPet({ status: acceptedStatus(context) })
  const [unknownId = 0n] = unlikelyIds(context.seed, 1)
  const creations = context.allow.includes('write') ? [createPet(body)] : []
  return [...creations, getPet(unknownId), listPetsWith('limit=0')]
}

/** A wait that ends so much later than the one before is not that of the window. */
const laterMs = 5_000

/**
 * Whether a refusal looks like a ban: another status, a wait that is longer and ends later, or none
 * any more, another code than all before. Many limiters state the length of the window each time.
 */
const looksBanned = (earlier: readonly AnsweredExchange[], refusal: AnsweredExchange): boolean => {
  const last = earlier.findLast(isRefused)
  if (!last || !isRefused(refusal)) return !isRefused(refusal)
  const [beforeMs, ms] = [readWaitMs(last), readWaitMs(refusal)]
  const isLonger = beforeMs !== undefined && (ms === undefined || ms > beforeMs)
  if (isLonger && toMs(refusal) + (ms ?? Infinity) > toMs(last) + beforeMs + laterMs) return true
  const codes = new Set(earlier.map((one) => bodyObject(one)?.code))
  const code = bodyObject(refusal)?.code
  return earlier.length > 1 && codes.size === 1 && typeof code === 'string' && !codes.has(code)
}

/** What a key's first row of refusals shows: those before a ban, and the ban. */
const readRow = (responses: readonly AnsweredExchange[]) => {
  const from = responses.findIndex(isShutOut)
  const row = from < 0 ? [] : responses.slice(from)
  const at = row.findIndex(
    (one, place) => place > 0 && isShutOut(one) && looksBanned(row.slice(0, place), one),
  )
  const upTo = at < 0 ? row.findIndex(isServed) : at + 1
  const refused = row.slice(0, upTo < 0 ? undefined : upTo).filter(isShutOut)
  return { refusals: refused.length, ban: at < 0 ? undefined : row[at] }
}

/** Whether the minute ended, so that the next request is not a repeated one. */
const isNewMinute = (response: AnsweredExchange, { quota }: LimitKey): boolean =>
  isServed(response) && (minuteSaid(response)?.remaining ?? 0) > quota.perMinute / 2

/** Exhausts the key, and continues until it is banned or so many requests were sent. */
const continueAfter429 = async (context: Context, verbs: Verbs, maxRequests: number) => {
  const { limits } = context
  let all = [...(await spend(context, verbs, { isAlone: true }))]
  const refusal = all.find(isShutOut)
  // A long wait may be that of a ban, as refusals of an earlier run may count.
  if (limits.instant && refusal && (readWaitMs(refusal) ?? 0) > silenceMs) {
    await passDays(context, forgottenMs)
    all = [...(await spend(context, verbs, { isAlone: true }))]
  }
  if (!all.some(isRefused)) {
    throw new Untested('blocked', `key ${verbs.key.label} could not be exhausted`)
  }
  const invalid = invalidRequests(context)
  for (let sent = 0; sent < maxRequests && !readRow(all).ban; sent += 1) {
    if (!limits.instant) await limits.passRealTime(pauseMs)
    const response = await verbs.ask(invalid[sent])
    all.push(response)
    if (isNewMinute(response, verbs.key)) break
  }
  return all
}

/** Waits as long as the latest response states, or for longer and longer, until one is served. */
const waitOut = async (context: Context, verbs: Verbs, refusal: AnsweredExchange) => {
  const { limits } = context
  let latest = refusal
  const halfMs = (verbs.statedMs(latest) ?? 0) / 2
  if (limits.instant && 2 * halfMs >= minHalvedMs) {
    // It may prolong the ban, so its response counts.
    await limits.pass(halfMs)
    latest = await verbs.ask()
  }
  latest = await verbs.retry(latest, maxTries)
  const unstatedMs = limits.instant ? [silenceMs, 3_600_000, dayMs] : [silenceMs]
  for (const ms of verbs.statedMs(latest) === undefined ? unstatedMs : []) {
    if (!isShutOut(latest)) break
    await limits.pass(ms)
    latest = await verbs.ask()
  }
}

const ownKey = program({
  id: 'ban-own-key',
  requirement: 'ban.own-key',
  needs: { ...banNeeds, keys: 'another' },
  laws: ['limit-not-early', 'limit-not-below-quota', 'ban-only-after-refusals'],
  clauses: ['retry-after-each-served', 'ban-temporary'],
  sends:
    'The key for bans is exhausted by a burst, and sends up to 40 requests more until a ' +
    'response looks like a ban: 401, 403, a longer wait, or another `code` after refusals ' +
    'with the same one. Then a creation, and one call with another key, if possible of the same ' +
    'plan. With the test clock one request in the middle of the ban. Then the key sends nothing ' +
    'for as long as its latest response states, or for longer and longer if none is stated, and ' +
    'one request; at most three times. With the test clock all of it up to twice more, 25 hours ' +
    'apart, if a law is in doubt.',
  run: async (context) => {
    const { limits, allow } = context
    const verbs = new Verbs(context, banKeyOf(context))
    const other = new Verbs(context, otherKeyOf(context, verbs.key))
    // Asked before there is a ban, which may refuse the control request of another key.
    const creates = allow.includes('write') && (await completes(context.control('create')))
    if (limits.instant) await passDays(context, forgottenMs)
    // What it announces before the ban shows whether a refusal after that is due to its own calls.
    await completes(other.call())
    const all = await continueAfter429(context, verbs, maxRequestsAfter429)
    const { ban, refusals } = readRow(all)
    const pet = context.newPet({ status: acceptedStatus(context) })
    let latest = ban ?? (all.findLast(isShutOut) as AnsweredExchange)
    if (ban && creates) latest = await verbs.ask(createPet(pet))
    await completes(other.call())
    await waitOut(context, verbs, latest)
    if (!ban) throw new Inapplicable(`no ban was observed: ${describeBan({ ban, refusals })}`)
  },
  again: { instant: 2, real: 0 },
})

const again = program({
  id: 'ban-not-first-after-bans',
  requirement: 'ban.only-repeated',
  needs: { ...banNeeds, clock: true },
  laws: ['ban-only-after-refusals', 'retry-after-each-served', 'ban-temporary'],
  sends:
    'With the test clock, each 25 hours after the previous step: a ban of the key for bans is ' +
    'caused and waited out, then one refusal fewer than led to it, and a call after the last ' +
    'wait; twice if a law is in doubt.',
  run: async (context) => {
    const verbs = new Verbs(context, banKeyOf(context))
    await passDays(context, forgottenMs)
    const all = await continueAfter429(context, verbs, maxRequestsAfter429)
    const { ban, refusals } = readRow(all)
    if (!ban) return
    await waitOut(context, verbs, ban)
    await passDays(context, forgottenMs)
    const more = await continueAfter429(context, verbs, Math.max(0, refusals - 2))
    const latest = more.findLast(isShutOut)
    if (latest && !readRow(more).ban) await verbs.retry(latest)
  },
  again: { instant: 1, real: 0 },
})

const describeBan = ({ ban, refusals }: ReturnType<typeof readRow>): string =>
  ban
    ? `after ${count(refusals - 1, 'refusal', 'refusals')}, ${statusCode(ban)}`
    : `none after ${count(refusals, 'refusal', 'refusals')}`

/** The first row of refusals of the key for bans. */
const rowSeen = (context: Context) => {
  const key = banKeyOf(context)
  const seen = readRow(context.limits.responsesTo(key.label))
  if (seen.refusals > 0) return seen
  throw new Untested('blocked', `key ${key.label} was not refused`)
}

const look = observe({
  id: 'ban-look',
  requirement: 'gap.ban-look',
  needs: banNeeds,
  sentBy: ['ban-own-key'],
  sends: 'No requests: it looks at the first refusals of the key for bans.',
  records: 'The number of refusals before the ban and its status; or that there was no ban.',
  inconclusive: 'the key was not refused (blocked)',
  run: async (context) => describeBan(rowSeen(context)),
})

const statedDuration = observe({
  id: 'ban-duration',
  requirement: 'gap.ban-duration',
  needs: banNeeds,
  sentBy: ['ban-own-key'],
  sends: 'No requests: it looks at the first refusals of the key for bans.',
  records: 'The wait that the response of the ban states.',
  run: async (context) => {
    const { ban } = rowSeen(context)
    if (!ban) return 'no ban seen'
    const ms = readWaitMs(ban)
    return ms === undefined ? `not stated (${statusCode(ban)})` : `${duration(ms)}, as stated`
  },
})

const first: readonly AnyCheck[] = [ownKey, look, statedDuration]
export const bans = { first, again } as const
