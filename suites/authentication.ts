// Authentication: a valid key is accepted as bearer token, everything else is answered 401.
import type { Context, Forgery } from '../engine/context.ts'
import { type AnyCheck, check, invariant, observe } from '../engine/declare.ts'
import {
  type ApiRequest,
  get,
  headerValues,
  post,
  statusOf,
  unauthorized,
  withKeyOf,
} from '../engine/exchange.ts'
import { describeResponse, expectStatus, violate } from '../engine/expect.ts'
import { printJson } from '../engine/json.ts'
import { Untested } from '../engine/outcome.ts'
import { allKeys } from '../engine/quota/limits.ts'
import { largerPlans } from '../spec/plans.ts'
import { credentials, twoHeaders } from './authentication/credentials.ts'
import {
  demandAnyKey,
  demandKey,
  expectUnauthorized,
  stranger,
  unlessOpen,
} from './authentication/demand.ts'
import { secrecy } from './authentication/secrecy.ts'
import { petsWithIds } from './pets.ts'
import { controlFailed } from './requests.ts'
import { isSuccess, type Operation, operationOf } from './responses.ts'

const short = get('/pets?limit=1')

/** A list, and right after it the same without a key on the same connection. */
const keyThenNone = {
  stage: 'unauthenticated',
  keyed: 1,
  anonymous: 1,
  shares: 'served, then not',
} as const

const sendKeyThenNone = ({ call, once }: Context) =>
  once(keyThenNone.shares, async () => {
    const served = await call(short)
    return { served, answer: await call(unauthorized(short)) }
  })

const failsUnless401 =
  'Any status but 401; its body is judged by `error-shape`. The control differs only in the key.'

/** What leaves open whether something was accepted as a key. */
const unlessDemanded = (operation: Operation): string =>
  `${controlFailed[operation]}; or a request without any key is not answered 401 either: see ` +
  `\`auth-missing-${operation}-401\` (blocked)`

const inconclusiveWith = (id: string, operation: Operation): string => {
  if (id === 'missing') return controlFailed[operation]
  // Servers in front of an API refuse these headers by themselves.
  const isBelow = ['latin1', 'two-headers-none-valid'].includes(id)
  const below = isBelow ? '; or 400, as from below an API (ambiguous)' : ''
  return `${unlessDemanded(operation)}${below}`
}

const nounOf = { list: 'list', create: 'creation', get: 'GET by id' } as const

const refused = credentials.flatMap(({ id, requirement, on, words, spoil }) =>
  on.map((operation) =>
    check({
      id: `auth-${id}-${operation}-401`,
      requirement,
      needs: stranger(operation),
      sends: `One valid ${nounOf[operation]} ${words}.`,
      fails: failsUnless401,
      inconclusive: inconclusiveWith(id, operation),
      run: (context) =>
        id === 'missing' ? demandAnyKey(context, operation) : demandKey(context, operation, spoil),
    }),
  ),
)

/** Near misses of a key of each larger plan: keys of several plans may be looked up elsewhere. */
const nearMisses = ['changed-last', 'changed-middle', 'letter-case']

const ofLargerPlans = largerPlans.map((plan) =>
  check({
    id: `auth-changed-${plan}-key-list-401`,
    requirement: 'auth.key-invalid',
    needs: { stage: 'unauthenticated', keyed: 0, anonymous: nearMisses.length, plan },
    sends:
      `Three lists with a ${plan} key whose last or middle character is changed, or whose ` +
      'letters have the other case.',
    fails: failsUnless401,
    inconclusive: `${unlessDemanded('list')}; or the key has no letters (ambiguous)`,
    run: async (context) => {
      const key = allKeys(context.limits).find((each) => each.plan === plan)
      const ofKey = { ...context, forge: (make: Forgery) => context.forge(make, key?.label) }
      for (const { id, on, spoil } of credentials) {
        const isNear = nearMisses.includes(id) && on.includes('list')
        if (isNear) await demandKey(ofKey, 'list', spoil)
      }
    },
  }),
)

const accepted = [
  check({
    id: 'auth-bearer-list-200',
    requirement: 'auth.bearer',
    needs: keyThenNone,
    sends: '`GET /pets?limit=1` with a valid key, then without one.',
    fails: 'Any status but 200 with the key, or a body that is not a list.',
    inconclusive:
      'the list is served without the key as well, so nothing shows that the key was accepted ' +
      '(blocked); `auth-missing-list-401` reports it',
    run: async (context) => {
      const { served, answer } = await sendKeyThenNone(context)
      expectStatus(served, 200)
      petsWithIds(served)
      // If it is served without the key too, nothing shows that the key was accepted.
      unlessOpen(answer, 'list', served)
    },
  }),

  check({
    id: 'auth-scheme-lower-case-200',
    requirement: 'auth.scheme-case',
    needs: { stage: 'unauthenticated', keyed: 1, anonymous: 0 },
    sends: 'A valid list with the scheme written as `bearer`.',
    fails: 'Any status but 200. It is a should: HTTP makes the scheme case-insensitive.',
    inconclusive: controlFailed.list,
    run: async ({ call, control }) => {
      const valid = await control('list')
      const answer = await call({ ...withKeyOf(short, valid), scheme: 'bearer' })
      if (statusOf(answer) !== 200) violate('status 200', describeResponse(answer), valid, answer)
    },
  }),
]

const connection = check({
  id: 'auth-connection-list-401',
  requirement: 'auth.each-request',
  needs: keyThenNone,
  sends: 'A list with a valid key, then the same without a key on the same connection.',
  fails: 'Any status but 401 to the second.',
  inconclusive:
    'the target closes each connection, so none is shared (ambiguous); or it does not answer 401 ' +
    'on a separate connection either (blocked)',
  run: async (context) => {
    const { served, answer } = await sendKeyThenNone(context)
    if (statusOf(served) !== 200) {
      throw new Untested('blocked', `the list before it got ${statusOf(served)}`, [served])
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
})

const challenge = invariant({
  id: 'auth-401-challenge',
  requirement: 'auth.challenge',
  judges: 'Every 401 of the three operations.',
  fails: 'No `WWW-Authenticate` that names the scheme Bearer. It is a should: HTTP requires it.',
  applies: (exchange) => statusOf(exchange) === 401 && operationOf(exchange) !== undefined,
  holds: (exchange) => {
    const values = headerValues(exchange, 'WWW-Authenticate')
    const named = values.some((value) => /(?:^|[\s,])bearer\b/i.test(value))
    if (!named) {
      const found = values.length > 0 ? `WWW-Authenticate: ${values.join(', ')}` : 'no such header'
      violate('WWW-Authenticate with the scheme Bearer', found, exchange)
    }
  },
})

const noneServed = invariant({
  id: 'auth-no-key-none-served',
  requirement: 'service.key',
  judges: 'Every response of the three operations to a request without a valid key.',
  fails: 'A 2xx response. Two `Authorization` headers, one of them valid, are left out.',
  // Of two header lines one may hold a valid key, and the document does not say which counts.
  applies: (exchange) =>
    exchange.key === null &&
    (exchange.asked.authorization?.length ?? 0) < 2 &&
    operationOf(exchange) !== undefined,
  holds: (exchange) => {
    if (isSuccess(exchange))
      violate('a refusal without a valid key', describeResponse(exchange), exchange)
  },
})

const repeated = observe({
  id: 'auth-two-headers-list',
  requirement: 'auth.two-headers',
  // It counts on the key if the target accepts the valid one of the two.
  needs: { stage: 'unauthenticated', keyed: 1, anonymous: 1 },
  sends: 'A valid list with two `Authorization` headers: a valid key and an invalid one.',
  records: 'The status.',
  inconclusive: controlFailed.list,
  run: async (context) => {
    const { asked, key } = await context.control('list')
    const carries = key === null ? {} : { carries: key }
    const answer = await context.call({ ...twoHeaders(asked, context), ...carries })
    return String(statusOf(answer))
  },
})

const scope = observe({
  id: 'auth-animals-by-key',
  requirement: 'auth.scope',
  needs: { stage: 'reads', keyed: 0, anonymous: 0 },
  sends: 'The lists and GETs of a run with several keys.',
  records:
    'Whether a key was shown pets that another key created or was shown, and whether some were ' +
    'hidden from it. What only one key was shown is then requested with that key.',
  run: async ({ herd }) => {
    const isApart = herd.lists.isApart() || herd.fetches.isApart()
    if (herd.isShared()) return isApart ? 'shared between some keys' : 'shared between keys'
    return isApart ? 'each key has its own' : 'not seen: no key asked for those of another'
  },
})

type FaultRow = readonly [
  fault: string,
  operation: Operation,
  what: string,
  request: (context: Context) => ApiRequest,
]

const plainText = ['Content-Type', 'text/plain'] as const
const validBody = ({ newPet }: Context): string => printJson(newPet())

const nameless = ({ newPet }: Context): string => {
  const { name: _, ...rest } = newPet()
  return printJson(rest)
}

const faultRows: readonly FaultRow[] = [
  ['limit-zero', 'list', 'a list with `limit=0`', () => get('/pets?limit=0')],
  ['status-unknown', 'list', 'a list with an unknown status', () => get('/pets?status=petvet')],
  [
    'name-missing',
    'create',
    'a creation without a name',
    (context) => post('/pets', nameless(context)),
  ],
  [
    'json-truncated',
    'create',
    'a creation whose JSON lacks its last brace',
    (context) => post('/pets', validBody(context).slice(0, -1)),
  ],
  ['body-missing', 'create', 'a creation without a body', () => post('/pets', null)],
  [
    'media-type-text',
    'create',
    'a creation sent as `text/plain`',
    (context) => post('/pets', validBody(context), [plainText]),
  ],
  [
    'id-unknown',
    'get',
    'a GET of an id that no pet is likely to have',
    () => get('/pets/7046029254386353087'),
  ],
  ['id-no-integer', 'get', 'a GET of the id `petvet`', () => get('/pets/petvet')],
  ['id-beyond-int64', 'get', 'a GET of the id 2^63', () => get('/pets/9223372036854775808')],
]

/** Without a valid key a request is answered 401, whatever else is wrong with it. */
const precedence = faultRows.map(([fault, operation, what, request]) =>
  check({
    id: `auth-first-${fault}-401`,
    requirement: 'auth.first',
    needs: stranger(operation),
    sends: `Without a key: ${what}.`,
    fails: 'Any status but 401.',
    inconclusive: unlessDemanded(operation),
    run: (context) => demandKey(context, operation, () => unauthorized(request(context))),
  }),
)

export const authentication: readonly AnyCheck[] = [
  ...accepted,
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
