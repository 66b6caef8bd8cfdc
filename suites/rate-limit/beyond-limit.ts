// Requests beyond the limit that are refused for more than one reason, or during a ban: none has an
// effect, and the headers say that nothing remains.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import { type Check, check } from '../../engine/check/declare.ts'
import { type AnsweredExchange, isSuccess, statusCode } from '../../engine/check/exchange.ts'
import {
  describeResponse,
  violateAs,
  violateHeader,
  violateStatus,
} from '../../engine/check/expect.ts'
import { recognizeOperation } from '../../engine/check/operations.ts'
import { Inapplicable, Suspicion, Untested } from '../../engine/check/outcome.ts'
import {
  isServed,
  isShutOut,
  maxRefill,
  minuteMs,
  minuteSaid,
  spanMs,
} from '../../engine/quota/rate-headers.ts'
import { refusedStored } from '../pets/compare-pets.ts'
import { createPet } from '../pets/requests.ts'
import { listOfStatus, sentBody, unclearList } from './refusals.ts'
import { type After429, after429, banNeeds, noBan } from './requests-after-429.ts'

const writing = { ...banNeeds, keyed: 2, allow: ['exhaust', 'ban', 'write'] } as const

/** Expects that a refused creation is not listed, while a later one of its status is. */
const expectNotStored = async (
  context: Context,
  { label }: LimitKey,
  refused: AnsweredExchange,
  expected: string,
): Promise<void> => {
  const { name, status } = sentBody(refused)
  const sent = context.newPet({ status: String(status) })
  const control = await context.call({ ...createPet(sent), key: label })
  if (!isServed(control)) {
    throw new Untested('blocked', `a creation got ${describeResponse(control)}`, [control])
  }
  const { response, pets } = await listOfStatus(context, status, label)
  if (pets.some((pet) => pet.name === name)) {
    violateAs(refusedStored, expected, `${name} is listed`, refused, response)
  }
  if (pets.length < 100 && pets.some((pet) => pet.name === sent.name)) return
  throw unclearList(pets, status, refused, response)
}

/** Runs after `ban-ends`, which waits until the ban is over. */
const banCreation = check({
  id: 'ban-creation-no-effect',
  requirement: 'limits.no-effect',
  needs: writing,
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
    await expectNotStored(context, seen.key, refused, 'no pet of a creation during a ban')
  },
})

/** The responses to requests that were invalid in themselves, before any ban. */
const invalidOf = ({ toInvalid, ban }: After429): readonly AnsweredExchange[] =>
  toInvalid.filter((one) => one !== ban)

/** A list with an invalid limit may be served, if a call has come back. */
const isServedList = (one: AnsweredExchange): boolean =>
  isSuccess(one) && recognizeOperation(one) === 'list'

const invalidCreation = check({
  id: 'over-limit-invalid-no-effect',
  requirement: 'limits.no-effect',
  needs: writing,
  sends:
    'Among the requests of `ban-look`, after the first refusal: a `POST /pets` without ' +
    '`categoryId`, a GET of an unknown id, and a list with `limit=0`. Later a valid creation, ' +
    'and a list of their status.',
  fails:
    'One of the first two gets a 2xx response, or the pet is listed. 429 and another 4xx are as ' +
    'good.',
  inconclusive: 'the list does not have both pets (ambiguous)',
  run: async (context) => {
    await context.control('create')
    const seen = await after429(context)
    const invalid = invalidOf(seen)
    const [first] = invalid
    if (!first) throw new Inapplicable('none was answered before the ban')
    const served = invalid.find((one) => isSuccess(one) && !isServedList(one))
    if (served) violateStatus('429 or another 4xx beyond the limit', seen.refusal, served)
    const creation = invalid.find(({ apiRequest }) => apiRequest.method === 'POST')
    if (!creation) throw new Untested('permission', 'needs the permission to write')
    await expectNotStored(context, seen.key, creation, 'no pet of an invalid creation')
  },
})

/** Whether a call may have come back since a refusal, or a window may have ended. */
const mayRemain = ({ refusal, key }: After429, response: AnsweredExchange, remaining: number) => {
  const { perMinute } = key.quota
  const before = minuteSaid(refusal)
  if (before?.reset !== minuteSaid(response)?.reset) return true
  return remaining <= maxRefill(perMinute, minuteMs, spanMs([refusal, response])) + 1
}

const noneRemain = check({
  id: 'over-limit-invalid-none-remain',
  requirement: 'headers.agree',
  needs: banNeeds,
  sends: 'No requests of its own: it judges the invalid requests of `ban-look`.',
  fails:
    'One is refused for what it is, with the Reset of the refusal before it and a Remaining that ' +
    'no bucket has refilled meanwhile.',
  inconclusive: 'a window may have ended in between (ambiguous)',
  run: async (context) => {
    const seen = await after429(context)
    for (const response of invalidOf(seen)) {
      const remaining = minuteSaid(response)?.remaining ?? 0
      if (isShutOut(response) || isSuccess(response) || remaining === 0) continue
      const evidence = [seen.refusal, response]
      const actual = `Remaining ${remaining} on a ${statusCode(response)} right after a 429`
      if (context.limits.shared || mayRemain(seen, response, remaining)) {
        throw new Suspicion(`${actual}: calls may have come back`, evidence)
      }
      const name = 'X-RateLimit-Remaining'
      violateHeader(name, 'above zero', 'Remaining 0 beyond the limit', actual, ...evidence)
    }
  },
})

/** These run after `ban-ends`, which waits until the ban is over. */
export const beyondLimit: readonly Check[] = [banCreation, invalidCreation, noneRemain]
