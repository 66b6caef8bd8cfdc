// A minute is no shorter than a minute: after a refill the next one does not come too soon.
import type { Question } from '../kit/check.ts'
import { check } from '../kit/check.ts'
import type { Context } from '../kit/context.ts'
import type { Answered } from '../kit/exchange.ts'
import { violate } from '../kit/expect.ts'
import { Suspicion } from '../kit/outcome.ts'
import type { RateHeaders } from '../kit/quota/rate-headers.ts'
import { onRetry } from './quota.ts'
import { isServed, minuteMs, minuteSaid } from './reading.ts'
import { retriedNow } from './retry.ts'
import { answered, cheapest, flood, short } from './round.ts'

/** Two resets are each a whole second, rounded this way or that. */
const graceMs = 3_000
const secondMs = 1_000

/** What an answer says that found the whole minute back. */
const wholeIn = (answer: Answered, context: Context): RateHeaders | undefined => {
  const { quota } = cheapest(context.limits)
  const said = isServed(answer) ? minuteSaid(answer, quota) : undefined
  return said?.remaining === quota.perMinute - 1 ? said : undefined
}

/**
 * Spends what came back and asks behind the reset that was announced. Only who gives everything
 * back at once gets here, and of those only who announced to do so again within the minute.
 */
const askBehind = (context: Context, whole: RateHeaders): Promise<Answered> => {
  const { limits } = context
  const { label } = cheapest(limits)
  return answered(
    context.once(`spent within the minute: ${label}, ${limits.brokenAt()}`, async () => {
      const { answers } = await flood(limits, label, Array(whole.remaining).fill(short))
      const refused = answers.find((one) => !isServed(one))
      if (refused) throw new Suspicion('it was refused before its minute was spent', [refused])
      await limits.pass(whole.resetInMs + secondMs)
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
    const whole = first && wholeIn(first, context)
    if (!before) throw new Suspicion('the refusal tells no reset of the minute', [refusal])
    if (!first || !whole || (whole.reset - before.reset) * 1000 >= minuteMs - graceMs) return
    const last = await askBehind(context, whole)
    if (!wholeIn(last, context)) return
    const apart = whole.reset - before.reset
    const expected = `two refills at announced resets ${minuteMs / 1000} s apart`
    violate(expected, `all came back twice, ${apart} s apart`, refusal, first, last)
  }),
]
