// Keys have separate quotas: neither another key nor an invalid one uses up the quota of a key.

import type { Context, LimitKey, Limits } from '../../engine/check/context.ts'
import { type Check, check, type Needs } from '../../engine/check/declare.ts'
import { type AnsweredExchange, statusCode, unauthorized } from '../../engine/check/exchange.ts'
import { describeResponse, violate, violateAs } from '../../engine/check/expect.ts'
import { Inapplicable, Suspicion, Untested, Violation } from '../../engine/check/outcome.ts'
import { allKeys } from '../../engine/check/spendable-keys.ts'
import {
  fromMs,
  isServed,
  isShutOut,
  maxRefill,
  minuteMs,
  minuteSaid,
  readWaitMs,
  spanMs,
  toMs,
} from '../../engine/quota/rate-headers.ts'
import type { Round } from '../../engine/quota/round.ts'
import { forgottenMs } from './banned.ts'
import {
  burstNeeds,
  cheapest,
  extraBurst,
  lastToExpire,
  limitNeeds,
  refusalsIn,
  refusedBurst,
} from './experiments.ts'
import { invalidKeys, unknownKeysAreFree } from './kept-count.ts'
import { isOnlyClient, mayBeBanOfOthers } from './other-clients.ts'
import { listWithRoom, shortList } from './sending.ts'

/** The number of calls of a key in the two windows before a response; no design counts more. */
const ownBefore = (limits: Limits, label: string, response: AnsweredExchange): number =>
  limits
    .responsesTo(label)
    .filter((one) => one.seq < response.seq && fromMs(one) > fromMs(response) - 2 * minuteMs).length

/** Whether a key may have been refused for its own calls, or those of another client. */
export const mayBeSpent = async (
  context: Context,
  key: LimitKey,
  refused: AnsweredExchange,
  round?: Round,
): Promise<boolean> => {
  const { limits } = context
  if (await mayBeBanOfOthers(context, key, refused)) return true
  if (!(await isOnlyClient(context, key, round))) return true
  if (ownBefore(limits, key.label, refused) < key.quota.perMinute) return false
  const before = limits.responsesTo(key.label).findLast((one) => one.seq < refused.seq)
  const said = before && minuteSaid(before)
  return said === undefined || said.remaining === 0
}

/** Sends a list with a key that has quota left; the response may be a refusal. */
export const callOrRefusal = async (context: Context, key: LimitKey): Promise<AnsweredExchange> => {
  try {
    return await context.call({ ...shortList, key: key.label })
  } catch (error) {
    const [refusal] = error instanceof Untested ? error.evidence : []
    const isNew = refusal?.response && refusal.key === key.label && isShutOut(refusal)
    if (!isNew) throw error
    return refusal as AnsweredExchange
  }
}

/** At least this share of what the exhausted key spent must be missing on the other key. */
const harmShare = 0.6
/** Another client that used the key this much would use it again within this real time. */
const listenMs = 1_000

/** The number of calls of the burst, minus what a bucket may have refilled since. */
const minHarm = (key: LimitKey, { probes, burst }: Round, response: AnsweredExchange): number => {
  const back = maxRefill(key.quota.perMinute, minuteMs, spanMs([...burst, response]))
  const share = harmShare * (probes.length + burst.length)
  return Math.max(share, burst.filter(isServed).length - back - 1)
}

const harmOf = async (context: Context, key: LimitKey, round: Round) => {
  const refusal = lastToExpire(refusalsIn(round))
  if (!refusal) {
    throw new Untested('ambiguous', 'the key could not be exhausted again', round.probes)
  }
  const response = await callOrRefusal(context, key)
  const evidence = [refusal, response]
  const untilMs = toMs(refusal) + (readWaitMs(refusal) ?? minuteMs)
  if (fromMs(response) > untilMs && isServed(response)) {
    throw new Suspicion('the exhausted key had recovered by then', evidence)
  }
  const own = ownBefore(context.limits, key.label, response)
  if (!isServed(response)) {
    if (!isShutOut(response)) {
      throw new Suspicion(`key ${key.label} got ${describeResponse(response)}`, evidence)
    }
    if (await mayBeSpent(context, key, response)) {
      throw new Suspicion(`key ${key.label} may have no quota left`, evidence)
    }
    const expected = `key ${key.label} served while ${refusal.key} is exhausted`
    return new Violation(expected, describeResponse(response), evidence, { aspect: 'status' })
  }
  const said = minuteSaid(response)
  const left = key.quota.perMinute - 1 - own
  const missing = said ? left - said.remaining : 0
  if (missing < minHarm(key, round, response)) return undefined
  await context.limits.passRealTime(listenMs)
  const later = minuteSaid(await callOrRefusal(context, key))
  const isQuiet = said !== undefined && later !== undefined && said.remaining - later.remaining <= 1
  if (!isQuiet || !(await isOnlyClient(context, key))) {
    throw new Suspicion(`another client may use key ${key.label}`, evidence)
  }
  const expected = `about ${left} requests remaining for key ${key.label}`
  return new Violation(expected, `${said?.remaining} remaining`, evidence)
}

/**
 * Judged only while the exhausted key would still be refused. It takes two bursts, since another
 * client may have called during one.
 */
const expectApart = async (context: Context, key: LimitKey): Promise<void> => {
  const once = await harmOf(context, key, await refusedBurst(context))
  if (!once) return
  const burst = () => extraBurst(context, cheapest(context.limits))
  const again = await context.once('exhausted next to the other keys', burst)
  const twice = await harmOf(context, key, again)
  if (twice) throw twice
  throw new Suspicion(`${once.actual} once, but not again`, once.evidence)
}

const otherKeyCheck = (
  secondKey: NonNullable<Needs['secondKey']>,
  plan: string,
  findKey: (limits: Limits) => LimitKey,
): Check =>
  check({
    id: `isolation-${secondKey}-served`,
    requirement: 'auth.per-key',
    needs: { ...burstNeeds, keyed: 1, secondKey },
    sends: `While the cheapest key is exhausted: one call with ${plan}.`,
    fails:
      'The call is refused although its key has quota left, or most of what the burst used ' +
      'is missing from its Remaining; after each of two bursts.',
    inconclusive:
      'the exhausted key had recovered by then, or another client may have used the key ' +
      '(ambiguous)',
    run: (context) => expectApart(context, findKey(context.limits)),
  })

const otherPlan = otherKeyCheck('other-plan', 'a key of another plan', (limits) => {
  const { plan } = cheapest(limits)
  const key = allKeys(limits).find((each) => each.plan !== plan)
  if (key) return key
  throw new Inapplicable('no key of another plan is configured (--key PLAN=OTHER)')
})

const samePlan = otherKeyCheck('same-plan', 'another key of the same plan', (limits) => {
  const { plan, label } = cheapest(limits)
  const key = allKeys(limits).find((each) => each.plan === plan && each.label !== label)
  if (key) return key
  throw new Untested('key', `it needs another key of the plan ${plan} (--key ${plan}=OTHER)`)
})

/** The number of requests without a valid key: the first and the second time. */
const manyCalls = 20
const fewCalls = 4
/** About as long as those requests take. */
const pauseMs = 100
/** How often the key must be refused after such requests, and never after a pause. */
const maxShutOuts = 3

/** The key was refused although it had quota left. */
class ShutOut extends Suspicion {}

/** The second of the two calls has to be served, and a refusal must not look like its cost. */
const minRoom = 2

/**
 * By how much Remaining falls between two calls of the key. If too few calls remain, the first one
 * waits for a reset; with the test clock, so many that all requests in between could count.
 */
const fallWith = async (context: Context, key: LimitKey, between: () => Promise<void>) => {
  const { limits } = context
  const before = await listWithRoom(context, key, limits.instant ? manyCalls + 2 : minRoom)
  await between()
  const after = await limits.sendAnyway(key.label, shortList)
  const [said, left] = [before, after].map((one) => minuteSaid(one))
  if (isServed(before) && isShutOut(after) && said && said.remaining > 1) {
    throw new ShutOut('the key was refused with quota left', [before, after])
  }
  if (!said || !left || said.reset > left.reset) {
    throw new Untested('ambiguous', 'Remaining of the minute is not given', [before, after])
  }
  const calls = said.remaining - left.remaining
  if (calls <= 0 && left.reset === said.reset) {
    throw new Suspicion('Remaining does not fall', [before, after])
  }
  return { calls, evidence: [before, after] as const }
}

/** A server may limit requests without a valid key by client address, and then responds 429. */
const callWithInvalidKeys = async (context: Context, count: number): Promise<void> => {
  for (let at = 0; at < count; at += 1) {
    const response = await context.call(unauthorized(shortList, `Bearer never-issued-key-${at}`))
    if (statusCode(response) === 429) return
  }
}

/** With the test clock: whether it is refused each time after invalid keys, never after a pause. */
const isShutOutByInvalidKeys = async (context: Context, key: LimitKey): Promise<boolean> => {
  const { limits } = context
  const isShut = async (between: () => Promise<void>): Promise<boolean> => {
    await limits.pass(forgottenMs)
    return fallWith(context, key, between).then(
      () => false,
      (error) => error instanceof ShutOut,
    )
  }
  for (let time = 1; time < maxShutOuts; time += 1) {
    if (await isShut(() => limits.passRealTime(pauseMs))) return false
    if (!(await isShut(() => callWithInvalidKeys(context, manyCalls)))) return false
  }
  return true
}

const fallWithInvalidKeys = async (context: Context, key: LimitKey) => {
  const { instant, shared } = context.limits
  try {
    return await fallWith(context, key, () => callWithInvalidKeys(context, manyCalls))
  } catch (error) {
    if (!(error instanceof ShutOut) || !instant || shared) throw error
    if (!(await isShutOutByInvalidKeys(context, key))) throw error
    if (!(await isOnlyClient(context, key))) throw error
    const expected = `key ${key.label} served, whatever is sent with invalid keys`
    const [, refused] = error.evidence
    const actual = `${refused && describeResponse(refused)} after ${manyCalls} of them, each time`
    return violateAs({ aspect: 'status' }, expected, actual, ...error.evidence)
  }
}

const invalidKey = check({
  id: 'isolation-invalid-key-free',
  requirement: 'auth.per-key',
  needs: { ...limitNeeds, keyed: 3, anonymous: manyCalls, shares: invalidKeys },
  sends:
    'Two lists with a valid key, and 20 requests with invalid ones in between, or fewer if ' +
    'those get 429. If Remaining fell by more than one, the same with none and with four. None ' +
    'of them if `count-kept-after-errors` has shown it with as many.',
  fails:
    'Each request with an invalid key lowered Remaining by the same number, in both rows, ' +
    'and a pause did not; or, with the test clock, the valid key is refused after them, ' +
    'twice, 25 hours apart.',
  inconclusive: 'Remaining is not given, or another client may have used the key (ambiguous)',
  run: async (context) => {
    const { limits } = context
    await context.control('list')
    if (await unknownKeysAreFree(context)) return
    const key = cheapest(limits)
    // Those before it, in the row that shows errors, may have had it shut out.
    if (limits.instant) await limits.rest(key.label)
    const found = await fallWithInvalidKeys(context, key)
    const each = (found.calls - 1) / manyCalls
    if (each < 1) return
    // Another client would also call in the pause, or not as often as the invalid keys.
    const [before, after] = found.evidence
    const spentMs = after.receivedMs - before.sentMs
    const quiet = await fallWith(context, key, () => limits.passRealTime(spentMs))
    const again = await fallWith(context, key, () => callWithInvalidKeys(context, fewCalls))
    const evidence = [...quiet.evidence, ...again.evidence]
    const actual = `Remaining fell by ${found.calls} with ${manyCalls} of them`
    const isSame = Number.isInteger(each) && again.calls === 1 + each * fewCalls
    if (limits.shared || quiet.calls > 1 || !isSame) {
      const advice = 'repeat the run with a key that no other client uses'
      throw new Suspicion(`${actual}; ${advice}`, evidence)
    }
    const expected = 'Remaining lowered by one: requests with an invalid key do not count'
    const more = `by ${again.calls} with ${fewCalls}, and by ${quiet.calls} with none`
    violate(expected, `${actual}, ${more}`, ...evidence)
  },
})

export const isolation = { otherKeys: [otherPlan, samePlan], invalidKey } as const
