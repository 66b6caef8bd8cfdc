// What a run saw of a limiter: the algorithm that fits its numbers, which responses count, and how
// it refuses. Derived from the calls of the run; nothing is sent for it.

import type { Context } from '../../engine/check/context.ts'
import { type AnyCheck, observe } from '../../engine/check/declare.ts'
import { allKeys } from '../../engine/check/spendable-keys.ts'
import { bodyText, readBody } from '../../history/body.ts'
import { type AnsweredExchange, statusCode } from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { duration } from '../../history/quote.ts'
import {
  is429,
  isShutOut,
  minuteMs,
  rateHeaders,
  readWait,
  readWaitMs,
} from '../../history/rate-headers.ts'
import { type Call, readCalls } from '../../model/limiter/calls.ts'
import { type OpenRequirementId, requirement } from '../../spec/requirements.ts'
import { checkError } from '../../spec/schemas.ts'
import { banKeyOf, banNeeds, ban as banned, describeBan, readRow } from './bans.ts'
import { cheapest, limitNeeds } from './program.ts'

/** Whose responses are looked at. */
const sources = {
  cheapest: {
    ...{ needs: limitNeeds, sentBy: ['quota-free'], words: 'the key that is cheapest to exhaust' },
    keysOf: (context: Context) => [cheapest(context)],
  },
  banned: {
    ...{ needs: banNeeds, sentBy: ['ban-own-key'], words: 'the key for bans' },
    keysOf: (context: Context) => [banKeyOf(context)],
  },
  all: {
    // A response may speak of the window that has the fewest calls left.
    ...{ needs: { stage: 'days' } as const, sentBy: [], words: 'each valid key' },
    keysOf: ({ limits }: Context) => allKeys(limits),
  },
} as const

const seen = (
  from: keyof typeof sources,
  id: string,
  about: OpenRequirementId,
  describe: (responses: readonly AnsweredExchange[]) => string,
): AnyCheck => {
  const { needs, sentBy, words, keysOf } = sources[from]
  return observe({
    ...{ id, requirement: about, needs, sentBy, records: requirement(about).says },
    sends: `No requests: it looks at the responses to ${words}.`,
    ...(from !== 'all' && { inconclusive: 'the key was not refused (blocked)' }),
    run: async (context) => {
      const responses = keysOf(context).flatMap((key) => key.responses())
      if (from === 'all' || responses.some(isShutOut)) return describe(responses)
      throw new Untested('blocked', 'the key was not refused')
    },
  })
}

const kindOf = (refusal: AnsweredExchange): string => {
  const body = readBody(refusal)
  if (!('value' in body)) return bodyText(refusal) === '' ? 'none' : 'no JSON'
  return checkError(body.value) === undefined ? 'Error' : 'other JSON'
}

/** A wait and a Reset are whole seconds, rounded up or down. */
const sameTimeMs = 1_500

const formOf = (refusal: AnsweredExchange): string => {
  const { form, ms, kind } = readWait(refusal)
  if (!form || ms === undefined) return kind === 'missing' ? 'none' : 'another form'
  const resetInMs = rateHeaders(refusal)?.resetInMs
  if (resetInMs === undefined) return form
  const isSame = Math.abs(resetInMs - ms) <= sameTimeMs
  return `${form}, ${isSame ? 'until Reset' : 'other than Reset'}`
}

/** Replicas may round a Reset up or down. */
const sameResetS = 2
const minWindows = 3
/** From the first call to its Reset, both rounded. */
const maxRoundingMs = 2_500

/** Whether fixed windows begin at a certain second of the minute, or at the first call. */
const placed = (calls: readonly Call[]): string => {
  const ofMinute = calls.filter((call) => call.served && call.window?.name === 'minute')
  const windows = ofMinute.filter(({ reset }, at) => {
    const before = ofMinute.slice(0, at).map((call) => call.reset)
    return reset > Math.max(...before) + sameResetS
  })
  const isAt = (phase: number) =>
    windows.every(({ reset }) => {
      const apart = Math.abs((reset % 60) - phase)
      return Math.min(apart, 60 - apart) <= 1
    })
  const [first] = windows
  if (!first || windows.length < minWindows) return 'inconclusive'
  if (isAt(0)) return 'fixed window on the clock'
  if (isAt(first.reset % 60)) return 'fixed window off the clock'
  const isFromFirst = windows.every(({ reset, clocksMs }) => {
    const aheadMs = reset * 1_000 - (clocksMs.at(-1) ?? 0)
    return Math.abs(aheadMs - minuteMs) <= maxRoundingMs
  })
  return isFromFirst ? 'fixed window from the first request' : 'inconclusive'
}

/** The calls since the key was whole, before one of them was refused, until its next long rest. */
const sinceWhole = (calls: readonly Call[], refusedSeq: number): readonly Call[] => {
  const first = calls.findLast(
    (call) =>
      call.seq < refusedSeq &&
      call.window?.name === 'minute' &&
      call.remaining === call.window.limit - 1 &&
      call.silentMs >= minuteMs,
  )
  if (!first) return []
  const next = calls.find((call) => call.seq > refusedSeq && call.silentMs >= 2 * minuteMs)
  return calls.slice(first.place, next?.place)
}

/** In so much time a bucket of the plan gives a call back. */
const pauseMs = 2_000

/**
 * The design that a burst shows: two calls after a rest, with a pause between them, all others at
 * once, and one after the stated wait. A bucket gives back in the pause; a window all at its end; a
 * log or a counter some, and not before a minute has passed.
 * @param responses all responses to the key, in order
 * @param refusedSeq the number of a refusal among them
 */
const inferDesign = (responses: readonly AnsweredExchange[], refusedSeq: number): string => {
  const all = readCalls(responses.toSorted((a, b) => a.seq - b.seq))
  const own = sinceWhole(all, refusedSeq).filter(({ served, window }) => served && window)
  const [first, second] = own.filter(({ quiet }) => quiet)
  const back = own.find(({ seq }) => seq > refusedSeq)
  if (!first || !second || !back) return 'inconclusive'
  const isPaused = second.seq < refusedSeq && second.fromMs - first.toMs >= pauseMs
  // The Reset of a window that ends in the pause moves by a minute.
  const isOneWindow = (second.reset - first.reset) * 1_000 < minuteMs / 2
  if (isPaused && isOneWindow && second.remaining >= first.remaining) return 'token bucket'
  const isSteady = own.every(
    ({ seq, reset }) => seq > refusedSeq || Math.abs(reset - first.reset) <= sameResetS,
  )
  if (back.remaining === first.remaining) return isSteady ? placed(all) : 'inconclusive'
  return back.toMs - first.fromMs >= minuteMs ? 'sliding window' : 'inconclusive'
}

/** Of the first 429 of a key. */
const ofFirst =
  (describe: (refusal: AnsweredExchange) => string) =>
  (responses: readonly AnsweredExchange[]): string =>
    responses.filter(is429).slice(0, 1).map(describe).join() || 'no 429 seen'

/** What the program of bans alone caused: others leave a key after its first refusal. */
const rowOf = (responses: readonly AnsweredExchange[]) =>
  readRow(responses.filter(({ check }) => check === banned.id))

const describeDuration = (responses: readonly AnsweredExchange[]): string => {
  const { ban } = rowOf(responses)
  if (!ban) return 'no ban seen'
  const ms = readWaitMs(ban)
  return ms === undefined ? `not stated (${statusCode(ban)})` : `${duration(ms)}, as stated`
}

/** So many show whether a status counts. */
const minSeen = 2

/** By how much Remaining fell with each response of a status that followed another one directly. */
const fallsOf = (responses: readonly AnsweredExchange[], status: number) =>
  responses.flatMap((to, at) => {
    const from = responses[at - 1]
    const [before, after] = [from && rateHeaders(from), rateHeaders(to)]
    const isNext = from && from.seq + 1 === to.seq && from.receivedMs <= to.sentMs
    if (!isNext || statusCode(to) !== status || before?.window !== after?.window) return []
    if (!before || !after) return []
    return [{ fall: before.remaining - after.remaining, isSame: before.reset === after.reset }]
  })

const countedBy = (responses: readonly AnsweredExchange[], status: number): string => {
  // Nothing comes back between two responses with one Reset.
  const [all, within] = [fallsOf(responses, status), ({ isSame }: { isSame: boolean }) => isSame]
  const falls = all.filter(within).length < minSeen ? all : all.filter(within)
  const isLowered = fallsOf(responses, 200).some(({ fall }) => fall > 0)
  if (falls.length < minSeen || !isLowered) return 'inconclusive'
  if (falls.every(({ fall }) => fall > 0)) return 'counted'
  // Where Reset moves, what came back meanwhile may hide a call.
  return falls.every(({ fall, isSame }) => fall === 0 && isSame) ? 'not counted' : 'inconclusive'
}

const windowsOf = (responses: readonly AnsweredExchange[]): string => {
  const windows = responses.flatMap((one) => {
    const said = rateHeaders(one)
    return said ? [said.window ?? 'unknown'] : []
  })
  return [...new Set(windows)].sort().reverse().join(' or ') || 'none'
}

export const observed: readonly AnyCheck[] = [
  seen('cheapest', 'retry-after-form', 'gap.retry-after-form', ofFirst(formOf)),
  seen('cheapest', 'refusal-body', 'gap.429-body', ofFirst(kindOf)),
  seen('cheapest', 'limiter-design', 'limits.algorithm', (responses) =>
    ofFirst(({ seq }) => inferDesign(responses, seq))(responses),
  ),
  seen('banned', 'ban-look', 'gap.ban-look', (responses) => describeBan(rowOf(responses))),
  seen('banned', 'ban-duration', 'gap.ban-duration', describeDuration),
  seen('all', 'answers-that-count', 'limits.which-count', (responses) =>
    [400, 404].map((status) => `${status} ${countedBy(responses, status)}`).join(', '),
  ),
  seen('all', 'headers-window', 'headers.window', windowsOf),
]
