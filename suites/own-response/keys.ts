// Two keys on one connection in turn, and at the same time: each response is that of its own key.

import { check } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import { type Answered, statusOf } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { allKeys, type LimitKey } from '../../engine/quota/limits.ts'
import { rateHeaders, windowOf } from '../../engine/quota/rate-headers.ts'
import { operationOf } from '../answers.ts'
import { listPets } from '../requests.ts'
import { judgeMisfit } from './alone.ts'
import { creation, list, misfitOf, type Specimen, unknown } from './specimens.ts'

const short = listPets({ limit: 1 })
/** A key of another plan is to be shown as many pets as any. */
const long = listPets({ limit: 100 })
const served = list({ limit: 1 })
const created = creation()

const specimens: Readonly<Record<'list' | 'create' | 'get', Specimen>> = {
  list: served,
  create: created,
  get: unknown,
}

/** So many calls of each key, in a row and then at once. */
const turns = 2
/** All calls of a key that are looked at: a creation, one alone before them, and one after. */
const calls = 2 * turns + 3
/** So many calls may find the same number, of a count that lags. */
const stillMost = 3
/** By so much what the two have left has to differ, so that one is not taken for the other. */
const apart = 2 * calls
const secondMs = 1_000
/** What may come back meanwhile by any design that gives back call by call. */
const refill = 2

interface Pair {
  readonly own: LimitKey
  readonly other: LimitKey
}

/** Another plan is told from the first one by its Limit alone. */
const pairOf = ({ limits }: Context): Pair => {
  const [own, ...others] = allKeys(limits).toSorted((a, b) => a.quota.perMinute - b.quota.perMinute)
  const other = others.find(({ plan }) => plan !== own?.plan) ?? others[0]
  if (own && other) return { own, other }
  throw new Untested('key', 'it needs a second key (--key PLAN=KEY again)')
}

const withKey = ({ label }: LimitKey) => ({ ...short, key: label })

const onNew = (key: LimitKey) => ({ ...withKey(key), fresh: true }) as const

/** What an answer says of its window. */
const saidIn = (answer: Answered) => {
  const said = rateHeaders(answer)
  if (said) return said
  throw new Untested('blocked', `no rate-limit headers in ${told(answer)}`, [answer])
}

/** Asks alone, behind the next reset if too few are left for all that follows. */
const askFresh = async (context: Context, key: LimitKey, needed: number): Promise<Answered> => {
  const ask = () => context.call({ ...onNew(key), path: long.path })
  const first = await ask()
  const { remaining, resetInMs } = saidIn(first)
  if (remaining >= needed) return first
  await context.limits.pass(resetInMs + secondMs)
  return ask()
}

/** Each key alone, as it was answered before both are used. */
interface Begun extends Pair {
  readonly first: Answered
  readonly second: Answered
}

/** Asks with both, each alone: the one that has less left is spent until they differ. */
const begin = async (context: Context, pair: Pair): Promise<Begun> => {
  const [one, two] = [pair.own, pair.other]
  const answers = [
    { key: one, answer: await askFresh(context, one, calls + apart) },
    { key: two, answer: await askFresh(context, two, calls + apart) },
  ].toSorted((a, b) => saidIn(a.answer).remaining - saidIn(b.answer).remaining)
  const [less, more] = answers as [(typeof answers)[number], (typeof answers)[number]]
  let first = less.answer
  for (let spent = 0; spent <= apart + 1; spent += 1) {
    const [mine, its] = [saidIn(first), saidIn(more.answer)]
    if (mine.limit !== its.limit || its.remaining - mine.remaining >= apart) {
      return { own: less.key, other: more.key, first, second: more.answer }
    }
    // A number that stands still is another fault, and no call makes these two differ.
    if (spent >= stillMost && mine.remaining >= saidIn(less.answer).remaining) break
    first = await context.call(onNew(less.key))
  }
  const message = 'what the two keys have left is not told apart'
  throw new Untested('ambiguous', message, [more.answer, first])
}

/** Whether a response says what another key would be told, and not what its own is. */
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

/** Alone again each key is where its own calls have left it: then nobody else called. */
const isWhereItWas = (before: Answered, after: Answered): boolean => {
  const [from, to] = [saidIn(before), saidIn(after)]
  const fall = from.remaining - to.remaining
  return from.limit === to.limit && fall >= -refill && fall <= calls
}

const isTelling = ({ own, other, first, second }: Begun, answer: Answered): boolean =>
  answer.key === own.label
    ? isOfOther(answer, own, first, { key: other, alone: second })
    : isOfOther(answer, other, second, { key: own, alone: first })

/** In the row an error follows each list: its headers are written elsewhere, as a rule. */
const askBoth = async (context: Context, pair: Pair): Promise<readonly Answered[]> => {
  const both = [pair.own, pair.other].map(withKey)
  const missing = both.map(({ key }) => ({ ...unknown.request(context), key }))
  const row: Answered[] = []
  for (const request of [...both, ...missing]) row.push(await context.call(request))
  // A creation takes longer, so that the headers of what came in meanwhile may get into it.
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

/** @param mayRepeat whether it is asked once more where a window ended in the row */
const expectOwnKey = async (context: Context, pair: Pair, mayRepeat: boolean): Promise<void> => {
  const begun = await begin(context, pair)
  const answers = await askBoth(context, begun)
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

export const otherKeys = check(
  'response-own-key',
  'service.own-response',
  { stage: 'limits', keyed: 2 * calls + apart, anonymous: 0, beside: 'any' },
  async (context) => {
    await context.control('list')
    await expectOwnKey(context, pairOf(context), true)
  },
)
