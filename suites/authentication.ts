// Authentication: a valid key as bearer token is taken, everything else is answered 401.

import type { Question } from '../engine/check.ts'
import { check, invariant, observe } from '../engine/check.ts'
import type { Context } from '../engine/context.ts'
import { headerValues, statusOf } from '../engine/exchange.ts'
import { expectStatus, told, violate } from '../engine/expect.ts'
import { Untested } from '../engine/outcome.ts'
import { allKeys } from '../engine/quota/limits.ts'
import type { Forgery } from '../engine/redact.ts'
import { get, unauthorized, withKeyOf } from '../engine/request.ts'
import { largerPlans } from '../spec/plans.ts'
import { animalsIn } from './animals.ts'
import { isSuccess, operationOf } from './answers.ts'
import { credentials, twoHeaders } from './authentication/credentials.ts'
import {
  demandAnyKey,
  demandKey,
  expectUnauthorized,
  stranger,
  unlessOpen,
} from './authentication/demand.ts'
import { precedence } from './authentication/precedence.ts'
import { secrecy } from './authentication/secrecy.ts'

const short = get('/pets?limit=1')

/** A list, and on the same connection right after it the same one without a key. */
const servedThenNot = {
  stage: 'strangers',
  keyed: 1,
  anonymous: 1,
  shares: 'served, then not',
} as const

const askServedThenNot = ({ call, once }: Context) =>
  once(servedThenNot.shares, async () => {
    const served = await call(short)
    return { served, answer: await call(unauthorized(short)) }
  })

const refused = credentials.flatMap(({ id, requirement, on, spoil }) =>
  on.map((operation) =>
    check(`auth-${id}-${operation}-401`, requirement, stranger(operation), (context) =>
      id === 'missing' ? demandAnyKey(context, operation) : demandKey(context, operation, spoil),
    ),
  ),
)

/** Near misses of a key of each larger plan: keys of several plans may be looked up elsewhere. */
const nearMisses = ['changed-last', 'changed-middle', 'letter-case']

const ofLargerPlans = largerPlans.map((plan) =>
  check(
    `auth-changed-${plan}-key-list-401`,
    'auth.key-invalid',
    { stage: 'strangers', keyed: 0, anonymous: nearMisses.length, plan },
    async (context) => {
      const key = allKeys(context.limits).find((each) => each.plan === plan)
      const ofKey = { ...context, forge: (make: Forgery) => context.forge(make, key?.label) }
      for (const { id, on, spoil } of credentials) {
        const isNear = nearMisses.includes(id) && on.includes('list')
        if (isNear) await demandKey(ofKey, 'list', spoil)
      }
    },
  ),
)

const taken = [
  check('auth-bearer-list-200', 'auth.bearer', servedThenNot, async (context) => {
    const { served, answer } = await askServedThenNot(context)
    expectStatus(served, 200)
    animalsIn(served)
    // Were it served without the key too, nothing would show that the key was taken.
    unlessOpen(answer, 'list', served)
  }),

  check(
    'auth-scheme-lower-case-200',
    'auth.scheme-case',
    { stage: 'strangers', keyed: 1, anonymous: 0 },
    async ({ call, control }) => {
      const sound = await control('list')
      const answer = await call({ ...withKeyOf(short, sound), scheme: 'bearer' })
      if (statusOf(answer) !== 200) violate('status 200', told(answer), sound, answer)
    },
  ),
]

const connection = check(
  'auth-connection-list-401',
  'auth.each-request',
  servedThenNot,
  async (context) => {
    const { served, answer } = await askServedThenNot(context)
    if (statusOf(served) !== 200) {
      throw new Untested('blocked', `the list before it was answered ${statusOf(served)}`, [served])
    }
    if (statusOf(answer) !== 401) {
      // The same on a connection that no key was sent on.
      const [alone] = await context.together([unauthorized(short)])
      if (alone) unlessOpen(alone, 'list', served, answer)
    }
    expectUnauthorized(served, answer)
    if (answer.response.opened) {
      throw new Untested('ambiguous', 'the target closes each connection, so none was shared', [
        served,
        answer,
      ])
    }
  },
)

const challenge = invariant(
  'auth-401-challenge',
  'auth.challenge',
  (exchange) => statusOf(exchange) === 401 && operationOf(exchange) !== undefined,
  (exchange) => {
    const values = headerValues(exchange, 'WWW-Authenticate')
    const named = values.some((value) => /(?:^|[\s,])bearer\b/i.test(value))
    if (!named) {
      const found = values.length > 0 ? `WWW-Authenticate: ${values.join(', ')}` : 'no such header'
      violate('WWW-Authenticate with the scheme Bearer', found, exchange)
    }
  },
)

const noneServed = invariant(
  'auth-no-key-none-served',
  'service.key',
  // Of two header lines one may hold a valid key, and the document does not say which counts.
  (exchange) =>
    exchange.key === null &&
    (exchange.asked.authorization?.length ?? 0) < 2 &&
    operationOf(exchange) !== undefined,
  (exchange) => {
    if (isSuccess(exchange)) violate('a refusal without a valid key', told(exchange), exchange)
  },
)

const repeated = observe(
  'auth-two-headers-list',
  'auth.two-headers',
  // It counts on the key, where the target takes the valid one of the two.
  { stage: 'strangers', keyed: 1, anonymous: 1 },
  async (context) => {
    const { asked, key } = await context.control('list')
    const carries = key === null ? {} : { carries: key }
    const answer = await context.call({ ...twoHeaders(asked, context), ...carries })
    return String(statusOf(answer))
  },
)

const scope = observe(
  'auth-animals-by-key',
  'auth.scope',
  { stage: 'reads', keyed: 0, anonymous: 0 },
  async ({ herd }) => {
    const isApart = herd.lists.isApart() || herd.fetches.isApart()
    if (herd.isShared()) return isApart ? 'shared between some keys' : 'shared between keys'
    return isApart ? 'each key has its own' : 'not seen: no key asked for those of another'
  },
)

export const list: readonly Question[] = [
  ...taken,
  ...refused,
  ...ofLargerPlans,
  ...precedence,
  ...secrecy,
  connection,
  challenge,
  noneServed,
  repeated,
  scope,
]
