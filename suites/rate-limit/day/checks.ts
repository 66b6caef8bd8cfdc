// The quota of a day: spent at once with the test clock, or minute by minute in real time.

import type { Context, LimitKey } from '../../../engine/check/context.ts'
import { type AnyCheck, type Check, check, type Needs } from '../../../engine/check/declare.ts'
import { allKeys, maxDayCalls } from '../../../engine/check/spendable-keys.ts'
import type { AnsweredExchange } from '../../../history/exchange.ts'
import { completes, Suspicion, Untested } from '../../../history/outcome.ts'
import {
  dayMs,
  daySaid,
  fromMs,
  is429,
  isRefused,
  isServed,
  isShutOut,
  rateHeaders,
  readWaitMs,
  toMs,
} from '../../../history/rate-headers.ts'
import { describeResponse, violateAs, violateStatus } from '../../../model/expect.ts'
import type { Plan } from '../../../spec/plans.ts'
import { keyOfPlan, retryAsStated } from '../experiments.ts'
import { callOrRefusal } from '../isolation.ts'
import { sawOtherClient, whyNotServed } from '../other-clients.ts'
import { conclude } from '../quota.ts'
import { callAnyway, unlessLost } from '../sending.ts'
import { maxAheadMs, receivedMs } from './real-time-judgements.ts'
import { type SpentDay, spendByClock, spendInRealTime } from './spending.ts'

const dayNeeds: Needs = {
  stage: 'days',
  keyed: 0,
  anonymous: 0,
  allow: ['exhaust', 'day'],
  looksAt: ['day'],
}

const dayKeyOf = (context: Context, plan: Plan): LimitKey => {
  const key = keyOfPlan(context, plan, 'perDay')
  const { perDay } = key.quota
  if (perDay <= maxDayCalls) return key
  const message = `${perDay} requests a day are too many: a run sends at most ${maxDayCalls}`
  throw new Untested('ambiguous', message)
}

const otherOf = ({ limits }: Context, { plan, label }: LimitKey): LimitKey | undefined =>
  allKeys(limits).find((other) => other.plan === plan && other.label !== label)

/** Unless another key of the plan was served last, it calls: no ban of it may outlast the day. */
const callOther = async (context: Context, key: LimitKey): Promise<void> => {
  const other = otherOf(context, key)
  const last = other && context.limits.responsesTo(other.label).at(-1)
  if (!other || !context.limits.instant || (last && isServed(last))) return
  await completes(unlessLost(callOrRefusal(context, other)))
}

const spentDay = async (context: Context, key: LimitKey): Promise<SpentDay> => {
  const spend = context.limits.instant ? spendByClock : spendInRealTime
  await context.control('list')
  return context.once(`day spent: ${key.label}`, async () => {
    await callOther(context, key)
    return unlessLost(spend(context, key))
  })
}

const idOf = (plan: Plan): string => (plan === 'free' ? 'day-quota' : `day-quota-${plan}`)

const notMore = (plan: Plan, keyed: number): Check =>
  check({
    id: `${idOf(plan)}-not-more`,
    requirement: `limits.${plan}`,
    needs: { ...dayNeeds, keyed, plan, experiment: 'day' },
    sends:
      'With the test clock: after a rest of two days, calls minute by minute until one more ' +
      'than the day has; the first minute may be one that other checks judge too. In real ' +
      'time: the same at the pace of the minutes, within one run.',
    fails:
      'More are served than the plan has in a day (plus what a bucket refills), or than an ' +
      'earlier Remaining of the same declared day. In real time: in the 24 hours before a ' +
      'Reset, or twice the number in 24 hours.',
    inconclusive:
      'no more than that were sent, or a day that ended meanwhile, another client or another ' +
      'run explains it (ambiguous)',
    run: async (context) => conclude((await spentDay(context, dayKeyOf(context, plan))).more),
  })

const notFewer = (plan: Plan): Check =>
  check({
    id: `${idOf(plan)}-not-fewer`,
    requirement: `limits.${plan}`,
    needs: { ...dayNeeds, plan },
    sends: `No requests of its own: it judges the day of \`${idOf(plan)}-not-more\`.`,
    fails:
      'A call is refused for its day although fewer were served than the plan has, and no ' +
      'value of Remaining is missing.',
    inconclusive:
      'it was refused for its minute, a ban or an error came first, numbers were skipped, or ' +
      'other clients use the key (ambiguous)',
    run: async (context) => {
      const key = dayKeyOf(context, plan)
      const { fewer } = await spentDay(context, key)
      const isOthers = context.limits.shared || sawOtherClient(context, key)
      if (fewer.kind === 'violation' && isOthers) {
        throw new Suspicion('other clients may use the key', fewer.evidence)
      }
      conclude(fewer)
    },
  })

const trueWait = 'a request served after the stated wait'

/** If other clients may use the key, this many waits in a row must be wrong. */
const maxWaits = 3

const expectTrueWaitByClock = async (
  context: Context,
  key: LimitKey,
  { isWhole }: SpentDay,
  refusal: AnsweredExchange,
): Promise<void> => {
  const tries = await retryAsStated(context, key, refusal, isWhole ? 1 : maxWaits)
  const response = tries.at(-1) ?? refusal
  const evidence = [refusal, response]
  const isOver = isServed(response)
  if (isOver && isWhole) return
  if (!isWhole && (isOver || !daySaid(response))) {
    throw new Suspicion('it was refused before its day was spent', [refusal])
  }
  if (context.limits.shared) throw new Suspicion('other clients use the key', evidence)
  if (!isRefused(response)) {
    throw new Suspicion(`the request after the wait got ${describeResponse(response)}`, evidence)
  }
  violateAs(
    { aspect: 'status' },
    trueWait,
    `${describeResponse(response)} after the wait`,
    ...evidence,
  )
}

const maxWaitMs = 150_000
const graceMs = 50

/** When the wait of a refusal ends, cut to the longest that a day can last. */
const waitEndsMs = (refusal: AnsweredExchange): number => {
  const waitMs = readWaitMs(refusal) ?? rateHeaders(refusal)?.resetInMs ?? 0
  return receivedMs(refusal) + Math.min(Math.max(0, Math.ceil(waitMs)), maxAheadMs)
}

/** Waits as stated, at most twice, until a request is served; returns all responses. */
const retryTwice = async (context: Context, key: LimitKey, refusal: AnsweredExchange) => {
  const tries = [refusal]
  for (let latest = refusal; tries.length <= 2 && !isServed(latest); ) {
    const endsMs = waitEndsMs(latest)
    const waitMs = endsMs - receivedMs(latest)
    if (waitMs > maxWaitMs) {
      const until = new Date(endsMs).toISOString()
      throw new Untested('clock', `the day is spent until ${until}: use a test clock (--clock)`)
    }
    await context.limits.pass(waitMs + graceMs)
    latest = await callAnyway(context, key)
    tries.push(latest)
  }
  return tries
}

const expectTrueWaitInRealTime = async (
  context: Context,
  key: LimitKey,
  { isWhole, isOurs }: SpentDay,
  refusal: AnsweredExchange,
): Promise<void> => {
  if (!isWhole) throw new Suspicion('it was refused before its day was spent', [refusal])
  const tries = await retryTwice(context, key, refusal)
  const last = tries.at(-1)
  if (!last || isServed(last)) return
  if (!isRefused(last)) {
    throw new Suspicion(`the request after the wait got ${describeResponse(last)}`, tries)
  }
  if (context.limits.shared || !isOurs) {
    throw new Suspicion('another client may have used the quota', tries)
  }
  violateAs(
    { aspect: 'status' },
    trueWait,
    `${describeResponse(last)} after two stated waits`,
    ...tries,
  )
}

/** A refusal for the day with the wait of a minute leads its client into the next refusal. */
const refusalOwnWindow = (plan: Plan): Check =>
  check({
    id: plan === 'free' ? 'day-refusal-own-window' : `day-refusal-${plan}-own-window`,
    requirement: 'headers.agree',
    needs: { ...dayNeeds, plan, keyed: 1 },
    sends: `One call after the wait that the refusal of \`${idOf(plan)}-not-more\` states.`,
    fails:
      'The call is refused: the refusal stated the wait of a minute, or another wrong one. ' +
      'In real time: refused after two such waits.',
    inconclusive:
      'it was refused before its day was spent (ambiguous), or the wait ends after this run ' +
      '(clock)',
    run: async (context) => {
      const key = dayKeyOf(context, plan)
      const day = await spentDay(context, key)
      if (!day.refusal) throw new Suspicion('no request was refused for its day', [])
      const expectTrueWait = context.limits.instant
        ? expectTrueWaitByClock
        : expectTrueWaitInRealTime
      await expectTrueWait(context, key, day, day.refusal)
    },
  })

/** Each key of a plan has a day of its own. */
const otherKey = check({
  id: 'day-other-key-served',
  requirement: 'auth.per-key',
  needs: { ...dayNeeds, plan: 'free', keyed: 1, clock: true, secondKey: 'same-plan' },
  sends:
    'With the test clock: one list with another key of the plan, while the day of the first ' +
    'key is spent. One before that day, unless that key was served last.',
  fails: 'The list gets 429, although that key has used less than half of a minute since.',
  inconclusive:
    'nothing was refused for its day, the other key was not served before it or may have no ' +
    'quota left, or another client may have used the key (ambiguous)',
  run: async (context) => {
    const { limits } = context
    const key = dayKeyOf(context, 'free')
    const { refusal, isWhole } = await spentDay(context, key)
    if (!refusal || !isWhole) throw new Suspicion('no request was refused for its day', [])
    const other = otherOf(context, key)
    if (!other) throw new Untested('key', `it needs another key of the plan ${key.plan}`)
    const last = limits.responsesTo(other.label).at(-1)
    if (!last || !isServed(last)) {
      const evidence = last ? [last] : []
      throw new Suspicion(`key ${other.label} was not served before that day either`, evidence)
    }
    const response = await unlessLost(callOrRefusal(context, other))
    if (isServed(response)) return
    const since = limits
      .responsesTo(other.label)
      .filter((one) => fromMs(one) > toMs(refusal) - dayMs)
    const isSpent = since.length > other.quota.perMinute / 2
    if (!isRefused(response) || isSpent || limits.shared || sawOtherClient(context, other)) {
      throw new Suspicion(`key ${other.label} may have no quota left`, [refusal, response])
    }
    const expected = `key ${other.label} served while the day of ${key.label} is spent`
    violateStatus(expected, refusal, response)
  },
})

/** A request beyond the day gets 429, like one beyond the minute. */
const excess = check({
  id: 'day-excess-429',
  requirement: 'errors.429',
  needs: { ...dayNeeds, plan: 'free', clock: true },
  sends: 'No requests of its own: it judges the day of `day-quota-not-more`, with the test clock.',
  fails:
    'The request after the last one of the day gets 503, 402 or any status other than 429. A 401 ' +
    'or 403 may be a ban.',
  inconclusive:
    'nothing was refused for its day (ambiguous), or another client may have used the key ' +
    '(ambiguous)',
  run: async (context) => {
    const key = dayKeyOf(context, 'free')
    const { refusal, instead } = await spentDay(context, key)
    if (refusal && is429(refusal)) return
    if (!instead) throw new Suspicion('no request was refused for its day', [])
    // A crowd of another client may have come between two calls, and drawn a ban.
    if (isShutOut(instead)) throw new Suspicion(whyNotServed(context, key, instead), [instead])
    violateStatus('429 for a request beyond the day', instead)
  },
})

const free: readonly AnyCheck[] = [
  notMore('free', 1_002),
  notFewer('free'),
  otherKey, // While the day of the first key is spent.
  refusalOwnWindow('free'),
  excess,
]

const enterprise: readonly AnyCheck[] = [
  notMore('enterprise', 0), // Its cost is known only in a run.
  notFewer('enterprise'),
  refusalOwnWindow('enterprise'),
]

export const day = { free, enterprise } as const
