// Requests over the limit: status, body and effect of their refusal, and the limiter's algorithm.
import { bodyText, readBody } from '../../engine/check/body.ts'
import type { Context } from '../../engine/check/context.ts'
import { type AnyCheck, check, observe } from '../../engine/check/declare.ts'
import { type AnsweredExchange, statusCode } from '../../engine/check/exchange.ts'
import { describeResponse, violateAs } from '../../engine/check/expect.ts'
import { isObject, type JsonObject, parseJson } from '../../engine/check/json.ts'
import { Suspicion, Untested } from '../../engine/check/outcome.ts'
import { allKeys } from '../../engine/check/spendable-keys.ts'
import { is429, isServed, minuteMs, spanMs } from '../../engine/quota/rate-headers.ts'
import { isOverLimit } from '../../engine/quota/round.ts'
import { checkError } from '../../spec/schemas.ts'
import { petsWithIds, refusedStored } from '../pets/compare-pets.ts'
import { controlFailed, listPets } from '../pets/requests.ts'
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

export const sentBody = ({ request }: AnsweredExchange): JsonObject => {
  const value = request.body === null ? null : parseJson(request.body)
  return isObject(value) ? value : {}
}

const isCreation = ({ apiRequest }: AnsweredExchange) => apiRequest.method === 'POST'

export const listOfStatus = async (context: Context, status: unknown, label: string) => {
  const list = listPets({ limit: 100, status: String(status) })
  const response = await context.call({ ...list, key: label })
  if (isServed(response)) return { response, pets: petsWithIds(response) }
  throw new Untested('blocked', `a list got ${describeResponse(response)}`, [response])
}

/** Why a list does not show whether a refused creation had an effect. */
export const unclearList = (
  pets: readonly unknown[],
  status: unknown,
  ...evidence: AnsweredExchange[]
): Suspicion => {
  const why = pets.length < 100 ? 'lacks pets that were created with it' : 'may be cut at 100 pets'
  const message = `the list with status=${status} ${why}`
  return new Suspicion(`${message}, so it cannot show whether a refused one was stored`, evidence)
}

const noEffect = check({
  id: 'refused-creation-no-effect',
  requirement: 'limits.no-effect',
  needs: { ...burstNeeds, keyed: 1, allow: ['exhaust', 'write'] },
  sends:
    'The last calls of the burst are `POST /pets`, until one is refused; later one list of ' +
    'their status.',
  fails: 'The pet of a `POST /pets` that got 429 exists.',
  inconclusive:
    'no `POST /pets` was refused, or the list does not have all pets that were created (ambiguous)',
  run: async (context) => {
    await context.control('create')
    const round = await refusedBurst(context)
    const creations = round.burst.filter(isCreation)
    const refused = refusalsIn(round).filter(isCreation)
    const [first] = refused
    if (!first) throw new Untested('ambiguous', 'the refused request was not a creation')
    const { response, pets } = await listOfStatus(context, sentBody(first).status, round.key.label)
    const names = new Set(refused.map((one) => sentBody(one).name))
    const stored = [...pets, ...context.knownPets.seen.values()].find(({ name }) => names.has(name))
    if (stored) {
      const actual = `${stored.name} is listed`
      violateAs(refusedStored, 'no pet of a refused creation', actual, first, response)
    }
    const served = creations.filter(isServed).map((one) => sentBody(one).name)
    if (pets.length < 100 && served.every((name) => pets.some((pet) => pet.name === name))) return
    throw unclearList(pets, sentBody(first).status, first, response)
  },
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

export const refusals: readonly AnyCheck[] = [noEffect, body, design, countedStatuses]
