// Retry-After: present in every refusal, in a form that HTTP allows, correct, and not excessive.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { type AnyCheck, check, observe } from '../../engine/check/declare.ts'
import { lastSmallest, maxBurst } from '../../engine/check/spendable-keys.ts'
import { describeRefusal } from '../../engine/quota/first-refusals.ts'
import type { Round } from '../../engine/quota/round.ts'
import type { AnsweredExchange } from '../../history/exchange.ts'
import { Inapplicable, Suspicion } from '../../history/outcome.ts'
import { duration } from '../../history/quote.ts'
import {
  isRefused,
  isServed,
  isShutOut,
  kindOfWait,
  minuteMs,
  minuteSaid,
  rateHeaders,
  readWait,
  readWaitMs,
  waitFault,
} from '../../history/rate-headers.ts'
import { violateHeader } from '../../model/expect.ts'
import { createPet } from '../pets/requests.ts'
import { beginDayWith } from './begin-day.ts'
import {
  burstNeeds,
  canCreate,
  cheapest,
  exhausting,
  firstRetry,
  furtherRetry,
  limitNeeds,
  refusalsIn,
  refusedBurst,
} from './experiments.ts'
import { firstRefusals, type KeyRefusal, readTrace, undated } from './other-clients.ts'
import { program } from './program.ts'
import { callAnyway, callRested, lists, sendAll, unlessLost } from './sending.ts'
import { isServedAfterSilence } from './windows.ts'

/** The Retry-After of a refusal is well-formed and in the future. */
const expectWait = (refusal: AnsweredExchange): void => {
  const fault = waitFault(refusal)
  if (fault === undefined) return
  const expected = 'Retry-After with whole seconds above zero, or an HTTP-date in the future'
  violateHeader('Retry-After', kindOfWait(refusal), expected, fault, refusal)
}

type Refused = Omit<KeyRefusal, 'before' | 'key'>

/** A ban that another client caused need not state a wait. */
const isOpen = ({ refusal, isOurs }: Refused): boolean =>
  !isOurs && kindOfWait(refusal) === 'missing'

const expectWaits = (refused: readonly Refused[]): void => {
  const judged = refused.filter((one) => !isOpen(one))
  for (const { refusal, isUndated } of judged) {
    if (isUndated) throw undated(refusal)
    expectWait(refusal)
  }
  const [open] = refused.filter(isOpen)
  if (judged.length > 0 || !open) return
  throw new Suspicion('another client may have caused a ban of the key', [open.refusal])
}

/** Judges the minutes and days of every key, so it runs after all checks that cause refusals. */
export const retryAfterPresent = check({
  id: 'retry-after-present',
  requirement: 'retry-after.present',
  needs: { ...burstNeeds, stage: 'days' },
  sends: 'No requests of its own: it judges the first 429 of each key, for its minute and its day.',
  fails:
    '`Retry-After` is missing, occurs twice, is neither whole seconds nor an HTTP-date (the ' +
    'two obsolete forms are accepted), or is not in the future.',
  inconclusive:
    'nothing was refused, a date cannot be judged without `Date`, or it is missing and another ' +
    'client may have caused a ban (ambiguous)',
  run: async (context) => {
    const found = () => firstRefusals(context).filter(({ refusal }) => isRefused(refusal))
    // By now the quota of the day may be used up, so that no burst is possible.
    if (found().length === 0) await refusedBurst(context)
    expectWaits(found())
  },
})

/** How many more windows are tried: a rounded wait is too short only in some of them. */
const maxWindows = 3

const served = program({
  id: 'retry-after-served',
  requirement: 'retry-after.true',
  needs: { ...burstNeeds, keyed: 1, experiment: 'retry' },
  laws: ['retry-after-each-served'],
  sends:
    'The key of the burst sends nothing until the time that its last refusal states (exactly, ' +
    'with the test clock), and then one request. A refused request is repeated after the next ' +
    'wait, and with the test clock after up to three further bursts.',
  run: async (context) => {
    await refusedBurst(context)
    let { tries } = await firstRetry(context)
    if (!context.limits.instant || !tries.some(isShutOut)) return
    for (let time = 1; time <= maxWindows; time += 1) {
      tries = (await furtherRetry(context, time)).tries
      if (tries.some(isShutOut)) return
    }
  },
})

/** A wait may end at most this long after Reset. */
const maxBeyondResetMs = 10 * minuteMs

const notExcessive = check({
  id: 'retry-after-not-excessive',
  requirement: 'retry-after.excess',
  needs: burstNeeds,
  sends: 'No requests of its own: it compares every 429 of the burst with its Reset.',
  fails:
    'The wait ends more than ten minutes after Reset, although the key is served after 75 s ' +
    'without calls. It is a should.',
  inconclusive: 'whether a shorter wait is enough is unknown (ambiguous)',
  run: async (context) => {
    const round = await refusedBurst(context)
    for (const refusal of refusalsIn(round)) {
      const beyondMs = (readWaitMs(refusal) ?? 0) - (rateHeaders(refusal)?.resetInMs ?? 0)
      if (beyondMs <= maxBeyondResetMs) continue
      if (!(await isServedAfterSilence(context))) {
        throw new Suspicion('whether a shorter wait is enough is unknown', [refusal])
      }
      const actual = `${duration(beyondMs)} after the Reset of the same response`
      const expected = `at most ${duration(maxBeyondResetMs)} after Reset`
      violateHeader('Retry-After', 'too long', expected, actual, refusal)
    }
  },
})

/** A wait and a Reset are whole seconds, rounded up or down. */
const sameTimeMs = 1_500

const form = observe({
  id: 'retry-after-form',
  requirement: 'gap.retry-after-form',
  needs: burstNeeds,
  sends: 'No requests of its own: it looks at the first 429 of the burst.',
  records: 'Whether it is a number of seconds or an HTTP-date, and whether it ends at Reset.',
  inconclusive: 'nothing was refused (blocked)',
  run: async (context) => {
    const refusal = refusalsIn(await refusedBurst(context))[0] as AnsweredExchange
    const wait = readWait(refusal)
    if ('fault' in wait) return wait.fault === 'no Retry-After' ? 'none' : 'another form'
    const resetInMs = rateHeaders(refusal)?.resetInMs
    if (resetInMs === undefined) return wait.form
    const isSame = Math.abs(resetInMs - wait.ms) <= sameTimeMs
    return `${wait.form}, ${isSame ? 'until Reset' : 'other than Reset'}`
  },
})

export const retryAfter: readonly AnyCheck[] = [served, notExcessive, form]

/** The second only if the first is served: Reset may be rounded up by a second. */
const beforeResetMs = [600, 1_600]
/** Calls that are sent one by one if some remain after the last one. */
const maxExtraCalls = 3

/** Spends a minute, with a creation as its last call, and calls just before Reset. */
const callBeforeReset = async (
  context: Context,
  key: LimitKey,
  beforeMs: number,
): Promise<Round | undefined> => {
  const creates = await canCreate(context)
  const first = await callRested(context, key)
  const left = minuteSaid(first)?.remaining ?? 0
  if (!isServed(first) || left < 2) return undefined
  const { responses, lost } = await sendAll(context, key, lists(left - 1))
  if (lost > 0 || !responses.every(isServed)) return undefined
  let last = await callAnyway(context, key, creates ? createPet(context.newPet()) : undefined)
  const burst = [...responses, last]
  for (let calls = 0; calls < maxExtraCalls; calls += 1) {
    if (!isServed(last) || minuteSaid(last)?.remaining === 0) break
    last = await callAnyway(context, key)
    burst.push(last)
  }
  const said = minuteSaid(last)
  if (!isServed(last) || !said || said.remaining > 0) return undefined
  const waitMs = said.reset * 1_000 - beforeMs - (await context.clock.now())
  // A bucket states when its next token comes, so Reset is not the end of a window.
  if (waitMs < 0 || waitMs > 2 * minuteMs) return undefined
  await context.limits.pass(waitMs)
  burst.push(await callAnyway(context, key))
  return { key, probes: [first], burst, lost: 0 }
}

/** A key that no other check needs, if there is one: its minute then shows its quota as well. */
const lateKey = ({ limits }: Context): LimitKey =>
  lastSmallest(limits.keys, 'perMinute') ?? cheapest(limits)

/** A refusal in the last second of a window; run once. */
export const refusedBeforeReset = (context: Context) =>
  context.once('refused in the last second', async () => {
    const key = lateKey(context)
    const { perMinute } = key.quota
    if (perMinute > maxBurst) return undefined
    await beginDayWith(context, key)
    for (const beforeMs of beforeResetMs) {
      const round = await unlessLost(callBeforeReset(context, key, beforeMs))
      const last = round?.burst.at(-1)
      if (!round || !last || !isRefused(last)) continue
      const isExact = round.burst.filter(isServed).length === perMinute - 1
      if (isExact) await context.once(exhausting(key), async () => round)
      return last
    }
    return undefined
  })

/** A wait that is rounded down is 0 in the last second of a window. */
export const lastSecond = check({
  id: 'retry-after-last-second',
  requirement: 'retry-after.present',
  needs: { ...limitNeeds, stage: 'bans', clock: true, keyed: 61, experiment: 'late' },
  sends:
    'With the test clock, after a rest: the minute is spent, its last call a `POST /pets` if ' +
    'that is allowed, and one request follows 0.6 s before Reset; if that is served, the same ' +
    'again with 1.6 s.',
  fails:
    'The `Retry-After` of that refusal is not in the future, for example 0 because it is ' +
    'rounded down.',
  inconclusive: 'nothing is refused then, since Reset is not the end of the window (inapplicable)',
  run: async (context) => {
    await context.control('list')
    const refused = await refusedBeforeReset(context)
    if (!refused) throw new Inapplicable('no call is refused just before Reset')
    expectWaits([describeRefusal(refused, readTrace(context, lateKey(context)))])
  },
})
