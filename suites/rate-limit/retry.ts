// The wait that a refusal tells, kept: sends nothing meanwhile, and asks once it is over.
import type { Context, Limits } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { Untested } from '../../engine/outcome.ts'
import type { Round } from '../../engine/quota/round.ts'
import { exhausted } from './exhausted.ts'
import { answered } from './flood.ts'
import { isRefused, isServed, toMs, waitOf } from './reading.ts'
import { cheapest, holdRound, short } from './round.ts'

/** Rounding of a wire; what is told holds from the moment when the answer is received. */
const graceMs = 50
/** Longer than this is not waited in real time, nor is the target's clock moved by more. */
const waitMost = { realMs: 150_000, movedMs: 8 * 86_400_000 }
/**
 * By the test clock one request decides. In real time a refused one is repeated: another client
 * may have taken what came back.
 */
const triesMost = { instant: 1, real: 2 }

/** The milliseconds that an answer tells to wait, where they can be waited. */
export const waitableMs = ({ instant }: Limits, refusal: Answered): number => {
  const wait = waitOf(refusal)
  if ('fault' in wait || wait.ms <= 0) {
    const what = 'fault' in wait ? wait.fault : 'a wait that is over'
    throw new Untested('ambiguous', `the refusal tells no wait that can be kept: ${what}`, [
      refusal,
    ])
  }
  if (wait.ms <= (instant ? waitMost.movedMs : waitMost.realMs)) return wait.ms
  const message = `the refusal tells to wait ${wait.ms / 1000} s, which is not waited for`
  throw new Untested('ambiguous', message, [refusal])
}

/** Of several refusals, the one whose wait ends last. */
export const lastToEnd = (refusals: readonly Answered[]): Answered | undefined => {
  const endOf = (one: Answered) => {
    const wait = waitOf(one)
    return toMs(one) + ('ms' in wait ? wait.ms : 0)
  }
  return refusals.toSorted((a, b) => endOf(a) - endOf(b)).at(-1)
}

/**
 * Waits up to the moment that an answer tells: by the test clock exactly, as a wait that is too
 * short by a moment would not show in a longer one.
 */
export const passTold = async (limits: Limits, refusal: Answered): Promise<void> => {
  const leftMs = waitableMs(limits, refusal) - (limits.nowMs() - toMs(refusal))
  if (leftMs > 0) await limits.pass(leftMs + (limits.instant ? 0 : graceMs))
}

export interface Retry {
  readonly refusal: Answered
  /** Each asked after the wait that the one before it told. */
  readonly tries: readonly Answered[]
}

/** The request after the wait, on the cheapest key; where it is refused in real time, once more. */
export const retried = (context: Context): Promise<Retry> => {
  const key = cheapest(context.limits)
  return context.once(`retried: ${key.label}`, async () =>
    retriedIn(context, await exhausted(context, key)),
  )
}

/**
 * The same in another window: another client that came in between once does not come again just
 * then.
 * @param time which of those windows
 */
export const retriedAgain = (context: Context, time = 1): Promise<Retry> => {
  const key = cheapest(context.limits)
  return context.once(`retried again, ${time}: ${key.label}`, async () =>
    retriedIn(context, await answered(holdRound(context, key, undefined, 'lists'))),
  )
}

const retriedIn = async ({ limits }: Context, round: Round): Promise<Retry> => {
  // Whoever asked with the key since then was told to wait, too.
  const since = limits.heard(round.key.label).slice(-1)
  const refusal = lastToEnd([...round.probes, ...round.burst, ...since].filter(isRefused))
  if (!refusal) throw new Untested('blocked', 'no request was answered 429')
  const tries: Answered[] = []
  const most = limits.instant ? triesMost.instant : triesMost.real
  for (let latest = refusal; tries.length < most; latest = tries.at(-1) ?? refusal) {
    await passTold(limits, latest)
    tries.push(await answered(limits.insist(round.key.label, short)))
    const last = tries.at(-1)
    if (!last || isServed(last) || !isRefused(last)) break
  }
  return { refusal, tries }
}
