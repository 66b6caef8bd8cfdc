// The burst: a rested key, two probes, and one request more than was announced.
import type { Context, LimitKey, Limits } from '../../engine/context.ts'
import type { Answered, ApiRequest } from '../../engine/exchange.ts'
import { NoResponseError, Untested } from '../../engine/outcome.ts'
import { petsIn } from '../../engine/pets/known-pets.ts'
import { maxBurst } from '../../engine/quota/limits.ts'
import {
  announcedBy,
  failedIn,
  isOverLimit,
  maxGranted,
  type Round,
} from '../../engine/quota/round.ts'
import { statuses } from '../pets.ts'
import { createPet, getPet, listPets } from '../requests.ts'
import {
  isRefused,
  isServed,
  isShutOut,
  minuteMs,
  minuteSaid,
  refillOf,
  spanMs,
} from './reading.ts'

/** The pause between the probes: a bucket refills in it, and a log shows which call Reset names. */
const pauseMs = 3_500
/** The burst starts after a Reset that is this near, so that the Reset does not fall into it. */
const nearResetMs = 8_000
/** A burst ends with so many creations, so that one of them is the request that is refused. */
const maxCreations = 12
/** A burst without creations ends with so many GETs of a pet, which have to be refused as well. */
const maxFetches = 8
/** Bursts that follow one in which calls came back as fast as they were spent. */
const maxFurtherBursts = 3
/** As many connections as are opened for requests that are sent at the same time. */
const maxTogether = 64
const secondMs = 1_000

export const shortList = listPets({ limit: 1 })

/** `count` short lists. */
export const lists = (count: number): ApiRequest[] => Array<ApiRequest>(count).fill(shortList)

/** Waits for requests of an experiment. One without a response may have counted: untested then. */
export const unlessLost = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error
    throw new Untested('ambiguous', `one of its requests got no response: ${error.message}`, [
      error.exchange,
    ])
  }
}

/** Whether work completes: an untested part of it is passed over, an interruption is not. */
export const completes = async (work: Promise<unknown>): Promise<boolean> => {
  try {
    await work
    return true
  } catch (error) {
    if (!(error instanceof Untested) || error.because === 'interrupted') throw error
    return false
  }
}

/**
 * Sends requests as fast as connections become free; nothing is sent after a refusal.
 * @returns the responses, and how many requests got none
 */
export const sendAll = async (
  { flood: send }: Limits,
  label: string,
  requests: readonly ApiRequest[],
): Promise<{ readonly responses: readonly Answered[]; readonly lost: number }> => {
  const sent: Promise<readonly Answered[]>[] = []
  let isOver = false
  const sendNext = async (): Promise<void> => {
    const request = requests[sent.length]
    if (!request || isOver) return
    const sending = send(label, [request])
    sent.push(sending)
    const [response] = await sending.catch(() => [])
    isOver ||= response !== undefined && isRefused(response)
    await sendNext()
  }
  await Promise.all(Array.from({ length: maxTogether }, sendNext))
  const settled = await Promise.allSettled(sent)
  const failed = settled.filter((each) => each.status === 'rejected').map(({ reason }) => reason)
  const other = failed.find((error) => !(error instanceof NoResponseError))
  if (other !== undefined) throw other
  const responses = settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  return { responses, lost: failed.length }
}

/** Where in a second of the target calls that begin a window are sent, and those refused in it. */
export const phases = { begin: 50, burst: 550 } as const

/**
 * Lets so much time pass; with the test clock up to a second more, up to a phase of a second. A
 * wait that is cut or rounded to whole seconds is too short by a part of a second: the phase makes
 * that part large enough to be seen.
 */
export const passUntil = async (
  { clock, limits }: Context,
  ms: number,
  phaseMs: number,
): Promise<void> => {
  const nowMs = limits.instant ? await clock.now() : 0
  const moreMs = limits.instant ? (phaseMs - nowMs - ms) % secondMs : 0
  const allMs = ms + (moreMs < 0 ? moreMs + secondMs : moreMs)
  if (allMs > 0) await limits.pass(allMs)
}

/** What a burst ends with, so that the request that is refused is not a list. */
export type LastRequests = 'creations' | 'fetches' | 'lists'

interface Closing {
  readonly max: number
  readonly make: (count: number) => ApiRequest[]
}

/** The status that fewest pets have: a list of it is likely to be complete. */
export const rareStatus = ({ herd }: Context): string =>
  statuses.toSorted((a, b) => herd.count(a) - herd.count(b))[0] ?? 'sold'

/** Creations of one status, so that one list shows which of them had an effect. */
const creationsOf = (context: Context): Closing => {
  const status = rareStatus(context)
  const make = () => createPet(context.newPet({ status }))
  return { max: maxCreations, make: (count) => Array.from({ length: count }, make) }
}

/** GETs of a pet that was just listed to the key. */
const fetchesOf = (listed: Answered): Closing | null => {
  const [pet] = petsIn(listed)
  if (typeof pet?.id !== 'bigint') return null
  const fetch = getPet(pet.id)
  return { max: maxFetches, make: (count) => Array<ApiRequest>(count).fill(fetch) }
}

const closingOf = (context: Context, last: LastRequests, listed: Answered): Closing | null => {
  if (last === 'lists') return null
  return last === 'creations' ? creationsOf(context) : fetchesOf(listed)
}

const servedIn = ({ burst }: Round): number => burst.filter(isServed).length

const sendMore = async (
  { limits }: Context,
  round: Round,
  requests: readonly ApiRequest[],
): Promise<Round> => {
  const { responses, lost } = await sendAll(limits, round.key.label, requests)
  return { ...round, burst: [...round.burst, ...responses], lost: round.lost + lost }
}

/** Sends so many at once; those that close it, if any, together after the others. */
const sendBurst = async (
  context: Context,
  begun: Round,
  count: number,
  closing: Closing | null,
): Promise<Round> => {
  const max = begun.burst.length === 0 ? Math.ceil(count / 2) : count
  const last = closing ? Math.min(closing.max, max) : 0
  const round = await sendMore(context, begun, lists(count - last))
  // Once one is refused, each further call is a repeated one.
  if (!closing || round.burst.slice(begun.burst.length).some(isShutOut)) return round
  return sendMore(context, round, closing.make(last))
}

/** Whether the round has shown a limit, so that a further call would be a repeated one. */
const isRefusedIn = (round: Round, latest: readonly Answered[]): boolean =>
  round.burst.some(isRefused) ||
  latest.some((one) => isShutOut(one) || (!isServed(one) && isOverLimit(round, one)))

/** Whether all was served, so that the number missing up to the limit is known. */
const isAllServed = ({ burst, lost }: Round): boolean => lost === 0 && burst.every(isServed)

/**
 * Continues until one is refused, or more was granted than any design may grant. The requests that
 * close a burst come last again, so that one of them is refused. A failed request may not have
 * counted, so after a failure the calls go one by one.
 */
const continueUntilRefused = async (
  context: Context,
  begun: Round,
  closing: Closing | null,
): Promise<Round> => {
  const { perMinute } = begun.key.quota
  const maxBursts = maxFurtherBursts + Math.min(begun.lost + failedIn(begun).length, maxCreations)
  let round = begun
  let latest: readonly Answered[] = []
  for (let bursts = 0; bursts < maxBursts; bursts += 1) {
    const missing = maxGranted(round) - servedIn(round) + 1
    const isSlow = round.burst.length + missing > 2 * perMinute
    if (isRefusedIn(round, latest) || missing <= 0 || isSlow) return round
    const sent = round.burst.length
    // While these are in flight as many come back as did during those before them.
    const back = latest.length === 0 ? 0 : refillOf(perMinute, minuteMs, spanMs(latest))
    round = await sendBurst(context, round, isAllServed(round) ? missing + back : 1, closing)
    latest = round.burst.slice(sent)
  }
  return round
}

/**
 * Where more was granted than expected, a window may have ended in between, or a few tokens may
 * have come back. So it continues one by one, until one is refused or no design grants so many.
 */
const continueOneByOne = async (context: Context, begun: Round): Promise<Round> => {
  const { perMinute } = begun.key.quota
  let round = begun
  const isTooMuch = () => servedIn(round) > maxGranted(round) && servedIn(round) <= 2 * perMinute
  while (isAllServed(round) && isTooMuch()) round = await sendMore(context, round, lists(1))
  return round
}

/** Sends a probe, and another one after a pause; before that one more behind a near Reset. */
const probe = async (context: Context, key: LimitKey, first: Answered): Promise<Answered[]> => {
  const { limits } = context
  const { label, quota } = key
  const probes = [first]
  const said = minuteSaid(first, quota)
  if (isServed(first) && said && said.resetInMs <= nearResetMs) {
    await limits.pass(said.resetInMs + secondMs)
    probes.push(await limits.sendAnyway(label, shortList))
  }
  if (!probes.every(isServed)) return probes
  await passUntil(context, pauseMs, phases.burst)
  return [...probes, await limits.sendAnyway(label, shortList)]
}

/**
 * Runs the burst on a key, after a rest.
 * @param first the response to the first request after a rest, if there is one already
 * @param last what the target is known to serve, and the run may send
 */
export const runBurst = async (
  context: Context,
  key: LimitKey,
  first: Answered | undefined,
  last: LastRequests,
): Promise<Round> => {
  const { limits } = context
  const { perMinute } = key.quota
  if (perMinute > maxBurst) {
    const message = `${perMinute} requests a minute are too many for one burst; use petvet load`
    throw new Untested('ambiguous', message)
  }
  if (!first) {
    await limits.rest(key.label)
    await passUntil(context, 0, phases.begin)
  }
  const probes = await probe(context, key, first ?? (await limits.sendAnyway(key.label, shortList)))
  const begun = { key, probes, burst: [], lost: 0 }
  const latest = probes.at(-1)
  if (!latest || !probes.every(isServed)) return begun
  const closing = closingOf(context, last, latest)
  const round = await sendBurst(context, begun, announcedBy(begun) + 1, closing)
  return continueOneByOne(context, await continueUntilRefused(context, round, closing))
}
