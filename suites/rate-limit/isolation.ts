// Keys are counted apart: what one key spent, or an invalid one asked, is taken from no other.
import type { Question } from '../kit/check.ts'
import { check } from '../kit/check.ts'
import type { Context } from '../kit/context.ts'
import type { Answered } from '../kit/exchange.ts'
import { told, violate } from '../kit/expect.ts'
import type { LimitKey, Limits } from '../kit/limits.ts'
import { Inapplicable, Suspicion, Untested } from '../kit/outcome.ts'
import { unauthorized } from '../kit/request.ts'
import { isAlone } from './alone.ts'
import { refusalsIn, refusedRound } from './exhausted.ts'
import { hindsight } from './quota.ts'
import { fromMs, isServed, isShutOut, minuteMs, minuteSaid, toMs, waitOf } from './reading.ts'
import { lastToEnd } from './retry.ts'
import type { Round } from './round.ts'
import { cheapest, short } from './round.ts'

/** Calls of a key in the two windows before one of them: no design counts others. */
const ownBefore = (limits: Limits, label: string, asked: Answered): number =>
  limits.heard(label).filter((one) => one !== asked && fromMs(one) > fromMs(asked) - 2 * minuteMs)
    .length

/** Whether a refused key may have been refused for what itself, or another client, had spent. */
export const mayBeSpent = async (
  context: Context,
  key: LimitKey,
  refused: Answered,
  round: Round | undefined,
): Promise<boolean> => {
  const { limits } = context
  if (!(await isAlone(context, key, round))) return true
  if (ownBefore(limits, key.label, refused) < key.quota.perMinute) return false
  const before = limits.heard(key.label).findLast((one) => one.seq < refused.seq)
  const said = before && minuteSaid(before, key.quota)
  return said === undefined || said.remaining === 0
}

/** Asks with a key whose quota allows it; a refusal is an answer. */
export const askedWith = async (context: Context, key: LimitKey): Promise<Answered> => {
  try {
    return await context.call({ ...short, key: key.label })
  } catch (error) {
    const [refusal] = error instanceof Untested ? error.evidence : []
    const isNew = refusal?.response && refusal.key === key.label && isShutOut(refusal)
    if (!isNew) throw error
    return refusal as Answered
  }
}

/** Of what the one key spent, so much missing on another is no other client's doing. */
const harmShare = 0.6

/** @param spent how many calls were made with the exhausted key */
const expectUnharmed = async (
  context: Context,
  key: LimitKey,
  answer: Answered,
  refusal: Answered,
  spent: number,
): Promise<void> => {
  const { perMinute } = key.quota
  const own = ownBefore(context.limits, key.label, answer)
  if (!isServed(answer)) {
    if (await mayBeSpent(context, key, answer, undefined)) {
      throw new Suspicion(`key ${key.label} may itself be spent`, [refusal, answer])
    }
    violate(
      `key ${key.label} served while ${refusal.key} is exhausted`,
      told(answer),
      refusal,
      answer,
    )
  }
  const said = minuteSaid(answer, key.quota)
  const missing = said ? perMinute - 1 - own - said.remaining : 0
  if (missing < harmShare * spent || !(await isAlone(context, key, undefined))) return
  const expected = `about ${perMinute - 1 - own} requests left to key ${key.label}`
  violate(expected, `${said?.remaining} left`, refusal, answer)
}

/** Judged only while the exhausted key would still be refused. */
const expectApart = async (context: Context, key: LimitKey): Promise<void> => {
  const round = await refusedRound(context)
  const refusal = lastToEnd(refusalsIn(round)) as Answered
  const answer = await askedWith(context, key)
  const wait = waitOf(refusal)
  const untilMs = toMs(refusal) + ('ms' in wait ? wait.ms : minuteMs)
  if (fromMs(answer) > untilMs && isServed(answer)) {
    throw new Suspicion('the exhausted key was whole again by then', [refusal, answer])
  }
  const spent = round.probes.length + round.burst.length
  await expectUnharmed(context, key, answer, refusal, spent)
}

const all = ({ keys, banKey }: Limits): readonly LimitKey[] => [
  ...keys,
  ...(banKey ? [banKey] : []),
]

const otherPlan = check(
  'isolation-other-plan-served',
  'auth.per-key',
  { ...hindsight, keyed: 1 },
  async (context) => {
    const { plan } = cheapest(context.limits)
    const key = all(context.limits).find((each) => each.plan !== plan)
    if (!key) throw new Inapplicable('no key of a second plan is configured')
    await expectApart(context, key)
  },
)

const samePlan = check(
  'isolation-same-plan-served',
  'auth.per-key',
  { ...hindsight, keyed: 1 },
  async (context) => {
    const { plan, label } = cheapest(context.limits)
    const key = all(context.limits).find((each) => each.plan === plan && each.label !== label)
    if (!key) throw new Untested('key', `it needs a second key of the plan ${plan}`)
    await expectApart(context, key)
  },
)

/** More than another client would send in that moment. */
const strangers = 6

const invalid = check(
  'isolation-invalid-key-free',
  'auth.per-key',
  { ...hindsight, keyed: 2, anonymous: strangers },
  async (context) => {
    const key = cheapest(context.limits)
    const ask = () => context.call({ ...short, key: key.label })
    await context.control('list')
    const before = await ask()
    for (let at = 0; at < strangers; at += 1) {
      await context.call(unauthorized(short, `Bearer no-key-of-anybody-${at}`))
    }
    const after = await ask()
    const [said, left] = [before, after].map((one) => minuteSaid(one, key.quota))
    if (!said || !left || said.reset > left.reset) {
      throw new Untested('ambiguous', 'Remaining of the minute is not told', [before, after])
    }
    const taken = said.remaining - left.remaining
    if (taken <= strangers) {
      if (left.remaining < said.remaining || left.reset !== said.reset) return
      throw new Suspicion('Remaining does not fall', [before, after])
    }
    const expected = 'one request taken from Remaining, as requests without a valid key are not its'
    violate(expected, `${taken} taken, with ${strangers} of those in between`, before, after)
  },
)

export const isolation: readonly Question[] = [otherPlan, samePlan]
export const strangersFree: readonly Question[] = [invalid]
