// Bans: never on a first refusal, on no other key, and over some time. None at all is legal.

import type { Context, LimitKey } from '../../engine/context.ts'
import { check, observe, type Question } from '../../engine/declare.ts'
import { type Answered, statusOf } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { knocksMost } from '../../engine/quota/experiments.ts'
import { isAlone, mayBeOthersBan } from './alone.ts'
import { creation } from './ban-creation.ts'
import { ends } from './ban-end.ts'
import { exhausted, refusalsIn, refusedRound } from './exhausted.ts'
import { answered } from './flood.ts'
import { askedWith, mayBeSpent } from './isolation.ts'
import { aftermath, knocked, knockedAgain, latestOf, lookOf, noBan, otherOf } from './knocks.ts'
import { onRetry } from './quota.ts'
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
import { retried, retriedAgain } from './retry.ts'
import { holdRound, short } from './round.ts'

/** Nobody who is not banned needs more silence than this (ruling 17). */
const silenceMs = 75_000

const tellsLong = (refusal: Answered): boolean => {
  const wait = waitOf(refusal)
  return isShutOut(refusal) && 'ms' in wait && wait.ms > silenceMs
}

/** A refusal that tells a long wait may be a ban; a key that may be banned asks before it ends. */
const askEarly = async (context: Context, found: Answered): Promise<void> => {
  const { limits, allow } = context
  if (!limits.banKey || !allow.includes('ban')) {
    const message = 'the wait is longer than a minute; only a key that may be banned can ask early'
    throw new Untested(limits.banKey ? 'permission' : 'key', message)
  }
  if (!limits.instant) {
    throw new Suspicion('repeated requests before this run may have drawn a ban', [found])
  }
  await limits.pass(forgottenMs)
  const round = await answered(holdRound(context, limits.banKey, undefined, 'lists'))
  const [refusal, ...more] = refusalsIn(round)
  if (!refusal) throw new Untested('blocked', 'the key for bans could not be exhausted')
  if (more.length > 0) throw new Suspicion('its burst was refused more than once', [refusal])
  if (daySaid(refusal, limits.banKey.quota)) {
    throw new Untested('blocked', 'the key for bans was refused for its day', [refusal])
  }
  await limits.pass(silenceMs)
  const answer = await answered(limits.insist(limits.banKey.label, short))
  if (isServed(answer)) return
  if (!(await isAlone(context, limits.banKey, round))) {
    throw new Suspicion('another client may have drawn a ban', [refusal, answer])
  }
  const expected = `a request served ${silenceMs / 1000} s after a first refusal`
  violate(expected, told(answer), refusal, answer)
}

const notFirst = check({
  id: 'ban-not-first',
  requirement: 'ban.only-repeated',
  needs: { ...onRetry, stage: 'bans' },
  sends:
    'Nothing of its own if the call after the first refusal and its wait is served. If that wait ' +
    'is over 75 s, with the test clock: 25 hours later the key for bans is exhausted, is silent ' +
    'for 75 s, and sends one request.',
  fails: 'That call is answered as if banned: 401 or 403, or it is refused after 75 s.',
  inconclusive:
    'a wait that is not true looks the same, requests before this run may have drawn it, or ' +
    'another client may have used the key (ambiguous)',
  run: async (context) => {
    const round = await refusedRound(context)
    const long = refusalsIn(round).find(tellsLong)
    if (long) return askEarly(context, long)
    const { refusal, tries } = await retried(context)
    const [first] = tries
    if (first && isServed(first)) return
    const last = tries.at(-1) as Answered
    if (tries.some(tellsLong)) return askEarly(context, last)
    // Another client's calls, refused as well, may have drawn it while this one waited.
    const isOthers = await mayBeOthersBan(context, round.key, last)
    const isUnclear = isServed(last) || isRefused(last) || isOthers
    if (isUnclear || !(await isAlone(context, round.key, round))) {
      throw new Suspicion('whether it is a ban or a wait that is not true is not told', [
        refusal,
        last,
      ])
    }
    if (context.limits.instant && (await retriedAgain(context)).tries.every(isServed)) {
      throw new Suspicion('it was shut out once, and not again', [refusal, last])
    }
    violate('no ban after one refusal and the wait it told', told(last), refusal, last)
  },
})

const look = observe({
  id: 'ban-look',
  requirement: 'gap.ban-look',
  needs: { ...aftermath, keyed: 62 + knocksMost, holds: 'knocks' },
  sends:
    'The key for bans is exhausted by a burst and sends up to 40 requests more, until a response ' +
    'looks like a ban: 401, 403, a longer wait, or another `code` after refusals with one code.',
  records: 'After how many refusals in a row, and with which status; or that none came.',
  inconclusive: 'the key could not be exhausted (blocked)',
  run: async (context) => lookOf(await knocked(context)),
})

/** By the test clock it costs hardly any time to see the same a second time. */
const expectAgain = async (context: Context, key: LimitKey): Promise<void> => {
  const again = await knockedAgain(context)
  const answer = await askedWith(context, key)
  if (!isServed(answer)) return
  const evidence = [latestOf(again), answer]
  throw new Suspicion(`key ${key.label} was refused once, and not again`, evidence)
}

const ownKey = check({
  id: 'ban-own-key',
  requirement: 'ban.own-key',
  needs: { ...aftermath, keyed: 1, keys: 1 },
  sends:
    'One call with another key while the first one is banned: with a key of the same plan, if ' +
    'there is one.',
  fails: 'It is refused although it has calls left; by the test clock after two such rounds.',
  inconclusive:
    'no ban came (inapplicable), it was over by then, or another client may have used the key ' +
    '(ambiguous)',
  run: async (context) => {
    const knocks = await knocked(context)
    const key = otherOf(context.limits, knocks.key)
    const answer = await askedWith(context, key)
    const latest = latestOf(knocks)
    if (!isServed(answer)) {
      const isOthers = !isShutOut(answer) || (await mayBeOthersBan(context, key, answer))
      const round = await exhausted(context, key)
      if (isOthers || (await mayBeSpent(context, key, answer, round))) {
        throw new Suspicion(`key ${key.label} may itself be spent`, [latest, answer])
      }
      if (context.limits.instant) await expectAgain(context, key)
      violate(`key ${key.label} served beside a banned key`, told(answer), latest, answer)
    }
    if (!knocks.ban) noBan(knocks)
    const wait = waitOf(latest)
    if ('ms' in wait && wait.ms > 0 && fromMs(answer) > toMs(latest) + wait.ms) {
      throw new Suspicion('the ban was over by then', [latest, answer])
    }
  },
})

const retryAfter = check({
  id: 'ban-retry-after',
  requirement: 'ban.retry-after',
  needs: aftermath,
  sends: 'Nothing of its own: the requests of `ban-look`.',
  fails:
    'The response of the ban has no valid `Retry-After`, or one that is not in the future. It is ' +
    'a should.',
  inconclusive: 'no ban came (inapplicable)',
  run: async (context) => {
    const knocks = await knocked(context)
    const { ban } = knocks
    if (!ban) return noBan(knocks)
    const wait = waitOf(ban)
    const fault = 'fault' in wait ? wait.fault : `${wait.ms / 1000} s by ${wait.form}`
    if ('fault' in wait || wait.ms <= 0) {
      violate('Retry-After on the answers of a ban, ahead', fault, ban)
    }
  },
})

const duration = observe({
  id: 'ban-duration',
  requirement: 'gap.ban-duration',
  needs: aftermath,
  sends: 'Nothing of its own: the requests of `ban-look`.',
  records: 'The wait that the response of the ban states.',
  run: async (context) => {
    const { ban } = await knocked(context)
    if (!ban) return 'no ban seen'
    const wait = waitOf(ban)
    return 'ms' in wait ? `${Math.round(wait.ms / 1000)} s, as told` : `not told (${statusOf(ban)})`
  },
})

export const ban: readonly Question[] = [
  notFirst,
  look,
  ownKey,
  retryAfter,
  ends,
  creation,
  duration,
]
