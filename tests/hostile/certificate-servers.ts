// Certificates for servers of the tests, each self-signed.
import { createPrivateKey, webcrypto } from 'node:crypto'
import 'reflect-metadata'
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509'

const dayMs = 86_400_000

interface Validity {
  /** Host names or addresses. */
  readonly names: readonly string[]
  /** From and until, in days from now. */
  readonly days: readonly [number, number]
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

export const certificate = async ({ names, days: [from, until] }: Validity) => {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const made = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${names[0]}`,
    notBefore: new Date(Date.now() + from * dayMs),
    notAfter: new Date(Date.now() + until * dayMs),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: /^[\d.]+$/.test(value) ? 'ip' : 'dns', value })),
      ),
    ],
  })
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  const lines = Buffer.from(pkcs8)
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n')
  return {
    cert: made.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
  }
}

/** A key that this passphrase opens. */
export const locked = (key: string): string =>
  createPrivateKey(key)
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'open sesame' })
    .toString()
