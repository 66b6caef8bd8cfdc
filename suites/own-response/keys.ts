// Two keys on one connection in turn, and at the same time: each response belongs to its own key.

import type { Context, LimitKey } from '../../engine/context.ts'
import { check } from '../../engine/declare.ts'
import { type Answered, statusOf } from '../../engine/exchange.ts'
import { describeResponse, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { allKeys } from '../../engine/quota/limits.ts'
import { rateHeaders, windowOf } from '../../engine/quota/rate-headers.ts'
import { listPets } from '../requests.ts'
import { operationOf } from '../responses.ts'
import { creation, judgeMisfit, list, misfitOf, type Specimen, unknown } from './specimens.ts'

const short = listPets({ limit: 1 })
/** So that a key of another plan is shown as many pets as possible. */
const long = listPets({ limit: 100 })
const served = list({ limit: 1 })
const created = creation()

const specimens: Readonly<Record<'list' | 'create' | 'get', Specimen>> = {
  list: served,
  create: created,
  get: unknown,
}

/** Lists of each key, in a row and then at once. */
const turns = 2
/** All calls of a key: also a creation, one alone before, and one after. */
const calls = 2 * turns + 3
/** How many calls may show the same number, if the count lags. */
const maxUnchanged = 3
/** By how much the quota left must differ, so that the keys cannot be confused. */
const minDifference = 2 * calls
const secondMs = 1_000
/** What a design that gives back call by call may give back meanwhile. */
const refill = 2

interface Pair {
  readonly own: LimitKey
  readonly other: LimitKey
}

/** A key of another plan differs by its Limit alone. */
const pairOf = ({ limits }: Context): Pair => {
  const [own, ...others] = allKeys(limits).toSorted((a, b) => a.quota.perMinute - b.quota.perMinute)
  const other = others.find(({ plan }) => plan !== own?.plan) ?? others[0]
  if (own && other) return { own, other }
  throw new Untested('key', 'needs a second key (--key PLAN=KEY again)')
}

const withKey = ({ label }: LimitKey) => ({ ...short, key: label })

const onNew = (key: LimitKey) => ({ ...withKey(key), fresh: true }) as const

/** The numbers of a response. */
const saidIn = (answer: Answered) => {
  const said = rateHeaders(answer)
  if (said) return said
  throw new Untested('blocked', `no rate-limit headers in ${describeResponse(answer)}`, [answer])
}

/** Sends one alone, and another after the next reset if too few remain for what follows. */
const sendFresh = async (context: Context, key: LimitKey, needed: number): Promise<Answered> => {
  const ask = () => context.call({ ...onNew(key), path: long.path })
  const first = await ask()
  const { remaining, resetInMs } = saidIn(first)
  if (remaining >= needed) return first
  await context.limits.pass(resetInMs + secondMs)
  return ask()
}

/** The response to each key alone, before both are used. */
interface Begun extends Pair {
  readonly first: Answered
  readonly second: Answered
}

/** Sends with each key alone; the one that has less left is spent until they differ. */
const begin = async (context: Context, pair: Pair): Promise<Begun> => {
  const [one, two] = [pair.own, pair.other]
  const answers = [
    { key: one, answer: await sendFresh(context, one, calls + minDifference) },
    { key: two, answer: await sendFresh(context, two, calls + minDifference) },
  ].toSorted((a, b) => saidIn(a.answer).remaining - saidIn(b.answer).remaining)
  const [less, more] = answers as [(typeof answers)[number], (typeof answers)[number]]
  let first = less.answer
  for (let spent = 0; spent <= minDifference + 1; spent += 1) {
    const [mine, its] = [saidIn(first), saidIn(more.answer)]
    if (mine.limit !== its.limit || its.remaining - mine.remaining >= minDifference) {
      return { own: less.key, other: more.key, first, second: more.answer }
    }
    // A count that does not fall is another fault, and the keys will never differ.
    if (spent >= maxUnchanged && mine.remaining >= saidIn(less.answer).remaining) break
    first = await context.call(onNew(less.key))
  }
  const message = 'the quota left of the two keys does not differ'
  throw new Untested('ambiguous', message, [more.answer, first])
}

/** Whether the numbers of a response fit another key, and not its own. */
const isOfOther = (
  answer: Answered,
  key: LimitKey,
  alone: Answered,
  other: { readonly key: LimitKey; readonly alone: Answered },
): boolean => {
  const [said, own, its] = [answer, alone, other.alone].map(saidIn)
  if (!said || !own || !its) return false
  if (windowOf(said.limit, key.quota) === undefined) {
    return windowOf(said.limit, other.key.quota) !== undefined
  }
  if (said.limit !== own.limit || said.limit !== its.limit) return false
  const fits = (line: typeof said) =>
    said.remaining <= line.remaining + refill && said.remaining >= line.remaining - calls - refill
  return fits(its) && !fits(own)
}

/** Whether a key is where its own calls have left it: then no other client used it. */
const isWhereItWas = (before: Answered, after: Answered): boolean => {
  const [from, to] = [saidIn(before), saidIn(after)]
  const fall = from.remaining - to.remaining
  return from.limit === to.limit && fall >= -refill && fall <= calls
}

const isTelling = ({ own, other, first, second }: Begun, answer: Answered): boolean =>
  answer.key === own.label
    ? isOfOther(answer, own, first, { key: other, alone: second })
    : isOfOther(answer, other, second, { key: own, alone: first })

/** An error follows each list: its headers are usually written by other code. */
const sendBoth = async (context: Context, pair: Pair): Promise<readonly Answered[]> => {
  const both = [pair.own, pair.other].map(withKey)
  const missing = both.map(({ key }) => ({ ...unknown.request(context), key }))
  const row: Answered[] = []
  for (const request of [...both, ...missing]) row.push(await context.call(request))
  // A creation takes longer, so headers of requests that come in meanwhile may get into it.
  const creations = context.allow.includes('write')
    ? [pair.own, pair.other].map(({ label }) => ({ ...created.request(context), key: label }))
    : []
  const lists = Array.from({ length: turns }, () => both).flat()
  return [...row, ...(await context.together([...creations, ...lists]))]
}

const expectServed = async (context: Context, answers: readonly Answered[]): Promise<void> => {
  for (const answer of answers) {
    if ([403, 429].includes(statusOf(answer))) {
      const why = `key ${answer.key} was refused: another client may have used it meanwhile`
      throw new Suspicion(why, [answer])
    }
    const specimen = specimens[operationOf(answer) ?? 'get']
    const misfit = misfitOf(context, specimen, answer)
    if (misfit) await judgeMisfit(context, specimen, answer, misfit, 'while two keys were in use')
  }
}

/** @param mayRepeat whether to repeat it once if a window ended meanwhile */
const expectOwnKey = async (context: Context, pair: Pair, mayRepeat: boolean): Promise<void> => {
  const begun = await begin(context, pair)
  const answers = await sendBoth(context, begun)
  await expectServed(context, answers)
  // An error without the headers is another fault.
  const telling = answers.filter((answer) => statusOf(answer) !== 404 || rateHeaders(answer))
  const foreign = telling.find((answer) => isTelling(begun, answer))
  if (!foreign) return
  const { own, other, first, second } = begun
  const isOwn = foreign.key === own.label
  const before = isOwn ? first : second
  const after = await context.call(onNew(isOwn ? own : other))
  const actual = `those of ${isOwn ? other.label : own.label}, while both were in use`
  const evidence = [before, after, foreign]
  if (mayRepeat && saidIn(after).reset > saidIn(before).reset) {
    return expectOwnKey(context, pair, false)
  }
  if (context.limits.shared || !isWhereItWas(before, after)) {
    throw new Suspicion('another client may have used a key meanwhile', evidence)
  }
  violate(`the rate-limit headers of key ${foreign.key}`, actual, ...evidence)
}

export const otherKeys = check({
  id: 'response-own-key',
  requirement: 'service.own-response',
  needs: { stage: 'limits', keyed: 2 * calls + minDifference, anonymous: 0, beside: 'any' },
  sends:
    'With two keys, of different plans if there are such: lists of each in turn on one ' +
    'connection, and at the same time with a creation of each. Before that each key sends alone, ' +
    'and calls of one are spent until Limit or Remaining differ.',
  fails: 'Rate-limit headers that belong to the other key, while alone each key gets its own.',
  inconclusive:
    'the quota left of the two keys does not differ, or another client may have used a key ' +
    '(ambiguous)',
  run: async (context) => {
    await context.control('list')
    await expectOwnKey(context, pairOf(context), true)
  },
})
