// The quota of a day, spent minute by minute with the test clock.
import type { Needs, Question } from '../kit/check.ts'
import { check } from '../kit/check.ts'
import type { Context } from '../kit/context.ts'
import type { Answered } from '../kit/exchange.ts'
import { told, violate } from '../kit/expect.ts'
import type { LimitKey } from '../kit/limits.ts'
import { Suspicion, Untested, Violation } from '../kit/outcome.ts'
import { dayMost, judgeDayFewer, judgeDayMore } from './day-judgements.ts'
import type { Judgement } from './quota-judgements.ts'
import { dayMs, daySaid, isServed, minuteMs, minuteSaid } from './reading.ts'
import { passTold } from './retry.ts'
import { answered, flood, short } from './round.ts'

/** Minutes that spending a day may take: a few more than a Free one needs. */
const minutesMost = 40
const secondMs = 1_000
/** The last day on which the deprecated operation is there; what follows needs it. */
const lastMs = Date.UTC(2030, 11, 2)

const needs: Needs = {
  stage: 'days',
  keyed: 0,
  anonymous: 0,
  allow: ['exhaust', 'day'],
  clock: true,
  plan: 'free',
}

const keyOf = ({ limits }: Context): LimitKey => {
  const key = limits.keys.find(({ plan }) => plan === 'free')
  if (key) return key
  throw new Untested('key', 'its only key of the plan free is the one for bans')
}

/** A minute past a midnight before which the key has rested for two days. */
const beginDay = async ({ clock, limits }: Context): Promise<void> => {
  const now = await clock.now()
  const begin = (Math.floor(now / dayMs) + 3) * dayMs + minuteMs
  if (begin > lastMs) {
    throw new Untested('clock', 'its clock stands too near to the removal date: restart the target')
  }
  await limits.pass(begin - now)
}

/** How many the minute has left, for all that is announced. */
const minuteRoom = (answer: Answered, { quota }: LimitKey): number =>
  minuteSaid(answer, quota)?.remaining ?? quota.perMinute - 1

/** How many may be asked now without being refused, for all that is announced and was served. */
const roomAfter = (answer: Answered, key: LimitKey, served: number): number =>
  Math.min(
    minuteRoom(answer, key),
    daySaid(answer, key.quota)?.remaining ?? key.quota.perDay,
    Math.max(0, key.quota.perDay - served),
  )

/** Until nothing of this minute is counted any more, as far as is told. */
const passMinute = async ({ limits }: Context, { quota }: LimitKey, latest: Answered) => {
  const toldMs = minuteSaid(latest, quota)?.resetInMs ?? minuteMs
  await limits.pass(Math.min(Math.max(toldMs, minuteMs), 2 * minuteMs) + secondMs)
}

/** Spends a day, and asks once more: up to a refusal, or until too much was served. */
const spend = async (context: Context, key: LimitKey): Promise<readonly Answered[]> => {
  const { limits } = context
  const answers: Answered[] = []
  const servedCount = () => answers.filter(isServed).length
  const isOver = () =>
    answers.some((one) => !isServed(one)) || servedCount() > dayMost(answers, key.quota)
  await beginDay(context)
  for (let minute = 0; minute < minutesMost; minute += 1) {
    const first = await limits.insist(key.label, short)
    answers.push(first)
    if (isOver()) return answers
    const room = roomAfter(first, key, servedCount())
    const { answers: more } = await flood(limits, key.label, Array<typeof short>(room).fill(short))
    answers.push(...more)
    const beyond = servedCount() < key.quota.perDay ? 0 : minuteRoom(first, key) - more.length
    // Any of these may be the one that is refused, so they go one by one.
    for (let asked = 0; asked < beyond && !isOver(); asked += 1) {
      answers.push(await limits.insist(key.label, short))
    }
    if (isOver()) return answers
    await passMinute(context, key, answers.at(-1) ?? first)
  }
  return answers
}

const spent = async (context: Context): Promise<readonly Answered[]> => {
  await context.control('list')
  const key = keyOf(context)
  return context.once(`day spent: ${key.label}`, () => answered(spend(context, key)))
}

const decide = (found: Judgement): void => {
  if (found.kind === 'holds') return
  if (found.kind === 'unclear') throw new Suspicion(found.why, found.evidence)
  throw new Violation(found.expected, found.actual, found.evidence)
}

const notMore = check(
  'day-quota-not-more',
  'limits.free',
  { ...needs, keyed: 1_001 },
  async (context) => {
    const answers = await spent(context)
    const { quota } = keyOf(context)
    decide(judgeDayMore(answers, quota))
    if (answers.length > quota.perDay) return
    throw new Suspicion(`no more than ${answers.length} requests were asked`, answers.slice(-1))
  },
)

const refusalOf = (answers: readonly Answered[]): Answered => {
  const refusal = answers.find((one) => !isServed(one))
  if (refusal) return refusal
  throw new Suspicion('no request was refused for its day', answers.slice(-1))
}

const notFewer = check('day-quota-not-fewer', 'limits.free', needs, async (context) => {
  const answers = await spent(context)
  refusalOf(answers)
  const found = judgeDayFewer(answers, keyOf(context).quota)
  if (found.kind === 'breach' && context.limits.shared) {
    throw new Suspicion('others use the key (shared: true)', found.evidence)
  }
  decide(found)
})

/** A refusal for the day that tells the wait of a minute sends its caller into the next one. */
const ownWindow = check(
  'day-refusal-own-window',
  'headers.agree',
  { ...needs, keyed: 1 },
  async (context) => {
    const { limits } = context
    const key = keyOf(context)
    const answers = await spent(context)
    const refusal = refusalOf(answers)
    if (answers.filter(isServed).length < key.quota.perDay) {
      throw new Suspicion('it was refused before its day was spent', [refusal])
    }
    await passTold(limits, refusal)
    const answer = await answered(limits.insist(key.label, short))
    if (isServed(answer)) return
    if (limits.shared) throw new Suspicion('others use the key', [refusal, answer])
    const expected = 'a refusal for the day that is over when it says'
    violate(expected, `waited as told, and got ${told(answer)}`, refusal, answer)
  },
)

export const day: readonly Question[] = [notMore, notFewer, ownWindow]
