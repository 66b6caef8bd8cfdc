// The end of a ban, and requirements during and after it. A run waits as long as the latest
// response of the ban states, or else longer and longer.

import type { Context } from '../../engine/check/context.ts'
import { check } from '../../engine/check/declare.ts'
import type { AnsweredExchange } from '../../engine/check/exchange.ts'
import { describeResponse, violate, violateAs } from '../../engine/check/expect.ts'
import { Suspicion } from '../../engine/check/outcome.ts'
import { duration } from '../../engine/check/quote.ts'
import {
  dayMs,
  isShutOut,
  minuteMs,
  readWaitMs,
  waitFault,
} from '../../engine/quota/rate-headers.ts'
import { gapsIn } from '../../engine/quota/round.ts'
import { statedWaitMs } from './experiments.ts'
import { isOnlyClient, sawOtherClient } from './other-clients.ts'
import {
  type After429,
  after429,
  after429Again,
  banNeeds,
  findLatest,
  noBan,
} from './requests-after-429.ts'
import { callAnyway } from './sending.ts'

/** A ban with a longer stated wait is not temporary. */
const maxBanMs = 10 * 365 * dayMs
const maxTries = 3
/** The longest single wait if none is stated; each is twice the one before. */
const maxUnstatedMs = { instant: dayMs, real: 75_000 }
/** A shorter wait is not halved: in whole seconds its half hardly differs. */
const minHalvedMs = 10_000
export const graceMs = 50

interface Ending {
  /** Each after the wait that the response before it states, or a doubled wait. */
  readonly tries: readonly AnsweredExchange[]
  /** A response that stated a wait, and the refusal after that wait, if any. */
  readonly untrue: readonly AnsweredExchange[]
  /** How long the key sent nothing in total. */
  readonly silentMs: number
}

export const statesWait = (response: AnsweredExchange): boolean => waitFault(response) === undefined

/** Sends one request in the middle of a ban. It may prolong the ban, so its response counts. */
const callHalfway = async (context: Context, { ban, key }: After429) => {
  const { limits } = context
  if (!limits.instant || !ban || !statesWait(ban)) return undefined
  const ms = statedWaitMs(limits, ban)
  if (ms < minHalvedMs) return undefined
  await limits.pass(ms / 2)
  return callAnyway(context, key)
}

/** Waits as long as the latest response states, or with doubled waits, until the key is served. */
export const waitOut = async (context: Context, seen: After429): Promise<Ending> => {
  const { limits } = context
  const maxMs = limits.instant ? maxUnstatedMs.instant : maxUnstatedMs.real
  const tries: AnsweredExchange[] = []
  let untrue: readonly AnsweredExchange[] = []
  let latest = (await callHalfway(context, seen)) ?? findLatest(seen)
  let silentMs = 0
  let statedTries = 0
  let unstatedMs = minuteMs
  while (isShutOut(latest) && statedTries < maxTries && unstatedMs <= maxMs) {
    const isStated = statesWait(latest)
    const ms = isStated ? statedWaitMs(limits, latest) + graceMs : unstatedMs
    await limits.pass(ms)
    silentMs += ms
    const response = await callAnyway(context, seen.key)
    tries.push(response)
    if (isStated && isShutOut(response) && untrue.length === 0) untrue = [latest, response]
    if (isStated) statedTries += 1
    else unstatedMs *= 2
    latest = response
  }
  return { tries, untrue, silentMs }
}

/** A key that is still refused cannot be tested for other clients; what was seen must do. */
export const wasOnlyClient = async (context: Context, { key, round }: After429) => {
  const { instant, shared } = context.limits
  if (!instant) return isOnlyClient(context, key, round)
  return !shared && gapsIn(round) === 0 && !sawOtherClient(context, key)
}

/** The end of the first ban, or of the refusals if there was none. */
export const firstEnding = (context: Context, seen: After429): Promise<Ending> =>
  context.once('the ban waited out', () => waitOut(context, seen))

export const expectEnd = async (
  context: Context,
  seen: After429,
  ending: Ending,
): Promise<void> => {
  const { tries, silentMs } = ending
  const last = tries.at(-1)
  if (!last || !isShutOut(last)) return
  const evidence = [seen.refusal, ...tries]
  if (!statesWait(last) || !(await wasOnlyClient(context, seen))) {
    const why = `the key is still refused after ${duration(silentMs)}, and may need a longer wait`
    throw new Suspicion(why, evidence)
  }
  const actual = `${describeResponse(last)} after ${tries.length} stated waits`
  violateAs({ aspect: 'status' }, 'a ban that ends after the stated wait', actual, ...evidence)
}

export const violateWait = (
  response: AnsweredExchange,
  evidence: readonly AnsweredExchange[],
): never =>
  violateAs(
    { aspect: 'status' },
    'a request served after the wait that the latest of several refusals states',
    `${describeResponse(response)} after the wait`,
    ...evidence,
  )

/**
 * Judges a ban that ended later than stated. With the test clock a second ban is caused, since
 * another client may have prolonged the first; in real time that cannot be ruled out.
 */
export const expectTrueWait = async (
  context: Context,
  seen: After429,
  ending: Ending,
): Promise<void> => {
  const { untrue } = ending
  const last = untrue.at(-1)
  if (!last) return
  if (!context.limits.instant || !(await isOnlyClient(context, seen.key, seen.round))) {
    throw new Suspicion('another client may have called meanwhile', untrue)
  }
  const again = await waitOut(context, await after429Again(context))
  if (again.untrue.length === 0) {
    throw new Suspicion('the key was refused once after the stated wait, but not again', untrue)
  }
  const evidence = [seen.refusal, ...untrue]
  if (!seen.ban) violateWait(last, evidence)
  const actual = `${describeResponse(last)} after the stated wait`
  violateAs({ aspect: 'status' }, 'a ban that ends after the stated wait', actual, ...evidence)
}

export const banEnds = check({
  id: 'ban-ends',
  requirement: 'ban.ends',
  needs: { ...banNeeds, keyed: 2 },
  sends:
    'With the test clock one request in the middle of the ban. Then the key sends nothing ' +
    'for as long as its latest response states, or for longer and longer if none is stated, ' +
    'and one request; after stated waits at most three times.',
  fails:
    'The stated wait is over ten years; or the key is still refused after three stated ' +
    'waits; or, with the test clock, after one, in two bans.',
  inconclusive:
    'there was no ban (inapplicable), the wait was too short (ambiguous), or another client ' +
    'may have used the key (ambiguous)',
  run: async (context) => {
    const seen = await after429(context)
    const banMs = (seen.ban && readWaitMs(seen.ban)) ?? 0
    if (seen.ban && banMs > maxBanMs) {
      violate('a temporary ban', `a ban of ${duration(banMs)}`, seen.ban)
    }
    const ending = await firstEnding(context, seen)
    if (!seen.ban) noBan(seen)
    await expectEnd(context, seen, ending)
    await expectTrueWait(context, seen, ending)
  },
})
