// The end of a ban, and what holds during and after it. A ban is waited out as its latest response
// states, or with doubled waits.

import type { Context } from '../../engine/context.ts'
import { type Check, check } from '../../engine/declare.ts'
import type { Answered } from '../../engine/exchange.ts'
import { describeResponse, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { gapsIn } from '../../engine/quota/round.ts'
import { createPet } from '../requests.ts'
import { completes, shortList, unlessLost } from './burst.ts'
import { cheapest, statedWaitMs } from './experiments.ts'
import { type FirstRefusal, firstRefusals, isOnlyClient, sawOtherClient } from './other-clients.ts'
import {
  dayMs,
  forgottenMs,
  fromMs,
  isRefused,
  isServed,
  isShutOut,
  minuteMs,
  toMs,
  waitOf,
} from './reading.ts'
import { listOfStatus, sentBody } from './refusals.ts'
import {
  type After429,
  after429,
  after429Again,
  after429WithoutBan,
  banNeeds,
  latestOf,
  noBan,
} from './requests-after-429.ts'
import { refusedBeforeReset } from './retry-after.ts'

/** A ban that is stated to be longer is not temporary. */
const maxBanMs = 10 * 365 * dayMs
const maxTries = 3
/** The sums of the doubled waits where none is stated. */
const maxUnstatedMs = { instant: dayMs, real: 75_000 }
/** Half of a shorter wait does not differ from the whole, as both are whole seconds. */
const minHalvedMs = 10_000
const graceMs = 50

interface Ending {
  /** Each after the wait that the response before it states, or after a doubled wait. */
  readonly tries: readonly Answered[]
  /** The first of them that was refused after a stated wait, and the response that stated it. */
  readonly untrue: readonly Answered[]
  /** How long the key had been silent in all. */
  readonly silentMs: number
}

const statesWait = (response: Answered): boolean => {
  const wait = waitOf(response)
  return 'ms' in wait && wait.ms > 0
}

/** One request in the middle of a ban, which may prolong it: from then on its response counts. */
const callHalfway = async (
  { limits }: Context,
  { ban, key }: After429,
): Promise<Answered | undefined> => {
  if (!limits.instant || !ban || !statesWait(ban)) return undefined
  const ms = statedWaitMs(limits, ban)
  if (ms < minHalvedMs) return undefined
  await limits.pass(ms / 2)
  return unlessLost(limits.sendAnyway(key.label, shortList))
}

/** Waits as the latest response states, or twice as long each time, until the key is served. */
const waitOut = async (context: Context, seen: After429): Promise<Ending> => {
  const { limits } = context
  const maxMs = limits.instant ? maxUnstatedMs.instant : maxUnstatedMs.real
  const tries: Answered[] = []
  let untrue: readonly Answered[] = []
  let latest = (await callHalfway(context, seen)) ?? latestOf(seen)
  let silentMs = 0
  let statedTries = 0
  let unstatedMs = minuteMs
  while (isShutOut(latest) && statedTries < maxTries && unstatedMs <= maxMs) {
    const isStated = statesWait(latest)
    const ms = isStated ? statedWaitMs(limits, latest) + graceMs : unstatedMs
    await limits.pass(ms)
    silentMs += ms
    const response = await unlessLost(limits.sendAnyway(seen.key.label, shortList))
    tries.push(response)
    if (isStated && isShutOut(response) && untrue.length === 0) untrue = [latest, response]
    if (isStated) statedTries += 1
    else unstatedMs *= 2
    latest = response
  }
  return { tries, untrue, silentMs }
}

/** A key that is still refused cannot show it; with the test clock what was seen of it will do. */
const wasOnlyClient = async (
  context: Context,
  { key, round }: After429,
  isOver: boolean,
): Promise<boolean> => {
  const { instant, shared } = context.limits
  if (isOver || !instant) return isOnlyClient(context, key, round)
  return !shared && gapsIn(round) === 0 && !sawOtherClient(context, key)
}

const expectEnd = async (context: Context, seen: After429, ending: Ending): Promise<void> => {
  const { tries, silentMs } = ending
  const last = tries.at(-1)
  if (!last || !isShutOut(last)) return
  const evidence = [seen.refusal, ...tries]
  if (!statesWait(last) || !(await wasOnlyClient(context, seen, false))) {
    const seconds = Math.round(silentMs / 1000)
    const why = `the key is still refused after ${seconds} s; a longer wait is needed to decide`
    throw new Suspicion(why, evidence)
  }
  const actual = `after ${tries.length} stated waits it got ${describeResponse(last)}`
  violate('a ban that ends when it says', actual, ...evidence)
}

/**
 * Judges a ban that ended later than a response had stated. With the test clock another one is
 * provoked, as another client may have prolonged the first; in real time that cannot be excluded.
 */
const expectTrueWait = async (context: Context, seen: After429, ending: Ending): Promise<void> => {
  const { untrue } = ending
  const last = untrue.at(-1)
  if (!last) return
  if (!context.limits.instant || !(await wasOnlyClient(context, seen, true))) {
    throw new Suspicion('another client may have prolonged the ban', untrue)
  }
  const again = await waitOut(context, await after429Again(context))
  if (again.untrue.length === 0) {
    throw new Suspicion('the key was refused once after the stated wait, and not again', untrue)
  }
  const actual = `after the stated wait it got ${describeResponse(last)}`
  violate('a ban that ends when it says', actual, seen.refusal, ...untrue)
}

export const banEnds = check({
  id: 'ban-ends',
  requirement: 'ban.ends',
  needs: { ...banNeeds, keyed: 2 },
  sends:
    'With the test clock one request in the middle of the ban. Then the key is silent for as ' +
    'long as its latest response states, or for longer and longer if it states nothing, and ' +
    'sends one request; after a stated wait three times at most.',
  fails:
    'A wait of more than ten years is stated; or the key is still refused after three stated ' +
    'waits; or, by the test clock and in two bans, after one.',
  inconclusive:
    'no ban came (inapplicable), it waited too briefly (ambiguous), or another client may have ' +
    'used the key (ambiguous)',
  run: async (context) => {
    const seen = await after429(context)
    const wait = seen.ban && waitOf(seen.ban)
    if (seen.ban && wait && 'ms' in wait && wait.ms > maxBanMs) {
      violate('a temporary ban', `one of ${Math.round(wait.ms / dayMs)} days`, seen.ban)
    }
    const ending = await context.once('the ban waited out', () => waitOut(context, seen))
    await expectEnd(context, seen, ending)
    await expectTrueWait(context, seen, ending)
    if (!seen.ban) noBan(seen)
  },
})

/** Comes after `ban-ends`, which waits the ban out. */
export const banCreation = check({
  id: 'ban-creation-no-effect',
  requirement: 'limits.no-effect',
  needs: { ...banNeeds, keyed: 2, allow: ['exhaust', 'ban', 'write'] },
  sends:
    'One creation with the banned key; once the ban is over a valid one, and a list of their ' +
    'status.',
  fails: 'The pet of the first one is listed.',
  inconclusive:
    'no ban came (inapplicable), it was over by then, or the list does not hold both (ambiguous)',
  run: async (context) => {
    await context.control('create')
    const seen = await after429(context)
    const refused = seen.creation
    if (!seen.ban || !refused) return noBan(seen)
    if (!isShutOut(refused)) {
      throw new Suspicion(`the ban was over by then: ${describeResponse(refused)}`, [refused])
    }
    const { name, status } = sentBody(refused)
    const sent = context.newPet({ status: String(status) })
    const control = await context.call({ ...createPet(sent), key: seen.key.label })
    if (!isServed(control)) throw new Untested('blocked', 'a creation was refused', [control])
    const { response, pets } = await listOfStatus(context, String(status), seen.key)
    if (pets.some((pet) => pet.name === name)) {
      violate('no trace of a creation sent during a ban', `${name} is listed`, refused, response)
    }
    if (pets.length < 100 && pets.some((pet) => pet.name === sent.name)) return
    throw new Suspicion('the list does not hold all pets of its status', [refused, response])
  },
})

/** What follows takes days, and has to be over before the deprecated operation is removed. */
const maxClockMs = Date.UTC(2030, 10, 1)

const isTooLate = async ({ clock }: Context): Promise<boolean> => (await clock.now()) > maxClockMs

const provokeSecondBan = async (context: Context) => {
  if (await isTooLate(context)) return null
  await context.limits.pass(forgottenMs)
  const seen = await after429Again(context)
  return seen.ban ? { seen, ending: await waitOut(context, seen) } : null
}

/** A second ban, waited out as it states; null if there is none. */
const secondBan = (context: Context) =>
  context.once('the second ban waited out', async () => {
    const provoked = provokeSecondBan(context)
    return (await completes(provoked)) ? provoked : null
  })

/** After a second ban, sends one request fewer than it took to provoke it. */
const refuseWithoutBan = async (context: Context): Promise<void> => {
  const again = await secondBan(context)
  if (!again) return
  await context.limits.pass(forgottenMs)
  await after429WithoutBan(context, again.seen)
}

/** A key that is served later was not withdrawn. */
const isServedLater = async ({ limits }: Context, { key, refusal }: FirstRefusal) => {
  if (limits.responsesTo(key.label).some((one) => one.seq > refusal.seq && isServed(one)))
    return true
  await limits.pass(forgottenMs)
  return isServed(await unlessLost(limits.sendAnyway(key.label, shortList)))
}

/** Whether the key itself had been refused within the time that a day's count may hold. */
const isRepeated = ({ refusal }: FirstRefusal, responses: readonly Answered[]): boolean =>
  responses.some(
    (one) => one.seq < refusal.seq && isShutOut(one) && toMs(one) > fromMs(refusal) - forgottenMs,
  )

const notFirst = check({
  id: 'ban-not-first-after-bans',
  requirement: 'ban.only-repeated',
  needs: {
    ...banNeeds,
    clock: true,
    keyed: 326,
    holds: 'requestsAfter429 again',
    looksAt: ['requestsAfter429', 'late'],
  },
  sends:
    'By the test clock, each 25 hours after the one before: another ban is provoked, one refusal ' +
    'fewer than that took is provoked, and the cheapest key is exhausted.',
  fails:
    'The first refusal of a key in 25 hours, of any in the run, is 401 or 403, and the key is ' +
    'served later.',
  inconclusive: 'no key for bans, or another client may have used the key (ambiguous)',
  run: async (context) => {
    const { limits } = context
    await after429(context)
    if (await isTooLate(context)) {
      throw new Untested('clock', 'its clock is too near to the removal date: restart the target')
    }
    // A key that was refused from the start may be shut out before its burst ends.
    await completes(refuseWithoutBan(context))
    await completes(unlessLost(refusedBeforeReset(context, cheapest(limits))))
    for (const first of firstRefusals(context)) {
      const { refusal, key, before, isOurs } = first
      // A 429 may be a ban too, but here only its status shows one.
      if (isRefused(refusal) || isRepeated(first, limits.responsesTo(key.label))) continue
      if (!(await isServedLater(context, first))) continue
      const evidence = [...(before ? [before] : []), refusal]
      if (!isOurs || !(await isOnlyClient(context, key))) {
        throw new Suspicion('another client may have provoked a ban', evidence)
      }
      violate(
        `429 to the first refusal of key ${key.label}`,
        describeResponse(refusal),
        ...evidence,
      )
    }
  },
})

/** A second ban may last longer than the first, and says so. */
const endsAgain = check({
  id: 'ban-ends-again',
  requirement: 'ban.ends',
  needs: { ...banNeeds, clock: true, looksAt: ['requestsAfter429 again'] },
  sends:
    'Nothing of its own: the second ban, which `ban-not-first-after-bans` provokes and waits out ' +
    'as stated.',
  fails: 'The key is still refused after three stated waits.',
  inconclusive:
    'no second ban came (inapplicable), or another client may have used the key (ambiguous)',
  run: async (context) => {
    const first = await after429(context)
    const again = await secondBan(context)
    if (again) return expectEnd(context, again.seen, again.ending)
    noBan(first)
  },
})

export const afterBans: readonly Check[] = [notFirst, endsAgain]
