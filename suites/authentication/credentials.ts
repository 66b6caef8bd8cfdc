// Requests without a valid key: no key, an invalid one, or a valid one in the wrong place.

import { json, unauthorized } from '../../engine/exchange.ts'
import { printJson } from '../../engine/json.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'
import type { Operation } from '../responses.ts'
import {
  altered,
  around,
  firstHalf,
  fixed,
  half,
  inHeaders,
  inQuery,
  middle,
  otherFirst,
  otherLast,
  otherMiddle,
  otherSegment,
  part,
  percentEncoded,
  plain,
  type Spoil,
  secondHalf,
  sed,
  segmentShell,
  swapCase,
  unissuedKey,
} from './spoil.ts'

interface Credential {
  readonly id: string
  readonly requirement: BindingRequirementId
  readonly on: readonly Operation[]
  /** What is sent instead of a valid key; follows `` One valid `GET /pets` ``. */
  readonly words: string
  readonly spoil: Spoil
}

const all = ['list', 'create', 'get'] as const

const inJson: Spoil = (valid, { forge, newPet }) => {
  const key = forge(plain)
  const body = printJson(newPet({ api_key: key, access_token: key }))
  return { ...unauthorized(valid), headers: [json], body }
}

const inForm: Spoil = (valid, { forge }) => {
  const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const
  return { ...unauthorized(valid), headers: [form], body: `access_token=${forge(percentEncoded)}` }
}

const random: Spoil = (valid, { seed }) => unauthorized(valid, `Bearer ${unissuedKey(seed)}`)

/** A single byte above ASCII: a shell would send the letter as two bytes. */
const latin1: Spoil = (valid, { forge }) => {
  const shell = `Bearer $(printf 'k\\351')`
  return unauthorized(valid, forge({ of: () => 'Bearer k\u00e9', shell }))
}

type Row = readonly [id: string, on: readonly Operation[], words: string, spoil: Spoil]

const missing: readonly Row[] = [
  ['empty', all, 'with an empty `Authorization` header', fixed('')],
  ['bearer-alone', all, 'with `Authorization: Bearer` and no key', fixed('Bearer')],
  [
    'missing-with-status',
    ['list'],
    'by status, without an `Authorization` header',
    (valid) => ({ ...unauthorized(valid), path: '/pets?status=available' }),
  ],
]

/** As user name and as password, since a server may accept either. */
const encoded = `$(printf '%s:%s' "$PETVET_KEY" "$PETVET_KEY" | base64 -w 0)`

const otherSchemes: readonly Row[] = [
  [
    'basic',
    all,
    'with a valid key under the scheme `Basic`, not encoded',
    around((key) => `Basic ${key}`),
  ],
  [
    'basic-encoded',
    ['list'],
    'with a valid key under the scheme `Basic`, encoded as user name and password',
    (valid, { forge }) =>
      unauthorized(valid, `Basic ${forge({ of: (key) => btoa(`${key}:${key}`), shell: encoded })}`),
  ],
  [
    'token',
    ['create'],
    'with a valid key under the scheme `Token`',
    around((key) => `Token ${key}`),
  ],
  [
    'api-key-scheme',
    ['get'],
    'with a valid key under the scheme `ApiKey`',
    around((key) => `ApiKey ${key}`),
  ],
]

const inCookies = (key: string): string =>
  ['api_key', 'access_token', 'token', 'session'].map((name) => `${name}=${key}`).join('; ')

const elsewhere: readonly Row[] = [
  ['no-scheme', all, 'with a valid key in `Authorization` and no scheme', around((key) => key)],
  [
    'glued-scheme',
    ['list'],
    'with `Bearer` and a valid key without a space between them',
    around((key) => `Bearer${key}`),
  ],
  [
    'scheme-colon',
    ['get'],
    'with a colon after `Bearer` and a valid key',
    around((key) => `Bearer: ${key}`),
  ],
  [
    'query-api-key',
    all,
    'with a valid key only in the query, as `api_key`, `apikey` and `key`',
    inQuery('api_key', 'apikey', 'key'),
  ],
  [
    'query-access-token',
    ['list'],
    'with a valid key only in the query, as `access_token` and `token`',
    inQuery('access_token', 'token'),
  ],
  ['cookie', all, 'with a valid key only in cookies', inHeaders(['Cookie'], inCookies)],
  [
    'x-api-key',
    all,
    'with a valid key only in `X-API-Key`, `Api-Key` and `X-Auth-Token`',
    inHeaders(['X-API-Key', 'Api-Key', 'X-Auth-Token'], (key) => key),
  ],
  [
    'proxy-authorization',
    ['list'],
    'with a valid key only in `Proxy-Authorization`',
    inHeaders(['Proxy-Authorization'], (key) => `Bearer ${key}`),
  ],
  ['body-json', ['create'], 'with a valid key only in its JSON body', inJson],
  ['body-form', ['create'], 'with a valid key only in a form body', inForm],
]

/** Two header lines, neither valid: one has the wrong scheme, the other an invalid key. */
const twoLines: Spoil = (valid, { forge, seed }) =>
  unauthorized(valid, `Basic ${forge(plain)}`, `Bearer ${unissuedKey(seed)}`)

const changed: readonly Row[] = (
  [
    ['first', all, 'whose first character is changed', otherFirst, sed('s/^x/y/;t;s/^./x/')],
    [
      'last',
      ['list', 'get'],
      'whose last character is changed',
      otherLast,
      sed('s/x$/y/;t;s/.$/x/'),
    ],
    ['middle', ['list'], 'whose middle character is changed', otherMiddle, middle],
    [
      'segment',
      ['list'],
      'whose character after the first `-`, `_` or `.` (else the second one) is changed',
      otherSegment,
      segmentShell,
    ],
  ] as const
).map(([id, on, words, of, shell]) => [
  `changed-${id}`,
  on,
  `with a valid key ${words}`,
  altered(of, shell),
])

const invalid: readonly Row[] = [
  ...changed,
  [
    'cut-end',
    all,
    'with the first half of a valid key',
    part((key) => key.slice(0, Math.max(1, half(key))), firstHalf),
  ],
  [
    'cut-start',
    ['list'],
    'with the second half of a valid key',
    part((key) => key.slice(half(key)), secondHalf),
  ],
  [
    'extended',
    all,
    'with a valid key and `-petvet` appended',
    altered((key) => `${key}-petvet`, `\${PETVET_KEY}-petvet`),
  ],
  [
    'letter-case',
    all,
    'with a valid key whose letters have the other case',
    altered(swapCase, '$(printf %s "$PETVET_KEY" | tr a-zA-Z A-Za-z)'),
  ],
  [
    'two-keys',
    ['list'],
    'with a valid and then an invalid bearer token in one header',
    around((key, { seed }) => `Bearer ${key}, Bearer ${unissuedKey(seed)}`),
  ],
  [
    'two-keys-turned',
    ['get'],
    'with an invalid and then a valid bearer token in one header',
    around((key, { seed }) => `Bearer ${unissuedKey(seed)}, Bearer ${key}`),
  ],
  [
    'two-headers-none-valid',
    ['list'],
    'with two headers: `Basic` with a valid key, `Bearer` with an invalid one',
    twoLines,
  ],
  [
    'space-inside',
    ['list'],
    'with a space in the middle of a valid key',
    part(
      (key) => `${key.slice(0, half(key))} ${key.slice(half(key))}`,
      `${firstHalf} ${secondHalf}`,
    ),
  ],
  [
    'word-behind',
    ['list'],
    'with a valid key followed by another word',
    around((key) => `Bearer ${key} petvet`),
  ],
  ['quoted', ['list'], 'with a valid key in quotes', around((key) => `Bearer "${key}"`)],
  [
    'prototype-name',
    ['list'],
    'with the key `constructor`, which every plain object has as a property',
    fixed('Bearer constructor'),
  ],
  ['latin1', ['list'], 'with a key that has a byte above ASCII', latin1],
]

const under = (requirement: BindingRequirementId, rows: readonly Row[]): Credential[] =>
  rows.map(([id, on, words, spoil]) => ({ id, requirement, on, words, spoil }))

const none = (on: Operation): Row => ['missing', [on], 'without an `Authorization` header', fixed()]

export const credentials: readonly Credential[] = [
  ...under('list.unauthorized', [none('list')]),
  ...under('create.unauthorized', [none('create')]),
  ...under('get.unauthorized', [none('get')]),
  ...under('auth.key-missing', missing),
  ...under('auth.scheme', otherSchemes),
  ...under('auth.only-bearer', elsewhere),
  ...under('auth.key-invalid', invalid),
  ...under('errors.401', [
    ['unissued', all, 'with a key that was never issued, by the seed', random],
  ]),
]

/** Two header lines, one with a valid key: the interface does not say which counts. */
export const twoHeaders: Spoil = (valid, { forge, seed }) =>
  unauthorized(valid, `Bearer ${forge(plain)}`, `Bearer ${unissuedKey(seed)}`)
