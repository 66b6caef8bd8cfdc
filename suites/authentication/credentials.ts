// Requests with an invalid key, or with a valid one in the wrong place.

import { json, unauthorized } from '../../engine/check/exchange.ts'
import { printJson } from '../../engine/check/json.ts'
import type { Operation } from '../../engine/check/operations.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'
import {
  altered,
  inHeaders,
  inQuery,
  keys,
  part,
  percentEncoded,
  plain,
  type Spoil,
  sent,
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

const inCookies = (key: string): string =>
  ['api_key', 'access_token', 'token', 'session'].map((name) => `${name}=${key}`).join('; ')

/** As user name and as password, since a server may accept either. */
const basicEncoded: Spoil = (valid, { forge }) => {
  const shell = `$(printf '%s:%s' "$PETVET_KEY" "$PETVET_KEY" | base64 -w 0)`
  return unauthorized(valid, `Basic ${forge({ of: (key) => btoa(`${key}:${key}`), shell })}`)
}

/** A single byte above ASCII: a shell would send the letter as two bytes. */
const latin1: Spoil = (valid, { forge }) => {
  const shell = `Bearer $(printf 'k\\351')`
  return unauthorized(valid, forge({ of: () => 'Bearer k\u00e9', shell }))
}

type Row = readonly [id: string, on: readonly Operation[], words: string, spoil: Spoil]

const under = (requirement: BindingRequirementId, rows: readonly Row[]): Credential[] =>
  rows.map(([id, on, words, spoil]) => ({ id, requirement, on, words, spoil }))

const missing = under('auth.key-missing', [
  ['empty', all, 'with an empty `Authorization` header', sent('')],
  ['bearer-alone', all, 'with `Authorization: Bearer` and no key', sent('Bearer')],
  [
    'missing-with-status',
    ['list'],
    'by status, without an `Authorization` header',
    (valid) => ({ ...unauthorized(valid), path: '/pets?status=available' }),
  ],
])

const otherSchemes = under('auth.scheme', [
  ['basic', all, 'with a valid key under the scheme `Basic`, not encoded', sent('Basic KEY')],
  [
    'basic-encoded',
    ['list'],
    'with a valid key under the scheme `Basic`, encoded as user name and password',
    basicEncoded,
  ],
  ['token', ['create'], 'with a valid key under the scheme `Token`', sent('Token KEY')],
  ['api-key-scheme', ['get'], 'with a valid key under the scheme `ApiKey`', sent('ApiKey KEY')],
])

const elsewhere = under('auth.only-bearer', [
  ['no-scheme', all, 'with a valid key in `Authorization` and no scheme', sent('KEY')],
  [
    'glued-scheme',
    ['list'],
    'with `Bearer` and a valid key without a space between them',
    sent('BearerKEY'),
  ],
  ['scheme-colon', ['get'], 'with a colon after `Bearer` and a valid key', sent('Bearer: KEY')],
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
])

const invalid = under('auth.key-invalid', [
  ['changed-first', all, 'with a valid key whose first character is changed', altered(keys.first)],
  [
    'changed-last',
    ['list', 'get'],
    'with a valid key whose last character is changed',
    altered(keys.last),
  ],
  [
    'changed-middle',
    ['list'],
    'with a valid key whose middle character is changed',
    altered(keys.middle),
  ],
  [
    'changed-segment',
    ['list'],
    'with a valid key whose character after the first `-`, `_` or `.` (else the second one) is ' +
      'changed',
    altered(keys.segment),
  ],
  ['cut-end', all, 'with the first half of a valid key', part(keys.firstHalf)],
  ['cut-start', ['list'], 'with the second half of a valid key', part(keys.secondHalf)],
  ['extended', all, 'with a valid key and `-petvet` appended', altered(keys.extended)],
  [
    'letter-case',
    all,
    'with a valid key whose letters have the other case',
    altered(keys.otherCase),
  ],
  [
    'two-keys',
    ['list'],
    'with a valid and then an invalid bearer token in one header',
    sent('Bearer KEY, Bearer OTHER'),
  ],
  [
    'two-keys-turned',
    ['get'],
    'with an invalid and then a valid bearer token in one header',
    sent('Bearer OTHER, Bearer KEY'),
  ],
  [
    'two-headers-none-valid',
    ['list'],
    'with two headers: `Basic` with a valid key, `Bearer` with an invalid one',
    sent('Basic KEY', 'Bearer OTHER'),
  ],
  ['space-inside', ['list'], 'with a space in the middle of a valid key', part(keys.spaced)],
  ['word-behind', ['list'], 'with a valid key followed by another word', sent('Bearer KEY petvet')],
  ['quoted', ['list'], 'with a valid key in quotes', sent('Bearer "KEY"')],
  [
    'prototype-name',
    ['list'],
    'with the key `constructor`, which every plain object has as a property',
    sent('Bearer constructor'),
  ],
  ['latin1', ['list'], 'with a key that has a byte above ASCII', latin1],
])

export const credentials: readonly Credential[] = [
  ...missing,
  ...otherSchemes,
  ...elsewhere,
  ...invalid,
  ...under('errors.401', [
    ['unissued', all, 'with a key that was never issued, by the seed', sent('Bearer OTHER')],
  ]),
]
