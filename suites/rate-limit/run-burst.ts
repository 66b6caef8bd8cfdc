// The burst: on a rested key, two probes, then one request more than Remaining announces.
import type { Context, LimitKey } from '../../engine/check/context.ts'
import { maxBurst } from '../../engine/check/spendable-keys.ts'
import type { AnsweredExchange, ApiRequest } from '../../history/exchange.ts'
import { petsIn } from '../../history/known-pets.ts'
import { Untested } from '../../history/outcome.ts'
import {
  fromMs,
  is429,
  isRefusalStatus,
  isServed,
  isShutOut,
  maxRefill,
  minuteMs,
  minuteSaid,
  type RateHeaders,
  spanMs,
  toMs,
} from '../../history/rate-headers.ts'
import { acceptedStatus } from '../pets/compare-pets.ts'
import { createPet, getPet } from '../pets/requests.ts'
import { callAnyway, callRested, lists, passUntil, phases, sendAll, shortList } from './sending.ts'

export interface Round {
  readonly key: LimitKey
  /** One at a time, on a rested key; the last one right before the burst. */
  readonly probes: readonly AnsweredExchange[]
  readonly burst: readonly AnsweredExchange[]
  /** Requests of the burst that got no response; they may have counted. */
  readonly lost: number
}

/** The pause between the probes. A bucket refills in it, and Reset shows how a log sets it. */
const probePauseMs = 3_500
/** If Reset is this near the burst starts after it, so that no window ends during the burst. */
const nearResetMs = 8_000

/** Neither served nor refused: failed, or unreadable. Whether it counted is not known. */
const failedIn = ({ burst }: Round): readonly AnsweredExchange[] =>
  burst.filter((one) => !isServed(one) && !isShutOut(one))

/** The headers of the last probe, where they are about the minute. */
const lastSaid = ({ probes }: Round): RateHeaders | undefined => {
  const last = probes.at(-1)
  return last && minuteSaid(last)
}

const fromLastProbe = ({ probes, burst }: Round): readonly AnsweredExchange[] => [
  ...probes.slice(-1),
  ...burst,
]

/** How many more requests were announced before the burst. */
const announcedBy = (round: Round): number => {
  const { perMinute } = round.key.quota
  return Math.min(lastSaid(round)?.remaining ?? perMinute - round.probes.length, perMinute)
}

/** How many of a burst any design may grant. */
const maxGranted = (round: Round): number =>
  announcedBy(round) + maxRefill(round.key.quota.perMinute, minuteMs, spanMs(fromLastProbe(round)))

/**
 * Whether a call was over the limit by the server's own last Remaining: none was left in the
 * responses before it, and none of them is missing. A probe is none: what remained is its own word.
 */
const isOverLimit = (round: Round, call: AnsweredExchange): boolean => {
  const before = round.burst.filter((one) => one !== call && toMs(one) <= fromMs(call))
  const remaining = before.flatMap((one) => minuteSaid(one)?.remaining ?? [])
  const own = minuteSaid(call)?.remaining ?? 0
  const isSpent =
    Math.min(...remaining) === 0 || before.filter(isServed).length >= announcedBy(round)
  return round.lost === 0 && own === 0 && isSpent && round.burst.includes(call)
}

/** The number of creations at the end of a burst, so that the refused request is one of them. */
const maxCreations = 12
/** The number of GETs by id at the end of a burst without creations. */
const maxFetches = 8
/** Further bursts, if calls came back as fast as they were spent. */
const maxFurtherBursts = 3
const secondMs = 1_000

/** The requests at the end of a burst, so that the refused one need not be a list. */
export type LastRequests = 'creations' | 'fetches' | 'lists'

interface Closing {
  readonly max: number
  readonly make: () => ApiRequest
}

/** @param listed the latest list of the key: the pet that is fetched is one of it */
const closingOf = (context: Context, last: LastRequests, listed: AnsweredExchange): Closing => {
  if (last === 'creations') {
    // Of one status, so that one list shows which of them had an effect.
    const status = acceptedStatus(context)
    return { max: maxCreations, make: () => createPet(context.newPet({ status })) }
  }
  const [pet] = last === 'fetches' ? petsIn(listed) : []
  if (typeof pet?.id !== 'bigint') return { max: 0, make: () => shortList }
  const fetch = getPet(pet.id)
  return { max: maxFetches, make: () => fetch }
}

const servedIn = ({ burst }: Round): number => burst.filter(isServed).length

const sendMore = async (context: Context, round: Round, requests: readonly ApiRequest[]) => {
  const { responses, lost } = await sendAll(context, round.key, requests)
  return { ...round, burst: [...round.burst, ...responses], lost: round.lost + lost }
}

/** Sends `count` requests at once, and the closing ones together after the others. */
const sendBurst = async (context: Context, begun: Round, count: number, closing: Closing) => {
  const max = begun.burst.length === 0 ? Math.ceil(count / 2) : count
  const last = Math.min(closing.max, max)
  const round = await sendMore(context, begun, lists(count - last))
  // A wrong status may have other reasons. After a refusal more calls may lead to a ban.
  if (round.burst.slice(begun.burst.length).some(isRefusalStatus)) return round
  return sendMore(context, round, Array.from({ length: last }, closing.make))
}

/** Whether the limit was reached, so that a further call may lead to a ban. */
const isRefusedIn = (round: Round, latest: readonly AnsweredExchange[]): boolean =>
  round.burst.some(is429) ||
  latest.some((one) => isRefusalStatus(one) || (!isServed(one) && isOverLimit(round, one)))

/** Whether all was served, so that it is known how many calls are left. */
const isAllServed = ({ burst, lost }: Round): boolean => lost === 0 && burst.every(isServed)

/**
 * Continues until a request is refused, or more are served than any design allows. The closing
 * requests come last again, so that one of them is refused. A failed request may not have counted,
 * so after a failure requests are sent one by one.
 */
const continueUntilRefused = async (context: Context, begun: Round, closing: Closing) => {
  const { perMinute } = begun.key.quota
  const maxBursts = maxFurtherBursts + Math.min(begun.lost + failedIn(begun).length, maxCreations)
  let round = begun
  let latest: readonly AnsweredExchange[] = []
  for (let bursts = 0; bursts < maxBursts; bursts += 1) {
    const missing = maxGranted(round) - servedIn(round) + 1
    const isSlow = round.burst.length + missing > 2 * perMinute
    if (isRefusedIn(round, latest) || missing <= 0 || isSlow) return round
    const sent = round.burst.length
    // While these are in flight, as many calls come back as during the previous ones.
    const back = latest.length === 0 ? 0 : maxRefill(perMinute, minuteMs, spanMs(latest))
    round = await sendBurst(context, round, isAllServed(round) ? missing + back : 1, closing)
    latest = round.burst.slice(sent)
  }
  return round
}

/**
 * If more was served than expected, a window may have ended, or a few calls may have come back. So
 * it continues one by one until a request is refused, or more are served than any design allows.
 */
const continueOneByOne = async (context: Context, begun: Round): Promise<Round> => {
  const { perMinute } = begun.key.quota
  let round = begun
  const isTooMuch = () => servedIn(round) > maxGranted(round) && servedIn(round) <= 2 * perMinute
  while (isAllServed(round) && isTooMuch()) round = await sendMore(context, round, lists(1))
  return round
}

/** Sends two probes with a pause between them; if Reset is near, first one more after it. */
const probe = async (context: Context, key: LimitKey, first: AnsweredExchange) => {
  const probes = [first]
  const said = minuteSaid(first)
  if (isServed(first) && said && said.resetInMs <= nearResetMs) {
    await context.limits.pass(said.resetInMs + secondMs)
    probes.push(await callAnyway(context, key))
  }
  if (!probes.every(isServed)) return probes
  await passUntil(context, probePauseMs, phases.burst)
  return [...probes, await callAnyway(context, key)]
}

/**
 * Runs the burst on a key, after a rest.
 * @param last the requests at the end of the burst
 * @param first the response to the first request after the rest, if it was sent already
 * @throws Untested if one of the first requests got no response
 */
export const runBurst = async (
  context: Context,
  key: LimitKey,
  last: LastRequests,
  first?: AnsweredExchange,
): Promise<Round> => {
  const { perMinute } = key.quota
  if (perMinute > maxBurst) {
    const message = `a burst of ${perMinute} requests a minute is too large; use petvet load`
    throw new Untested('ambiguous', message)
  }
  const probes = await probe(context, key, first ?? (await callRested(context, key)))
  const begun = { key, probes, burst: [], lost: 0 }
  const latest = probes.at(-1)
  if (!latest || !probes.every(isServed)) return begun
  const closing = closingOf(context, last, latest)
  const round = await sendBurst(context, begun, announcedBy(begun) + 1, closing)
  return continueOneByOne(context, await continueUntilRefused(context, round, closing))
}
