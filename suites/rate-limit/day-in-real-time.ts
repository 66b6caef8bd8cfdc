// A day spent in real time: minute by minute, over as many runs as it takes, with the notebook.
import type { Context } from '../kit/context.ts'
import { type Answered, statusOf } from '../kit/exchange.ts'
import { told, violate } from '../kit/expect.ts'
import { aheadMostMs, heardMs } from '../kit/notebook/day-said.ts'
import type { DayFound, DayRefusal, Page } from '../kit/notebook/notebook-page.ts'
import { Suspicion, Untested } from '../kit/outcome.ts'
import type { LimitKey } from '../kit/quota/limits.ts'
import type { Judgement } from '../kit/quota/quota-judgements.ts'
import { rateHeaders } from '../kit/quota/rate-headers.ts'
import { breach, holds, type SpentDay, unclear } from './day-spent.ts'
import { answered } from './flood.ts'
import {
  type DayNoted,
  isBeyondSaid,
  isOfDay,
  isSpentByUs,
  isTwoDays,
  judgePageFewer,
  judgePageMore,
  missingOf,
} from './page-judgements.ts'
import { isRefused, isServed, waitOf } from './reading.ts'
import { short } from './round.ts'

/** A wait up to this is kept in the run; a longer one is for a later run. */
const waitMostMs = 150_000
const graceMs = 50

/** What an earlier run found, or what was found out after it. */
export interface RealDay extends SpentDay {
  readonly page: Page
  /** Whether calls were served once the day of an earlier run was said to be over. */
  readonly after: 'served' | 'refused' | undefined
}

const remembered = (found: DayFound, expected: string, atMs: number): Judgement => {
  const on = new Date(atMs).toISOString()
  if (found === 'holds') return holds
  if (found === 'unclear') return unclear(`the run of ${on} could not tell, by the notebook`, [])
  return breach(expected, `otherwise in the run of ${on}, by the notebook`, [])
}

const fromNotebook = (page: Page, refusal: DayRefusal, after: RealDay['after']): RealDay => ({
  page,
  more: remembered(refusal.more, 'at most the requests of a day served in it', refusal.atMs),
  fewer: remembered(refusal.fewer, 'all requests of a day served in it', refusal.atMs),
  refusal: undefined,
  instead: undefined,
  isWhole: true,
  after,
})

/** When the wait is over that a refusal tells; longer than a day can last none is believed. */
const waitEndsMs = (refusal: Answered): number => {
  const wait = waitOf(refusal)
  const waitMs = 'ms' in wait ? wait.ms : (rateHeaders(refusal)?.resetInMs ?? 0)
  return heardMs(refusal) + Math.min(Math.max(0, Math.ceil(waitMs)), aheadMostMs)
}

/** Asks until it is refused, or until more was served than may be; never beyond the minute. */
const ask = async ({ limits }: Context, key: LimitKey): Promise<DayNoted> => {
  const { label, quota } = key
  const page = limits.page(label)
  const answers: Answered[] = []
  const noted = (): DayNoted => ({ page, quota, nowMs: limits.wallMs(), answers })
  for (let asked = 0; asked < 2 * quota.perDay + 2; asked += 1) {
    if (isTwoDays(noted()) || isBeyondSaid(noted())) break
    const answer = await answered(limits.paced(label, short))
    answers.push(answer)
    if (!isServed(answer)) break
  }
  return noted()
}

const kindOf = ({ kind }: Judgement): DayFound => (kind === 'weak' ? 'unclear' : kind)

const spendAnew = async (context: Context, key: LimitKey): Promise<RealDay> => {
  const noted = await ask(context, key)
  const { page, quota, answers } = noted
  const last = answers.at(-1)
  if (last && !isServed(last) && !isRefused(last)) {
    throw new Suspicion(`it was answered ${told(last)} before its day was spent`, [last])
  }
  const refusal = answers.findLast(isRefused)
  const [more, fewer] = [judgePageMore(noted), judgePageFewer(noted)]
  const isWhole = isSpentByUs(noted) || fewer.kind === 'holds'
  if (refusal && (isOfDay(refusal, quota) || isWhole)) {
    page.lackedOne = missingOf(noted) === 1
    const found = { more: kindOf(more), fewer: kindOf(fewer), isOurs: isSpentByUs(noted) }
    page.refusal = { atMs: heardMs(refusal), endsMs: waitEndsMs(refusal), ...found }
  }
  context.limits.keepPages()
  return { page, more, fewer, refusal, instead: undefined, isWhole, after: undefined }
}

/** The first answer of this run after the day was said to be over; later ones spent a minute. */
const afterIn = (heard: readonly Answered[], { endsMs }: DayRefusal): RealDay['after'] => {
  const first = heard.find(({ at }) => Date.parse(at) >= endsMs)
  if (!first) return undefined
  if (isRefused(first)) return 'refused'
  return [200, 201].includes(statusOf(first)) ? 'served' : undefined
}

/** Goes on where the runs before it ended; a day that they spent is not spent again. */
export const spendInRealTime = async (context: Context, key: LimitKey): Promise<RealDay> => {
  const { limits } = context
  const page = limits.page(key.label)
  const { refusal } = page
  if (!refusal) return spendAnew(context, key)
  if (limits.wallMs() < refusal.endsMs) return fromNotebook(page, refusal, undefined)
  const after = afterIn(limits.heard(key.label), refusal)
  page.refusal = null
  limits.keepPages()
  // What was wrong is asked again: it may have been put right meanwhile.
  const isGood = refusal.more === 'holds' && refusal.fewer === 'holds'
  return isGood ? fromNotebook(page, refusal, after) : { ...(await spendAnew(context, key)), after }
}

const later = (endsMs: number): Untested => {
  const on = new Date(endsMs).toISOString()
  const how = `run again after ${on} with the same --notebook, or give the test clock (--clock)`
  return new Untested('clock', `its day is spent until then: ${how}`)
}

/** What the run of today knows already, without asking more. */
const unlessKnown = ({ page, refusal, isWhole, after }: RealDay): void => {
  if (after === 'refused') {
    throw new Suspicion('refused after the day was said to be over: another client explains it', [])
  }
  if (!refusal && page.refusal) throw later(page.refusal.endsMs)
  if (!refusal) throw new Suspicion('no request was refused for its day', [])
  if (!isWhole) throw new Suspicion('refused before its day was spent', [refusal])
}

/** Waits as told, twice at most, until it is served. */
const retry = async ({ limits }: Context, key: LimitKey, refusal: Answered) => {
  const tries = [refusal]
  for (let latest = refusal; tries.length <= 2 && !isServed(latest); ) {
    const waitMs = waitEndsMs(latest) - heardMs(latest)
    if (waitMs > waitMostMs) throw later(waitEndsMs(latest))
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
  spent: RealDay,
): Promise<void> => {
  if (spent.after === 'served') return
  unlessKnown(spent)
  const { page, refusal } = spent
  const isOurs = page.refusal?.isOurs ?? false
  const tries = await retry(context, key, refusal as Answered)
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
