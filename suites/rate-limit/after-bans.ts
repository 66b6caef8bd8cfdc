// After bans a first refusal is still no ban: on the key that was banned, and on any other.

import type { Context } from '../../engine/context.ts'
import { type Check, check } from '../../engine/declare.ts'
import type { Answered } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { isAlone } from './alone.ts'
import { type Ending, expectEnd, waitOut } from './ban-end.ts'
import { type FirstRefusal, firstRefusals } from './first-refusals.ts'
import { answered, orUntested } from './flood.ts'
import { aftermath, type Knocks, knocked, knockedAgain, knockedLess, noBan } from './knocks.ts'
import { refusedLate } from './last-second.ts'
import { forgottenMs, fromMs, isRefused, isServed, isShutOut, toMs } from './reading.ts'
import { cheapest, short } from './round.ts'

/** What follows takes days, and has to be over before the deprecated operation is removed. */
const lastMs = Date.UTC(2030, 10, 1)

interface BannedAgain {
  readonly knocks: Knocks
  readonly ending: Ending
}

const isTooLate = async ({ clock }: Context): Promise<boolean> => (await clock.now()) > lastMs

const drawSecondBan = async (context: Context): Promise<BannedAgain | null> => {
  if (await isTooLate(context)) return null
  await context.limits.pass(forgottenMs)
  const knocks = await knockedAgain(context)
  return knocks.ban ? { knocks, ending: await waitOut(context, knocks) } : null
}

/** A second ban, waited out as it states; null where there is none. */
const bannedAgain = (context: Context): Promise<BannedAgain | null> =>
  context.once('the second ban waited out', async () => {
    const drawn = drawSecondBan(context)
    return (await orUntested(drawn)) ? drawn : null
  })

/** After a second ban, sends one request fewer than it took to draw it. */
const refuseAnew = async (context: Context): Promise<void> => {
  const again = await bannedAgain(context)
  if (!again) return
  await context.limits.pass(forgottenMs)
  await knockedLess(context, again.knocks)
}

/** A key that is served later was not withdrawn. */
const isServedLater = async ({ limits }: Context, { key, refusal }: FirstRefusal) => {
  if (limits.heard(key.label).some((one) => one.seq > refusal.seq && isServed(one))) return true
  await limits.pass(forgottenMs)
  return isServed(await answered(limits.insist(key.label, short)))
}

/** Whether the key itself had drawn refusals that a day's count may hold. */
const isCounted = ({ refusal }: FirstRefusal, heard: readonly Answered[]): boolean =>
  heard.some(
    (one) => one.seq < refusal.seq && isShutOut(one) && toMs(one) > fromMs(refusal) - forgottenMs,
  )

const notFirst = check({
  id: 'ban-not-first-after-bans',
  requirement: 'ban.only-repeated',
  needs: {
    ...aftermath,
    clock: true,
    keyed: 326,
    holds: 'knocks again',
    looksAt: ['knocks', 'late'],
  },
  sends:
    'By the test clock, each 25 hours after the one before: another ban is provoked, one refusal ' +
    'fewer than that took is drawn, and the cheapest key is exhausted.',
  fails:
    'The first refusal of a key in 25 hours, of any in the run, is 401 or 403, and the key is ' +
    'served later.',
  inconclusive: 'no key for bans, or another client may have used the key (ambiguous)',
  run: async (context) => {
    const { limits } = context
    await knocked(context)
    if (await isTooLate(context)) {
      throw new Untested('clock', 'its clock is too near to the removal date: restart the target')
    }
    // A key that was refused from the start may be shut out before its burst ends.
    await orUntested(refuseAnew(context))
    const other = cheapest(limits)
    await orUntested(answered(refusedLate(context, other)))
    for (const first of firstRefusals(context)) {
      const { refusal, key, before, isOurs } = first
      // A 429 may be a ban too, but here only its status shows one.
      if (isRefused(refusal) || isCounted(first, limits.heard(key.label))) continue
      if (!(await isServedLater(context, first))) continue
      const evidence = [...(before ? [before] : []), refusal]
      if (!isOurs || !(await isAlone(context, key, undefined))) {
        throw new Suspicion('another client may have drawn a ban', evidence)
      }
      violate(`429 to the first refusal of key ${key.label}`, told(refusal), ...evidence)
    }
  },
})

/** A second ban may last longer than the first, and says so. */
const endsAgain = check({
  id: 'ban-ends-again',
  requirement: 'ban.ends',
  needs: { ...aftermath, clock: true, looksAt: ['knocks again'] },
  sends:
    'Nothing of its own: the second ban, which `ban-not-first-after-bans` provokes and waits out ' +
    'as stated.',
  fails: 'The key is still refused after three stated waits.',
  inconclusive:
    'no second ban came (inapplicable), or another client may have used the key (ambiguous)',
  run: async (context) => {
    const knocks = await knocked(context)
    const again = await bannedAgain(context)
    if (again) return expectEnd(context, again.knocks, again.ending)
    noBan(knocks)
  },
})

export const afterBans: readonly Check[] = [notFirst, endsAgain]
