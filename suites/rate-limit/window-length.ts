// A minute is no shorter than a minute: after a refill the next one does not come too soon.

import type { Context, LimitKey } from '../../engine/context.ts'
import { type Check, check, type Question } from '../../engine/declare.ts'
import type { Answered } from '../../engine/exchange.ts'
import { violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import type { RateHeaders } from '../../engine/quota/rate-headers.ts'
import type { Plan } from '../../spec/plans.ts'
import { exhausted } from './exhausted.ts'
import { answered, flood } from './flood.ts'
import { keyOf, onBurst, onRetry, spentRested } from './quota.ts'
import { isServed, minuteMs, minuteSaid, spanMs, waitForResetMs } from './reading.ts'
import { retried } from './retry.ts'
import { cheapest, short } from './round.ts'

/** Two resets are each a whole second, rounded this way or that. */
const graceMs = 3_000
const secondMs = 1_000
/** Calls that were spread over more time come back in as much, and then a bucket is full, too. */
const tookMost = 10_000

/** A bucket is full again this soon after one call; no window is that short. */
const leastMs = 10_000

/** Calls that spent a part of a minute, and one behind the reset that they announced. */
interface Refill {
  readonly key: LimitKey
  readonly spent: readonly Answered[]
  /** Announces the reset. */
  readonly before: Answered
  readonly first: Answered
}

/** What an answer says that found the whole minute back, but for the calls that came after it. */
const wholeIn = (answer: Answered, after: number, { quota }: LimitKey): RateHeaders | undefined => {
  const said = isServed(answer) ? minuteSaid(answer, quota) : undefined
  return said?.remaining === quota.perMinute - 1 - after ? said : undefined
}

/** Asks once more when as long has passed as the calls took: a log gives back as it was spent. */
const askLater = async (
  { limits, once }: Context,
  { key: { label }, spent }: Refill,
): Promise<Answered | undefined> => {
  const tookMs = spanMs(spent)
  if (tookMs > tookMost) return undefined
  return answered(
    once(`asked later: ${label}`, async () => {
      await limits.pass(tookMs + secondMs)
      return limits.insist(label, short)
    }),
  )
}

/** What the first answer says that finds the whole minute back, and that answer. */
const findWhole = async (context: Context, refill: Refill) => {
  const { key, first } = refill
  if (!isServed(first)) return undefined
  if (!minuteSaid(first, key.quota)) {
    throw new Suspicion('the answer after the wait tells no number of the minute', [first])
  }
  const atOnce = wholeIn(first, 0, key)
  if (atOnce) return { said: atOnce, answers: [first] }
  const later = await askLater(context, refill)
  const said = later && wholeIn(later, 1, key)
  return said && { said, answers: [first, later] }
}

type Whole = NonNullable<Awaited<ReturnType<typeof findWhole>>>

/**
 * Spends what came back and asks behind the reset that was announced. Only who gives everything
 * back at once gets here, and of those only who announced to do so again within the minute.
 */
const askBehind = (
  { limits, once }: Context,
  { label }: LimitKey,
  { said, answers: before }: Whole,
): Promise<Answered> =>
  answered(
    once(`spent within the minute: ${label}`, async () => {
      const { answers } = await flood(limits, label, Array(said.remaining).fill(short))
      const refused = answers.find((one) => !isServed(one))
      if (refused) throw new Suspicion('it was refused before its minute was spent', [refused])
      await limits.pass(waitForResetMs(said) + spanMs([...before, ...answers]))
      return limits.insist(label, short)
    }),
  )

/** Two refills at announced resets are a minute apart. */
const expectMinute = async (
  context: Context,
  refill: Refill,
  leastApartMs: number,
): Promise<void> => {
  const { key, before } = refill
  const announced = minuteSaid(before, key.quota)
  if (!announced) throw new Suspicion('no reset of the minute is announced', [before])
  const whole = await findWhole(context, refill)
  const apart = whole ? whole.said.reset - announced.reset : Number.POSITIVE_INFINITY
  if (!whole || apart * 1000 >= minuteMs - graceMs || apart * 1000 < leastApartMs) return
  const last = await askBehind(context, key, whole)
  // After a whole minute a bucket is full again, too.
  const betweenMs = spanMs([...whole.answers.slice(-1), last])
  if (!wholeIn(last, 0, key) || betweenMs >= minuteMs - graceMs) return
  const expected = `two refills at announced resets ${minuteMs / 1000} s apart`
  violate(expected, `all came back twice, ${apart} s apart`, before, ...whole.answers, last)
}

export const windowLength: readonly Question[] = [
  check({
    id: 'window-not-shorter',
    requirement: 'limits.window-ends',
    needs: onRetry,
    sends:
      'If the call after the wait, or one as much later as the burst took, finds the whole ' +
      'minute back, and announces the next Reset less than a minute after the one before: that ' +
      'minute is spent, and one call follows that Reset.',
    fails: 'All came back a second time, less than a minute (minus 3 s of grace) apart.',
    inconclusive:
      'the refusal, or the response after the wait, says nothing of the minute (ambiguous)',
    run: async (context) => {
      const key = cheapest(context.limits)
      const { refusal, tries } = await retried(context)
      const { probes, burst } = await exhausted(context, key)
      const [first] = tries
      if (!first) return
      const refill = { key, spent: [...probes, ...burst], before: refusal, first }
      await expectMinute(context, refill, Number.NEGATIVE_INFINITY)
    },
  }),
]

/** By the test clock the same of a larger plan, of whose minute a part is spent. */
export const windowOfPlan = (plan: Plan): Check =>
  check({
    id: `window-${plan}-not-shorter`,
    requirement: 'limits.window-ends',
    needs: { ...onBurst, keyed: 1, plan, clock: true },
    sends:
      `By the test clock, after \`window-${plan}-rested-served\`: one request after the Reset ` +
      'that its last response announced. Only if that gives the whole minute back, and announces ' +
      'the next Reset 10 s to 57 s later: the minute is spent, and one request follows that ' +
      'Reset.',
    fails: 'The whole minute is back both times, at announced Resets less than 57 s apart.',
    inconclusive:
      'no whole minute was served after a rest (blocked), or no Reset is announced (ambiguous)',
    run: async (context) => {
      const { limits } = context
      const key = keyOf(context, plan)
      const spent = await spentRested(context, key)
      const before = spent.at(-1)
      const said = before && minuteSaid(before, key.quota)
      if (!spent.every(isServed)) {
        throw new Untested('blocked', 'no whole minute was served after a rest', spent.slice(-1))
      }
      if (!said) throw new Suspicion('no reset of the minute is announced', spent.slice(-1))
      await limits.pass(waitForResetMs(said))
      const first = await answered(limits.insist(key.label, short))
      await expectMinute(context, { key, spent, before, first }, leastMs)
    },
  })
