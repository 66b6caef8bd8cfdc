// A day spent in real time, within one run: minute by minute, up to the call that the day refuses.
import type { Context, LimitKey } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { rateHeaders } from '../../engine/quota/rate-headers.ts'
import { createDayLog, hearDay, heardMs, maxAheadMs } from './day-log.ts'
import type { SpentDay } from './day-spent.ts'
import { answered } from './flood.ts'
import { isRefused, isServed, waitOf } from './reading.ts'
import {
  isBeyondSaid,
  isSpentByUs,
  isTwoDays,
  judgeRealFewer,
  judgeRealMore,
  type RealDay,
} from './real-day-judgements.ts'
import { short } from './round.ts'

/** A wait up to this is kept; a longer one ends after the run. */
const maxWaitMs = 150_000
const graceMs = 50

export interface RealSpentDay extends SpentDay {
  /** Whether every call of the day was one of this run, so that nobody else made one. */
  readonly isOurs: boolean
}

/** When the wait is over that a refusal tells; longer than a day can last none is believed. */
const waitEndsMs = (refusal: Answered): number => {
  const wait = waitOf(refusal)
  const waitMs = 'ms' in wait ? wait.ms : (rateHeaders(refusal)?.resetInMs ?? 0)
  return heardMs(refusal) + Math.min(Math.max(0, Math.ceil(waitMs)), maxAheadMs)
}

/** Asks until it is refused, or until more was served than may be; never beyond the minute. */
const ask = async ({ limits }: Context, { label, quota }: LimitKey): Promise<RealDay> => {
  const log = createDayLog(quota, limits.heard(label))
  const answers: Answered[] = []
  const spent = (): RealDay => ({ log, nowMs: limits.wallMs(), answers })
  for (let asked = 0; asked < 2 * quota.perDay + 2; asked += 1) {
    if (isTwoDays(spent()) || isBeyondSaid(spent())) break
    const answer = await answered(limits.paced(label, short))
    answers.push(answer)
    hearDay(log, answer)
    if (!isServed(answer)) break
  }
  return spent()
}

export const spendInRealTime = async (context: Context, key: LimitKey): Promise<RealSpentDay> => {
  const day = await ask(context, key)
  const last = day.answers.at(-1)
  if (last && !isServed(last) && !isRefused(last)) {
    throw new Suspicion(`it was answered ${told(last)} before its day was spent`, [last])
  }
  const refusal = day.answers.findLast(isRefused)
  const [more, fewer, isOurs] = [judgeRealMore(day), judgeRealFewer(day), isSpentByUs(day)]
  const isWhole = isOurs || fewer.kind === 'holds'
  return { more, fewer, refusal, instead: undefined, isWhole, isOurs }
}

const later = (endsMs: number): Untested => {
  const until = new Date(endsMs).toISOString()
  return new Untested('clock', `its day is spent until ${until}: give the test clock (--clock)`)
}

/** Waits as told, twice at most, until it is served. */
const retry = async ({ limits }: Context, key: LimitKey, refusal: Answered) => {
  const tries = [refusal]
  for (let latest = refusal; tries.length <= 2 && !isServed(latest); ) {
    const waitMs = waitEndsMs(latest) - heardMs(latest)
    if (waitMs > maxWaitMs) throw later(waitEndsMs(latest))
    await limits.pass(waitMs + graceMs)
    latest = await answered(limits.insist(key.label, short))
    tries.push(latest)
  }
  return tries
}

/** The wait that a refusal for the day tells, and what comes after it. */
export const expectOwnWindow = async (
  context: Context,
  key: LimitKey,
  { refusal, isWhole, isOurs }: RealSpentDay,
): Promise<void> => {
  if (!refusal) throw new Suspicion('no request was refused for its day', [])
  if (!isWhole) throw new Suspicion('refused before its day was spent', [refusal])
  const tries = await retry(context, key, refusal)
  const last = tries.at(-1)
  if (!last || isServed(last)) return
  if (!isRefused(last)) {
    throw new Suspicion(`after the wait that was told it got ${told(last)}`, tries)
  }
  if (context.limits.shared || !isOurs) {
    throw new Suspicion('another client may have taken what came back', tries)
  }
  const expected = 'a refusal for the day that is over when it says'
  violate(expected, `waited as told, twice, and got ${told(last)}`, ...tries)
}
