// Programs: how bans end, the second one too, and refusals that stop short of one. A run waits as
// long as the latest response of a ban states, or else longer and longer.

import type { Context } from '../../engine/check/context.ts'
import type { Check } from '../../engine/check/declare.ts'
import type { AnsweredExchange } from '../../history/exchange.ts'
import { completes, orIfUntested } from '../../history/outcome.ts'
import { dayMs, isServed, isShutOut, minuteMs, waitFault } from '../../history/rate-headers.ts'
import { forgottenMs } from './banned.ts'
import { statedWaitMs } from './experiments.ts'
import { program } from './program.ts'
import {
  type After429,
  after429,
  after429Again,
  after429WithoutBan,
  banNeeds,
  findLatest,
  noBan,
} from './requests-after-429.ts'
import { refusedBeforeReset } from './retry-after.ts'
import { callAnyway, tooNearRemoval } from './sending.ts'

const maxTries = 3
/** The longest single wait if none is stated; each is twice the one before. */
const maxUnstatedMs = { instant: dayMs, real: 75_000 }
/** A shorter wait is not halved: in whole seconds its half hardly differs. */
const minHalvedMs = 10_000
const graceMs = 50
/** The second ban takes days, and must end before the removal date. */
const maxClockMs = Date.UTC(2030, 10, 1)

const statesWait = (response: AnsweredExchange): boolean => waitFault(response) === undefined

/** Sends one request in the middle of a ban. It may prolong the ban, so its response counts. */
const callHalfway = async (context: Context, { ban, key }: After429) => {
  const { limits } = context
  if (!limits.instant || !ban || !statesWait(ban)) return undefined
  const ms = statedWaitMs(limits, ban)
  if (ms < minHalvedMs) return undefined
  await limits.pass(ms / 2)
  return callAnyway(context, key)
}

/**
 * Waits as long as the latest response states, or with doubled waits, until the key is served.
 * @returns whether it was served after each stated wait
 */
const waitOut = async (context: Context, seen: After429): Promise<boolean> => {
  const { limits } = context
  const maxMs = limits.instant ? maxUnstatedMs.instant : maxUnstatedMs.real
  let latest = (await callHalfway(context, seen)) ?? findLatest(seen)
  let statedTries = 0
  let isTrue = true
  let unstatedMs = minuteMs
  while (isShutOut(latest) && statedTries < maxTries && unstatedMs <= maxMs) {
    const isStated = statesWait(latest)
    await limits.pass(isStated ? statedWaitMs(limits, latest) + graceMs : unstatedMs)
    latest = await callAnyway(context, seen.key)
    if (isStated) statedTries += 1
    else unstatedMs *= 2
    if (isStated && isShutOut(latest)) isTrue = false
  }
  return isTrue
}

const ends = program({
  id: 'ban-ends',
  requirement: 'ban.ends',
  needs: banNeeds,
  laws: ['retry-after-each-served', 'ban-temporary'],
  sends:
    'With the test clock one request in the middle of the ban. Then the key sends nothing for as ' +
    'long as its latest response states, or for longer and longer if none is stated, and one ' +
    'request; at most three times. With the test clock once more if one of them is refused.',
  run: async (context) => {
    const seen = await after429(context)
    const isTrue = await waitOut(context, seen)
    if (!isTrue && context.limits.instant) await waitOut(context, await after429Again(context))
    if (!seen.ban) noBan(seen)
  },
})

/** A second ban, waited out; undefined if there is none. */
const secondBan = (context: Context) =>
  context.once('the second ban waited out', async () => {
    await context.limits.pass(forgottenMs)
    const seen = await after429Again(context)
    if (seen.ban) await waitOut(context, seen)
    return seen.ban ? seen : undefined
  })

/** Sends one request fewer than led to the second ban, and one more after the last wait. */
const refuseWithoutBan = async (context: Context, time: number): Promise<boolean> => {
  const again = await secondBan(context)
  if (!again) return true
  await context.limits.pass(forgottenMs)
  const seen = await after429WithoutBan(context, again, time)
  const latest = [seen.refusal, ...seen.responses].findLast(isShutOut) ?? seen.refusal
  if (seen.ban || latest === seen.refusal || !statesWait(latest)) return true
  await context.limits.pass(statedWaitMs(context.limits, latest) + graceMs)
  return isServed(await callAnyway(context, seen.key))
}

const again = program({
  id: 'ban-not-first-after-bans',
  requirement: 'ban.only-repeated',
  needs: { ...banNeeds, clock: true },
  laws: ['ban-only-after-refusals', 'retry-after-each-served', 'ban-temporary'],
  sends:
    'With the test clock, each 25 hours after the previous step: another ban is caused and ' +
    'waited out, then one refusal fewer than led to it, and a call after the last wait, twice if ' +
    'that is refused; then the cheapest key is exhausted. Keys that are shut out call once more.',
  run: async (context) => {
    const { clock, limits } = context
    await after429(context)
    if ((await clock.now()) > maxClockMs) throw tooNearRemoval()
    // A key that was refused from the start may be banned before its burst ends.
    const isKept = await orIfUntested(refuseWithoutBan(context, 1), true)
    if (!isKept) await completes(refuseWithoutBan(context, 2))
    await completes(refusedBeforeReset(context))
    // A key that is served later was not withdrawn.
    const shut = limits.keys.filter(({ label }) => {
      const last = limits.responsesTo(label).at(-1)
      return last && isShutOut(last)
    })
    if (shut.length > 0) await limits.pass(forgottenMs)
    for (const key of shut) await callAnyway(context, key)
  },
})

export const banEnds: { readonly first: Check; readonly again: Check } = { first: ends, again }
