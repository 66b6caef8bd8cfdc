// The table of credentials: no key, an invalid one, or a valid one in the wrong place.

import type { Context } from '../../engine/check/context.ts'
import {
  type ApiRequest,
  get,
  json,
  type Operation,
  post,
  unauthorized,
} from '../../history/exchange.ts'
import { printJson } from '../../history/json.ts'
import { largerPlans } from '../../spec/plans.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'
import { createPet, getPet } from '../pets/requests.ts'
import { keysOfNoValue, placeholderKeys } from '../vocabulary/absent-keys.ts'
import {
  altered,
  bare,
  inHeaders,
  inQuery,
  type Keyless,
  type KeylessRow,
  keys,
  part,
  percentEncoded,
  plain,
  type Spoil,
  sent,
  spoilWith,
} from './demand.ts'

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

type Entry = readonly [
  id: string,
  on: readonly Operation[],
  words: string,
  ...spoils: readonly Spoil[],
]

const under = (requirement: BindingRequirementId, entries: readonly Entry[]): KeylessRow[] =>
  entries.map(([id, on, words, ...spoils]) => ({
    id: `auth-${id}-${on.length === 1 ? `${on[0]}-` : ''}401`,
    ...{ requirement, words },
    requests: on.flatMap((operation) => spoils.map((spoil) => [operation, spoil] as const)),
  }))

const none = all.flatMap((operation) =>
  under(`${operation}.unauthorized`, [
    ['missing', [operation], 'without an `Authorization` header', bare],
  ]),
)

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

/** Almost valid keys of each larger plan, since a server may look up each plan elsewhere. */
const ofLargerPlans = largerPlans.flatMap((plan) =>
  under('auth.key-invalid', [
    [
      `changed-${plan}-key`,
      ['list'],
      `with a key of the plan ${plan} of which a character is changed, or the letter case`,
      ...[keys.last, keys.middle, keys.otherCase].map(altered),
    ],
  ]).map((row) => ({ ...row, plan })),
)

/** Few enough for servers that limit the requests without a key of a client address. */
const mistakes: readonly KeylessRow[] = [
  {
    ...{ id: 'auth-no-value-401', requirement: 'auth.key-invalid', few: 4 },
    words: 'with a word that programs write for no value, such as `undefined`, as its key',
    requests: keysOfNoValue.map((key) => ['list', spoilWith(key)]),
  },
  {
    ...{ id: 'auth-placeholder-401', requirement: 'auth.key-invalid', few: 2 },
    words: 'with a placeholder that nothing has filled in as its key',
    requests: placeholderKeys.map((key) => ['list', spoilWith(key)]),
  },
]

const text = [json[0], 'text/plain'] as const

/** Whatever else is wrong with it: the request of each is another one, with no key. */
const faulty: readonly Keyless[] = (
  [
    ['list', () => get('/pets?limit=0')],
    ['list', () => get('/pets?status=petvet')],
    ['create', ({ newPet }) => createPet(printJson(newPet()).slice(0, -1))],
    ['create', () => createPet(null)],
    ['create', ({ newPet }) => post('/pets', printJson(newPet()), [text])],
    ['get', () => getPet(7046029254386353087n)],
    ['get', () => getPet(-7046029254386353087n)],
    ['get', () => getPet('petvet')],
  ] as const satisfies readonly (readonly [Operation, (context: Context) => ApiRequest])[]
).map(([operation, make]) => [operation, (_, context) => unauthorized(make(context))])

const first: KeylessRow = {
  ...{ id: 'auth-first-401', requirement: 'auth.first', requests: faulty, isVaried: true },
  words:
    'each without a key and with another fault: limit 0, an unknown status, JSON without its ' +
    'last brace, no body, `text/plain`, ids that no pet is likely to have, the id `petvet`',
}

export const credentials: readonly KeylessRow[] = [
  ...none,
  ...missing,
  ...otherSchemes,
  ...elsewhere,
  ...invalid,
  ...under('errors.401', [
    ['unissued', all, 'with a key that was never issued, by the seed', sent('Bearer OTHER')],
  ]).map((row) => ({ ...row, few: 1 })),
  ...ofLargerPlans,
  ...mistakes,
  first,
]
