// Files of TLS: trusted certificates and the client certificate, validated before anything is sent.
import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { Reach } from '../engine/http/connection-options.ts'
import { readSmall } from './config-file.ts'
import { type Environment, readSecret, variableName } from './given-keys.ts'
import { orRefuse, UsageError } from './usage-error.ts'

/** Files as absolute paths. */
export interface GivenCertificate {
  readonly cert: string
  readonly key: string | undefined
  /** `$NAME`, so that no command line and no file contains it. */
  readonly passphrase: string | undefined
}

type Identity = NonNullable<Reach['identity']>

const certificates = /-----BEGIN CERTIFICATE-----[^-]*(?:-----END CERTIFICATE-----)?/g

/** TLS silently ignores an invalid certificate, so each is parsed here. */
export const readTrusted = (file: string): string => {
  const text = readSmall('the ca', file).toString()
  const found = text.match(certificates) ?? []
  if (found.length === 0) throw new UsageError(`the ca ${file} holds no certificate in PEM`)
  orRefuse(
    () => found.map((each) => new X509Certificate(each)),
    () => `the ca ${file} holds a certificate that cannot be read: is it cut off?`,
  )
  return text
}

/** @throws UsageError with one line that contains no secret */
export const readClientCertificate = (
  given: GivenCertificate,
  environment: Environment,
): Identity => {
  const { passphrase: text } = given
  if (text !== undefined && variableName(text) === undefined) {
    throw new UsageError('the passphrase of the client certificate must be a variable: $NAME')
  }
  const passphrase =
    text === undefined ? undefined : readSecret('the passphrase', text, environment)
  const identity = { ...identityOf(given), ...(passphrase !== undefined && { passphrase }) }
  orRefuse(
    () => createSecureContext(identity),
    (error) => `the client certificate ${given.cert} ${complaintOf(error, identity)}`,
  )
  return identity
}

const keyBegins = /-----BEGIN (?:\w+ )*PRIVATE KEY-----/

const identityOf = ({ cert, key }: GivenCertificate): Identity => {
  const what = 'the client certificate'
  const bytes = readSmall(what, cert)
  // PKCS#12 is binary, and contains the key too.
  if (!bytes.includes('-----BEGIN ')) return { pfx: bytes }
  const text = bytes.toString()
  const keyText = key === undefined ? text : readSmall(`the key of ${what}`, key).toString()
  if (keyBegins.test(keyText)) return { cert: text, key: keyText }
  throw new UsageError(`${what} ${cert} has no private key in PEM: name its key as well`)
}

const needsPassphrase = 'has a key that needs its passphrase: $NAME'
const notOpened = 'has a key that its passphrase does not open'

/** Errors of OpenSSL in words. */
const complaints: readonly (readonly [RegExp, string])[] = [
  [/KEY_VALUES_MISMATCH|key values mismatch|KEY_TYPE_MISMATCH/i, 'does not belong to its key'],
  [/BAD_DECRYPT|BAD_PASSWORD|mac verify|bad decrypt/i, notOpened],
  [/PASSWORD_READ|password|CRYPTO_CANCELLED|cancelled/i, needsPassphrase],
]
const oldForm = 'uses an old form of PKCS#12: convert it with openssl pkcs12, or to PEM'

const complaintOf = (
  { code = '', message }: NodeJS.ErrnoException,
  { key, passphrase }: Identity,
): string => {
  const text = `${code} ${message}`
  // A wrong passphrase opens one key in 256, to bytes that are no key.
  const isLocked = /ENCRYPTED/.test(String(key))
  const hasNone = passphrase === undefined
  if (hasNone && (isLocked || /MAC_VERIFY|mac verify|BAD_DECRYPT/i.test(text))) {
    return needsPassphrase
  }
  const known = complaints.find(([pattern]) => pattern.test(text))?.[1]
  if (known !== undefined || isLocked) return known ?? notOpened
  return /unsupported/i.test(text) ? oldForm : `cannot be used: ${message.split('\n')[0]}`
}
