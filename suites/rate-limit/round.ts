// The experiment: a rested key, two probes, and a burst of one request more than was announced.

import type { Context, LimitKey, Limits } from '../../engine/context.ts'
import type { Answered, ApiRequest } from '../../engine/exchange.ts'
import { Untested } from '../../engine/outcome.ts'
import { petsIn } from '../../engine/pets/known-pets.ts'
import { burstMost } from '../../engine/quota/limits.ts'
import { announcedBy, failedIn, isOverLimit, mostOf, type Round } from '../../engine/quota/round.ts'
import { statuses } from '../pets.ts'
import { createPet, getPet, listPets } from '../requests.ts'
import { flood } from './flood.ts'
import { passUntil, phases } from './phase.ts'
import {
  isRefused,
  isServed,
  isShutOut,
  minuteMs,
  minuteSaid,
  refillOf,
  spanMs,
} from './reading.ts'

/** Between the probes: a bucket is full again after it, a log can be told by it. */
const pauseMs = 3_500
/** A reset this near might fall into the burst, so it is let pass first. */
const nearMs = 8_000
/** Creations of a burst, its last ones: so one of them is the one that is refused. */
const creationsMost = 12
/** Fetches of a burst without creations, its last ones: these have to be refused as well. */
const fetchesMost = 8
/** Bursts that follow one in which calls came back as fast as they were spent. */
const moreMost = 3

export const short = listPets({ limit: 1 })

/** What a burst ends with, so that the request which is refused is no list. */
export type Ending = 'creations' | 'fetches' | 'lists'

/** So many of the requests that a burst ends with. */
interface Closing {
  readonly most: number
  readonly make: (count: number) => ApiRequest[]
}

/** Requests at once where none of them need be. */
const pieceMost = 8

/** Sends so many lists, a few at a time, and no more once one is not served. */
export const spend = async (
  limits: Limits,
  label: string,
  count: number,
): Promise<readonly Answered[]> => {
  const all: Answered[] = []
  while (all.length < count && all.every(isServed)) {
    const piece = Math.min(pieceMost, count - all.length)
    all.push(...(await limits.flood(label, Array<ApiRequest>(piece).fill(short))))
  }
  return all
}

/** The key that is cheapest to exhaust; most of the checks look at the one burst on it. */
export const cheapest = ({ keys }: Limits): LimitKey => {
  const [first] = keys.toSorted((a, b) => a.quota.perMinute - b.quota.perMinute)
  if (first) return first
  throw new Untested('key', 'it needs a key that may be exhausted, beside the one for bans')
}

/** The status that fewest animals have: a list of those is likely to be whole. */
export const rareStatus = ({ herd }: Context): string =>
  statuses.toSorted((a, b) => herd.count(a) - herd.count(b))[0] ?? 'sold'

const read = (count: number): ApiRequest[] => Array.from({ length: count }, () => short)

/** Creations of one status, so that one list shows which of them had an effect. */
const creationsOf = (context: Context): Closing => {
  const status = rareStatus(context)
  const make = () => createPet(context.newPet({ status }))
  return { most: creationsMost, make: (count) => Array.from({ length: count }, make) }
}

/** Fetches of a pet that its key was just shown. */
const fetchesOf = (shown: Answered): Closing | null => {
  const [pet] = petsIn(shown)
  if (typeof pet?.id !== 'bigint') return null
  const fetch = getPet(pet.id)
  return { most: fetchesMost, make: (count) => Array<ApiRequest>(count).fill(fetch) }
}

const closingOf = (context: Context, ending: Ending, shown: Answered): Closing | null => {
  if (ending === 'lists') return null
  return ending === 'creations' ? creationsOf(context) : fetchesOf(shown)
}

const servedIn = ({ burst }: Round): number => burst.filter(isServed).length

/** Whether these counted is not known. */
const unknownIn = (round: Round): number => round.lost + failedIn(round).length

const andFlood = async (
  { limits }: Context,
  round: Round,
  requests: readonly ApiRequest[],
): Promise<Round> => {
  const { answers, lost } = await flood(limits, round.key.label, requests)
  return { ...round, burst: [...round.burst, ...answers], lost: round.lost + lost }
}

/** Sends so many at once; those that close it, if any, together after the others. */
const burstOf = async (
  context: Context,
  begun: Round,
  count: number,
  closing: Closing | null,
): Promise<Round> => {
  const most = begun.burst.length === 0 ? Math.ceil(count / 2) : count
  const last = closing ? Math.min(closing.most, most) : 0
  const reads = await andFlood(context, begun, read(count - last))
  // Refused already: each further call would be a repeated one.
  if (!closing || reads.burst.slice(begun.burst.length).some(isShutOut)) return reads
  return andFlood(context, reads, closing.make(last))
}

/** Whether the round has shown a limit, so that a further call would be a repeated one. */
const isRefusedIn = (round: Round, latest: readonly Answered[]): boolean =>
  round.burst.some(isRefused) ||
  latest.some((one) => isShutOut(one) || (!isServed(one) && isOverLimit(round, one)))

/** Whether all was served, so that what is missing up to the limit is known. */
const isSure = ({ burst, lost }: Round): boolean => lost === 0 && burst.every(isServed)

/**
 * Continues until one is refused, or more was granted than may be: with what closes a burst, if
 * anything does, so that it is one of these that is refused. What failed may not have counted, so
 * after a failure the calls go one by one.
 */
const goOn = async (context: Context, begun: Round, closing: Closing | null): Promise<Round> => {
  const { perMinute } = begun.key.quota
  const most = moreMost + Math.min(unknownIn(begun), creationsMost)
  let round = begun
  let latest: readonly Answered[] = []
  for (let more = 0; more < most; more += 1) {
    const missing = mostOf(round) - servedIn(round) + 1
    const isSlow = round.burst.length + missing > 2 * perMinute
    if (isRefusedIn(round, latest) || missing <= 0 || isSlow) return round
    const sent = round.burst.length
    // While these are under way as many come back as did while those before them were.
    const back = latest.length === 0 ? 0 : refillOf(perMinute, minuteMs, spanMs(latest))
    round = await burstOf(context, round, isSure(round) ? missing + back : 1, closing)
    latest = round.burst.slice(sent)
  }
  return round
}

/**
 * Where more was granted than may be, a window may have ended in between, or a few tokens come
 * back. So it continues, one by one, until one is refused or no design would grant so many.
 */
const askOn = async (context: Context, begun: Round): Promise<Round> => {
  const { perMinute } = begun.key.quota
  let round = begun
  const isTooMuch = () => servedIn(round) > mostOf(round) && servedIn(round) <= 2 * perMinute
  while (isSure(round) && isTooMuch()) {
    round = await andFlood(context, round, read(1))
  }
  return round
}

/** Asks what is left; where the answer announces a near reset, once more behind it. */
const probe = async (context: Context, key: LimitKey, first: Answered): Promise<Answered[]> => {
  const { limits } = context
  const { label, quota } = key
  const probes = [first]
  const said = minuteSaid(first, quota)
  if (isServed(first) && said && said.resetInMs <= nearMs) {
    await limits.pass(said.resetInMs + 1_000)
    probes.push(await limits.insist(label, short))
  }
  if (!probes.every(isServed)) return probes
  await passUntil(context, pauseMs, phases.burst)
  return [...probes, await limits.insist(label, short)]
}

/**
 * @param first the answer to the first request after a rest, where there is one
 * @param ending what the target is known to serve, and the run may send
 */
export const holdRound = async (
  context: Context,
  key: LimitKey,
  first: Answered | undefined,
  ending: Ending,
): Promise<Round> => {
  const { limits } = context
  const { perMinute } = key.quota
  if (perMinute > burstMost) {
    const message = `${perMinute} requests a minute are too many for one burst: load would tell`
    throw new Untested('ambiguous', message)
  }
  if (!first) {
    await limits.rest(key.label)
    await passUntil(context, 0, phases.begin)
  }
  const begin = first ?? (await limits.insist(key.label, short))
  const probes = await probe(context, key, begin)
  const begun = { key, probes, burst: [], lost: 0 }
  const last = probes.at(-1)
  if (!last || !probes.every(isServed)) return begun
  const closing = closingOf(context, ending, last)
  const burst = await burstOf(context, begun, announcedBy(begun) + 1, closing)
  return askOn(context, await goOn(context, burst, closing))
}
