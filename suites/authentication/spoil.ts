// Turns a valid request into one without a valid key, and changes nothing else. Each function also
// has the shell code that derives the invalid key from `$PETVET_KEY`, for the curl command.

import type { Context } from '../../engine/context.ts'
import { type ApiRequest, unauthorized } from '../../engine/exchange.ts'
import { Untested } from '../../engine/outcome.ts'

/** Turns a valid request into one without a valid key. */
export type Spoil = (valid: ApiRequest, context: Context) => ApiRequest

export const otherFirst = (key: string) => `${key.startsWith('x') ? 'y' : 'x'}${key.slice(1)}`
export const otherLast = (key: string) => `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`
export const half = (key: string) => Math.floor(key.length / 2)
export const otherMiddle = (key: string) =>
  `${key.slice(0, half(key))}${otherFirst(key.slice(half(key)))}`
/** Changes the `l` of `sk_live_abc`: after the first separator, else the second character. */
export const otherSegment = (key: string) => {
  const [first = ''] = /^(?:[^-_.]*[-_.](?=.)|.)/s.exec(key) ?? []
  return `${first}${otherFirst(key.slice(first.length))}`
}

export const swapCase = (key: string) =>
  key.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )

/** Shell code that applies `sed` to the key. */
export const sed = (script: string) => `$(printf %s "$PETVET_KEY" | sed '${script}')`
export const firstHalf = `\${PETVET_KEY:0:\${#PETVET_KEY}/2}`
export const secondHalf = `\${PETVET_KEY:\${#PETVET_KEY}/2}`
export const middle = `${firstHalf}$(printf %s "${secondHalf}" | sed 's/^x/y/;t;s/^./x/')`
const firstPart = '^([^-_.]*[-_.]|.)'
const otherPart = `s/${firstPart}x/\\1y/;t;s/${firstPart}./\\1x/`
export const segmentShell = `$(printf %s "$PETVET_KEY" | sed -E '${otherPart}')`

/** A key that was never issued: 128 bits derived from the seed cannot match one by chance. */
export const unissuedKey = (seed: number): string =>
  `petvet-${BigInt.asUintN(128, (BigInt(seed) + 1n) * 0x9e3779b97f4a7c15f39cc0605cedc835n)}`

export const plain = { of: (key: string) => key, shell: '$PETVET_KEY' }
export const percentEncoded = { of: encodeURIComponent, shell: '$PETVET_KEY' }

export const fixed =
  (...values: string[]): Spoil =>
  (valid) =>
    unauthorized(valid, ...values)

/** An Authorization header with a valid key, but not as a bearer token. */
export const around =
  (write: (key: string, context: Context) => string): Spoil =>
  (valid, context) =>
    unauthorized(valid, write(context.forge(plain), context))

/** A changed key; `shell` derives it from `$PETVET_KEY`. */
export const altered =
  (of: (key: string) => string, shell: string): Spoil =>
  (valid, { forge }) => {
    const text = forge({ of, shell })
    if (text === forge(plain)) {
      throw new Untested('ambiguous', 'this does not change the key; use another key')
    }
    return unauthorized(valid, `Bearer ${text}`)
  }

/** A part of the key, which may be a common word, so the whole header is redacted. */
export const part =
  (of: (key: string) => string, shell: string): Spoil =>
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
