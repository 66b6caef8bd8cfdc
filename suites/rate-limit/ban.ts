// Bans: never on a first refusal, on no other key, and temporary. A server without bans is legal.

import type { Context, LimitKey } from '../../engine/context.ts'
import { type AnyCheck, check, observe } from '../../engine/declare.ts'
import { type Answered, statusOf } from '../../engine/exchange.ts'
import { describeResponse, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { maxRequestsAfter429 } from '../../engine/quota/experiments.ts'
import { banCreation, banEnds } from './ban-end.ts'
import { shortList, unlessLost } from './burst.ts'
import {
  extraBurst,
  firstBurst,
  firstRetry,
  furtherRetry,
  refusalsIn,
  refusedBurst,
  retryNeeds,
} from './experiments.ts'
import { callOrRefusal, mayBeSpent } from './isolation.ts'
import { isOnlyClient, mayBeBanOfOthers } from './other-clients.ts'
import {
  daySaid,
  forgottenMs,
  fromMs,
  isRefused,
  isServed,
  isShutOut,
  toMs,
  waitOf,
} from './reading.ts'
import {
  after429,
  after429Again,
  banNeeds,
  describeBan,
  latestOf,
  noBan,
  otherKeyOf,
} from './requests-after-429.ts'

/** No key that is not banned needs a longer silence than this (ruling 17). */
const silenceMs = 75_000

const statesLongWait = (refusal: Answered): boolean => {
  const wait = waitOf(refusal)
  return isShutOut(refusal) && 'ms' in wait && wait.ms > silenceMs
}

/** A refusal with a long wait may be a ban: a key that may be banned calls before it ends. */
const callEarly = async (context: Context, found: Answered): Promise<void> => {
  const { limits, allow } = context
  if (!limits.banKey || !allow.includes('ban')) {
    const message =
      'the wait is over a minute: calling before it ends needs a key that may be banned'
    throw new Untested(limits.banKey ? 'permission' : 'key', message)
  }
  if (!limits.instant) {
    throw new Suspicion('repeated requests before this run may have provoked a ban', [found])
  }
  await limits.pass(forgottenMs)
  const round = await extraBurst(context, limits.banKey)
  const [refusal, ...more] = refusalsIn(round)
  if (!refusal) throw new Untested('blocked', 'the key for bans could not be exhausted')
  if (more.length > 0) throw new Suspicion('its burst was refused more than once', [refusal])
  if (daySaid(refusal, limits.banKey.quota)) {
    throw new Untested('blocked', 'the key for bans was refused for its day', [refusal])
  }
  await limits.pass(silenceMs)
  const response = await unlessLost(limits.sendAnyway(limits.banKey.label, shortList))
  if (isServed(response)) return
  if (!(await isOnlyClient(context, limits.banKey, round))) {
    throw new Suspicion('another client may have provoked a ban', [refusal, response])
  }
  const expected = `a request served ${silenceMs / 1000} s after a first refusal`
  violate(expected, describeResponse(response), refusal, response)
}

const notFirst = check({
  id: 'ban-not-first',
  requirement: 'ban.only-repeated',
  needs: { ...retryNeeds, stage: 'bans' },
  sends:
    'Nothing of its own if the call after the first refusal and its wait is served. If that wait ' +
    'is over 75 s, with the test clock: 25 hours later the key for bans is exhausted, is silent ' +
    'for 75 s, and sends one request.',
  fails: 'That call is answered as if banned: 401 or 403, or it is refused after 75 s.',
  inconclusive:
    'a wait that is not true looks the same, requests before this run may have provoked it, or ' +
    'another client may have used the key (ambiguous)',
  run: async (context) => {
    const round = await refusedBurst(context)
    const long = refusalsIn(round).find(statesLongWait)
    if (long) return callEarly(context, long)
    const { refusal, tries } = await firstRetry(context)
    const [first] = tries
    if (first && isServed(first)) return
    const last = tries.at(-1) as Answered
    if (tries.some(statesLongWait)) return callEarly(context, last)
    // Refused calls of another client may have provoked it during the wait.
    const isOthers = await mayBeBanOfOthers(context, round.key, last)
    const isUnclear = isServed(last) || isRefused(last) || isOthers
    const evidence = [refusal, last]
    if (isUnclear || !(await isOnlyClient(context, round.key, round))) {
      throw new Suspicion('it may be a ban, or a wait that is not true', evidence)
    }
    if (context.limits.instant && (await furtherRetry(context)).tries.every(isServed)) {
      throw new Suspicion('it was shut out once, and not again', evidence)
    }
    violate('no ban after one refusal and its stated wait', describeResponse(last), ...evidence)
  },
})

const look = observe({
  id: 'ban-look',
  requirement: 'gap.ban-look',
  needs: { ...banNeeds, keyed: 62 + maxRequestsAfter429, holds: 'requestsAfter429' },
  sends:
    'The key for bans is exhausted by a burst and sends up to 40 requests more, until a response ' +
    'looks like a ban: 401, 403, a longer wait, or another `code` after refusals with one code.',
  records: 'After how many refusals in a row, and with which status; or that none came.',
  inconclusive: 'the key could not be exhausted (blocked)',
  run: async (context) => describeBan(await after429(context)),
})

/** With the test clock a second such round costs hardly any time. */
const expectRefusedAgain = async (context: Context, key: LimitKey): Promise<void> => {
  const again = await after429Again(context)
  const response = await callOrRefusal(context, key)
  if (!isServed(response)) return
  const evidence = [latestOf(again), response]
  throw new Suspicion(`key ${key.label} was refused once, and not again`, evidence)
}

const ownKey = check({
  id: 'ban-own-key',
  requirement: 'ban.own-key',
  needs: { ...banNeeds, keyed: 1, keys: 1 },
  sends:
    'One call with another key while the first one is banned: with a key of the same plan, if ' +
    'there is one.',
  fails: 'It is refused although it has calls left; by the test clock after two such rounds.',
  inconclusive:
    'no ban came (inapplicable), it was over by then, or another client may have used the key ' +
    '(ambiguous)',
  run: async (context) => {
    const seen = await after429(context)
    const key = otherKeyOf(context.limits, seen.key)
    const response = await callOrRefusal(context, key)
    const latest = latestOf(seen)
    const evidence = [latest, response]
    if (!isServed(response)) {
      const isOthers = !isShutOut(response) || (await mayBeBanOfOthers(context, key, response))
      const round = await firstBurst(context, key)
      if (isOthers || (await mayBeSpent(context, key, response, round))) {
        throw new Suspicion(`key ${key.label} may itself be spent`, evidence)
      }
      if (context.limits.instant) await expectRefusedAgain(context, key)
      violate(
        `key ${key.label} served next to a banned key`,
        describeResponse(response),
        ...evidence,
      )
    }
    if (!seen.ban) noBan(seen)
    const wait = waitOf(latest)
    if ('ms' in wait && wait.ms > 0 && fromMs(response) > toMs(latest) + wait.ms) {
      throw new Suspicion('the ban was over by then', evidence)
    }
  },
})

const retryAfter = check({
  id: 'ban-retry-after',
  requirement: 'ban.retry-after',
  needs: banNeeds,
  sends: 'Nothing of its own: the requests of `ban-look`.',
  fails:
    'The response of the ban has no valid `Retry-After`, or one that is not in the future. It is ' +
    'a should.',
  inconclusive: 'no ban came (inapplicable)',
  run: async (context) => {
    const seen = await after429(context)
    const { ban } = seen
    if (!ban) return noBan(seen)
    const wait = waitOf(ban)
    const fault = 'fault' in wait ? wait.fault : `${wait.ms / 1000} s by ${wait.form}`
    if ('fault' in wait || wait.ms <= 0) {
      violate('Retry-After in the future on the responses of a ban', fault, ban)
    }
  },
})

const duration = observe({
  id: 'ban-duration',
  requirement: 'gap.ban-duration',
  needs: banNeeds,
  sends: 'Nothing of its own: the requests of `ban-look`.',
  records: 'The wait that the response of the ban states.',
  run: async (context) => {
    const { ban } = await after429(context)
    if (!ban) return 'no ban seen'
    const wait = waitOf(ban)
    return 'ms' in wait
      ? `${Math.round(wait.ms / 1000)} s, as stated`
      : `not stated (${statusOf(ban)})`
  },
})

export const ban: readonly AnyCheck[] = [
  notFirst,
  look,
  ownKey,
  retryAfter,
  banEnds,
  banCreation,
  duration,
]
