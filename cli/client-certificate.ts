// The client certificate: read, and held to belong to its key, before anything is sent.
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { Reach } from '../engine/wire/reach.ts'
import { type Environment, readSecret, variableOf } from './keys.ts'
import { unread } from './unread.ts'
import { UsageError } from './usage-error.ts'

/** Files as paths that can be opened. */
export interface GivenCertificate {
  readonly cert: string
  readonly key: string | undefined
  /** `$NAME`, so that it stands in no command line and no file. */
  readonly passphrase: string | undefined
}

type Identity = NonNullable<Reach['identity']>

/** A certificate and a key are small. */
const longestBytes = 1024 * 1024

export const readBytesOf = (what: string, file: string): Buffer => {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw unread(what, file, error)
  }
  if (bytes.length <= longestBytes) return bytes
  throw new UsageError(`${what} ${file} is longer than any: is it the right file?`)
}

const isPem = (bytes: Buffer): boolean => bytes.includes('-----BEGIN ')
const certificateBegins = '-----BEGIN CERTIFICATE-----'
const keyBegins = /-----BEGIN (?:\w+ )*PRIVATE KEY-----/

const identityOf = ({ cert, key }: GivenCertificate): Identity => {
  const bytes = readBytesOf('the client certificate', cert)
  // PKCS#12 is binary, and holds the key too.
  if (!isPem(bytes) && bytes[0] === 0x30 && key === undefined) return { pfx: bytes }
  const text = bytes.toString('utf8')
  if (!text.includes(certificateBegins)) {
    throw new UsageError(`the client certificate ${cert} is neither PEM nor PKCS#12`)
  }
  if (key === undefined && !keyBegins.test(text)) {
    throw new UsageError(`the client certificate ${cert} has no key in it: name its key as well`)
  }
  const keyText =
    key === undefined ? text : readBytesOf('the key of the client certificate', key).toString()
  if (keyBegins.test(keyText)) return { cert: text, key: keyText }
  throw new UsageError(`the key of the client certificate ${key} is no private key in PEM`)
}

/** What OpenSSL says, in words. */
const complaints: readonly (readonly [RegExp, string])[] = [
  [/KEY_VALUES_MISMATCH|key values mismatch|KEY_TYPE_MISMATCH/i, 'does not belong to its key'],
  [
    /BAD_DECRYPT|BAD_PASSWORD|mac verify|bad decrypt/i,
    'has a key that its passphrase does not open',
  ],
  [
    /PASSWORD_READ|password|CRYPTO_CANCELLED|cancelled/i,
    'has a key that needs its passphrase: $NAME',
  ],
  [/unsupported/i, 'is kept in an old form of PKCS#12: convert it with openssl pkcs12, or to PEM'],
]

const complaintOf = (error: unknown, hasPassphrase: boolean): string => {
  const { code = '', message } = error as NodeJS.ErrnoException
  const text = `${code} ${message}`
  const known = complaints.find(([pattern]) => pattern.test(text))?.[1]
  const isLocked = /MAC_VERIFY|mac verify|BAD_DECRYPT/i.test(text) && !hasPassphrase
  if (isLocked) return 'has a key that needs its passphrase: $NAME'
  return known ?? `cannot be used: ${message.split('\n')[0]}`
}

/** @throws UsageError with one line, in which no secret stands */
export const readClientCertificate = (
  given: GivenCertificate,
  environment: Environment,
): Identity => {
  const { passphrase: text } = given
  if (text !== undefined && variableOf(text) === undefined) {
    throw new UsageError('the passphrase of the client certificate must be a variable: $NAME')
  }
  const passphrase =
    text === undefined ? undefined : readSecret('the passphrase', text, environment)
  const identity = { ...identityOf(given), ...(passphrase !== undefined && { passphrase }) }
  try {
    createSecureContext(identity)
    return identity
  } catch (error) {
    const complaint = complaintOf(error, passphrase !== undefined)
    throw new UsageError(`the client certificate ${given.cert} ${complaint}`)
  }
}
