// Traffic for its own sake: what a run may do to its keys, in any order, for clauses to judge.
import * as fc from 'fast-check'
import type { Context } from '../../engine/check/context.ts'
import type { AnyCheck } from '../../engine/check/declare.ts'
import { type ApiRequest, get, post } from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'
import { rateHeaders } from '../../history/rate-headers.ts'
import { check } from '../plain-checks.ts'

const requests: Readonly<Record<string, ApiRequest>> = {
  list: get('/pets?limit=1'),
  create: post('/pets', '{"name":"petvet-virtual","categoryId":1}'),
  fetch: get('/pets/1'),
  faulty: post('/pets', '{}'),
  nowhere: get('/nonsense'),
}

export type Act =
  | { readonly kind: 'calls' | 'together'; readonly of: readonly string[] }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'flood' | 'rest' | 'early'; readonly times: number }

const requestOf = (name: string): ApiRequest => requests[name] ?? get('/pets')

/** A plan of more calls a minute is spent in the worlds of the rate-limit checks. */
const maxFlood = 301

const flood = async ({ limits }: Context): Promise<void> => {
  const [key] = limits.keys
  if (!key) return
  await key.waitForRetryAfter()
  const probe = await key.ask()
  const left = rateHeaders(probe)?.remaining ?? 0
  const count = Math.min(left + 1, maxFlood)
  const crowd = Array.from({ length: count }, () => get('/pets?limit=1'))
  if (probe.response.status === 200) await key.flood(crowd, crowd.length)
  await key.waitForRetryAfter()
}

const sendEarly = async ({ limits }: Context, times: number): Promise<void> => {
  const { banKey } = limits
  if (!banKey) return
  const spent = Array.from({ length: 61 }, () => get('/pets?limit=1'))
  await banKey.flood(spent, spent.length)
  for (let count = 0; count < times; count += 1) {
    await banKey.ask()
  }
  await banKey.waitForRetryAfter()
  await banKey.ask()
}

const act = async (context: Context, one: Act): Promise<void> => {
  switch (one.kind) {
    case 'calls':
      for (const name of one.of) await context.call(requestOf(name))
      return
    case 'together':
      await context.together(one.of.map(requestOf))
      return
    case 'pass':
      return context.limits.pass(one.ms)
    case 'rest':
      return context.limits.keys[0]?.rest()
    case 'flood':
      for (let floods = 0; floods < one.times; floods += 4) await flood(context)
      return
    case 'early':
      return sendEarly(context, one.times)
  }
}

/** Each act as a check of its own; a refusal ends an act, and is no fault of the traffic. */
export const trafficOf = (acts: readonly Act[]): AnyCheck[] =>
  acts.map((one, place) =>
    check(`traffic-${place}`, 'list.success', { stage: 'limits' }, async (context) => {
      await act(context, one).catch((error) => {
        if (!(error instanceof Untested)) throw error
      })
    }),
  )

const names = fc.constantFrom(...Object.keys(requests))
const ofNames = (maxLength: number) => fc.array(names, { minLength: 1, maxLength })

const anAct: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ kind: fc.constant('calls' as const), of: ofNames(40) }),
  fc.record({ kind: fc.constant('together' as const), of: ofNames(12) }),
  fc.record({
    kind: fc.constant('pass' as const),
    ms: fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 90_000 })),
  }),
  fc.record({
    kind: fc.constantFrom('flood' as const, 'rest' as const, 'early' as const),
    times: fc.integer({ min: 1, max: 12 }),
  }),
)

export const someTraffic: fc.Arbitrary<Act[]> = fc.array(anAct, { minLength: 2, maxLength: 8 })
