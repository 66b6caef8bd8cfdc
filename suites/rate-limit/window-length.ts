// A minute is no shorter than a minute: after a refill the next one does not come too soon.
import type { Question } from '../kit/check.ts'
import { check } from '../kit/check.ts'
import type { Context } from '../kit/context.ts'
import type { Answered } from '../kit/exchange.ts'
import { violate } from '../kit/expect.ts'
import { Suspicion } from '../kit/outcome.ts'
import type { RateHeaders } from '../kit/quota/rate-headers.ts'
import { exhaustedNow } from './exhausted.ts'
import { answered, flood } from './flood.ts'
import { onRetry } from './quota.ts'
import { isServed, minuteMs, minuteSaid, spanMs, waitForResetMs } from './reading.ts'
import { retriedNow } from './retry.ts'
import { cheapest, short } from './round.ts'

/** Two resets are each a whole second, rounded this way or that. */
const graceMs = 3_000
const secondMs = 1_000
/** Calls that were spread over more time come back in as much, and then a bucket is full, too. */
const tookMost = 10_000

/** What an answer says that found the whole minute back, but for the calls that came after it. */
const wholeIn = (answer: Answered, after: number, context: Context): RateHeaders | undefined => {
  const { quota } = cheapest(context.limits)
  const said = isServed(answer) ? minuteSaid(answer, quota) : undefined
  return said?.remaining === quota.perMinute - 1 - after ? said : undefined
}

/** All that was sent on the key since it had rested. */
const sentIn = async (context: Context): Promise<readonly Answered[]> => {
  const { probes, burst } = await exhaustedNow(context, cheapest(context.limits))
  return [...probes, ...burst]
}

/** Asks once more when as long has passed as the calls took: a log gives back as it was spent. */
const askLater = async (context: Context): Promise<Answered | undefined> => {
  const { limits } = context
  const { label } = cheapest(limits)
  const tookMs = spanMs(await sentIn(context))
  if (tookMs > tookMost) return undefined
  return answered(
    context.once(`asked later: ${label}, ${limits.brokenAt()}`, async () => {
      await limits.pass(tookMs + secondMs)
      return limits.insist(label, short)
    }),
  )
}

/** What the first answer says that finds the whole minute back, and that answer. */
const findWhole = async (context: Context, first: Answered) => {
  if (!isServed(first)) return undefined
  if (!minuteSaid(first, cheapest(context.limits).quota)) {
    throw new Suspicion('the answer after the wait tells no number of the minute', [first])
  }
  const atOnce = wholeIn(first, 0, context)
  if (atOnce) return { said: atOnce, answers: [first] }
  const later = await askLater(context)
  const said = later && wholeIn(later, 1, context)
  return said && { said, answers: [first, later] }
}

type Whole = NonNullable<Awaited<ReturnType<typeof findWhole>>>

/**
 * Spends what came back and asks behind the reset that was announced. Only who gives everything
 * back at once gets here, and of those only who announced to do so again within the minute.
 */
const askBehind = (context: Context, { said, answers: before }: Whole): Promise<Answered> => {
  const { limits } = context
  const { label } = cheapest(limits)
  return answered(
    context.once(`spent within the minute: ${label}, ${limits.brokenAt()}`, async () => {
      const { answers } = await flood(limits, label, Array(said.remaining).fill(short))
      const refused = answers.find((one) => !isServed(one))
      if (refused) throw new Suspicion('it was refused before its minute was spent', [refused])
      await limits.pass(waitForResetMs(said) + spanMs([...before, ...answers]))
      return limits.insist(label, short)
    }),
  )
}

export const windowLength: readonly Question[] = [
  check('window-not-shorter', 'limits.window-ends', onRetry, async (context) => {
    const { quota } = cheapest(context.limits)
    const { refusal, tries } = await retriedNow(context)
    const [first] = tries
    const before = minuteSaid(refusal, quota)
    if (!before) throw new Suspicion('the refusal tells no reset of the minute', [refusal])
    const whole = first && (await findWhole(context, first))
    const apart = whole ? whole.said.reset - before.reset : Number.POSITIVE_INFINITY
    if (!whole || apart * 1000 >= minuteMs - graceMs) return
    const last = await askBehind(context, whole)
    // After a whole minute a bucket is full again, too.
    const betweenMs = spanMs([...whole.answers.slice(-1), last])
    if (!wholeIn(last, 0, context) || betweenMs >= minuteMs - graceMs) return
    const expected = `two refills at announced resets ${minuteMs / 1000} s apart`
    violate(expected, `all came back twice, ${apart} s apart`, refusal, ...whole.answers, last)
  }),
]
