// Bans: never for a first refusal, never of another key, and temporary. A server may have no bans.

import type { Context } from '../../engine/check/context.ts'
import { type AnyCheck, observe } from '../../engine/check/declare.ts'
import { type AnsweredExchange, statusCode } from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { duration } from '../../history/quote.ts'
import { isServed, isShutOut, readWaitMs } from '../../history/rate-headers.ts'
import { banEnds } from './ban-end.ts'
import { forgottenMs } from './banned.ts'
import {
  extraBurst,
  firstRetry,
  furtherRetry,
  limitNeeds,
  refusalsIn,
  refusedBurst,
} from './experiments.ts'
import { callOrRefusal } from './isolation.ts'
import { program } from './program.ts'
import { afterBan } from './refusals.ts'
import {
  after429,
  after429Again,
  banNeeds,
  chooseOtherKey,
  describeBan,
  noBan,
} from './requests-after-429.ts'
import { callAnyway, callerOf } from './sending.ts'

/** A key that is not banned is served after this time without calls (ruling 17). */
const silenceMs = 75_000

const statesLongWait = (refusal: AnsweredExchange): boolean =>
  isShutOut(refusal) && (readWaitMs(refusal) ?? 0) > silenceMs

/** Twice, as another client may explain what is seen once. */
const occasions = 2

/** @throws Untested where all are errors of another kind, which say nothing of the key */
const expectTelling = (responses: readonly AnsweredExchange[]): void => {
  if (responses.some((one) => isServed(one) || isShutOut(one))) return
  throw new Untested('ambiguous', 'the call after the wait got another error', responses)
}

/** A refusal with a long wait may be a ban, so the key for bans calls before the wait ends. */
const callEarly = async (context: Context): Promise<void> => {
  const { limits, allow } = context
  if (!limits.banKey || !allow.includes('ban')) {
    const message =
      'the wait is longer than a minute: calling before it ends needs a key that may be banned'
    throw new Untested(limits.banKey ? 'permission' : 'key', message)
  }
  if (!limits.instant) {
    throw new Untested('ambiguous', 'repeated requests before this run may have caused a ban')
  }
  for (let time = 0; time < occasions; time += 1) {
    await limits.pass(forgottenMs)
    const refused = refusalsIn(await extraBurst(context, limits.banKey))
    if (refused.length !== 1) throw new Untested('blocked', 'its burst was not refused once')
    await limits.pass(silenceMs)
    const response = await callAnyway(context, limits.banKey)
    expectTelling([response])
    if (isServed(response)) return
  }
}

const notFirst = program({
  id: 'ban-not-first',
  requirement: 'ban.only-repeated',
  needs: { ...limitNeeds, stage: 'bans' },
  laws: ['limit-not-below-quota', 'retry-after-each-served', 'ban-only-after-refusals'],
  sends:
    'No requests of its own if the call after the first refusal and its wait is served. If that ' +
    'wait is longer than 75 s, with the test clock: 25 hours later the key for bans is ' +
    'exhausted, sends nothing for 75 s, and then one request; twice if that is refused.',
  run: async (context) => {
    const round = await refusedBurst(context)
    if (refusalsIn(round).some(statesLongWait)) return callEarly(context)
    const { tries } = await firstRetry(context)
    if (tries.some(isServed)) return
    if (tries.some(statesLongWait)) return callEarly(context)
    expectTelling(context.limits.instant ? (await furtherRetry(context)).tries : tries)
  },
  reads: async (context) => (await firstRetry(context)).tries,
})

const look = observe({
  id: 'ban-look',
  requirement: 'gap.ban-look',
  needs: banNeeds,
  sends:
    'The key for bans is exhausted by a burst, and sends up to 40 requests more until a ' +
    'response looks like a ban: 401, 403, a longer wait, or another `code` after refusals ' +
    'with the same one.',
  records: 'The number of refusals before the ban and its status; or that there was no ban.',
  inconclusive: 'the key could not be exhausted (blocked)',
  run: async (context) => describeBan(await after429(context)),
})

const ownKey = program({
  id: 'ban-own-key',
  requirement: 'ban.own-key',
  needs: { ...banNeeds, keys: 'another' },
  laws: ['limit-not-early', 'limit-not-below-quota', 'ban-only-after-refusals'],
  sends:
    'One call with another key, if possible of the same plan, while the first one is banned; ' +
    'with the test clock, twice more, 25 hours apart, if it is refused.',
  run: async (context) => {
    const { limits } = context
    const seen = await after429(context)
    const key = chooseOtherKey(limits, seen.key)
    let response = await callOrRefusal(context, key)
    for (let time = 0; time < occasions && limits.instant && !isServed(response); time += 1) {
      await limits.pass(forgottenMs)
      await callerOf(context, key)()
      await after429Again(context, time + 1)
      response = await callOrRefusal(context, key)
    }
    if (!seen.ban) noBan(seen)
  },
})

const statedDuration = observe({
  id: 'ban-duration',
  requirement: 'gap.ban-duration',
  needs: banNeeds,
  sends: 'No requests of its own: it looks at the requests of `ban-look`.',
  records: 'The wait that the response of the ban states.',
  run: async (context) => {
    const { ban } = await after429(context)
    if (!ban) return 'no ban seen'
    const ms = readWaitMs(ban)
    if (ms === undefined) return `not stated (${statusCode(ban)})`
    return `${duration(ms)}, as stated`
  },
})

export const ban: readonly AnyCheck[] = [
  notFirst,
  look,
  ownKey,
  banEnds.first,
  afterBan,
  statedDuration,
]
