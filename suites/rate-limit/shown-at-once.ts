// Each response shows the count with its own call in it: Remaining is not that of the call before.

import type { Context, LimitKey } from '../../engine/context.ts'
import { type Check, check } from '../../engine/declare.ts'
import type { Answered } from '../../engine/exchange.ts'
import { violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { createPet } from '../requests.ts'
import { hindsight } from './quota.ts'
import { isServed, minuteMs, minuteSaid, spanMs } from './reading.ts'
import { cheapest, short } from './round.ts'

/** A creation and a list in turn, after one list. */
const pairs = 3
/** Replicas that count together may take so long to learn of a call. */
const lagMs = 300

const rowOf = async (context: Context, key: LimitKey, pauseMs: number): Promise<Answered[]> => {
  const ask = (request = short) => context.call({ ...request, key: key.label })
  const row = [await ask()]
  for (let at = 0; at < 2 * pairs; at += 1) {
    if (pauseMs > 0) await context.limits.linger(pauseMs)
    row.push(await ask(at % 2 === 0 ? createPet(context.newPet()) : short))
  }
  if (!row.every(isServed)) throw new Untested('blocked', 'a valid request was refused', row)
  return row
}

/** By how much Remaining fell from each to the next; undefined where a window may have ended. */
const fallsIn = (row: readonly Answered[], { quota }: LimitKey): number[] | undefined => {
  const said = row.flatMap((one) => minuteSaid(one, quota) ?? [])
  if (said.length < row.length) return undefined
  return said.slice(1).map(({ remaining }, at) => (said[at]?.remaining ?? 0) - remaining)
}

/** One kind of call takes nothing and the other one two, each time: no other client does that. */
const isBehind = (falls: readonly number[]): boolean =>
  [0, 1].some((stale) => falls.every((fall, at) => fall === (at % 2 === stale ? 0 : 2)))

/** A bucket that gives a call back between any two of them explains what takes nothing. */
const isRefilled = (row: readonly Answered[], { quota }: LimitKey): boolean =>
  (spanMs(row) / pairs) * quota.perMinute >= minuteMs

const shown = check({
  id: 'remaining-shows-own-call',
  requirement: 'headers.remaining.falls',
  needs: { ...hindsight, keyed: 1 + 2 * pairs, allow: ['exhaust', 'write'], clock: true },
  sends:
    'By the test clock: a list, and three times a creation and a list. If the numbers are one ' +
    'call behind, the same after a rest, 300 ms apart.',
  fails:
    'In both rows Remaining falls by nothing with each call of one kind and by two with each of ' +
    'the other.',
  inconclusive:
    'Remaining of the minute is not given, the second row differs, or another client may have ' +
    'used the key (ambiguous)',
  run: async (context) => {
    await context.control('create')
    const key = cheapest(context.limits)
    const quick = await rowOf(context, key, 0)
    const falls = fallsIn(quick, key)
    if (!falls) throw new Untested('ambiguous', 'Remaining of the minute is not given', quick)
    if (!isBehind(falls)) return
    await context.limits.rest(key.label)
    const slow = await rowOf(context, key, lagMs)
    const actual = `it fell by ${falls.join(', ')}`
    if (context.limits.shared || isRefilled(slow, key) || !isBehind(fallsIn(slow, key) ?? [])) {
      throw new Suspicion(`${actual} in quick calls, which a late count explains`, quick)
    }
    violate('Remaining to fall by one with a creation, and with a list', actual, ...slow)
  },
})

export const shownAtOnce: readonly Check[] = [shown]
