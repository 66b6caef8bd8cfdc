// Bans: never for a first refusal, never of another key, and temporary. A server may have no bans.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { type AnyCheck, check, observe } from '../../engine/check/declare.ts'
import { type AnsweredExchange, statusCode } from '../../engine/check/exchange.ts'
import { violateHeader, violateStatus } from '../../engine/check/expect.ts'
import { Suspicion, Untested } from '../../engine/check/outcome.ts'
import { duration } from '../../engine/check/quote.ts'
import { maxRequestsAfter429 } from '../../engine/quota/planned-experiments.ts'
import {
  daySaid,
  fromMs,
  isRefused,
  isServed,
  isShutOut,
  kindOfWait,
  readWaitMs,
  toMs,
  waitFault,
} from '../../engine/quota/rate-headers.ts'
import { isUndatedWait } from '../../engine/quota/target-dates.ts'
import { banEnds } from './ban-end.ts'
import { forgottenMs } from './banned.ts'
import { beyondLimit } from './beyond-limit.ts'
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
import {
  isOnlyClient,
  mayBeBanOfOthers,
  readTrace,
  undated,
  whyNotServed,
} from './other-clients.ts'
import {
  after429,
  after429Again,
  banNeeds,
  chooseOtherKey,
  describeBan,
  findLatest,
  noBan,
} from './requests-after-429.ts'
import { callAnyway } from './sending.ts'

/** A key that is not banned is served after this time without calls (ruling 17). */
const silenceMs = 75_000

const statesLongWait = (refusal: AnsweredExchange): boolean =>
  isShutOut(refusal) && (readWaitMs(refusal) ?? 0) > silenceMs

/** A refusal with a long wait may be a ban, so the key for bans calls before the wait ends. */
const callEarly = async (context: Context, found: AnsweredExchange): Promise<void> => {
  const { limits, allow } = context
  if (!limits.banKey || !allow.includes('ban')) {
    const message =
      'the wait is longer than a minute: calling before it ends needs a key that may be banned'
    throw new Untested(limits.banKey ? 'permission' : 'key', message)
  }
  if (!limits.instant) {
    throw new Suspicion('repeated requests before this run may have caused a ban', [found])
  }
  await limits.pass(forgottenMs)
  const round = await extraBurst(context, limits.banKey)
  const [refusal, ...more] = refusalsIn(round)
  if (!refusal) throw new Untested('blocked', 'the key for bans could not be exhausted')
  if (more.length > 0)
    throw new Suspicion('more than one request of its burst was refused', [refusal])
  if (daySaid(refusal)) {
    throw new Untested('blocked', 'the key for bans was refused for its day', [refusal])
  }
  await limits.pass(silenceMs)
  const response = await callAnyway(context, limits.banKey)
  if (isServed(response)) return
  if (!isShutOut(response) || !(await isOnlyClient(context, limits.banKey, round))) {
    throw new Suspicion(whyNotServed(context, limits.banKey, response), [refusal, response])
  }
  const expected = `a request served ${silenceMs / 1000} s after a first refusal`
  violateStatus(expected, refusal, response)
}

const notFirst = check({
  id: 'ban-not-first',
  requirement: 'ban.only-repeated',
  needs: { ...retryNeeds, stage: 'bans' },
  sends:
    'No requests of its own if the call after the first refusal and its wait is served. If ' +
    'that wait is longer than 75 s, with the test clock: 25 hours later the key for bans is ' +
    'exhausted, sends nothing for 75 s, and then one request.',
  fails: 'That call gets 401 or 403, or is refused after 75 s: the key is banned.',
  inconclusive:
    'a wrong Retry-After looks the same, requests before this run may have caused it, or ' +
    'another client may have used the key (ambiguous)',
  run: async (context) => {
    const round = await refusedBurst(context)
    const long = refusalsIn(round).find(statesLongWait)
    if (long) return callEarly(context, long)
    const { refusal, tries } = await firstRetry(context)
    const [first] = tries
    if (first && isServed(first)) return
    const last = tries.at(-1) as AnsweredExchange
    if (tries.some(statesLongWait)) return callEarly(context, last)
    // Refused calls of another client may have caused it during the wait.
    const isOthers = await mayBeBanOfOthers(context, round.key, last)
    const isUnclear = !isShutOut(last) || isRefused(last) || isOthers
    const evidence = [refusal, last]
    if (isUnclear || !(await isOnlyClient(context, round.key, round))) {
      throw new Suspicion('it may be a ban, or a wrong Retry-After', evidence)
    }
    if (context.limits.instant && (await furtherRetry(context)).tries.every(isServed)) {
      throw new Suspicion('it was refused once, but not again', evidence)
    }
    violateStatus('no ban after one refusal and its stated wait', ...evidence)
  },
})

const look = observe({
  id: 'ban-look',
  requirement: 'gap.ban-look',
  needs: { ...banNeeds, keyed: 62 + maxRequestsAfter429, experiment: 'requestsAfter429' },
  sends:
    'The key for bans is exhausted by a burst, and sends up to 40 requests more until a ' +
    'response looks like a ban: 401, 403, a longer wait, or another `code` after refusals ' +
    'with the same one.',
  records: 'The number of refusals before the ban and its status; or that there was no ban.',
  inconclusive: 'the key could not be exhausted (blocked)',
  run: async (context) => describeBan(await after429(context)),
})

/** With the test clock a second round takes hardly any time. */
const expectRefusedAgain = async (context: Context, key: LimitKey): Promise<void> => {
  const again = await after429Again(context)
  const response = await callOrRefusal(context, key)
  if (!isServed(response)) return
  const evidence = [findLatest(again), response]
  throw new Suspicion(`key ${key.label} was refused once, but not again`, evidence)
}

const ownKey = check({
  id: 'ban-own-key',
  requirement: 'ban.own-key',
  needs: { ...banNeeds, keyed: 1, keys: 1 },
  sends: 'One call with another key, if possible of the same plan, while the first one is banned.',
  fails:
    'The call is refused although its key has quota left; with the test clock, in each of ' +
    'two rounds.',
  inconclusive:
    'there was no ban (inapplicable), it was over by then, or another client may have used ' +
    'the key (ambiguous)',
  run: async (context) => {
    const seen = await after429(context)
    const key = chooseOtherKey(context.limits, seen.key)
    const response = await callOrRefusal(context, key)
    const latest = findLatest(seen)
    const evidence = [latest, response]
    if (!isServed(response)) {
      const round = await firstBurst(context, key)
      if (!isShutOut(response) || (await mayBeSpent(context, key, response, round))) {
        throw new Suspicion(`key ${key.label} may have no quota left`, evidence)
      }
      if (context.limits.instant) await expectRefusedAgain(context, key)
      const expected = `key ${key.label} served while another key is banned`
      violateStatus(expected, ...evidence)
    }
    if (!seen.ban) noBan(seen)
    const waitMs = readWaitMs(latest) ?? 0
    if (waitMs > 0 && fromMs(response) > toMs(latest) + waitMs) {
      throw new Suspicion('the ban was over by then', evidence)
    }
  },
})

const retryAfter = check({
  id: 'ban-retry-after',
  requirement: 'ban.retry-after',
  needs: banNeeds,
  sends: 'No requests of its own: it judges the requests of `ban-look`.',
  fails:
    'The response of the ban has no valid `Retry-After`, or one that is not in the future. ' +
    'It is a should.',
  inconclusive:
    'there was no ban (inapplicable), or a date cannot be judged without `Date` (ambiguous)',
  run: async (context) => {
    const seen = await after429(context)
    const { ban } = seen
    if (!ban) return noBan(seen)
    if (isUndatedWait(ban, readTrace(context, seen.key))) throw undated(ban)
    const fault = waitFault(ban)
    if (fault === undefined) return
    const expected = 'Retry-After in the future in responses during a ban'
    violateHeader('Retry-After', kindOfWait(ban), expected, fault, ban)
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
  retryAfter,
  banEnds,
  ...beyondLimit,
  statedDuration,
]
