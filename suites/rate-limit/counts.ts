// Programs: all calls of a key share one count, whatever they are, and nothing but its window gives
// calls back. They only send; the laws of the limiter judge how Remaining moves.

import type { Context, LimitKey } from '../../engine/check/context.ts'
import type { Check } from '../../engine/check/declare.ts'
import { type ApiRequest, get, isSuccess, unauthorized, withKey } from '../../history/exchange.ts'
import { completes } from '../../history/outcome.ts'
import type { Quota } from '../../spec/plans.ts'
import { shuffled } from '../pets/arbitraries.ts'
import { createPet, getPet, listPets, listPetsWith } from '../pets/requests.ts'
import { cheapest, limitNeeds } from './experiments.ts'
import { callWithInvalidKeys, otherKeys } from './isolation.ts'
import { program } from './program.ts'
import { callEach, callerOf, lists, shortList, unknownId } from './sending.ts'

type Make = () => ApiRequest

/** Much longer than a call on most networks, so that other clients would show. */
const pausesMs = [400, 1_200]
/** More than a tenth of the minute of a Free key, which a bucket may give back in one tick. */
const spentFirst = 12

const listsWith = ({ label }: LimitKey, count: number): readonly ApiRequest[] =>
  lists(count).map((request) => withKey(request, label))

const withField = (name: string, value: string): ApiRequest => ({
  ...shortList,
  headers: [[name, value]],
})

/** In what the calls of one client may differ: a limiter must not tell them apart. */
const valid = (context: Context, { label }: LimitKey, takesSchemes: boolean): readonly Make[] => {
  const { knownPets, newPet } = context
  const known = knownPets.creations.findLast(({ id }) => knownPets.fetches.isKnown(label, id))
  const others: readonly ApiRequest[] = [
    listPets({ limit: 100 }),
    listPets({}),
    listPets({ limit: 3, status: 'pending' }),
    listPetsWith('status=available&limit=1'),
    { ...shortList, fresh: true },
    known ? getPet(known.id) : shortList,
    // Addresses reserved for documentation (RFC 5737).
    withField('X-Forwarded-For', '198.51.100.7'),
    withField('X-Real-IP', '203.0.113.9'),
    withField('Forwarded', 'for=192.0.2.43'),
    withField('User-Agent', 'petvet/other'),
    withField('X-Request-Id', 'other'),
    withField('Cookie', 'session=other'),
    ...(takesSchemes ? ['bearer', 'bEARER'] : []).map((scheme) => ({ ...shortList, scheme })),
  ]
  return [() => createPet(newPet()), ...others.map((request) => () => request)]
}

const oneCount = program({
  id: 'count-of-any-call',
  requirement: 'limits.one-count',
  needs: { ...limitNeeds, allow: ['exhaust', 'write'], getPet: true },
  laws: ['remaining-falls-by-one', 'remaining-rises-at-reset', 'refills-minute-apart'],
  sends:
    'With one key: 12 lists and two pauses, then 15 valid calls that differ in operation, query, ' +
    'length, connection, scheme and header fields. With a test clock, or a key on a plan larger ' +
    'than Free, then eight `POST /pets`, eight long lists, and six lists at the same time.',
  run: async (context) => {
    await context.control('create')
    const key = cheapest(context.limits)
    const call = callerOf(context, key)
    await callEach(context, listsWith(key, spentFirst))
    for (const ms of pausesMs) {
      await context.limits.passRealTime(ms)
      await call()
    }
    // A refusal of another spelling violates a should.
    const spelt = await call({ ...shortList, scheme: 'BEARER' })
    for (const make of shuffled(valid(context, key, isSuccess(spelt)), context.seed)) {
      await call(make())
      await call()
    }
    const more = context
      .sample([...Array(8).keys()], 0)
      .flatMap((at) => [
        createPet(context.newPet()),
        listPets({ limit: 100, ...(at % 2 === 0 && { status: 'sold' }) }),
      ])
    await callEach(
      context,
      more.map((request) => withKey(request, key.label)),
    )
    await context.together(lists(6).map((request) => withKey(request, key.label)))
    await call()
  },
})

/** Each is followed by a list, which shows the count. */
const groups: readonly (readonly ApiRequest[])[] = [
  [createPet({}), createPet('{"name":')],
  [listPetsWith('limit=0')],
  [getPet(unknownId), getPet('no-id')],
  [{ ...get('/pets'), method: 'PUT' }],
  [get('/petvet-no-address')],
  [{ ...get('/pets'), method: 'HEAD' }],
  [{ ...get('/pets'), method: 'OPTIONS' }],
]

/** Sent first and last: a cached response would show the first count again. */
const filtered = listPets({ limit: 1, status: 'sold' })
/** A server may keep counts for invalid keys too, or only those of its latest keys. */
const invalidKeys = 20
/** How long replicas may take to synchronise their count. */
const lagMs = 300

/** So many calls distinguish a new count from ticks of a tenth, and from calls not yet counted. */
const spentBeforeErrors = ({ perMinute }: Quota): number => Math.ceil(perMinute / 10) + 20

const keptCount = program({
  id: 'count-kept-after-errors',
  requirement: 'headers.remaining.rises',
  needs: { ...limitNeeds, allow: ['exhaust', 'write'], clock: true },
  laws: ['remaining-rises-at-reset', 'refills-minute-apart', 'limit-not-early'],
  sends:
    'With the test clock, after a rest: a part of the minute is spent. Then each of these, ' +
    'followed by a list: invalid bodies, an invalid query, unknown ids, an unknown method and ' +
    'address, HEAD, OPTIONS, no key, 20 invalid keys; then a call with each other valid key, a ' +
    '`POST /pets`. A filtered list comes first and last.',
  run: async (context) => {
    await context.control('create')
    const key = cheapest(context.limits)
    const call = callerOf(context, key)
    await context.limits.rest(key.label)
    await callEach(context, listsWith(key, spentBeforeErrors(key.quota)))
    await context.limits.passRealTime(lagMs)
    await call(filtered)
    for (const group of groups) {
      for (const request of group) await call(request)
      await call()
    }
    await context.call(unauthorized(shortList))
    await call()
    await callWithInvalidKeys(context, invalidKeys)
    await call()
    // Another key may have no quota left.
    const others = otherKeys(context, key)
    const ahead = await context.ahead(
      others.map(
        ({ label }) =>
          () =>
            withKey(shortList, label),
      ),
    )
    for (const [at, other] of others.entries()) {
      if (!ahead[at]) await completes(callerOf(context, other)())
    }
    await context.limits.passRealTime(lagMs)
    await call(filtered)
    // The creation comes last, since it may clear a cache.
    await call(createPet(context.newPet()))
    await call()
  },
})

export const counts: readonly Check[] = [oneCount, keptCount]
