// Where a day begins. With the test clock a minute that other checks spend is the first of the day
// that is spent next, so that its calls are sent once.
import type { Context, LimitKey } from '../../engine/check/context.ts'
import { dayKeyIn, maxDayCalls } from '../../engine/check/spendable-keys.ts'
import type { AnsweredExchange } from '../../history/exchange.ts'
import { orIfUntested } from '../../history/outcome.ts'
import { dayMs, fromMs, is429, isServed, minuteMs, toMs } from '../../history/rate-headers.ts'
import { tooNearRemoval } from './sending.ts'

const maxClockMs = Date.UTC(2030, 11, 2)
/** A day that began longer ago is not continued: midnight of another time zone may be near. */
const maxBegunMs = 25 * minuteMs

/** Moves the clock to a minute after midnight, after the key rested for at least two days. */
export const beginDay = async ({ clock, limits }: Context): Promise<void> => {
  const now = await clock.now()
  const begin = (Math.floor(now / dayMs) + 3) * dayMs + minuteMs
  if (begin > maxClockMs) throw tooNearRemoval()
  await limits.pass(begin - now)
}

/** Before the minute of a key is spent whose day is spent next: it is the first of that day. */
export const beginDayWith = (context: Context, key: LimitKey): Promise<void> =>
  context.once(`day begun: ${key.label}`, async () => {
    const { allow, limits } = context
    const isNext = dayKeyIn(limits.keys, key.plan) === key
    if (!limits.instant || !allow.includes('day') || !isNext) return
    if (key.quota.perDay <= maxDayCalls) await orIfUntested(beginDay(context), undefined)
  })

/** Whether each request since an exchange has a response: one that was lost may have counted. */
const isWholeSince = ({ exchanges }: Context['history'], { seq: fromSeq }: AnsweredExchange) => {
  const seqs = exchanges.flatMap(({ seq }) => (seq >= fromSeq ? seq : []))
  return seqs.reduce((max, seq) => Math.max(max, seq), 0) - fromSeq < seqs.length
}

/** The calls of a day that has begun like that, after two days of silence; else none. */
export const begunDay = async ({ clock, limits, history }: Context, { label }: LimitKey) => {
  const sinceMidnightMs = (await clock.now()) % dayMs
  const midnightMs = limits.nowMs() - sinceMidnightMs
  const all = limits.responsesTo(label)
  const today = all.filter((one) => fromMs(one) > midnightMs)
  const [first] = today
  const before = all.findLast((one) => fromMs(one) <= midnightMs)
  const isFresh = first && before && fromMs(first) - toMs(before) > 2 * dayMs
  const isPlain = today.every((one): boolean => isServed(one) || is429(one))
  const none: readonly AnsweredExchange[] = []
  return isFresh && isWholeSince(history, first) && isPlain && sinceMidnightMs < maxBegunMs
    ? today
    : none
}
