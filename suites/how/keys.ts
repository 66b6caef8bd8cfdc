// How the questions about keys are judged: a sound request with one thing wrong about its key.
import { afterSound, type Telling, type Tellings, tellings } from '../kit/telling.ts'

/** What is sent in the place of a valid key, by what the id has before the operation. */
const inPlaceOfKey: Readonly<Record<string, string>> = {
  missing: 'without an `Authorization` header',
  empty: 'with an empty `Authorization` header',
  'bearer-alone': 'with `Authorization: Bearer` and no key',
  basic: 'with a valid key under the scheme `Basic`, as it stands',
  'basic-encoded': 'with a valid key under the scheme `Basic`, encoded as a user name',
  token: 'with a valid key under the scheme `Token`',
  'api-key-scheme': 'with a valid key under the scheme `ApiKey`',
  'no-scheme': 'with a valid key in `Authorization` and no scheme',
  'glued-scheme': 'with `Bearer` and a valid key written as one word',
  'scheme-colon': 'with a colon behind `Bearer` and a valid key',
  'query-api-key': 'with a valid key in the query alone, as `api_key`',
  'query-access-token': 'with a valid key in the query alone, as `access_token`',
  cookie: 'with a valid key in a cookie alone',
  'x-api-key': 'with a valid key in `X-API-Key` alone',
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
      { asks: `One sound ${name} ${words}.`, finds: expects401, open },
    ]),
  ),
)

const first: Tellings = Object.fromEntries(
  Object.entries(otherFaults).map(([fault, [what, operation]]): [string, Telling] => [
    `auth-first-${fault}-401`,
    {
      asks: `Without a key: ${what}.`,
      finds: 'Any status but 401.',
      open: operations[operation][1],
    },
  ]),
)

/** Of every way on every operation; which of them are asked is the catalogue's to say. */
export const keyWays: Tellings = { ...refused, ...first }

export const keys: Tellings = tellings({
  'auth-bearer-list-200': [
    '`GET /pets?limit=1` with a valid key, and again without one.',
    'Any status but 200 with the key, or but 401 without it: were it served both times, nothing ' +
      'would show that the key was taken.',
  ],
  'auth-scheme-lower-case-200': [
    'A sound list with the scheme written as `bearer`.',
    'Any status but 200. It is a should: HTTP leaves the letter case free.',
    afterSound.list,
  ],
  'auth-connection-list-401': [
    'A list with a valid key, and the same without one on the same connection.',
    'Any status but 401 to the second.',
    'the target closes each connection, so that none is shared (ambiguous)',
  ],
  'auth-existing-or-unknown-same-401': [
    'Without a key, a fetch of an animal that exists and one of an id that looks alike and that ' +
      'no ' +
      'animal has; where they are answered otherwise, the first again.',
    'Another status, code, message or set of members for the two, the id itself left out; or any ' +
      'status but 401.',
    'two answers to the same request differ by themselves (ambiguous)',
  ],
  'auth-401-repeats-no-key': [
    'Every answer 401 of the three operations.',
    'A body that holds a text of eight or more characters that was sent in the place of a key.',
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
