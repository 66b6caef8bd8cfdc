// Whether a key is ours alone: asked where another client would explain a refusal.
import type { Context } from '../kit/context.ts'
import type { Answered } from '../kit/exchange.ts'
import type { LimitKey } from '../kit/limits.ts'
import { gapsIn } from '../kit/quota-judgements.ts'
import { rateHeaders } from '../kit/rate-headers.ts'
import type { Round } from '../kit/round.ts'
import { isServed, minuteMs, minuteSaid } from './reading.ts'
import { answered, short } from './round.ts'

/** Whoever spends a whole minute again and again makes himself felt within this. */
const listenMs = 3_500

/** Whether what is left of a rested key is what we left, and nobody takes from it meanwhile. */
const looksAlone = ({ quota }: LimitKey, first: Answered, second: Answered): boolean => {
  const [said, left] = [rateHeaders(first), rateHeaders(second)]
  if (!isServed(first) || !isServed(second) || !said || !left) return false
  const isWhole =
    (minuteSaid(first, quota)?.remaining ?? quota.perMinute - 1) >= quota.perMinute - 1
  return isWhole && (said.limit !== left.limit || said.remaining - left.remaining <= 1)
}

/** Of its own calls so many may still count by then. */
const asksMost = 3

/** A round begins as this does: at rest, and with a pause between its probes. */
const wasAlone = (round: Round): boolean => {
  const [first, second] = round.probes.slice(-2)
  if (!first || !second || gapsIn(round) > 0) return false
  return looksAlone(round.key, first, second)
}

/**
 * With the test clock nobody else's calls fall into the time that is let pass; in real time the key
 * rests and is listened to, which takes three minutes, and only where it was refused.
 * @param round one on this key, where one was held
 */
export const isAlone = async (
  context: Context,
  key: LimitKey,
  round: Round | undefined,
): Promise<boolean> => {
  const { limits } = context
  if (limits.shared) return false
  if (limits.instant) return round === undefined || gapsIn(round) === 0
  if (round && wasAlone(round)) return true
  return context.once(`alone: ${key.label}`, async () => {
    const ask = () => answered(limits.insist(key.label, short))
    await limits.rest(key.label)
    const first = await ask()
    await limits.pass(listenMs)
    if (!isServed(first) || !looksAlone(key, first, await ask())) return false
    // Whoever comes but a few times a minute is felt within one.
    await limits.pass(minuteMs)
    const last = await ask()
    const left = minuteSaid(last, key.quota)?.remaining ?? key.quota.perMinute
    return isServed(last) && left >= key.quota.perMinute - asksMost
  })
}
