// Requests over the limit: status, body and effect of their refusal, and the limiter's algorithm.

import { type AnyCheck, check, observe } from '../../engine/check/declare.ts'
import { allKeys } from '../../engine/check/spendable-keys.ts'
import { isOverLimit } from '../../engine/quota/round.ts'
import { bodyText, readBody } from '../../history/body.ts'
import { type AnsweredExchange, statusCode, withKey } from '../../history/exchange.ts'
import { isObject } from '../../history/json.ts'
import type { Refusal } from '../../history/known-pets.ts'
import { Suspicion, Untested } from '../../history/outcome.ts'
import { is429, isServed, isShutOut, minuteMs, spanMs } from '../../history/rate-headers.ts'
import { describeResponse, violateAs } from '../../model/expect.ts'
import { checkError } from '../../spec/schemas.ts'
import { controlFailed, listPets } from '../pets/requests.ts'
import { row } from '../pets/rows.ts'
import { countByStatus, inferDesign } from './design.ts'
import {
  burstNeeds,
  cheapest,
  firstBurst,
  firstRetry,
  limitNeeds,
  refusalsIn,
  refusedBurst,
  retryNeeds,
} from './experiments.ts'
import { unlessBanOfOthers } from './other-clients.ts'
import { chooseJudge } from './quota.ts'

/** Why another status proves nothing. */
const notOver = (other: AnsweredExchange): Suspicion => {
  const why = `a request got ${statusCode(other)}, but by Remaining it was not over the limit`
  return new Suspicion(why, [other])
}

export const overLimit = check({
  id: 'quota-429-status',
  requirement: 'limits.429',
  needs: burstNeeds,
  sends: 'No requests of its own: it judges the burst on the cheapest key.',
  fails:
    'The burst has no 429, and a request over the limit gets 503, 403 or another status; or more ' +
    'requests were sent than the plan has, and more were served than any design allows.',
  inconclusive:
    'one burst did not reach the limit, a response of it was lost, or calls came back as fast as ' +
    'they were sent (ambiguous)',
  run: async (context) => {
    const round = await firstBurst(context, cheapest(context.limits))
    if (refusalsIn(round).some(is429)) return
    const { perMinute } = round.key.quota
    const calls = [...round.probes, ...round.burst]
    const other = round.burst.findLast((one) => !isServed(one) && isOverLimit(round, one))
    const last = other ?? round.burst.at(-1)
    const isFew = calls.length <= perMinute
    if (!last || (!other && (isFew || round.lost > 0))) {
      throw new Suspicion('the limit was not reached in one burst', round.probes)
    }
    if (!isServed(last) && !other) throw notOver(last)
    const served = calls.filter(isServed)
    const isTooMuch = served.length > 2 * perMinute && spanMs(served) < minuteMs
    const judge = async () => (await chooseJudge(context, round))(round)
    if (isServed(last) && !isTooMuch && (await judge()).kind !== 'violation') {
      throw new Suspicion('calls came back during the burst', [last])
    }
    if (context.limits.instant || isFew) await unlessBanOfOthers(context, round.key, last, round)
    const actual = `none in ${calls.length}, but ${describeResponse(last)}`
    violateAs({ aspect: 'status' }, 'a 429 once the limit is exceeded', actual, last)
  },
})

/** The last creations of a burst are refused, and some during a ban: clauses look for the pets. */
export const listAfterRefusal = (id: string, stage: 'limits' | 'bans') =>
  row('list', 'Any status other than 200.', {
    ...{ id, requirement: 'list.success' },
    needs: { stage, allow: stage === 'bans' ? ['exhaust', 'ban', 'write'] : ['exhaust', 'write'] },
    values: [
      [
        'of the status of a creation that was refused for its key',
        ({ knownPets }) => {
          const isShut = (one: Refusal) => one.exchange.key !== null && isShutOut(one.exchange)
          const last = knownPets.refusals.findLast(isShut)
          if (!last) throw new Untested('ambiguous', 'no creation was refused for its key')
          const list = listPets({ limit: 100, status: String(last.sent.status) })
          return withKey(list, last.exchange.key ?? undefined)
        },
      ],
    ],
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
  needs: burstNeeds,
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
  needs: retryNeeds,
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

export const refusals: readonly AnyCheck[] = [
  listAfterRefusal('list-after-429-200', 'limits'),
  body,
  design,
  countedStatuses,
]
