// A walk of valid calls with one key, which must share one count whatever they are; a row that does
// not is shrunk to the calls that matter.

import fc from 'fast-check'
import { isUnread } from '../../engine/check/body.ts'
import type { Context, LimitKey } from '../../engine/check/context.ts'
import { type Check, check } from '../../engine/check/declare.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  isAnswered,
  isSuccess,
} from '../../engine/check/exchange.ts'
import { petsIn } from '../../engine/check/known-pets.ts'
import { recognizeOperation } from '../../engine/check/operations.ts'
import { orIfUntested, Violation } from '../../engine/check/outcome.ts'
import { rateHeaders } from '../../engine/quota/rate-headers.ts'
import { shuffled } from '../pets/arbitraries.ts'
import { statuses } from '../pets/compare-pets.ts'
import { createPet, getPet, listPets } from '../pets/requests.ts'
import { type Counted, judgeCount, judgeWeights } from './count-judgements.ts'
import { expectOneCount, type Judge, sendCalls } from './counting.ts'
import { cheapest, limitNeeds } from './experiments.ts'
import { shortList } from './sending.ts'

/** Requests that may be sent to shrink a row. */
const maxForShrinking = 150

type Make = (context: Context, key: LimitKey) => ApiRequest

const always =
  (request: ApiRequest): Make =>
  () =>
    request

const withHeader = (name: string, value: string): Make =>
  always({ ...shortList, headers: [[name, value]] })

const creation: Make = ({ newPet }) => createPet(newPet())

const fetchKnown: Make = ({ knownPets }, { label }) => {
  const known = knownPets.creations.findLast(({ id }) => knownPets.fetches.isKnown(label, id))
  return known ? getPet(known.id) : shortList
}

/** Reserved for documentation (RFC 5737). */
const address = fc
  .tuple(fc.constantFrom('192.0.2', '198.51.100', '203.0.113'), fc.integer({ min: 1, max: 254 }))
  .map(([net, host]) => `${net}.${host}`)

const fromAddress = (name: string): fc.Arbitrary<Make> =>
  address.map((from) => withHeader(name, name === 'Forwarded' ? `for=${from}` : from))

const withToken = (name: string): fc.Arbitrary<Make> =>
  fc
    .stringMatching(/^[a-z]{8}$/)
    .map((text) => withHeader(name, name === 'Cookie' ? `session=${text}` : text))

/** In what the calls of one client may differ: a limiter must not tell them apart. */
const cells: readonly fc.Arbitrary<Make>[] = [
  fc
    .tuple(fc.constantFrom(undefined, ...statuses), fc.integer({ min: 1, max: 49 }))
    .map(([status, limit]) => always(listPets({ limit, ...(status && { status }) }))),
  ...Array<fc.Arbitrary<Make>>(2).fill(fc.constant(always(listPets({ limit: 100 })))),
  fc.constant(always(listPets({}))),
  ...Array<fc.Arbitrary<Make>>(3).fill(fc.constant(creation)),
  ...Array<fc.Arbitrary<Make>>(2).fill(fc.constant(fetchKnown)),
  fc.constant(always({ ...shortList, fresh: true })),
  // A single new count may be a tick of a bucket.
  ...['X-Forwarded-For', 'X-Forwarded-For', 'X-Forwarded-For'].map(fromAddress),
  ...['X-Real-IP', 'X-Real-IP', 'Forwarded', 'Forwarded'].map(fromAddress),
  ...['User-Agent', 'User-Agent', 'X-Request-Id', 'X-Request-Id', 'Cookie', 'Cookie'].map(
    withToken,
  ),
]

/** Sent only where they are served: a refusal of one of them violates a should. */
const schemes: readonly fc.Arbitrary<Make>[] = ['bearer', 'BEARER', 'bEARER'].map((scheme) =>
  fc.constant(always({ ...shortList, scheme })),
)

const draw = (context: Context, takesSchemes: boolean): readonly Make[] => {
  const { seed } = context
  const own = takesSchemes ? [...cells, ...schemes] : cells
  const calls = own.flatMap((cell, at) =>
    fc.sample(fc.noBias(cell), { seed: seed + at, numRuns: 1 }),
  )
  return shuffled(calls, seed)
}

const longPets = 50

/** By what some calls may weigh more than others. */
const kinds: readonly ((exchange: AnsweredExchange) => string)[] = [
  (exchange) => recognizeOperation(exchange) ?? 'list',
  (exchange) =>
    recognizeOperation(exchange) === 'list' && !isUnread(exchange)
      ? `list of ${petsIn(exchange).length > longPets ? 'more' : 'no more'} than ${longPets} pets`
      : 'other call',
]

const judge: Judge = (row, earlier) => {
  const found = judgeCount(row, earlier)
  if (found.kind !== 'holds') return found
  const weights = kinds.map((kindOf): Counted => judgeWeights(row, kindOf))
  return weights.find(({ kind }) => kind === 'violation') ?? found
}

const rowOf = (context: Context, key: LimitKey, calls: readonly Make[]) => () =>
  calls.map((make) => () => make(context, key))

/** The calls that matter, as sent last: others are left out while the rest still fails. */
const shrunk = async (
  context: Context,
  key: LimitKey,
  calls: readonly Make[],
  found: Violation,
): Promise<Violation> => {
  let best = { calls, found }
  let left = maxForShrinking
  const fails = async (some: readonly Make[]): Promise<boolean> => {
    left -= some.length + 1
    if (some.length === 0 || left < 0) return false
    const earlier = context.limits.responsesTo(key.label)
    const row = await sendCalls(context, key, rowOf(context, key, some)())
    const judged = judge(row, earlier)
    if (judged.kind !== 'violation') return false
    best = { calls: some, found: new Violation(judged.expected, judged.actual, row, found.wrong) }
    return true
  }
  const leaveOut = async (): Promise<void> => {
    for (let size = Math.ceil(calls.length / 2); size >= 1; size = Math.floor(size / 2)) {
      for (let at = 0; at < best.calls.length; ) {
        if (!(await fails(best.calls.toSpliced(at, size)))) at += size
      }
    }
  }
  await orIfUntested(leaveOut(), undefined)
  return best.found
}

const shown = (one: AnsweredExchange, at: number): string => {
  const { method, path, scheme, headers } = one.apiRequest
  const own = headers.filter(([name]) => name !== 'Content-Type').map((each) => each.join(': '))
  const peculiar = [...(scheme === 'Bearer' ? [] : [scheme]), ...own].join(', ')
  const request = `${method} ${path}${peculiar === '' ? '' : ` (${peculiar})`}`
  return `${at + 1}. ${request} -> ${one.response.status}, Remaining ${rateHeaders(one)?.remaining}`
}

const violationOf = async (work: Promise<void>): Promise<Violation | undefined> => {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof Violation) return error
    throw error
  }
}

export const countWalk: Check = check({
  id: 'walk-calls-one-count',
  requirement: 'limits.one-count',
  needs: {
    ...limitNeeds,
    keyed: 4 + cells.length + schemes.length,
    allow: ['exhaust', 'write'],
    clock: true,
    getPet: true,
  },
  sends:
    'With the test clock and one key: a row of 26 valid calls that differ in operation, query, ' +
    'length, connection, scheme and header fields that clients and proxies send, in an order ' +
    'of the seed.',
  fails:
    'In two rows Remaining falls by less than the number of calls, or by more than one with all ' +
    'calls of one kind and by one with all others. The row is shrunk.',
  inconclusive: 'a window ended in each of three rows, or other clients use the key (shared: true)',
  run: async (context) => {
    await context.control('create')
    const key = cheapest(context.limits)
    const spelt = await context.call({ ...shortList, scheme: 'bearer', key: key.label })
    const calls = draw(context, isSuccess(spelt))
    const found = await violationOf(expectOneCount(context, rowOf(context, key, calls), judge))
    if (!found) return
    const { expected, actual, evidence, wrong } = await shrunk(context, key, calls, found)
    const steps = evidence.filter(isAnswered).map(shown).join('; ')
    throw new Violation(expected, `${actual}; steps: ${steps}`, evidence, wrong)
  },
})
