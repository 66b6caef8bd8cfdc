// A second ban, refusals that stop short of one, and the waits that repeated refusals state.

import type { Context } from '../../engine/check/context.ts'
import { type Check, check } from '../../engine/check/declare.ts'
import type { AnsweredExchange } from '../../engine/check/exchange.ts'
import { violateHeader, violateStatus } from '../../engine/check/expect.ts'
import { completes, Inapplicable, orIfUntested, Suspicion } from '../../engine/check/outcome.ts'
import {
  fromMs,
  isRefused,
  isServed,
  isShutOut,
  kindOfWait,
  toMs,
  waitFault,
} from '../../engine/quota/rate-headers.ts'
import { isUndatedWait } from '../../engine/quota/target-dates.ts'
import {
  expectEnd,
  expectTrueWait,
  firstEnding,
  graceMs,
  statesWait,
  violateWait,
  waitOut,
  wasOnlyClient,
} from './ban-end.ts'
import { forgottenMs } from './banned.ts'
import { statedWaitMs } from './experiments.ts'
import { firstRefusals, isOnlyClient, type KeyRefusal, readTrace } from './other-clients.ts'
import {
  type After429,
  after429,
  after429Again,
  after429WithoutBan,
  banNeeds,
  noBan,
} from './requests-after-429.ts'
import { refusedBeforeReset } from './retry-after.ts'
import { callAnyway, tooNearRemoval } from './sending.ts'

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

/** After a second ban, sends one request fewer than led to it, and one more after the last wait. */
const refuseWithoutBan = async (context: Context, time = 1) => {
  const again = await secondBan(context)
  if (!again) return undefined
  return context.once(`retried without a ban, ${time}`, async () => {
    await context.limits.pass(forgottenMs)
    return retryLast(context, await after429WithoutBan(context, again.seen, time))
  })
}

/** One request after the wait of the latest refusal; undefined if that may be a ban. */
const retryLast = async (context: Context, seen: After429) => {
  const latest = [seen.refusal, ...seen.responses].findLast(isShutOut) ?? seen.refusal
  if (seen.ban || latest === seen.refusal || !statesWait(latest)) return undefined
  await context.limits.pass(statedWaitMs(context.limits, latest) + graceMs)
  return { seen, latest, response: await callAnyway(context, seen.key) }
}

/** Judges the waits of repeated refusals that are no ban: of the last one before it, if any. */
const expectTrueRepeatedWait = async (context: Context): Promise<void> => {
  const found = await refuseWithoutBan(context)
  if (!found || !isShutOut(found.response)) return
  const { seen, latest, response } = found
  const evidence = [seen.refusal, latest, response]
  const again = await refuseWithoutBan(context, 2)
  if (!again || !isShutOut(again.response) || !(await wasOnlyClient(context, seen))) {
    throw new Suspicion('it was refused after the stated wait once, but not again', evidence)
  }
  violateWait(response, evidence)
}

/** Whether the key is served later, so that it was not withdrawn. */
const isServedLater = async (context: Context, { key, refusal }: KeyRefusal) => {
  const later = context.limits.responsesTo(key.label).filter(({ seq }) => seq > refusal.seq)
  if (later.some(isServed)) return true
  await context.limits.pass(forgottenMs)
  return isServed(await callAnyway(context, key))
}

/** Whether the key had been refused within a day, for which a server may count refusals. */
const isRepeated = ({ refusal }: KeyRefusal, responses: readonly AnsweredExchange[]): boolean =>
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
    await completes(refusedBeforeReset(context))
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

/**
 * A wait is right wherever it is given; a ban need not give one. What is wrong with the first one
 * is judged once, elsewhere.
 */
const expectForms = (context: Context, seen: After429): void => {
  const { refusal, responses, creation, key } = seen
  const trace = readTrace(context, key)
  if (waitFault(refusal) !== undefined) return
  for (const response of [...responses, ...(creation ? [creation] : [])]) {
    const kind = kindOfWait(response)
    const isJudged = isShutOut(response) && kind !== 'missing' && !isUndatedWait(response, trace)
    const fault = isJudged ? waitFault(response) : undefined
    if (fault === undefined) continue
    const expected = 'Retry-After with whole seconds above zero, or an HTTP-date in the future'
    violateHeader('Retry-After', kind, expected, fault, refusal, response)
  }
}

const repeated = check({
  id: 'retry-after-repeated-served',
  requirement: 'retry-after.true',
  needs: { ...banNeeds, looksAt: ['requestsAfter429', 'requestsAfter429 again'] },
  sends:
    'No requests of its own: it judges the repeated refusals of `ban-look`, of `ban-ends` and, ' +
    'with the test clock, of `ban-not-first-after-bans`.',
  fails:
    'The `Retry-After` of a repeated refusal is malformed or not in the future; or, with the ' +
    'test clock, a request after the wait of the latest one is refused, on two occasions.',
  inconclusive: 'it was refused once and not again, or another client may have used the key',
  run: async (context) => {
    const seen = await after429(context)
    expectForms(context, seen)
    if (!seen.ban) return expectTrueWait(context, seen, await firstEnding(context, seen))
    if (context.limits.instant) await expectTrueRepeatedWait(context)
  },
})

export const afterBans: readonly Check[] = [notFirst, endsAgain, repeated]
