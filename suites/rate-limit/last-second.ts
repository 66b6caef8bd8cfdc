// Refusals in the last second of a minute, after a creation took the last of its calls: a wait that
// is cut to whole seconds is 0 there.

import type { Context, LimitKey } from '../../engine/context.ts'
import { type Check, check } from '../../engine/declare.ts'
import type { Answered } from '../../engine/exchange.ts'
import { Inapplicable } from '../../engine/outcome.ts'
import { burstMost } from '../../engine/quota/limits.ts'
import { createPet } from '../requests.ts'
import { canCreate } from './exhausted.ts'
import { answered, flood } from './flood.ts'
import { passUntil, phases } from './phase.ts'
import { hindsight } from './quota.ts'
import { isRefused, isServed, minuteMs, minuteSaid } from './reading.ts'
import { expectWait } from './retry-after.ts'
import { cheapest, short } from './round.ts'

/** A Reset is exact, or up to a second later than the end of the window that it names. */
const beforeResetMs = [600, 1_600]

/** Calls that are asked one by one where the last answer says that some are left. */
const announcedMost = 3

/** Spends a minute, the last call of it a creation, and asks once more just before it ends. */
const refuseLate = async (context: Context, key: LimitKey, beforeMs: number) => {
  const { limits } = context
  const { label, quota } = key
  const ask = (request = short) => limits.insist(label, request)
  const creates = await canCreate(context)
  await limits.rest(label)
  await passUntil(context, 0, phases.begin)
  const first = await ask()
  const left = minuteSaid(first, quota)?.remaining ?? 0
  if (!isServed(first) || left < 2) return undefined
  const reads = Array<typeof short>(left - 1).fill(short)
  const { answers, lost } = await flood(limits, label, reads)
  if (lost > 0 || !answers.every(isServed)) return undefined
  let last = await ask(creates ? createPet(context.newPet()) : short)
  for (let asked = 0; asked < announcedMost; asked += 1) {
    if (!isServed(last) || minuteSaid(last, quota)?.remaining === 0) break
    last = await ask()
  }
  const said = minuteSaid(last, quota)
  if (!isServed(last) || !said || said.remaining > 0) return undefined
  const waitMs = said.reset * 1_000 - beforeMs - (await context.clock.now())
  // A bucket names its next token: none of its refusals is late.
  if (waitMs < 0 || waitMs > 2 * minuteMs) return undefined
  await limits.pass(waitMs)
  return ask()
}

/** Two such minutes of a key, each once in a run. */
export const refusedLate = (context: Context, key: LimitKey): Promise<readonly Answered[]> =>
  context.once(`refused in the last second: ${key.label}`, async () => {
    const refusals: Answered[] = []
    if (key.quota.perMinute > burstMost) return refusals
    for (const beforeMs of beforeResetMs) {
      const last = await answered(refuseLate(context, key, beforeMs))
      if (last && isRefused(last)) refusals.push(last)
    }
    return refusals
  })

const present = check({
  id: 'retry-after-last-second',
  requirement: 'retry-after.present',
  needs: { ...hindsight, stage: 'bans', clock: true, keyed: 122, holds: 'late' },
  sends:
    'By the test clock, twice after a rest: the minute is spent, its last call a creation if ' +
    'those are allowed, and one request follows 0.6 s, or 1.6 s, before the Reset.',
  fails:
    'The `Retry-After` of that refusal is not in the future, such as 0 for a wait cut to whole ' +
    'seconds.',
  inconclusive: 'nothing was refused then, as Reset is not the end of the minute (inapplicable)',
  run: async (context) => {
    await context.control('list')
    const refusals = await refusedLate(context, cheapest(context.limits))
    if (refusals.length === 0) {
      throw new Inapplicable('its Reset names no moment right before which a call is refused')
    }
    refusals.forEach(expectWait)
  },
})

export const lastSecond: readonly Check[] = [present]
