// What is sent in place of a valid key: in the `Authorization` header, or elsewhere.

import type { Context, Forgery } from '../../engine/check/context.ts'
import { exposedKey } from '../../engine/check/spendable-keys.ts'
import { type ApiRequest, type Header, json, unauthorized } from '../../history/exchange.ts'
import { printJson } from '../../history/json.ts'
import { Untested } from '../../history/outcome.ts'

export type Spoil = (valid: ApiRequest, context: Context) => ApiRequest

const plain: Forgery = { of: (key) => key, shell: '$PETVET_KEY' }
const percentEncoded: Forgery = { of: encodeURIComponent, shell: '$PETVET_KEY' }

const half = (key: string) => Math.floor(key.length / 2)
const otherFirst = (key: string) => `${key.startsWith('x') ? 'y' : 'x'}${key.slice(1)}`

/** Shell code that applies `sed` to the key. */
const sed = (script: string, options = '') =>
  `$(printf %s "$PETVET_KEY" | sed${options} '${script}')`

const firstHalf = `\${PETVET_KEY:0:\${#PETVET_KEY}/2}`
const secondHalf = `\${PETVET_KEY:\${#PETVET_KEY}/2}`
const firstPart = '^([^-_.]*[-_.]|.)'

/** Almost valid keys: changed in one character, cut, or extended. */
const keys = {
  first: { of: otherFirst, shell: sed('s/^x/y/;t;s/^./x/') },
  last: {
    of: (key) => `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`,
    shell: sed('s/x$/y/;t;s/.$/x/'),
  },
  middle: {
    of: (key) => `${key.slice(0, half(key))}${otherFirst(key.slice(half(key)))}`,
    shell: `${firstHalf}$(printf %s "${secondHalf}" | sed 's/^x/y/;t;s/^./x/')`,
  },
  // Changes the `l` of `sk_live_abc`: after the first separator, else the second character.
  segment: {
    of: (key) => {
      const [first = ''] = /^(?:[^-_.]*[-_.](?=.)|.)/s.exec(key) ?? []
      return `${first}${otherFirst(key.slice(first.length))}`
    },
    shell: sed(`s/${firstPart}x/\\1y/;t;s/${firstPart}./\\1x/`, ' -E'),
  },
  otherCase: {
    of: (key) =>
      key.replace(/[a-z]/gi, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      ),
    shell: '$(printf %s "$PETVET_KEY" | tr a-zA-Z A-Za-z)',
  },
  extended: { of: (key) => `${key}-petvet`, shell: `\${PETVET_KEY}-petvet` },
  firstHalf: { of: (key) => key.slice(0, Math.max(1, half(key))), shell: firstHalf },
  secondHalf: { of: (key) => key.slice(half(key)), shell: secondHalf },
  spaced: {
    of: (key) => `${key.slice(0, half(key))} ${key.slice(half(key))}`,
    shell: `${firstHalf} ${secondHalf}`,
  },
  // As user name and as password, since a server may accept either.
  pair: {
    of: (key) => btoa(`${key}:${key}`),
    shell: `$(printf '%s:%s' "$PETVET_KEY" "$PETVET_KEY" | base64 -w 0)`,
  },
} satisfies Readonly<Record<string, Forgery>>

/** A key that was never issued: 128 bits derived from the seed cannot match one by chance. */
const unissuedKey = (seed: number): string =>
  `petvet-${BigInt.asUintN(128, (BigInt(seed) + 1n) * 0x9e3779b97f4a7c15f39cc0605cedc835n)}`

/** With the one key of a run that may be sent elsewhere than in `Authorization`. */
export const exposed =
  (spoil: Spoil): Spoil =>
  (valid, context) => {
    const label = exposedKey(context.limits)?.label
    return spoil(valid, { ...context, forge: (make) => context.forge(make, label) })
  }

/** The same with a key that was never issued in place of a valid one. */
export const unissued =
  (spoil: Spoil): Spoil =>
  (valid, context) =>
    spoil(valid, { ...context, forge: ({ of }) => of(unissuedKey(context.seed)) })

/** These `Authorization` headers: KEY is a valid key, OTHER one that was never issued. */
export const sent =
  (...headers: string[]): Spoil =>
  (valid, { forge, seed }) => {
    const write = (word: string) => (word === 'KEY' ? forge(plain) : unissuedKey(seed))
    return unauthorized(valid, ...headers.map((header) => header.replace(/KEY|OTHER/g, write)))
  }

/** One of the `keys` as a token: it may be a common word, so the whole header is redacted too. */
export const altered =
  (name: keyof typeof keys, scheme = 'Bearer'): Spoil =>
  (valid, { forge }) => {
    const { of, shell } = keys[name]
    if (forge({ of, shell }) === forge(plain)) {
      throw new Untested('ambiguous', 'this does not change the key; use another key')
    }
    const whole = { of: (key: string) => `${scheme} ${of(key)}`, shell: `${scheme} ${shell}` }
    return unauthorized(valid, forge(whole))
  }

/** A single byte above ASCII: a shell would send the letter as two bytes. */
export const latin1: Spoil = (valid, { forge }) => {
  const shell = `Bearer $(printf 'k\\351')`
  return unauthorized(valid, forge({ of: () => 'Bearer k\u00e9', shell }))
}

/** What is sent, in words, and how. */
type Worded = readonly [words: string, spoil: Spoil]

const listed = (names: readonly string[]): string =>
  new Intl.ListFormat('en-GB').format(names.map((name) => `\`${name}\``))

const headerWith =
  (value: string, ...names: readonly string[]): Spoil =>
  (valid, { forge }) => {
    const text = value.replaceAll('KEY', forge(plain))
    const headers = [...valid.headers, ...names.map((name): Header => [name, text])]
    return { ...unauthorized(valid), headers }
  }

/** Only in headers, where KEY is the key; none of them is one a server may accept. */
export const inHeaders = (value: string, ...names: readonly string[]): Worded => [
  `only in ${listed(names)}`,
  headerWith(value, ...names),
]

export const inCookies = headerWith(
  'api_key=KEY; access_token=KEY; token=KEY; session=KEY',
  'Cookie',
)

export const inQuery = (...names: readonly string[]): Worded => [
  `only in the query, as ${listed(names)}${names.length > 1 ? ' at once' : ''}`,
  (valid, { forge }) => {
    const query = names.map((name) => `${name}=${forge(percentEncoded)}`).join('&')
    const path = `${valid.path}${valid.path.includes('?') ? '&' : '?'}${query}`
    return { ...unauthorized(valid), path }
  },
]

export const inJson: Spoil = (valid, { forge, newPet }) => {
  const key = forge(plain)
  const body = printJson(newPet({ api_key: key, access_token: key }))
  return { ...unauthorized(valid), headers: [json], body }
}

export const inForm: Spoil = (valid, { forge }) => {
  const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const
  return { ...unauthorized(valid), headers: [form], body: `access_token=${forge(percentEncoded)}` }
}
