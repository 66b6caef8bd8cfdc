// Requests over the limit: status, body and effect of their refusal, and the limiter's algorithm.

import { type AnyCheck, observe, type Value } from '../../engine/check/declare.ts'
import { allKeys } from '../../engine/check/spendable-keys.ts'
import { bodyText, readBody } from '../../history/body.ts'
import { type AnsweredExchange, withKey } from '../../history/exchange.ts'
import { isObject } from '../../history/json.ts'
import type { Refusal } from '../../history/known-pets.ts'
import { Untested } from '../../history/outcome.ts'
import { isShutOut } from '../../history/rate-headers.ts'
import { checkError } from '../../spec/schemas.ts'
import { controlFailed, listPets } from '../pets/requests.ts'
import { row } from '../pets/rows.ts'
import { countByStatus, inferDesign } from './design.ts'
import {
  cheapest,
  firstBurst,
  firstRetry,
  limitNeeds,
  refusalsIn,
  refusedBurst,
} from './experiments.ts'

/** The last creations of a burst are refused, and some during a ban: clauses look for the pets. */
const ofRefusedStatus: Value = [
  'of the status of a creation that was refused for its key',
  ({ knownPets }) => {
    const isShut = (one: Refusal) => one.exchange.key !== null && isShutOut(one.exchange)
    const last = knownPets.refusals.findLast(isShut)
    if (!last) throw new Untested('ambiguous', 'no creation was refused for its key')
    const list = listPets({ limit: 100, status: String(last.sent.status) })
    return withKey(list, last.exchange.key ?? undefined)
  },
]

const afterRefusals = row('list', 'Any status other than 200.', {
  ...{ id: 'list-after-429-200', requirement: 'list.success', values: [ofRefusedStatus] },
  needs: { ...limitNeeds, allow: ['exhaust', 'write'] },
})

export const afterBan = row('list', 'Any status other than 200.', {
  ...{ id: 'list-after-ban-200', requirement: 'list.success', values: [ofRefusedStatus] },
  needs: { stage: 'bans', allow: ['exhaust', 'ban', 'write'] },
})

const kindOf = (refusal: AnsweredExchange): string => {
  if (bodyText(refusal) === '') return 'none'
  const body = readBody(refusal)
  if (!('value' in body)) return 'no JSON'
  if (checkError(body.value) === undefined) return 'Error'
  return isObject(body.value) ? 'another JSON object' : 'other JSON'
}

const body = observe({
  id: 'refusal-body',
  requirement: 'gap.429-body',
  needs: limitNeeds,
  sends: 'No requests of its own: it looks at the first 429 of the burst.',
  records: 'Whether its body is an Error, another JSON object, other JSON, no JSON, or none.',
  inconclusive: 'nothing was refused (blocked)',
  run: async (context) => {
    const [first] = refusalsIn(await refusedBurst(context))
    return kindOf(first as AnsweredExchange)
  },
})

const design = observe({
  id: 'limiter-design',
  requirement: 'limits.algorithm',
  needs: limitNeeds,
  sends:
    'No requests of its own: it replays all calls of the key since the rest before its burst ' +
    'against each design.',
  records:
    'The design that fits the numbers while no other does: fixed window (on the clock, off ' +
    'the clock, or from the first request), sliding log, sliding counter or token bucket; ' +
    'else inconclusive.',
  inconclusive: 'nothing was refused (blocked)',
  run: async (context) => {
    const round = await firstBurst(context, cheapest(context.limits))
    await firstRetry(context)
    return inferDesign(round, context.limits.responsesTo(round.key.label))
  },
})

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

export const refusals: readonly AnyCheck[] = [afterRefusals, body, design, countedStatuses]
