// The experiment: a rested key, two probes, and a burst of one request more than was announced.
import type { Context } from '../kit/context.ts'
import type { Answered } from '../kit/exchange.ts'
import { NoAnswerError } from '../kit/no-answer.ts'
import { Untested } from '../kit/outcome.ts'
import type { LimitKey, Limits } from '../kit/quota/limits.ts'
import { burstMost } from '../kit/quota/limits.ts'
import type { Round } from '../kit/quota/round.ts'
import { announcedBy, mostOf } from '../kit/quota/round.ts'
import type { ApiRequest } from '../kit/request.ts'
import { createPet, listPets, statuses } from '../requests.ts'
import { isServed, minuteSaid } from './reading.ts'

/** Between the probes: a bucket is full again after it, a log can be told by it. */
const pauseMs = 3_500
/** A reset this near might fall into the burst, so it is let pass first. */
const nearMs = 8_000
/** Creations of a burst, its last ones: so one of them is the one that is refused. */
const creationsMost = 12
/** Bursts that follow one in which calls came back as fast as they were spent. */
const moreMost = 3

export const short = listPets({ limit: 1 })

/** What no answer came to may have counted: then nothing can be said of the count. */
export const answered = async <T>(asked: Promise<T>): Promise<T> => {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error
    throw new Untested('ambiguous', `a request of it got no answer: ${error.message}`, [
      error.exchange,
    ])
  }
}

interface Flooded {
  readonly answers: readonly Answered[]
  readonly lost: number
}

export const flood = async (
  { flood: send }: Limits,
  label: string,
  requests: readonly ApiRequest[],
): Promise<Flooded> => {
  const ended = await Promise.allSettled(requests.map((request) => send(label, [request])))
  const failed = ended.filter((each) => each.status === 'rejected').map(({ reason }) => reason)
  const other = failed.find((error) => !(error instanceof NoAnswerError))
  if (other !== undefined) throw other
  const answers = ended.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  return { answers, lost: failed.length }
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
const rareStatus = ({ herd }: Context): string =>
  statuses.toSorted((a, b) => herd.count(a) - herd.count(b))[0] ?? 'sold'

const read = (count: number): ApiRequest[] => Array.from({ length: count }, () => short)

/** Sends so many at once; where creations may be made, the last of them together. */
const burstOf = async (context: Context, { label }: LimitKey, count: number, creates: boolean) => {
  const creations = creates ? Math.min(creationsMost, Math.floor(count / 2)) : 0
  const reads = await flood(context.limits, label, read(count - creations))
  // Refused already: whatever followed would knock.
  if (!reads.answers.every(isServed)) return reads
  const status = rareStatus(context)
  const bodies = Array.from({ length: creations }, () => createPet(context.newPet({ status })))
  const writes = await flood(context.limits, label, bodies)
  return { answers: [...reads.answers, ...writes.answers], lost: reads.lost + writes.lost }
}

const servedIn = ({ burst }: Round): number => burst.filter(isServed).length

const isAllServed = (round: Round): boolean =>
  servedIn(round) === round.burst.length && round.lost === 0

const andFlood = async ({ limits }: Context, round: Round, count: number): Promise<Round> => {
  const { answers, lost } = await flood(limits, round.key.label, read(count))
  return { ...round, burst: [...round.burst, ...answers], lost: round.lost + lost }
}

/** Goes on until one is refused, or more was granted than may be. */
const goOn = async (context: Context, begun: Round): Promise<Round> => {
  let round = begun
  for (let more = 0; more < moreMost; more += 1) {
    const missing = mostOf(round) - servedIn(round) + 1
    if (!isAllServed(round) || missing <= 0) return round
    round = await andFlood(context, round, missing)
  }
  return round
}

/**
 * Where more was granted than may be, a window may have ended in between, or a few tokens come
 * back. So it asks on, one by one, until one is refused or no design would grant so many.
 */
const askOn = async (context: Context, begun: Round): Promise<Round> => {
  const { perMinute } = begun.key.quota
  let round = begun
  const isTooMuch = () => servedIn(round) > mostOf(round) && servedIn(round) <= 2 * perMinute
  while (isAllServed(round) && isTooMuch()) {
    round = await andFlood(context, round, 1)
  }
  return round
}

/** Asks what is left; where the answer announces a near reset, once more behind it. */
const probe = async (limits: Limits, key: LimitKey, first: Answered): Promise<Answered[]> => {
  const { label, quota } = key
  const probes = [first]
  const said = minuteSaid(first, quota)
  if (isServed(first) && said && said.resetInMs <= nearMs) {
    await limits.pass(said.resetInMs + 1_000)
    probes.push(await limits.insist(label, short))
  }
  if (!probes.every(isServed)) return probes
  await limits.pass(pauseMs)
  return [...probes, await limits.insist(label, short)]
}

/**
 * @param first the answer to the first request after a rest, where there is one
 * @param creates whether animals may be created in the burst
 */
export const holdRound = async (
  context: Context,
  key: LimitKey,
  first: Answered | undefined,
  creates: boolean,
): Promise<Round> => {
  const { limits } = context
  const { perMinute } = key.quota
  if (perMinute > burstMost) {
    const message = `${perMinute} requests a minute are too many for one burst: load would tell`
    throw new Untested('ambiguous', message)
  }
  // What a creation needs is found out before the key rests.
  if (creates) await context.control('create')
  if (!first) await limits.rest(key.label)
  const begin = first ?? (await limits.insist(key.label, short))
  const probes = await probe(limits, key, begin)
  const begun = { key, probes, burst: [], lost: 0 }
  if (!probes.every(isServed)) return begun
  const { answers, lost } = await burstOf(context, key, announcedBy(begun) + 1, creates)
  return askOn(context, await goOn(context, { ...begun, burst: answers, lost }))
}
