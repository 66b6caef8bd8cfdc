// Retry-After: on every refusal, in a form that HTTP has, true, and not far too long.

import type { Context, LimitKey } from '../../engine/context.ts'
import { check, type Needs, observe, type Question } from '../../engine/declare.ts'
import type { Answered } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { Suspicion, Untested, Violation } from '../../engine/outcome.ts'
import { dateMs, rateHeaders } from '../../engine/quota/rate-headers.ts'
import { isAlone, mayBeOthersBan } from './alone.ts'
import { refusalsIn, refusedRound } from './exhausted.ts'
import { type FirstRefusal, firstRefusals } from './first-refusals.ts'
import { onBurst } from './quota.ts'
import { isRefused, isServed, isShutOut, minuteMs, minuteSaid, waitOf } from './reading.ts'
import { isRestedServed } from './rest.ts'
import { retried, retriedAgain } from './retry.ts'

export const expectWait = (refusal: Answered): void => {
  const expected = 'Retry-After with whole seconds above zero, or an HTTP-date ahead'
  const wait = waitOf(refusal)
  if ('fault' in wait) {
    if (wait.fault.endsWith(' GMT') && dateMs(refusal) === undefined) {
      throw new Untested('ambiguous', 'an answer without Date does not tell the time', [refusal])
    }
    violate(expected, wait.fault, refusal)
  } else if (wait.ms <= 0) violate(expected, `${wait.ms / 1000} s by ${wait.form}`, refusal)
}

/** What may be a ban that another client drew need not state a wait. */
const unlessOthers = ({ refusal, isOurs }: FirstRefusal): void => {
  try {
    expectWait(refusal)
  } catch (error) {
    if (isOurs || !(error instanceof Violation)) throw error
    throw new Suspicion('another client may have drawn a ban upon the key', [refusal])
  }
}

/** Refusals of minutes and of days, of every key: so it comes after all that may be refused. */
export const present = check({
  id: 'retry-after-present',
  requirement: 'retry-after.present',
  needs: { ...onBurst, stage: 'days' },
  sends: 'Nothing of its own: every first 429 of a key, in its minutes and days.',
  fails:
    'No `Retry-After`, two, one that is neither whole seconds nor an HTTP-date (the two old ' +
    'forms are accepted), or one that is not in the future.',
  inconclusive:
    'nothing was refused, a date cannot be judged without `Date`, or another client may have ' +
    'drawn a ban (ambiguous)',
  run: async (context) => {
    const heard = () => firstRefusals(context).filter(({ refusal }) => isRefused(refusal))
    // By now a key may have no day left to be exhausted with.
    if (heard().length === 0) await refusedRound(context)
    const inTurn = heard().sort((a, b) => Number(b.isOurs) - Number(a.isOurs))
    for (const each of inTurn) unlessOthers(each)
  },
})

const asking: Needs = { ...onBurst, keyed: 1, holds: 'retry' }

/**
 * One call of another client may explain one refusal; not where the request after the next wait is
 * refused as well, or finds a whole minute that nobody else has touched.
 */
const isExplained = (tries: readonly Answered[], { quota }: LimitKey): boolean => {
  const last = tries.at(-1)
  if (!last || !isServed(last)) return false
  return minuteSaid(last, quota)?.remaining !== quota.perMinute - 1
}

/** So many windows more, as a wait that is rounded is too short in some of them. */
const windowsMost = 3

/** By the test clock: what is refused after a wait that was told, in another window. */
const refusedAgain = async (context: Context): Promise<readonly Answered[] | undefined> => {
  for (let time = 1; time <= windowsMost; time += 1) {
    const { refusal, tries } = await retriedAgain(context, time)
    const again = tries.find(isShutOut)
    if (again) return [refusal, again]
  }
  return undefined
}

const served = check({
  id: 'retry-after-served',
  requirement: 'retry-after.true',
  needs: asking,
  sends:
    'The key of the burst is silent until the moment that its last refusal states (by the test ' +
    'clock exactly), and sends one request. In real time a refused call is repeated after the ' +
    'next wait.',
  fails:
    'It is refused after the wait; by the test clock also after a second burst, of three at most.',
  inconclusive:
    'the wait is over 8 days (150 s in real time) or invalid, or another client may have used ' +
    'the key (ambiguous)',
  run: async (context) => {
    const round = await refusedRound(context)
    const { refusal, tries } = await retried(context)
    const failed = tries.find((one) => !isServed(one) && !isShutOut(one))
    if (failed) throw new Suspicion(`after the wait that was told it got ${told(failed)}`, tries)
    const refused = tries.filter(isShutOut)
    const [first] = refused
    if (!first) return
    const isOthers =
      isExplained(tries, round.key) || (await mayBeOthersBan(context, round.key, first))
    if (isOthers || !(await isAlone(context, round.key, round))) {
      throw new Suspicion('another client may have used the key meanwhile', [refusal, ...tries])
    }
    const again = context.limits.instant ? await refusedAgain(context) : []
    if (!again) {
      throw new Suspicion('it was refused once, and not again', [refusal, ...tries])
    }
    const actual = `waited as told, and got ${told(first)}`
    const evidence = [...again, refusal, ...refused]
    violate('a request served after the wait that was told', actual, ...evidence)
  },
})

/** So much beyond the reset, and the key is served after 75 s of silence: nobody needs that. */
const farMs = 10 * minuteMs

const notExcessive = check({
  id: 'retry-after-not-excessive',
  requirement: 'retry-after.excess',
  needs: onBurst,
  sends: 'Every 429 of the burst, compared with its own Reset.',
  fails:
    'A wait more than ten minutes beyond that Reset, although the key is served after 75 s of ' +
    'silence. It is a should.',
  inconclusive: 'whether less would do is not known (ambiguous)',
  run: async (context) => {
    const round = await refusedRound(context)
    for (const refusal of refusalsIn(round)) {
      const wait = waitOf(refusal)
      const beyondMs = ('ms' in wait ? wait.ms : 0) - (rateHeaders(refusal)?.resetInMs ?? 0)
      if (beyondMs <= farMs) continue
      if (!(await isRestedServed(context))) {
        throw new Suspicion('whether less than that is enough is not known', [refusal])
      }
      const actual = `${Math.round(beyondMs / 1000)} s beyond the Reset of the same answer`
      violate(`at most ${farMs / 1000} s more than to the Reset`, actual, refusal)
    }
  },
})

/** A wait and a reset are both whole seconds, rounded this way or that. */
const alikeMs = 1_500

const form = observe({
  id: 'retry-after-form',
  requirement: 'gap.retry-after-form',
  needs: onBurst,
  sends: 'Nothing of its own: the first 429 of the burst.',
  records: 'Whether it is seconds or an HTTP-date, and whether it ends at Reset.',
  inconclusive: 'nothing was refused (blocked)',
  run: async (context) => {
    const [refusal] = refusalsIn(await refusedRound(context))
    const wait = waitOf(refusal as Answered)
    if ('fault' in wait) return wait.fault === 'no Retry-After' ? 'none' : 'another form'
    const resetInMs = rateHeaders(refusal as Answered)?.resetInMs
    if (resetInMs === undefined) return wait.form
    const isAlike = Math.abs(resetInMs - wait.ms) <= alikeMs
    return `${wait.form}, ${isAlike ? 'until Reset' : 'other than Reset'}`
  },
})

export const retryAfter: readonly Question[] = [served, notExcessive, form]
