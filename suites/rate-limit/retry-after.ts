// Retry-After: on every refusal, in a form that HTTP allows, true, and not far too long.

import type { Context, LimitKey } from '../../engine/context.ts'
import { type AnyCheck, check, type Needs, observe } from '../../engine/declare.ts'
import type { Answered } from '../../engine/exchange.ts'
import { describeResponse, violate } from '../../engine/expect.ts'
import { Inapplicable, Suspicion, Untested, Violation } from '../../engine/outcome.ts'
import { maxBurst } from '../../engine/quota/limits.ts'
import { dateMs, rateHeaders } from '../../engine/quota/rate-headers.ts'
import { createPet } from '../requests.ts'
import { lists, passUntil, phases, sendAll, shortList, unlessLost } from './burst.ts'
import {
  burstNeeds,
  canCreate,
  cheapest,
  firstRetry,
  furtherRetry,
  limitNeeds,
  refusalsIn,
  refusedBurst,
} from './experiments.ts'
import { type FirstRefusal, firstRefusals, mayBeOthers } from './other-clients.ts'
import { isRefused, isServed, isShutOut, minuteMs, minuteSaid, waitOf } from './reading.ts'
import { isServedAfterSilence } from './window-ends.ts'

/** The Retry-After of a refusal is well-formed and in the future. */
const expectWait = (refusal: Answered): void => {
  const expected = 'Retry-After with whole seconds above zero, or an HTTP-date in the future'
  const wait = waitOf(refusal)
  if ('fault' in wait) {
    if (wait.fault.endsWith(' GMT') && dateMs(refusal) === undefined) {
      const message = 'a response without Date does not give the time at the target'
      throw new Untested('ambiguous', message, [refusal])
    }
    violate(expected, wait.fault, refusal)
  } else if (wait.ms <= 0) violate(expected, `${wait.ms / 1000} s by ${wait.form}`, refusal)
}

/** The same of a first refusal. A ban that another client provoked need not state a wait. */
const expectOwnWait = ({ refusal, isOurs }: FirstRefusal): void => {
  try {
    expectWait(refusal)
  } catch (error) {
    if (isOurs || !(error instanceof Violation)) throw error
    throw new Suspicion('another client may have provoked a ban of the key', [refusal])
  }
}

/** Judges the minutes and days of every key, so it comes after all that may be refused. */
export const retryAfterPresent = check({
  id: 'retry-after-present',
  requirement: 'retry-after.present',
  needs: { ...burstNeeds, stage: 'days' },
  sends: 'Nothing of its own: every first 429 of a key, in its minutes and days.',
  fails:
    'No `Retry-After`, two, one that is neither whole seconds nor an HTTP-date (the two old ' +
    'forms are accepted), or one that is not in the future.',
  inconclusive:
    'nothing was refused, a date cannot be judged without `Date`, or another client may have ' +
    'provoked a ban (ambiguous)',
  run: async (context) => {
    const found = () => firstRefusals(context).filter(({ refusal }) => isRefused(refusal))
    // By now a key may have no day left to be exhausted with.
    if (found().length === 0) await refusedBurst(context)
    found()
      .sort((a, b) => Number(b.isOurs) - Number(a.isOurs))
      .forEach(expectOwnWait)
  },
})

const retryNeeds: Needs = { ...burstNeeds, keyed: 1, holds: 'retry' }

/**
 * One call of another client may explain one refusal; not where the request after the next wait is
 * refused as well, or finds a whole minute.
 */
const isExplained = (tries: readonly Answered[], { quota }: LimitKey): boolean => {
  const last = tries.at(-1)
  if (!last || !isServed(last)) return false
  return minuteSaid(last, quota)?.remaining !== quota.perMinute - 1
}

/** So many more windows are tried, as a wait that is rounded is too short only in some of them. */
const maxWindows = 3

/** With the test clock: what is refused after a stated wait in another window. */
const refusedAgain = async (context: Context): Promise<readonly Answered[] | undefined> => {
  for (let time = 1; time <= maxWindows; time += 1) {
    const { refusal, tries } = await furtherRetry(context, time)
    const again = tries.find(isShutOut)
    if (again) return [refusal, again]
  }
  return undefined
}

const served = check({
  id: 'retry-after-served',
  requirement: 'retry-after.true',
  needs: retryNeeds,
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
    const round = await refusedBurst(context)
    const { refusal, tries } = await firstRetry(context)
    const failed = tries.find((one) => !isServed(one) && !isShutOut(one))
    if (failed)
      throw new Suspicion(`the request after the wait got ${describeResponse(failed)}`, tries)
    const refused = tries.filter(isShutOut)
    const [first] = refused
    if (!first) return
    if (isExplained(tries, round.key) || (await mayBeOthers(context, round.key, first, round))) {
      throw new Suspicion('another client may have used the key meanwhile', [refusal, ...tries])
    }
    const again = context.limits.instant ? await refusedAgain(context) : []
    if (!again) throw new Suspicion('it was refused once, and not again', [refusal, ...tries])
    const actual = `after the wait it got ${describeResponse(first)}`
    const evidence = [...again, refusal, ...refused]
    violate('a request served after the stated wait', actual, ...evidence)
  },
})

/** No key needs so much more than its Reset that is served after 75 s of silence. */
const maxBeyondResetMs = 10 * minuteMs

const notExcessive = check({
  id: 'retry-after-not-excessive',
  requirement: 'retry-after.excess',
  needs: burstNeeds,
  sends: 'Every 429 of the burst, compared with its own Reset.',
  fails:
    'A wait more than ten minutes beyond that Reset, although the key is served after 75 s of ' +
    'silence. It is a should.',
  inconclusive: 'whether less would do is not known (ambiguous)',
  run: async (context) => {
    const round = await refusedBurst(context)
    for (const refusal of refusalsIn(round)) {
      const wait = waitOf(refusal)
      const beyondMs = ('ms' in wait ? wait.ms : 0) - (rateHeaders(refusal)?.resetInMs ?? 0)
      if (beyondMs <= maxBeyondResetMs) continue
      if (!(await isServedAfterSilence(context))) {
        throw new Suspicion('whether a shorter wait is enough is not known', [refusal])
      }
      const actual = `${Math.round(beyondMs / 1000)} s beyond the Reset of the same response`
      violate(`at most ${maxBeyondResetMs / 1000} s more than to the Reset`, actual, refusal)
    }
  },
})

/** A wait and a Reset are both whole seconds, rounded up or down. */
const sameTimeMs = 1_500

const form = observe({
  id: 'retry-after-form',
  requirement: 'gap.retry-after-form',
  needs: burstNeeds,
  sends: 'Nothing of its own: the first 429 of the burst.',
  records: 'Whether it is seconds or an HTTP-date, and whether it ends at Reset.',
  inconclusive: 'nothing was refused (blocked)',
  run: async (context) => {
    const [refusal] = refusalsIn(await refusedBurst(context))
    const wait = waitOf(refusal as Answered)
    if ('fault' in wait) return wait.fault === 'no Retry-After' ? 'none' : 'another form'
    const resetInMs = rateHeaders(refusal as Answered)?.resetInMs
    if (resetInMs === undefined) return wait.form
    const isSame = Math.abs(resetInMs - wait.ms) <= sameTimeMs
    return `${wait.form}, ${isSame ? 'until Reset' : 'other than Reset'}`
  },
})

export const retryAfter: readonly AnyCheck[] = [served, notExcessive, form]

/** A Reset is exact, or up to a second later than the end of the window that it names. */
const beforeResetMs = [600, 1_600]
/** Calls that are sent one by one where the last response says that some are left. */
const maxExtraCalls = 3

/** Spends a minute, its last call a creation, and sends one request just before the Reset. */
const callBeforeReset = async (context: Context, key: LimitKey, beforeMs: number) => {
  const { limits } = context
  const { label, quota } = key
  const call = (request = shortList) => limits.sendAnyway(label, request)
  const creates = await canCreate(context)
  await limits.rest(label)
  await passUntil(context, 0, phases.begin)
  const first = await call()
  const left = minuteSaid(first, quota)?.remaining ?? 0
  if (!isServed(first) || left < 2) return undefined
  const { responses, lost } = await sendAll(limits, label, lists(left - 1))
  if (lost > 0 || !responses.every(isServed)) return undefined
  let last = await call(creates ? createPet(context.newPet()) : shortList)
  for (let calls = 0; calls < maxExtraCalls; calls += 1) {
    if (!isServed(last) || minuteSaid(last, quota)?.remaining === 0) break
    last = await call()
  }
  const said = minuteSaid(last, quota)
  if (!isServed(last) || !said || said.remaining > 0) return undefined
  const waitMs = said.reset * 1_000 - beforeMs - (await context.clock.now())
  // A bucket names its next token, so none of its refusals is late.
  if (waitMs < 0 || waitMs > 2 * minuteMs) return undefined
  await limits.pass(waitMs)
  return call()
}

/** The refusals in the last second of two minutes of a key, which are spent once in a run. */
export const refusedBeforeReset = (context: Context, key: LimitKey): Promise<readonly Answered[]> =>
  context.once(`refused in the last second: ${key.label}`, async () => {
    const refused: Answered[] = []
    if (key.quota.perMinute > maxBurst) return refused
    for (const beforeMs of beforeResetMs) {
      const last = await unlessLost(callBeforeReset(context, key, beforeMs))
      if (last && isRefused(last)) refused.push(last)
    }
    return refused
  })

/** A wait that is cut to whole seconds is 0 in the last second of a minute. */
export const lastSecond = check({
  id: 'retry-after-last-second',
  requirement: 'retry-after.present',
  needs: { ...limitNeeds, stage: 'bans', clock: true, keyed: 122, holds: 'late' },
  sends:
    'By the test clock, twice after a rest: the minute is spent, its last call a creation if ' +
    'those are allowed, and one request follows 0.6 s, or 1.6 s, before the Reset.',
  fails:
    'The `Retry-After` of that refusal is not in the future, such as 0 for a wait cut to whole ' +
    'seconds.',
  inconclusive: 'nothing was refused then, as Reset is not the end of the minute (inapplicable)',
  run: async (context) => {
    await context.control('list')
    const refused = await refusedBeforeReset(context, cheapest(context.limits))
    if (refused.length === 0) {
      throw new Inapplicable('its Reset names no moment right before which a call is refused')
    }
    refused.forEach(expectWait)
  },
})
