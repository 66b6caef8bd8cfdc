// Retry-After: present in every refusal, in a form that HTTP allows, correct, and not excessive.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { type AnyCheck, observe } from '../../engine/check/declare.ts'
import { lastSmallest, maxBurst } from '../../engine/check/spendable-keys.ts'
import type { AnsweredExchange } from '../../history/exchange.ts'
import { Inapplicable } from '../../history/outcome.ts'
import {
  isRefused,
  isServed,
  isShutOut,
  minuteMs,
  minuteSaid,
  rateHeaders,
  readWait,
} from '../../history/rate-headers.ts'
import { createPet } from '../pets/requests.ts'
import { beginDayWith } from './begin-day.ts'
import {
  canCreate,
  cheapest,
  exhausting,
  firstRetry,
  furtherRetry,
  limitNeeds,
  refusalsIn,
  refusedBurst,
} from './experiments.ts'
import { program } from './program.ts'
import type { Round } from './run-burst.ts'
import { callAnyway, callRested, lists, sendAll, unlessLost } from './sending.ts'

/** How many more windows are tried: a rounded wait is too short only in some of them. */
const maxWindows = 3

const served = program({
  id: 'retry-after-served',
  requirement: 'retry-after.true',
  needs: limitNeeds,
  laws: ['retry-after-each-served'],
  sends:
    'The key of the burst sends nothing until the time that its last refusal states (exactly, ' +
    'with the test clock), and then one request. A refused request is repeated after the next ' +
    'wait, and with the test clock after up to three further bursts; without it after one more, ' +
    'if a law is in doubt.',
  run: async (context) => {
    await refusedBurst(context)
    let { tries } = await firstRetry(context)
    if (!context.limits.instant || !tries.some(isShutOut)) return
    for (let time = 1; time <= maxWindows; time += 1) {
      tries = (await furtherRetry(context, time)).tries
      if (tries.some(isShutOut)) return
    }
  },
  again: async (context) => {
    if (!context.limits.instant) await furtherRetry(context)
  },
})

/** A wait and a Reset are whole seconds, rounded up or down. */
const sameTimeMs = 1_500

const form = observe({
  id: 'retry-after-form',
  requirement: 'gap.retry-after-form',
  needs: limitNeeds,
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

export const retryAfter: readonly AnyCheck[] = [served, form]

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
export const lastSecond = program({
  id: 'retry-after-last-second',
  requirement: 'retry-after.present',
  needs: { ...limitNeeds, stage: 'bans', clock: true },
  laws: ['retry-after-present'],
  sends:
    'With the test clock, after a rest: the minute is spent, its last call a `POST /pets` if ' +
    'that is allowed, and one request follows 0.6 s before Reset; if that is served, the same ' +
    'again with 1.6 s.',
  run: async (context, earlier) => {
    await context.control('list')
    const refused = await refusedBeforeReset(context)
    if (!refused) throw new Inapplicable('no call is refused just before Reset')
    earlier.push(refused)
  },
})
