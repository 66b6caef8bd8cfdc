// What is no valid key: every way to send none, a wrong one, or a right one in the wrong place.

import type { Context } from '../../engine/context.ts'
import { printJson } from '../../engine/json.ts'
import { Untested } from '../../engine/outcome.ts'
import type { ApiRequest } from '../../engine/request.ts'
import { json, unauthorized } from '../../engine/request.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'
import type { Operation } from '../answers.ts'
import {
  firstHalf,
  half,
  middle,
  otherFirst,
  otherLast,
  otherMiddle,
  otherSegment,
  secondHalf,
  sed,
  segmentShell,
  swapCase,
  unissuedKey,
} from './near-keys.ts'

/** Makes a request without a valid key of a sound one. */
export type Spoil = (sound: ApiRequest, context: Context) => ApiRequest

export interface Credential {
  readonly id: string
  readonly requirement: BindingRequirementId
  readonly on: readonly Operation[]
  readonly spoil: Spoil
}

const all = ['list', 'create', 'get'] as const

const plain = { of: (key: string) => key, shell: '$PETVET_KEY' }
const inAddress = { of: encodeURIComponent, shell: '$PETVET_KEY' }

const fixed =
  (...values: string[]): Spoil =>
  (sound) =>
    unauthorized(sound, ...values)

/** An Authorization header that holds a valid key, and not as a bearer token. */
const around =
  (write: (key: string, context: Context) => string): Spoil =>
  (sound, context) =>
    unauthorized(sound, write(context.forge(plain), context))

/** Another text in the place of the key; `shell` makes it of `$PETVET_KEY`. */
const altered =
  (of: (key: string) => string, shell: string): Spoil =>
  (sound, { forge }) => {
    const text = forge({ of, shell })
    if (text === forge(plain)) {
      throw new Untested('ambiguous', 'this changes nothing in the key; another key would tell')
    }
    return unauthorized(sound, `Bearer ${text}`)
  }

/** A part of a key may be a common word, so what the writer hides is the whole header. */
const part =
  (of: (key: string) => string, shell: string): Spoil =>
  (sound, { forge }) => {
    const text = forge({ of: (key) => `Bearer ${of(key)}`, shell: `Bearer ${shell}` })
    if (text === `Bearer ${forge(plain)}`) {
      throw new Untested('ambiguous', 'the key is too short to be cut; another key would tell')
    }
    return unauthorized(sound, text)
  }

/** In each of these headers: whichever a server takes, it takes a key that is none. */
const inHeaders =
  (names: readonly string[], write: (key: string) => string): Spoil =>
  (sound, { forge }) => ({
    ...unauthorized(sound),
    headers: [...sound.headers, ...names.map((name) => [name, write(forge(plain))] as const)],
  })

const inQuery =
  (...names: string[]): Spoil =>
  (sound, { forge }) => {
    const query = names.map((name) => `${name}=${forge(inAddress)}`).join('&')
    const path = `${sound.path}${sound.path.includes('?') ? '&' : '?'}${query}`
    return { ...unauthorized(sound), path }
  }

const inJson: Spoil = (sound, { forge, newPet }) => {
  const key = forge(plain)
  const body = printJson(newPet({ api_key: key, access_token: key }))
  return { ...unauthorized(sound), headers: [json], body }
}

const inForm: Spoil = (sound, { forge }) => {
  const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const
  return { ...unauthorized(sound), headers: [form], body: `access_token=${forge(inAddress)}` }
}

const random: Spoil = (sound, { seed }) => unauthorized(sound, `Bearer ${unissuedKey(seed)}`)

/** A byte beyond ASCII, which is sent as one: a shell would send two for the letter. */
const latin1: Spoil = (sound, { forge }) => {
  const shell = `Bearer $(printf 'k\\351')`
  return unauthorized(sound, forge({ of: () => 'Bearer k\u00e9', shell }))
}

/** A row: its id, the operations, and how a sound request is spoilt. */
type Row = readonly [id: string, on: readonly Operation[], spoil: Spoil]

const missing: readonly Row[] = [
  ['empty', all, fixed('')],
  ['bearer-alone', all, fixed('Bearer')],
  [
    'missing-with-status',
    ['list'],
    (sound) => ({ ...unauthorized(sound), path: '/pets?status=available' }),
  ],
]

/** As user name and as password: servers take it as either. */
const encoded = `$(printf '%s:%s' "$PETVET_KEY" "$PETVET_KEY" | base64 -w 0)`

const otherSchemes: readonly Row[] = [
  ['basic', all, around((key) => `Basic ${key}`)],
  [
    'basic-encoded',
    ['list'],
    (sound, { forge }) =>
      unauthorized(sound, `Basic ${forge({ of: (key) => btoa(`${key}:${key}`), shell: encoded })}`),
  ],
  ['token', ['create'], around((key) => `Token ${key}`)],
  ['api-key-scheme', ['get'], around((key) => `ApiKey ${key}`)],
]

const inCookies = (key: string): string =>
  ['api_key', 'access_token', 'token', 'session'].map((name) => `${name}=${key}`).join('; ')

const elsewhere: readonly Row[] = [
  ['no-scheme', all, around((key) => key)],
  ['glued-scheme', ['list'], around((key) => `Bearer${key}`)],
  ['scheme-colon', ['get'], around((key) => `Bearer: ${key}`)],
  ['query-api-key', all, inQuery('api_key', 'apikey', 'key')],
  ['query-access-token', ['list'], inQuery('access_token', 'token')],
  ['cookie', all, inHeaders(['Cookie'], inCookies)],
  ['x-api-key', all, inHeaders(['X-API-Key', 'Api-Key', 'X-Auth-Token'], (key) => key)],
  ['proxy-authorization', ['list'], inHeaders(['Proxy-Authorization'], (key) => `Bearer ${key}`)],
  ['body-json', ['create'], inJson],
  ['body-form', ['create'], inForm],
]

/** Two header lines, neither of which is a key: one has the wrong scheme, one the wrong key. */
const twoLines: Spoil = (sound, { forge, seed }) =>
  unauthorized(sound, `Basic ${forge(plain)}`, `Bearer ${unissuedKey(seed)}`)

const invalid: readonly Row[] = [
  ['changed-first', all, altered(otherFirst, sed('s/^x/y/;t;s/^./x/'))],
  ['changed-last', ['list', 'get'], altered(otherLast, sed('s/x$/y/;t;s/.$/x/'))],
  ['changed-middle', ['list'], altered(otherMiddle, middle)],
  ['changed-segment', ['list'], altered(otherSegment, segmentShell)],
  ['cut-end', all, part((key) => key.slice(0, Math.max(1, half(key))), firstHalf)],
  ['cut-start', ['list'], part((key) => key.slice(half(key)), secondHalf)],
  ['extended', all, altered((key) => `${key}-petvet`, `\${PETVET_KEY}-petvet`)],
  ['letter-case', all, altered(swapCase, '$(printf %s "$PETVET_KEY" | tr a-zA-Z A-Za-z)')],
  ['two-keys', ['list'], around((key, { seed }) => `Bearer ${key}, Bearer ${unissuedKey(seed)}`)],
  [
    'two-keys-turned',
    ['get'],
    around((key, { seed }) => `Bearer ${unissuedKey(seed)}, Bearer ${key}`),
  ],
  ['two-headers-none-valid', ['list'], twoLines],
  [
    'space-inside',
    ['list'],
    part(
      (key) => `${key.slice(0, half(key))} ${key.slice(half(key))}`,
      `${firstHalf} ${secondHalf}`,
    ),
  ],
  ['word-behind', ['list'], around((key) => `Bearer ${key} petvet`)],
  ['quoted', ['list'], around((key) => `Bearer "${key}"`)],
  // A name that a plain object of keys has without their being put there.
  ['prototype-name', ['list'], fixed('Bearer constructor')],
  ['latin1', ['list'], latin1],
]

const under = (requirement: BindingRequirementId, rows: readonly Row[]): Credential[] =>
  rows.map(([id, on, spoil]) => ({ id, requirement, on, spoil }))

export const credentials: readonly Credential[] = [
  ...under('list.unauthorized', [['missing', ['list'], fixed()]]),
  ...under('create.unauthorized', [['missing', ['create'], fixed()]]),
  ...under('get.unauthorized', [['missing', ['get'], fixed()]]),
  ...under('auth.key-missing', missing),
  ...under('auth.scheme', otherSchemes),
  ...under('auth.only-bearer', elsewhere),
  ...under('auth.key-invalid', invalid),
  ...under('errors.401', [['unissued', all, random]]),
]

/** Two header lines, of which one holds a valid key: the document does not say which counts. */
export const twoHeaders: Spoil = (sound, { forge, seed }) =>
  unauthorized(sound, `Bearer ${forge(plain)}`, `Bearer ${unissuedKey(seed)}`)
