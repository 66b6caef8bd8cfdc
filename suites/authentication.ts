// Authentication: a valid key is accepted as bearer token, everything else gets 401.
import type { Context, Forgery } from '../engine/check/context.ts'
import { type AnyCheck, check, invariant, observe } from '../engine/check/declare.ts'
import {
  type ApiRequest,
  get,
  headerValues,
  isSuccess,
  json,
  post,
  statusCode,
  unauthorized,
  withKey,
} from '../engine/check/exchange.ts'
import { expectStatus, violateHeader, violateStatus } from '../engine/check/expect.ts'
import { expectEach } from '../engine/check/findings.ts'
import { printJson } from '../engine/check/json.ts'
import { type Operation, recognizeOperation } from '../engine/check/operations.ts'
import { Untested } from '../engine/check/outcome.ts'
import { allKeys } from '../engine/check/spendable-keys.ts'
import { largerPlans } from '../spec/plans.ts'
import { credentials } from './authentication/credentials.ts'
import {
  bareList,
  expectKeyRequired,
  expectUnauthorized,
  needsWithoutKey,
  unlessOpen,
  unlessRequired,
  usable,
  withoutKey,
} from './authentication/demand.ts'
import { grammar } from './authentication/grammar.ts'
import { secrecy } from './authentication/secrecy.ts'
import { altered, keys, sent } from './authentication/spoil.ts'
import { petsWithIds } from './pets/compare-pets.ts'
import { offerList, sharedAs, shortest } from './pets/lists.ts'
import { afterControl, createPet, getPet, listPets, recordsStatus } from './pets/requests.ts'

type FaultyRequest = readonly [
  operation: Operation,
  words: string,
  request: (context: Context) => ApiRequest,
]

/** Without a valid key a request gets 401, whatever else is wrong with it. */
const faulty: readonly FaultyRequest[] = [
  ['list', 'a `GET /pets?limit=0`', () => get('/pets?limit=0')],
  ['list', 'a `GET /pets` with an unknown status', () => get('/pets?status=petvet')],
  [
    'create',
    'a `POST /pets` whose JSON lacks its last brace',
    ({ newPet }) => createPet(printJson(newPet()).slice(0, -1)),
  ],
  ['create', 'a `POST /pets` without a body', () => createPet(null)],
  [
    'create',
    'a `POST /pets` sent as `text/plain`',
    ({ newPet }) => post('/pets', printJson(newPet()), [[json[0], 'text/plain']]),
  ],
  ['get', 'a GET of an id that no pet is likely to have', () => getPet(7046029254386353087n)],
  ['get', 'a GET of the id `petvet`', () => getPet('petvet')],
]

const precedence = check({
  id: 'auth-first-401',
  requirement: 'auth.first',
  needs: { stage: 'unauthenticated', keyed: 0, anonymous: faulty.length },
  sends: `Without a key, each with another fault: ${faulty.map(([, words]) => words).join(', ')}.`,
  fails: 'Any status other than 401.',
  inconclusive: unlessRequired('list', 'create', 'get'),
  run: async (context) => {
    const operations = await usable(context, ['list', 'create', 'get'])
    const judged = faulty.filter(([operation]) => operations.includes(operation))
    await expectEach(judged, ([operation, , request]) =>
      expectKeyRequired(context, operation, () => unauthorized(request(context))),
    )
  },
})

const shortList = listPets(shortest)

/** A list with a key, then the same without a key on the same connection; two checks share it. */
const keyThenNone = {
  stage: 'unauthenticated',
  keyed: 1,
  anonymous: 1,
  shares: 'served, then not',
  sharesEach: [sharedAs(shortest)],
} as const

const sendKeyThenNone = (context: Context) =>
  context.once(keyThenNone.shares, async () => {
    const { call, knownPets } = context
    const ids = knownPets.matching(undefined)
    const served = await call(withKey(shortList, knownPets.lists.chosen(ids)))
    await offerList(context, shortest, served, ids)
    return { served, response: await call(unauthorized(shortList)) }
  })

const failsUnless401 =
  'Any status other than 401, save 400 to credentials that are not a scheme and one token, which ' +
  '`auth-malformed-401` judges. The control request differs only in the key; `error-shape` ' +
  'judges the body.'

/** HTTP servers in front of an API may refuse these headers. */
const orFromServer = (id: string): string =>
  ['latin1', 'two-headers-none-valid'].includes(id)
    ? '; or 400, which may come from the HTTP server (ambiguous)'
    : ''

const namesOf = { list: '`GET /pets`', create: '`POST /pets`', get: 'GET by id' } as const

const missing = (['list', 'create', 'get'] as const).map((operation) =>
  check({
    id: `auth-missing-${operation}-401`,
    requirement: `${operation}.unauthorized`,
    needs: {
      ...needsWithoutKey(operation),
      ...(operation === 'list' && { shares: bareList }),
    },
    sends: `One valid ${namesOf[operation]} without an \`Authorization\` header.`,
    fails: failsUnless401,
    ...afterControl(operation, async (context, control) => {
      expectUnauthorized(control, await withoutKey(context, operation))
    }),
  }),
)

const refused = credentials.map(({ id, requirement, on, words, spoil }) => {
  const [only] = on.length === 1 ? on : []
  return check({
    id: `auth-${id}-${only ? `${only}-` : ''}401`,
    requirement,
    condition: words.replaceAll('`', ''),
    needs: only
      ? needsWithoutKey(only)
      : { stage: 'unauthenticated', keyed: 0, anonymous: on.length },
    sends: `One valid ${on.map((operation) => namesOf[operation]).join(', one ')}, ${words}.`,
    fails: failsUnless401,
    inconclusive: `${unlessRequired(...on)}${orFromServer(id)}`,
    run: async (context) => {
      const operations = only ? on : await usable(context, on)
      await expectEach(operations, (operation) => expectKeyRequired(context, operation, spoil))
    },
  })
})

/** Almost valid keys of each larger plan, since a server may look up each plan elsewhere. */
const nearMisses = [keys.last, keys.middle, keys.otherCase]

const ofLargerPlans = largerPlans.map((plan) =>
  check({
    id: `auth-changed-${plan}-key-list-401`,
    requirement: 'auth.key-invalid',
    condition: `with a key of the plan ${plan} of which a character is changed, or the letter case`,
    needs: { stage: 'unauthenticated', keyed: 0, anonymous: nearMisses.length, plan },
    sends:
      `Three \`GET /pets\` with a key of the plan ${plan}: its last or middle character ` +
      'changed, or its letters in the other case.',
    fails: failsUnless401,
    inconclusive: `${unlessRequired('list')}; or the key has no letters (ambiguous)`,
    run: async (context) => {
      const key = allKeys(context.limits).find((each) => each.plan === plan)
      const ofKey = { ...context, forge: (make: Forgery) => context.forge(make, key?.label) }
      await expectEach(nearMisses, (near) => expectKeyRequired(ofKey, 'list', altered(near)))
    },
  }),
)

const accepted = [
  check({
    id: 'auth-bearer-list-200',
    requirement: 'auth.bearer',
    needs: keyThenNone,
    sends: '`GET /pets?limit=1` with a valid key, then without one.',
    fails: 'Any status other than 200 with the key, or a body that is not a list.',
    inconclusive:
      'the list is served without a key as well, so it does not show that the key was ' +
      'accepted (blocked); `auth-missing-list-401` reports that',
    run: async (context) => {
      const { served, response } = await sendKeyThenNone(context)
      expectStatus(served, 200)
      petsWithIds(served)
      // If it is served without the key too, it does not show that the key was accepted.
      unlessOpen(response, 'list', served)
    },
  }),
]

const connection = check({
  id: 'auth-connection-list-401',
  requirement: 'auth.each-request',
  needs: keyThenNone,
  sends: 'A `GET /pets` with a valid key, then the same without a key on the same connection.',
  fails: 'Any status other than 401 for the second one.',
  inconclusive:
    'the target closes each connection (ambiguous), or does not return 401 on a new ' +
    'connection either (blocked)',
  run: async (context) => {
    const { served, response } = await sendKeyThenNone(context)
    if (statusCode(served) !== 200) {
      throw new Untested('blocked', `the list with a key got ${statusCode(served)}`, [served])
    }
    if (statusCode(response) !== 401) {
      // The same on a connection without any key.
      const [alone] = await context.together([unauthorized(shortList)])
      if (alone) unlessOpen(alone, 'list', served, response)
    }
    expectUnauthorized(served, response)
    if (response.response.opened) {
      throw new Untested('ambiguous', 'the target closes each connection', [served, response])
    }
  },
})

const challenge = invariant({
  id: 'auth-401-challenge',
  requirement: 'auth.challenge',
  judges: 'Every 401 of the three operations.',
  fails: 'No `WWW-Authenticate` that names the scheme Bearer. It is a should: HTTP requires it.',
  applies: (exchange) => statusCode(exchange) === 401 && recognizeOperation(exchange) !== undefined,
  holds: (exchange) => {
    const values = headerValues(exchange, 'WWW-Authenticate')
    const named = values.some((value) => /(?:^|[\s,])bearer\b/i.test(value))
    if (!named) {
      const found = values.length > 0 ? `WWW-Authenticate: ${values.join(', ')}` : 'no such header'
      const kind = values.length > 0 ? 'without Bearer' : 'missing'
      const expected = 'WWW-Authenticate with the scheme Bearer'
      violateHeader('WWW-Authenticate', kind, expected, found, exchange)
    }
  },
})

const noneServed = invariant({
  id: 'auth-no-key-none-served',
  requirement: 'service.key',
  judges: 'Every response of the three operations to a request without a valid key.',
  fails:
    'A 2xx response. Requests with two `Authorization` headers, one of them valid, are left out.',
  // One of two header lines may have a valid key, and the interface does not say which counts.
  applies: (exchange) =>
    exchange.key === null &&
    (exchange.apiRequest.authorization?.length ?? 0) < 2 &&
    recognizeOperation(exchange) !== undefined,
  holds: (exchange) => {
    if (isSuccess(exchange)) violateStatus('a refusal without a valid key', exchange)
  },
})

const repeated = observe({
  id: 'auth-two-headers-list',
  requirement: 'auth.two-headers',
  // It counts for the key if the target accepts the valid header.
  needs: { stage: 'unauthenticated', keyed: 1, anonymous: 1 },
  sends: 'A valid `GET /pets` with two `Authorization` headers: a valid key and an invalid one.',
  ...recordsStatus('list', (context, { apiRequest, key }) => ({
    ...sent('Bearer KEY', 'Bearer OTHER')(apiRequest, context),
    ...(key !== null && { carries: key }),
  })),
})

const scope = observe({
  id: 'auth-animals-by-key',
  requirement: 'auth.scope',
  needs: { stage: 'reads', keyed: 0, anonymous: 0 },
  sends: 'No requests of its own: it looks at the lists and GETs of a run with several keys.',
  records:
    'Whether a key sees pets that another key created or sees, and whether some are hidden ' +
    'from it. A pet that only one key sees is requested with that key from then on.',
  run: async ({ knownPets }) => {
    const isApart = knownPets.lists.isApart() || knownPets.fetches.isApart()
    if (knownPets.isShared()) return isApart ? 'shared between some keys' : 'shared between keys'
    return isApart ? 'each key has its own' : 'not seen: no key requested pets of another'
  },
})

export const authentication: readonly AnyCheck[] = [
  ...accepted,
  ...grammar,
  ...missing,
  ...refused,
  ...ofLargerPlans,
  precedence,
  ...secrecy,
  connection,
  challenge,
  noneServed,
  repeated,
  scope,
]
