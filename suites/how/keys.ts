// How the questions about keys are judged: a sound request with one thing wrong about its key.
import { afterSound, type Telling, type Tellings, tellings } from '../../engine/telling.ts'

/** What is sent in the place of a valid key, by what the id has before the operation. */
const inPlaceOfKey: Readonly<Record<string, string>> = {
  missing: 'without an `Authorization` header',
  empty: 'with an empty `Authorization` header',
  'bearer-alone': 'with `Authorization: Bearer` and no key',
  'missing-with-status': 'by status, without an `Authorization` header',
  basic: 'with a valid key under the scheme `Basic`, as it stands',
  'basic-encoded': 'with a valid key under the scheme `Basic`, encoded as user name and password',
  token: 'with a valid key under the scheme `Token`',
  'api-key-scheme': 'with a valid key under the scheme `ApiKey`',
  'no-scheme': 'with a valid key in `Authorization` and no scheme',
  'glued-scheme': 'with `Bearer` and a valid key written as one word',
  'scheme-colon': 'with a colon behind `Bearer` and a valid key',
  'query-api-key': 'with a valid key in the query alone, as `api_key`, `apikey` and `key`',
  'query-access-token': 'with a valid key in the query alone, as `access_token` and `token`',
  cookie: 'with a valid key in cookies alone',
  'x-api-key': 'with a valid key in `X-API-Key`, `Api-Key` and `X-Auth-Token` alone',
  'proxy-authorization': 'with a valid key in `Proxy-Authorization` alone',
  'body-json': 'with a valid key in its JSON body alone',
  'body-form': 'with a valid key in a form as its body alone',
  'changed-first': 'with a valid key of which the first character is another',
  'changed-last': 'with a valid key of which the last character is another',
  'changed-middle': 'with a valid key of which the character in the middle is another',
  'changed-segment':
    'with a valid key of which the character after the first `-`, `_` or `.` is another, or the ' +
    'second one where it has none of these',
  'cut-end': 'with the first half of a valid key',
  'cut-start': 'with the second half of a valid key',
  extended: 'with a valid key and `-petvet` behind it',
  'letter-case': 'with a valid key whose letters have the other case',
  'two-keys': 'with a valid and an invalid bearer token in one header',
  'two-keys-turned': 'with an invalid and a valid bearer token in one header',
  'two-headers-none-valid':
    'with two headers: `Basic` with a valid key, `Bearer` with an invalid one',
  'space-inside': 'with a space in the middle of a valid key',
  'word-behind': 'with a valid key and another word behind it',
  quoted: 'with a valid key in quotes',
  'prototype-name': 'with the key `constructor`, which every plain object knows',
  latin1: 'with a key that holds a byte beyond ASCII',
  unissued: 'with a key that nobody was issued, by the seed',
}

const operations = {
  list: ['list', afterSound.list],
  create: ['creation', afterSound.create],
  get: ['fetch', afterSound.get],
} as const

const expects401 =
  'Any status but 401; its body is judged by `error-shape`. The control beside it differs in the ' +
  'key alone.'

/** What leaves it open whether something is taken for a key. */
const isOpen = (operation: string): string =>
  `without any key it is not answered 401 either: see \`auth-missing-${operation}-401\` (blocked)`

/** Servers in front of an API refuse these headers by themselves. */
const fromBelow: Readonly<Record<string, string>> = {
  latin1: '; or it is refused with 400, as below an API (ambiguous)',
  'two-headers-none-valid': '; or it is refused with 400, as below an API (ambiguous)',
}

/** What else is wrong with a request that has no key, and which operation it asks. */
const otherFaults: Readonly<Record<string, readonly [what: string, keyof typeof operations]>> = {
  'limit-zero': ['a list with `limit=0`', 'list'],
  'status-unknown': ['a list with a status that is none', 'list'],
  'name-missing': ['a creation without a name', 'create'],
  'json-truncated': ['a creation whose JSON lacks its last brace', 'create'],
  'body-missing': ['a creation without a body', 'create'],
  'media-type-text': ['a creation sent as `text/plain`', 'create'],
  'id-unknown': ['a fetch of an id that no animal is likely to have', 'get'],
  'id-no-integer': ['a fetch of `petvet`', 'get'],
  'id-beyond-int64': ['a fetch of the id 2^63', 'get'],
}

const refused: Tellings = Object.fromEntries(
  Object.entries(inPlaceOfKey).flatMap(([way, words]) =>
    Object.entries(operations).map(([operation, [name, open]]): [string, Telling] => [
      `auth-${way}-${operation}-401`,
      {
        asks: `One sound ${name} ${words}.`,
        finds: expects401,
        open: way === 'missing' ? open : `${open}; or ${isOpen(operation)}${fromBelow[way] ?? ''}`,
      },
    ]),
  ),
)

const first: Tellings = Object.fromEntries(
  Object.entries(otherFaults).map(([fault, [what, operation]]): [string, Telling] => [
    `auth-first-${fault}-401`,
    {
      asks: `Without a key: ${what}.`,
      finds: 'Any status but 401.',
      open: `${operations[operation][1]}; or ${isOpen(operation)}`,
    },
  ]),
)

/** Of every way on every operation; which of them are asked is the catalogue's to say. */
export const keyWays: Tellings = { ...refused, ...first }

const ofPlan = (plan: string) =>
  [
    `Three lists with a ${plan} key of which the last or the middle character is another, or ` +
      'whose letters have the other case.',
    expects401,
    `${afterSound.list}; or ${isOpen('list')}; or the key has no letters (ambiguous)`,
  ] as const

export const keys: Tellings = tellings({
  'auth-changed-pro-key-list-401': ofPlan('Pro'),
  'auth-changed-business-key-list-401': ofPlan('Business'),
  'auth-changed-enterprise-key-list-401': ofPlan('Enterprise'),
  'auth-bearer-list-200': [
    '`GET /pets?limit=1` with a valid key, and a list without one.',
    'Any status but 200 with the key, or a body that is no list.',
    'the list is served without the key as well, so that nothing shows that it was taken ' +
      '(blocked); `auth-missing-list-401` reports it',
  ],
  'auth-scheme-lower-case-200': [
    'A sound list with the scheme written as `bearer`.',
    'Any status but 200. It is a should: HTTP leaves the letter case free.',
    afterSound.list,
  ],
  'auth-connection-list-401': [
    'A list with a valid key, and the same without one on the same connection.',
    'Any status but 401 to the second.',
    'the target closes each connection, so that none is shared (ambiguous); or it answers the ' +
      'second otherwise on a connection of its own, too (blocked)',
  ],
  'auth-existing-or-unknown-same-401': [
    'Without a key, a fetch of an animal that exists and one of an id that looks alike and that ' +
      'no ' +
      'animal has; where they are answered otherwise, the first again.',
    'Another status, code, message or set of members for the two, the id itself left out.',
    'two answers to the same request differ by themselves (ambiguous); or both are served, or ' +
      'refused with another status (blocked), which `auth-missing-get-401` reports',
  ],
  'auth-401-repeats-no-key': [
    'Every answer 401 of the three operations.',
    'A body that holds a text of eight or more characters that was sent in the place of a key.' +
      ' It is a should: the sender learns nothing new, but responses are logged.',
  ],
  'auth-401-challenge': [
    'Every answer 401 of the three operations.',
    'No `WWW-Authenticate` that names the scheme Bearer. It is a should: HTTP asks for it.',
  ],
  'auth-no-key-none-served': [
    'Every answer to one of the three operations that was asked without a valid key.',
    'A 2xx answer. Two `Authorization` headers, one of them valid, are left out.',
  ],
  'auth-two-headers-list': [
    'A sound list with two `Authorization` headers: a valid key and an invalid one.',
    'The status.',
    afterSound.list,
  ],
  'auth-animals-by-key': [
    'The lists and fetches of a run with several keys.',
    'Whether a key was shown animals that another one created or was shown, and whether it was ' +
      'not shown some. What one key alone was shown is then asked of that key.',
  ],
})
