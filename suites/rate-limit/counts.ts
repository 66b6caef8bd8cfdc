// Programs: all calls of a key share one count, whatever they are; nothing but its window gives
// calls back, and windows end. The laws of the limiter judge how Remaining moves.

import type { Context } from '../../engine/check/context.ts'
import type { Check } from '../../engine/check/declare.ts'
import { type KeyHandle, shortList, unlessLost } from '../../engine/check/key-handle.ts'
import { createPet, getPet, listPets, listPetsWith } from '../../engine/check/requests.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  get,
  type Header,
  isSuccess,
  unauthorized,
  withKey,
} from '../../history/exchange.ts'
import { completes } from '../../history/outcome.ts'
import {
  isRefused,
  isServed,
  isShutOut,
  minuteSaid,
  readWaitMs,
} from '../../history/rate-headers.ts'
import { promptMs } from '../../model/limiter/calls.ts'
import { plans } from '../../spec/plans.ts'
import { shuffled } from '../pets/arbitraries.ts'
import {
  cheapest,
  forgottenMs,
  lagMs,
  limitNeeds,
  lists,
  otherKeys,
  program,
  silenceMs,
} from './program.ts'

/** An id that no pet has. */
const unknownId = '8999999999999999937'
/** Much longer than a call on most networks, so that other clients would show. */
const pausesMs = [400, 1_200]
/** A new count shows more than a tenth of the minute of a Free key again, as calls may. */
const spentFirst = 12
/** A bucket may give back as much once, but not twice so soon. */
const rounds = [0, 1]
/** How often a creation and a long list follow, where the minute has room. */
const pairs = [0, 1, 2, 3]
/** More of a larger minute is not spent: a silence follows. */
const maxRest = 100

/** Addresses reserved for documentation (RFC 5737), and other words of a client. */
const otherFields: readonly Header[] = [
  ['X-Forwarded-For', '198.51.100.7'],
  ['X-Real-IP', '203.0.113.9'],
  ['Forwarded', 'for=192.0.2.43'],
  ['User-Agent', 'petvet/other'],
  ['X-Request-Id', 'other'],
  ['Cookie', 'session=other'],
]

const creations = ({ allow, newPet }: Context): readonly ApiRequest[] =>
  allow.includes('write') ? [createPet(newPet())] : []

/** In what the calls of one client may differ: a limiter must not tell them apart. */
const validKinds = (context: Context, { label }: KeyHandle): readonly ApiRequest[] => {
  const { knownPets } = context
  const known = knownPets.creations.findLast(({ id }) => knownPets.isKnown(label, id))
  return [
    ...creations(context),
    listPets({ limit: 100 }),
    listPets({}),
    listPets({ limit: 3, status: 'pending' }),
    listPetsWith('status=available&limit=1'),
    { ...shortList, fresh: true },
    known ? getPet(known.id) : shortList,
    ...otherFields.map((field) => ({ ...shortList, headers: [field] })),
  ]
}

const remainingOf = (response: AnsweredExchange): number => minuteSaid(response)?.remaining ?? 0

/** Whether each shows fewer calls to remain than the one before it. */
const isFalling = (responses: readonly AnsweredExchange[]): boolean =>
  responses.every((one, at) => at === 0 || remainingOf(one) < remainingOf(responses[at - 1] ?? one))

/**
 * Sends calls of each kind, and once more. It waits only where calls came back, or a law was in
 * doubt before. @returns the response to the last list
 */
const callEachKind = async (context: Context, key: KeyHandle, time: number) => {
  const { call, callEach } = key
  await callEach(lists(spentFirst - 1))
  for (const ms of pausesMs) {
    if (time > 0) await context.limits.passRealTime(ms)
    await call()
  }
  // A refusal of another spelling violates a should.
  const spelt = await call({ ...shortList, scheme: 'BEARER' })
  const schemes = isSuccess(spelt) ? ['bearer', 'bEARER'] : []
  const spellings = schemes.map((scheme) => ({ ...shortList, scheme }))
  for (const round of rounds) {
    const all = [...validKinds(context, key), ...spellings]
    const responses: AnsweredExchange[] = []
    for (const request of shuffled(all, context.seed + round)) responses.push(await call(request))
    if (!isFalling(responses)) await context.limits.passRealTime(lagMs)
  }
  const statuses = [{ status: 'sold' }, {}]
  const isRoomy = context.limits.instant || key.quota.perMinute > plans.free.perMinute
  const more = (isRoomy ? pairs : []).flatMap((at) => [
    ...creations(context),
    listPets({ limit: 100, ...statuses[at % 2] }),
  ])
  await callEach(more)
  const six = await context.together(lists(6).map((request) => withKey(request, key.label)))
  const last = await call()
  const inOrder = [...six].sort((a, b) => remainingOf(b) - remainingOf(a))
  if (isFalling([...inOrder, last])) return last
  await context.limits.passRealTime(lagMs)
  return call()
}

const oneCount = program({
  id: 'count-of-any-call',
  requirement: 'limits.one-count',
  needs: limitNeeds,
  laws: ['calls-share-one-count', 'remaining-falls-by-one', 'remaining-rises-at-reset'],
  clauses: ['refills-within-limit', 'limit-not-below-quota', 'limit-not-early'],
  sends:
    'A minute without a refusal: 14 lists, 15 valid calls, twice, that differ in ' +
    'operation, query, length, connection, scheme and fields; in a larger minute than that of a ' +
    'Free key four `POST /pets` and long lists; six lists together, and what remains. One ' +
    'request after 75 s.',
  run: async (context, time) => {
    const { limits, allow, control } = context
    if (allow.includes('write')) await completes(control('create'))
    const key = cheapest(context)
    await key.begin()
    const last = await callEachKind(context, key, time)
    if (!isServed(last)) return
    const rest = await key.flood(lists(Math.min(key.left(last, 0), maxRest)))
    // A request before the end of a stated wait may ban the key.
    if (rest.some((one) => isShutOut(one) && (readWaitMs(one) ?? 0) > silenceMs)) return
    await limits.pass(silenceMs)
    await key.ask()
  },
})

/** Each is followed by a list, which shows the count. */
const groups = (mayWrite: boolean): readonly (readonly ApiRequest[])[] => [
  mayWrite ? [createPet({}), createPet('{"name":')] : [],
  [listPetsWith('limit=0')],
  [getPet(unknownId), getPet('no-id')],
  mayWrite ? [{ ...get('/pets'), method: 'PUT' }] : [],
  [get('/petvet-no-address')],
  [{ ...get('/pets'), method: 'HEAD' }],
  [{ ...get('/pets'), method: 'OPTIONS' }],
  [unauthorized(shortList)],
]

/** Sent first and last: a cached response would show the first count again. */
const filtered = listPets({ limit: 1, status: 'sold' })
/** Servers shut out an address after 5 to 20 of them, or keep counts of their latest keys only. */
const manyKeys = 20
/** A server may limit requests without a valid key by client address, and then responds 429. */
const withInvalidKeys = (count: number): ApiRequest[] =>
  Array.from({ length: count }, (_, at) => unauthorized(shortList, `Bearer never-issued-key-${at}`))
/** Rows of some of them, each followed by a list. */
const rows = { count: 5, keys: 4 }
/** How often another key of the plan calls: what happens each time is not by chance. */
const beside = 3
/** In so much time a client that has the key banned again and again shows, and is no finding. */
const aloneMs = promptMs + 100

/**
 * Sends something and a list; where calls came back, as many more are spent, and it is sent again,
 * and again: what was spent may not have been counted yet, and a bucket may have given it back, but
 * does not do so twice. @returns the response to the last list
 */
const callAround = async (
  { limits }: Context,
  { ask, call, flood }: KeyHandle,
  before: AnsweredExchange,
  send: (how: KeyHandle['ask']) => Promise<readonly AnsweredExchange[]>,
): Promise<AnsweredExchange> => {
  const sent = [...(await send(call)), await call()]
  let latest = sent.at(-1) ?? before
  if (Math.max(...sent.map(remainingOf)) <= remainingOf(before)) return latest
  for (let again = 0; again < 2; again += 1) {
    await flood(lists(remainingOf(latest) - remainingOf(before)))
    await limits.passRealTime(lagMs)
    // By what was sent in this minute none remain.
    if ((await send(ask)).some(isRefused)) return latest
    latest = await ask()
  }
  return latest
}

/** Invalid requests, and calls of other keys, which cost little where a test clock moves on. */
const callBetween = async (context: Context, key: KeyHandle) => {
  const { rested, flood, call } = key
  const { allow } = context
  await rested()
  // They distinguish a new count from calls that come back, and from calls not yet counted.
  await flood(lists(Math.ceil(key.quota.perMinute / 10) + 19))
  let latest = await call(filtered)
  const sendAll = async (requests: readonly ApiRequest[], how: KeyHandle['ask']) => {
    const responses: AnsweredExchange[] = []
    for (const request of requests) {
      if (!responses.some(isRefused)) responses.push(await how(request))
    }
    return responses
  }
  for (const group of groups(allow.includes('write'))) {
    latest = await callAround(context, key, latest, (how) => sendAll(group, how))
  }
  for (const other of otherKeys(context, key)) {
    for (let time = 0; time < (other.plan === key.plan ? beside : 1); time += 1) {
      latest = await callAround(context, key, latest, async () => {
        // It may have no quota left.
        await completes(other.call())
        return []
      })
    }
  }
  latest = await callAround(context, key, latest, (how) => sendAll([filtered], how))
  // The creation comes last, since it may clear a cache.
  await callAround(context, key, latest, (how) => sendAll(creations(context), how))
}

const keptCount = program({
  id: 'isolation-invalid-key-free',
  requirement: 'headers.remaining.falls',
  needs: limitNeeds,
  laws: ['remaining-falls-by-one', 'ban-only-after-refusals'],
  clauses: ['remaining-rises-at-reset', 'refills-within-limit', 'limit-not-early'],
  sends:
    'A list, 20 invalid keys and a list; five times four invalid keys and a list. With the test ' +
    'clock, after a rest and a part of the minute, each followed by a list: invalid requests, ' +
    'HEAD, OPTIONS, no key, calls with each other key; again where calls came back. A filtered ' +
    'list comes first and last. Repeated 25 hours later.',
  run: async (context, time) => {
    const { limits, allow, control } = context
    if (allow.includes('write')) await completes(control('create'))
    const key = cheapest(context)
    const { begin, ask } = key
    if (time > 0 && limits.instant) await limits.pass(forgottenMs)
    await begin(rows.count + 2)
    if (time > 0) {
      await limits.passRealTime(aloneMs)
      if (!isServed(await ask())) return
    }
    await completes(unlessLost(context.together(withInvalidKeys(manyKeys))))
    let latest: AnsweredExchange = await ask()
    for (let row = 0; row < rows.count && isServed(latest); row += 1) {
      // On the connection of the key.
      for (const request of withInvalidKeys(rows.keys)) {
        await completes(unlessLost(context.call(request)))
      }
      latest = await ask()
    }
    if (limits.instant) await callBetween(context, key)
  },
})

/** Half of a small minute. */
const maxSpent = 60

/**
 * Twice in turn a list on the usual connection, and what differs from it in all that may be counted
 * apart: a rise is none of calls that were counted late.
 */
const unlikeCalls = program({
  id: 'count-of-unlike-calls',
  requirement: 'limits.one-count',
  needs: { stage: 'reads' },
  laws: ['calls-share-one-count', 'remaining-rises-at-reset'],
  sends:
    'Twice in turn, 0.3 s apart: a list, and a GET of a pet on its own connection with other ' +
    'forwarding fields, `User-Agent` and cookies. With the test clock up to 60 lists before.',
  run: async (context) => {
    const { limits, knownPets } = context
    const key = cheapest(context)
    if (limits.instant) {
      const more = Math.ceil(key.left(await key.begin()) - key.quota.perMinute / 2)
      await key.flood(lists(Math.max(0, Math.min(more, maxSpent))))
    }
    const pet = knownPets.creations.find(({ id }) => knownPets.isKnown(key.label, id))
    const other = pet ? getPet(pet.id) : listPets({ limit: 3, status: 'pending' })
    const unlike = { ...other, fresh: true, headers: otherFields } as const
    // A cache may still have it, as it was before.
    const list = listPets({ limit: 100, status: 'available' })
    for (const request of [unlike, list, unlike, list]) {
      await limits.passRealTime(lagMs)
      await completes(unlessLost(key.call(request)))
    }
  },
})

export const counts: readonly Check[] = [unlikeCalls, keptCount, oneCount]
