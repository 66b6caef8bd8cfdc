// The end of a ban, and requirements during and after it. A run waits as long as the latest
// response of the ban states, or else longer and longer.

import type { Context } from '../../engine/context.ts'
import { type Check, check } from '../../engine/declare.ts'
import type { AnsweredExchange } from '../../engine/exchange.ts'
import { describeResponse, violate, violateAs, violateStatus } from '../../engine/expect.ts'
import { Inapplicable, Suspicion, Untested } from '../../engine/outcome.ts'
import { gapsIn } from '../../engine/quota/round.ts'
import { refusedStored } from '../pets.ts'
import { createPet } from '../requests.ts'
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
} from './reading.ts'
import { listOfStatus, sentBody, unclearList } from './refusals.ts'
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
import { callAnyway, completes, orIfUntested, tooNearRemoval } from './sending.ts'
import { waitFault, waitMsOf } from './waits.ts'

/** A ban with a longer stated wait is not temporary. */
const maxBanMs = 10 * 365 * dayMs
const maxTries = 3
/** The longest single wait if none is stated; each is twice the one before. */
const maxUnstatedMs = { instant: dayMs, real: 75_000 }
/** A shorter wait is not halved: in whole seconds its half hardly differs. */
const minHalvedMs = 10_000
const graceMs = 50

interface Ending {
  /** Each after the wait that the response before it states, or a doubled wait. */
  readonly tries: readonly AnsweredExchange[]
  /** A response that stated a wait, and the refusal after that wait, if any. */
  readonly untrue: readonly AnsweredExchange[]
  /** How long the key sent nothing in total. */
  readonly silentMs: number
}

const statesWait = (response: AnsweredExchange): boolean => waitFault(response) === undefined

/** Sends one request in the middle of a ban. It may prolong the ban, so its response counts. */
const callHalfway = async (context: Context, { ban, key }: After429) => {
  const { limits } = context
  if (!limits.instant || !ban || !statesWait(ban)) return undefined
  const ms = statedWaitMs(limits, ban)
  if (ms < minHalvedMs) return undefined
  await limits.pass(ms / 2)
  return callAnyway(context, key)
}

/** Waits as long as the latest response states, or with doubled waits, until the key is served. */
const waitOut = async (context: Context, seen: After429): Promise<Ending> => {
  const { limits } = context
  const maxMs = limits.instant ? maxUnstatedMs.instant : maxUnstatedMs.real
  const tries: AnsweredExchange[] = []
  let untrue: readonly AnsweredExchange[] = []
  let latest = (await callHalfway(context, seen)) ?? latestOf(seen)
  let silentMs = 0
  let statedTries = 0
  let unstatedMs = minuteMs
  while (isShutOut(latest) && statedTries < maxTries && unstatedMs <= maxMs) {
    const isStated = statesWait(latest)
    const ms = isStated ? statedWaitMs(limits, latest) + graceMs : unstatedMs
    await limits.pass(ms)
    silentMs += ms
    const response = await callAnyway(context, seen.key)
    tries.push(response)
    if (isStated && isShutOut(response) && untrue.length === 0) untrue = [latest, response]
    if (isStated) statedTries += 1
    else unstatedMs *= 2
    latest = response
  }
  return { tries, untrue, silentMs }
}

/** A key that is still refused cannot be tested for other clients; what was seen must do. */
const wasOnlyClient = async (context: Context, { key, round }: After429) => {
  const { instant, shared } = context.limits
  if (!instant) return isOnlyClient(context, key, round)
  return !shared && gapsIn(round) === 0 && !sawOtherClient(context, key)
}

const expectEnd = async (context: Context, seen: After429, ending: Ending): Promise<void> => {
  const { tries, silentMs } = ending
  const last = tries.at(-1)
  if (!last || !isShutOut(last)) return
  const evidence = [seen.refusal, ...tries]
  if (!statesWait(last) || !(await wasOnlyClient(context, seen))) {
    const seconds = Math.round(silentMs / 1000)
    const why = `the key is still refused after ${seconds} s, and may need a longer wait`
    throw new Suspicion(why, evidence)
  }
  const actual = `${describeResponse(last)} after ${tries.length} stated waits`
  violateAs({ aspect: 'status' }, 'a ban that ends after the stated wait', actual, ...evidence)
}

/**
 * Judges a ban that ended later than stated. With the test clock a second ban is caused, since
 * another client may have prolonged the first; in real time that cannot be ruled out.
 */
const expectTrueWait = async (context: Context, seen: After429, ending: Ending): Promise<void> => {
  const { untrue } = ending
  const last = untrue.at(-1)
  if (!last) return
  if (!context.limits.instant || !(await isOnlyClient(context, seen.key, seen.round))) {
    throw new Suspicion('another client may have prolonged the ban', untrue)
  }
  const again = await waitOut(context, await after429Again(context))
  if (again.untrue.length === 0) {
    throw new Suspicion('the key was refused once after the stated wait, but not again', untrue)
  }
  const actual = `${describeResponse(last)} after the stated wait`
  violateAs(
    { aspect: 'status' },
    'a ban that ends after the stated wait',
    actual,
    seen.refusal,
    ...untrue,
  )
}

export const banEnds = check({
  id: 'ban-ends',
  requirement: 'ban.ends',
  needs: { ...banNeeds, keyed: 2 },
  sends:
    'With the test clock one request in the middle of the ban. Then the key sends nothing ' +
    'for as long as its latest response states, or for longer and longer if none is stated, ' +
    'and one request; after stated waits at most three times.',
  fails:
    'The stated wait is over ten years; or the key is still refused after three stated ' +
    'waits; or, with the test clock, after one, in two bans.',
  inconclusive:
    'there was no ban (inapplicable), the wait was too short (ambiguous), or another client ' +
    'may have used the key (ambiguous)',
  run: async (context) => {
    const seen = await after429(context)
    const banMs = (seen.ban && waitMsOf(seen.ban)) ?? 0
    if (seen.ban && banMs > maxBanMs) {
      violate('a temporary ban', `a ban of ${Math.round(banMs / dayMs)} days`, seen.ban)
    }
    const ending = await context.once('the ban waited out', () => waitOut(context, seen))
    await expectEnd(context, seen, ending)
    await expectTrueWait(context, seen, ending)
    if (!seen.ban) noBan(seen)
  },
})

/** Runs after `ban-ends`, which waits until the ban is over. */
export const banCreation = check({
  id: 'ban-creation-no-effect',
  requirement: 'limits.no-effect',
  needs: { ...banNeeds, keyed: 2, allow: ['exhaust', 'ban', 'write'] },
  sends:
    'One `POST /pets` with the banned key; after the ban a valid one, and a list of their status.',
  fails: 'The pet of the first one is listed.',
  inconclusive:
    'there was no ban (inapplicable), it was over by then, or the list does not have both ' +
    'pets (ambiguous)',
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
    const { response, pets } = await listOfStatus(context, status, seen.key)
    if (pets.some((pet) => pet.name === name)) {
      const actual = `${name} is listed`
      violateAs(refusedStored, 'no pet of a creation during a ban', actual, refused, response)
    }
    if (pets.length < 100 && pets.some((pet) => pet.name === sent.name)) return
    throw unclearList(pets, status, refused, response)
  },
})

/** The following checks take days, and must end before the removal date. */
const maxClockMs = Date.UTC(2030, 10, 1)

const isTooLate = async ({ clock }: Context): Promise<boolean> => (await clock.now()) > maxClockMs

const causeSecondBan = async (context: Context) => {
  await context.limits.pass(forgottenMs)
  const seen = await after429Again(context)
  return seen.ban ? { seen, ending: await waitOut(context, seen) } : null
}

/**
 * A second ban and its end; null if there is none.
 * @throws Untested (clock) too near the removal date
 */
const secondBan = (context: Context) =>
  context.once('the second ban waited out', async () => {
    if (await isTooLate(context)) throw tooNearRemoval()
    return orIfUntested(causeSecondBan(context), null)
  })

/** After a second ban, sends one request fewer than led to it. */
const refuseWithoutBan = async (context: Context): Promise<void> => {
  const again = await secondBan(context)
  if (!again) return
  await context.limits.pass(forgottenMs)
  await after429WithoutBan(context, again.seen)
}

/** Whether the key is served later, so that it was not withdrawn. */
const isServedLater = async (context: Context, { key, refusal }: FirstRefusal) => {
  const later = context.limits.responsesTo(key.label).filter(({ seq }) => seq > refusal.seq)
  if (later.some(isServed)) return true
  await context.limits.pass(forgottenMs)
  return isServed(await callAnyway(context, key))
}

/** Whether the key had been refused within a day, for which a server may count refusals. */
const isRepeated = ({ refusal }: FirstRefusal, responses: readonly AnsweredExchange[]): boolean =>
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
    experiment: 'requestsAfter429 again',
    looksAt: ['requestsAfter429', 'late'],
  },
  sends:
    'With the test clock, each 25 hours after the previous step: another ban is caused, then ' +
    'one refusal fewer than led to it, then the cheapest key is exhausted.',
  fails:
    'The first refusal of a key within 25 hours, anywhere in the run, is 401 or 403, and the ' +
    'key is served later.',
  inconclusive: 'there is no key for bans, or another client may have used the key (ambiguous)',
  run: async (context) => {
    const { limits } = context
    await after429(context)
    if (await isTooLate(context)) throw tooNearRemoval()
    // A key that was refused from the start may be banned before its burst ends.
    await completes(refuseWithoutBan(context))
    await completes(refusedBeforeReset(context, cheapest(limits)))
    for (const first of firstRefusals(context)) {
      const { refusal, key, before, isOurs } = first
      // A 429 may be a ban too, but only another status proves one here.
      if (isRefused(refusal) || isRepeated(first, limits.responsesTo(key.label))) continue
      if (!(await isServedLater(context, first))) continue
      const evidence = [...(before ? [before] : []), refusal]
      if (!isOurs || !(await isOnlyClient(context, key))) {
        throw new Suspicion('another client may have caused a ban', evidence)
      }
      const expected = `429 as the first refusal of key ${key.label}`
      violateStatus(expected, ...evidence)
    }
  },
})

/** A second ban may last longer than the first, but must end after its stated wait. */
const endsAgain = check({
  id: 'ban-ends-again',
  requirement: 'ban.ends',
  needs: { ...banNeeds, clock: true, looksAt: ['requestsAfter429 again'] },
  sends:
    'No requests of its own: it judges the second ban, which `ban-not-first-after-bans` causes.',
  fails: 'The key is still refused after three stated waits.',
  inconclusive:
    'there was no second ban (inapplicable), or another client may have used the key (ambiguous)',
  run: async (context) => {
    const first = await after429(context)
    const again = await secondBan(context)
    if (again) return expectEnd(context, again.seen, again.ending)
    if (!first.ban) return noBan(first)
    throw new Inapplicable('no second ban was observed')
  },
})

export const afterBans: readonly Check[] = [notFirst, endsAgain]
