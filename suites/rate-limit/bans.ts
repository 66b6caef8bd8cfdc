// Programs: requests after 429. Bans are never for a first refusal, never of another key, and
// temporary; a server may have none.

import type { Context } from '../../engine/check/context.ts'
import type { Needs } from '../../engine/check/declare.ts'
import { type KeyHandle, shortList, unlessLost } from '../../engine/check/key-handle.ts'
import { createPet, getPet, listPetsWith } from '../../engine/check/requests.ts'
import { missingBanKey } from '../../engine/check/spendable-keys.ts'
import { bodyObject } from '../../history/body.ts'
import { type AnsweredExchange, type ApiRequest, statusCode } from '../../history/exchange.ts'
import { completes, Inapplicable, Untested } from '../../history/outcome.ts'
import { count } from '../../history/quote.ts'
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
import { acceptedStatus } from '../pets/requests.ts'
import { Choice } from '../walks/choose.ts'
import { makerIn } from '../walks/walk.ts'
import { spend } from './bursts.ts'
import {
  callWith,
  cheapest,
  forgottenMs,
  listRefused,
  passDays,
  program,
  silenceMs,
} from './program.ts'

/** Servers ban after 3 to 30 refusals: so many requests follow the first one. */
const maxRequestsAfter429 = 40
const maxTries = 3
/** The pause between the requests, without a test clock. */
const pauseMs = 20
/** A shorter wait is not halved: in whole seconds its half hardly differs. */
const minHalvedMs = 10_000

export const banNeeds: Needs = { stage: 'bans', allow: ['exhaust', 'ban'] }

export const banKeyOf = ({ limits }: Context): KeyHandle => {
  if (limits.banKey) return limits.banKey
  throw missingBanKey
}

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
  const [beforeMs, ms = Infinity] = [readWaitMs(last), readWaitMs(refusal)]
  const isLonger = beforeMs !== undefined && ms > beforeMs
  if (isLonger && toMs(refusal) + ms > toMs(last) + beforeMs + laterMs) return true
  const codes = new Set(earlier.map((one) => bodyObject(one)?.code))
  const code = bodyObject(refusal)?.code
  return earlier.length > 1 && codes.size === 1 && typeof code === 'string' && !codes.has(code)
}

/** What a key's first row of refusals shows: those before a ban, and the ban. */
export const readRow = (responses: readonly AnsweredExchange[]) => {
  const row = responses.slice(responses.findIndex(isShutOut))
  const at = row.findIndex(
    (one, place) => place > 0 && isShutOut(one) && looksBanned(row.slice(0, place), one),
  )
  const upTo = at < 0 ? row.findIndex(isServed) : at + 1
  const refused = row.slice(0, upTo < 0 ? undefined : upTo).filter(isShutOut)
  return { refusals: refused.length, ban: row[at] }
}

export const describeBan = ({ ban, refusals }: ReturnType<typeof readRow>): string =>
  ban
    ? `after ${count(refusals - 1, 'refusal', 'refusals')}, ${statusCode(ban)}`
    : `none after ${count(refusals, 'refusal', 'refusals')}`

/** Whether the minute ended, so that the next request is not a repeated one. */
const isNewMinute = (response: AnsweredExchange, { quota }: KeyHandle): boolean =>
  isServed(response) && (minuteSaid(response)?.remaining ?? 0) > quota.perMinute / 2

/** Calls of any kind with a large key, between requests of another one that is refused. */
const createBetween = (context: Context) => {
  const { limits, seedOf } = context
  const [large] = limits.keys.toSorted((a, b) => b.quota.perMinute - a.quota.perMinute)
  const choice = new Choice(seedOf('between refusals'))
  const own = { ...context, limits: { ...limits, keys: large ? [large] : [] } }
  const scene = { context: own, created: [], lastBody: undefined, lastKeyed: undefined }
  return async (): Promise<boolean> => {
    const request = limits.instant && large ? choice.next(own, makerIn(scene), 1) : undefined
    return request !== undefined && completes(unlessLost(context.call(request)))
  }
}

/** Exhausts the key, and continues until it is banned or so many requests were sent. */
const continueAfter429 = async (
  context: Context,
  key: KeyHandle,
  tenth: number,
  maxRequests = maxRequestsAfter429,
) => {
  const { limits } = context
  const spent = () => spend(context, key, { tenth, isAlone: true })
  let all = [...(await spent())]
  const refusal = all.find(isShutOut)
  // A long wait may be that of a ban, as refusals of an earlier run may count.
  if (limits.instant && refusal && (readWaitMs(refusal) ?? 0) > silenceMs) {
    await passDays(context, forgottenMs)
    all = [...(await spent())]
  }
  if (!all.some(isRefused)) {
    throw new Untested('blocked', `key ${key.label} could not be exhausted`)
  }
  const invalid = invalidRequests(context)
  const callBetween = createBetween(context)
  for (let sent = 0; sent < maxRequests && !readRow(all).ban; sent += 1) {
    if (!limits.instant) await limits.passRealTime(pauseMs)
    const fresh = (await callBetween()) && ({ fresh: true } as const)
    const response = await key.ask({ ...(invalid[sent] ?? shortList), ...fresh })
    all.push(response)
    if (isNewMinute(response, key)) break
  }
  return { ...readRow(all), latest: all.findLast(isShutOut) as AnsweredExchange }
}

/** Waits as long as the latest response states, or for longer and longer, until one is served. */
const waitOut = async ({ limits }: Context, key: KeyHandle, refusal: AnsweredExchange) => {
  let latest = refusal
  const halfMs = (key.statedMs(latest) ?? 0) / 2
  if (limits.instant && 2 * halfMs >= minHalvedMs) {
    // It may prolong the ban, so its response counts.
    await limits.pass(halfMs)
    latest = await key.ask()
  }
  latest = await key.retry(latest, maxTries)
  const unstatedMs = limits.instant ? [silenceMs, 3_600_000, dayMs] : [silenceMs]
  for (const ms of key.statedMs(latest) === undefined ? unstatedMs : []) {
    if (!isShutOut(latest)) break
    await limits.pass(ms)
    latest = await key.ask()
  }
}

/** Causes a ban and waits it out; another key calls before it and in it. @returns what was seen */
const banOnce = async (context: Context, key: KeyHandle, tenth: number) => {
  const { allow, limits } = context
  const other = limits.keys.find(({ plan }) => plan === key.plan) ?? cheapest(context)
  // Asked before there is a ban, which may refuse the control request of another key.
  const creates = allow.includes('write') && (await completes(context.control('create')))
  if (limits.instant) await passDays(context, forgottenMs)
  // What it announces before the ban shows whether a refusal after that is due to its own calls.
  await callWith([other])
  const row = await continueAfter429(context, key, tenth)
  const creation = createPet(context.newPet({ status: acceptedStatus(context) }))
  const latest = row.ban && creates ? await key.ask(creation) : row.latest
  await callWith([other])
  if (creates) await completes(other.call(createPet(context.newPet())))
  await waitOut(context, key, latest)
  await listRefused(context, key)
  return row
}

/** A day later one refusal fewer than led to a ban, and a call after its wait; then another ban. */
const banAgain = async (context: Context, key: KeyHandle, refusals: number) => {
  await passDays(context, forgottenMs)
  const { ban, latest } = await continueAfter429(context, key, 4, Math.max(0, refusals - 2))
  if (!ban) await key.retry(latest)
  await banOnce(context, key, 7)
}

export const ban = program({
  id: 'ban-own-key',
  requirement: 'ban.own-key',
  needs: { ...banNeeds, keys: 'another' },
  laws: ['limit-not-early', 'limit-not-below-quota', 'ban-only-after-refusals'],
  clauses: ['retry-after-each-served', 'ban-temporary'],
  sends:
    'The key for bans is exhausted, and sends up to 40 requests more until a response looks like ' +
    'a ban: 401, 403, a longer wait, or another `code`. Then a creation, a call and a creation ' +
    'with another key, with the test clock one request in the middle, and one after the stated ' +
    'wait, or after longer and longer ones. With the test clock, each 25 hours later, one ' +
    'refusal fewer than led to it and a call after its wait, and a second ban.',
  run: async (context) => {
    const key = banKeyOf(context)
    const row = await banOnce(context, key, 1)
    if (!row.ban) throw new Inapplicable(`no ban was observed: ${describeBan(row)}`)
    // The first one may not be over yet.
    if (context.limits.instant) await completes(banAgain(context, key, row.refusals))
  },
})
