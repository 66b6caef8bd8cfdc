// A day spent minute by minute with the test clock, after a rest of two days.

import type { Context, LimitKey } from '../../engine/context.ts'
import type { Answered, ApiRequest } from '../../engine/exchange.ts'
import { Untested } from '../../engine/outcome.ts'
import type { Quota } from '../../spec/plans.ts'
import { createPet } from '../requests.ts'
import { dayMost, judgeDayFewer, judgeDayMore } from './day-judgements.ts'
import { type SpentDay, unclear } from './day-spent.ts'
import { canCreate } from './exhausted.ts'
import { flood } from './flood.ts'
import { dayMs, daySaid, isRefused, isServed, isShutOut, minuteMs, minuteSaid } from './reading.ts'
import { short } from './round.ts'

/** Minutes that spending a day may take: a few more than a Free one needs. */
const minutesMost = 40
const secondMs = 1_000
/** So many may fail, or be unreadable; they may have counted. */
const failedMost = 10
/** The last day on which the deprecated operation is there; what follows needs it. */
const lastMs = Date.UTC(2030, 11, 2)

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

/** Of the calls of a day so many are creations, where those are allowed. */
const creationsMost = 50
/** Few in a minute; more where the day says what is left of it, so that each of them shows. */
const creationsOf = { minute: 2, day: 10 }

/** Lists, the last of them creations: in all no more than may be made in a day. */
const mixOf = async (context: Context, { quota }: LimitKey) => {
  const creates = await canCreate(context)
  let created = 0
  return (count: number, said: Answered): ApiRequest[] => {
    const wanted = daySaid(said, quota) ? creationsOf.day : creationsOf.minute
    const creations = creates ? Math.min(wanted, count, creationsMost - created) : 0
    created += creations
    return Array.from({ length: count }, (_, at) =>
      at < count - creations ? short : createPet(context.newPet()),
    )
  }
}

/** Longer than a count is kept that is forgotten after an idle hour, or two. */
const idleMs = 121 * minuteMs
/** The rest of the day is spent after it. */
const spendMs = 60 * minuteMs

/** Whether half of a day is spent, and its Reset says that it goes on long enough. */
const mayIdle = (answer: Answered, { quota }: LimitKey): boolean => {
  const said = daySaid(answer, quota)
  if (!said || said.remaining <= 1 || said.remaining > quota.perDay / 2) return false
  return said.resetInMs > idleMs + spendMs
}

/** Until nothing of this minute is counted any more, as far as is told. */
const passMinute = async ({ limits }: Context, { quota }: LimitKey, latest: Answered) => {
  const toldMs = minuteSaid(latest, quota)?.resetInMs ?? minuteMs
  await limits.pass(Math.min(Math.max(toldMs, minuteMs), 2 * minuteMs) + secondMs)
}

/** Whether the last answer came in the place of a refusal, after the last call of the day. */
const isInstead = (answers: readonly Answered[], quota: Quota): boolean => {
  const last = answers.at(-1)
  const before = answers.slice(0, -1)
  const said = before.flatMap((one) => daySaid(one, quota) ?? []).at(-1)
  const isSpent = before.filter(isServed).length >= quota.perDay && (said?.remaining ?? 0) === 0
  return last !== undefined && !isServed(last) && !isRefused(last) && isSpent
}

/** Spends a day, and asks once more: up to a refusal, or until too much was served. */
const spend = async (context: Context, key: LimitKey): Promise<readonly Answered[]> => {
  const { limits } = context
  const answers: Answered[] = []
  const servedCount = () => answers.filter(isServed).length
  const isOver = () =>
    answers.some(isShutOut) ||
    isInstead(answers, key.quota) ||
    answers.length - servedCount() > failedMost ||
    servedCount() > dayMost(answers, key.quota)
  const mix = await mixOf(context, key)
  let isIdled = false
  await beginDay(context)
  for (let minute = 0; minute < minutesMost; minute += 1) {
    const first = await limits.insist(key.label, short)
    answers.push(first)
    if (isOver()) return answers
    if (!isIdled && mayIdle(first, key)) {
      isIdled = true
      await limits.pass(idleMs)
      continue
    }
    const room = roomAfter(first, key, servedCount())
    const { answers: more } = await flood(limits, key.label, mix(room, first))
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

export const spendByClock = async (context: Context, key: LimitKey): Promise<SpentDay> => {
  const { quota } = key
  const answers = await spend(context, key)
  const last = answers.slice(-1)
  const refusal = answers.find(isRefused)
  const more = judgeDayMore(answers, quota)
  const isAsked = more.kind !== 'holds' || answers.length > quota.perDay
  return {
    more: isAsked ? more : unclear(`no more than ${answers.length} requests were asked`, last),
    fewer: answers.every(isServed)
      ? unclear('no request was refused for its day', last)
      : judgeDayFewer(answers, quota),
    refusal,
    instead: isInstead(answers, quota) ? answers.at(-1) : undefined,
    isWhole: answers.filter(isServed).length >= quota.perDay,
  }
}
