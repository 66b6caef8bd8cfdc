// Turns a valid request into one without a valid key, and changes nothing else. An invalid key has
// the shell code that derives it from `$PETVET_KEY`, for the curl command.

import type { Context, Forgery } from '../../engine/check/context.ts'
import { type ApiRequest, unauthorized } from '../../history/exchange.ts'
import { Untested } from '../../history/outcome.ts'

export type Spoil = (valid: ApiRequest, context: Context) => ApiRequest

export const plain: Forgery = { of: (key) => key, shell: '$PETVET_KEY' }
export const percentEncoded: Forgery = { of: encodeURIComponent, shell: '$PETVET_KEY' }

const half = (key: string) => Math.floor(key.length / 2)
const otherFirst = (key: string) => `${key.startsWith('x') ? 'y' : 'x'}${key.slice(1)}`

/** Shell code that applies `sed` to the key. */
const sed = (script: string, options = '') =>
  `$(printf %s "$PETVET_KEY" | sed${options} '${script}')`

const firstHalf = `\${PETVET_KEY:0:\${#PETVET_KEY}/2}`
const secondHalf = `\${PETVET_KEY:\${#PETVET_KEY}/2}`
const firstPart = '^([^-_.]*[-_.]|.)'

/** Almost valid keys: changed in one character, cut, or extended. */
export const keys = {
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
} satisfies Record<string, Forgery>

/** A key that was never issued: 128 bits derived from the seed cannot match one by chance. */
const unissuedKey = (seed: number): string =>
  `petvet-${BigInt.asUintN(128, (BigInt(seed) + 1n) * 0x9e3779b97f4a7c15f39cc0605cedc835n)}`

/** These Authorization headers: KEY is a valid key, OTHER one that was never issued. */
export const sent =
  (...headers: string[]): Spoil =>
  (valid, { forge, seed }) => {
    const write = (word: string) => (word === 'KEY' ? forge(plain) : unissuedKey(seed))
    return unauthorized(valid, ...headers.map((header) => header.replace(/KEY|OTHER/g, write)))
  }

/** Any text as the token. */
export const spoilWith =
  (key: string): Spoil =>
  (valid) =>
    unauthorized(valid, `Bearer ${key}`)

export const altered =
  (forgery: Forgery): Spoil =>
  (valid, { forge }) => {
    const text = forge(forgery)
    if (text === forge(plain)) {
      throw new Untested('ambiguous', 'this does not change the key; use another key')
    }
    return unauthorized(valid, `Bearer ${text}`)
  }

/** A part of the key, which may be a common word, so the whole header is redacted. */
export const part =
  ({ of, shell }: Forgery): Spoil =>
  (valid, { forge }) => {
    const text = forge({ of: (key) => `Bearer ${of(key)}`, shell: `Bearer ${shell}` })
    if (text === `Bearer ${forge(plain)}`) {
      throw new Untested('ambiguous', 'the key is too short to be cut; use another key')
    }
    return unauthorized(valid, text)
  }

/** The key in each of these headers, none of which a server may accept. */
export const inHeaders =
  (names: readonly string[], write: (key: string) => string): Spoil =>
  (valid, { forge }) => ({
    ...unauthorized(valid),
    headers: [...valid.headers, ...names.map((name) => [name, write(forge(plain))] as const)],
  })

export const inQuery =
  (...names: string[]): Spoil =>
  (valid, { forge }) => {
    const query = names.map((name) => `${name}=${forge(percentEncoded)}`).join('&')
    const path = `${valid.path}${valid.path.includes('?') ? '&' : '?'}${query}`
    return { ...unauthorized(valid), path }
  }

/** What programs send in place of a key by mistake: values that are none. None was ever issued. */
export const keysOfNoValue: readonly string[] = [
  ...['undefined', 'null', 'None', 'nil', 'NaN', 'false', 'true', '0', '1', '{}', '[]', '*', '-'],
  ...['[object Object]', '[object Promise]', 'Optional("key")', '(null)', '%s', '""', "''"],
]

/** Likewise: placeholders that nothing has filled in. */
export const placeholderKeys: readonly string[] = [
  ...['$API_KEY', `\${API_KEY}`, '%API_KEY%', '{{API_KEY}}', '{{ apiKey }}', '<API_KEY>'],
  ...['<%= key %>', '$(API_KEY)', `\${{ secrets.API_KEY }}`, 'YOUR_API_KEY', 'changeme'],
  ...['Bearer', 'Bearer undefined', 'test', 'admin', 'secret', 'xxxxxxxx', '********', 'e30.e30.'],
]
