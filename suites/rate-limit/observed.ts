// What a run saw of a limiter: the algorithm that fits its numbers, which responses count, and how
// it refuses. Derived from the calls of the run; nothing is sent for it.

import type { Context } from '../../engine/check/context.ts'
import { type AnyCheck, type Observation, observe, type Value } from '../../engine/check/declare.ts'
import { allKeys } from '../../engine/check/spendable-keys.ts'
import { bodyText, readBody } from '../../history/body.ts'
import { type AnsweredExchange, withKey } from '../../history/exchange.ts'
import { isObject } from '../../history/json.ts'
import type { Refusal } from '../../history/known-pets.ts'
import { Untested } from '../../history/outcome.ts'
import { is429, isShutOut, rateHeaders, readWait } from '../../history/rate-headers.ts'
import { checkError } from '../../spec/schemas.ts'
import { controlFailed, listPets } from '../pets/requests.ts'
import { row } from '../pets/rows.ts'
import { countByStatus, inferDesign } from './design.ts'
import { cheapest, limitNeeds } from './program.ts'

/** The last creations of a burst are refused, and some during a ban: clauses look for the pets. */
const ofRefusedStatus: Value = [
  'of the status of a creation that was refused for its key',
  ({ knownPets }) => {
    const isShut = (one: Refusal) => one.exchange.key !== null && isShutOut(one.exchange)
    const last = knownPets.refusals.findLast(isShut)
    if (!last) throw new Untested('ambiguous', 'no creation was refused for its key')
    const list = listPets({ limit: 100, status: String(last.sent.status) })
    return withKey(list, last.exchange.key)
  },
]

const afterRefusals = row('list', 'Any status other than 200.', {
  ...{ id: 'list-after-429-200', requirement: 'list.success', values: [ofRefusedStatus] },
  needs: { ...limitNeeds, allow: ['exhaust', 'write'] },
  sentBy: ['quota-free'],
})

export const afterBan = row('list', 'Any status other than 200.', {
  ...{ id: 'list-after-ban-200', requirement: 'list.success', values: [ofRefusedStatus] },
  needs: { stage: 'bans', allow: ['exhaust', 'ban', 'write'] },
  sentBy: ['ban-own-key'],
})

/** The first 429 of a run to the key that is exhausted first. */
const firstRefusal = (context: Context): AnsweredExchange => {
  const found = context.limits.responsesTo(cheapest(context).label).find(is429)
  if (found) return found
  throw new Untested('blocked', 'no request got 429')
}

type Seen = Pick<Observation, 'id' | 'requirement' | 'sends' | 'records'>

const ofRefusals = (seen: Seen, run: (context: Context) => string): AnyCheck =>
  observe({
    ...seen,
    needs: limitNeeds,
    sentBy: ['quota-free'],
    inconclusive: 'nothing was refused (blocked)',
    run: async (context) => run(context),
  })

const kindOf = (refusal: AnsweredExchange): string => {
  if (bodyText(refusal) === '') return 'none'
  const body = readBody(refusal)
  if (!('value' in body)) return 'no JSON'
  if (checkError(body.value) === undefined) return 'Error'
  return isObject(body.value) ? 'another JSON object' : 'other JSON'
}

/** A wait and a Reset are whole seconds, rounded up or down. */
const sameTimeMs = 1_500

const formOf = (refusal: AnsweredExchange): string => {
  const { form, ms, kind } = readWait(refusal)
  if (!form || ms === undefined) return kind === 'missing' ? 'none' : 'another form'
  const resetInMs = rateHeaders(refusal)?.resetInMs
  if (resetInMs === undefined) return form
  const isSame = Math.abs(resetInMs - ms) <= sameTimeMs
  return `${form}, ${isSame ? 'until Reset' : 'other than Reset'}`
}

const first = 'No requests: it looks at the first 429 of the key that is cheapest to exhaust.'

const form = ofRefusals(
  {
    ...{ id: 'retry-after-form', requirement: 'gap.retry-after-form', sends: first },
    records: 'Whether it is a number of seconds or an HTTP-date, and whether it ends at Reset.',
  },
  (context) => formOf(firstRefusal(context)),
)

const body = ofRefusals(
  {
    ...{ id: 'refusal-body', requirement: 'gap.429-body', sends: first },
    records: 'Whether its body is an Error, another JSON object, other JSON, no JSON, or none.',
  },
  (context) => kindOf(firstRefusal(context)),
)

const design = ofRefusals(
  {
    ...{ id: 'limiter-design', requirement: 'limits.algorithm' },
    sends: 'No requests: it looks at the calls of that key since a rest.',
    records:
      'The design by which calls came back: fixed window (on the clock, off the clock, or from ' +
      'the first request), sliding window or token bucket; else inconclusive.',
  },
  (context) => {
    const { seq } = firstRefusal(context)
    return inferDesign(context.limits.responsesTo(cheapest(context).label), seq)
  },
)

const countedStatuses = observe({
  id: 'answers-that-count',
  requirement: 'limits.which-count',
  needs: limitNeeds,
  sends:
    'No requests: it looks at every 400 and 404 that directly followed another call of the ' +
    'same key.',
  records:
    'Whether Remaining fell with them: counted; not counted, if it falls with lists and no ' +
    'refill hides it; else inconclusive.',
  inconclusive: controlFailed.list,
  run: async (context) => {
    await context.control('list')
    const { limits } = context
    const responses = allKeys(limits).flatMap(({ label }) => limits.responsesTo(label))
    return [400, 404].map((status) => `${status} ${countByStatus(responses, status)}`).join(', ')
  },
})

export const observed: readonly AnyCheck[] = [afterRefusals, form, body, design, countedStatuses]
