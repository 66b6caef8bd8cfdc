// A temporary certificate authority: a root, an intermediate, and leaves with any fault. The door
// of @peculiar/x509, which needs reflect-metadata to be loaded first.
import { KeyObject, webcrypto } from 'node:crypto'
import { createRequire } from 'node:module'
import type * as X509 from '@peculiar/x509'
import type { X509Certificate } from '@peculiar/x509'

const load = createRequire(import.meta.url)

const x509 = (): typeof X509 => {
  load('reflect-metadata')
  return load('@peculiar/x509')
}

/** What a TLS server presents, in PEM. */
export interface Credentials {
  readonly key: string
  /** The leaf, and the certificates above it that are sent with it. */
  readonly cert: string
}

export interface LeafOptions {
  readonly names: readonly string[]
  /** From when to when it is valid, in days from now. */
  readonly days: readonly [from: number, to: number]
  /** The intermediate, the root itself, an untrusted root, or its own key. */
  readonly signedBy: 'intermediate' | 'root' | 'untrusted' | 'itself'
  /** Whether the intermediate is sent with the leaf. */
  readonly withChain: boolean
}

export type Authority = Awaited<ReturnType<typeof createAuthority>>

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const inDays = (days: number) => new Date(Date.now() + days * 24 * 3600_000)

interface Party {
  readonly keys: webcrypto.CryptoKeyPair
  readonly certificate: X509Certificate
}

/** @param names of a server; null: it signs others */
const certify = async (
  name: string,
  above: Party | null,
  [from, to]: LeafOptions['days'],
  names: readonly string[] | null,
): Promise<Party> => {
  const all = x509()
  const ofServer = (values: readonly string[]) => [
    new all.ExtendedKeyUsageExtension([all.ExtendedKeyUsage.serverAuth]),
    new all.SubjectAlternativeNameExtension(values.map((value) => ({ type: 'dns', value }))),
  ]
  const { digitalSignature, keyCertSign, cRLSign } = all.KeyUsageFlags
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const subject = `CN=${name}`
  const certificate = await all.X509CertificateGenerator.create({
    notBefore: inDays(from),
    notAfter: inDays(to),
    subject,
    issuer: above?.certificate.subject ?? subject,
    signingKey: (above?.keys ?? keys).privateKey,
    publicKey: keys.publicKey,
    signingAlgorithm: algorithm,
    extensions: [
      new all.BasicConstraintsExtension(names === null, undefined, names === null),
      new all.KeyUsagesExtension(names ? digitalSignature : keyCertSign | cRLSign, true),
      ...(names ? ofServer(names) : []),
    ],
  })
  return { keys, certificate }
}

export const createAuthority = async () => {
  const year = [-1, 365] as const
  const root = await certify('petvet demo root', null, year, null)
  const untrusted = await certify('petvet demo untrusted', null, year, null)
  const intermediate = await certify('petvet demo intermediate', root, year, null)
  const signers = { root, untrusted, intermediate, itself: null }
  return {
    rootPem: root.certificate.toString('pem'),
    issue: async ({ names, signedBy, withChain, days }: LeafOptions): Promise<Credentials> => {
      const signer = signers[signedBy]
      const { keys, certificate } = await certify(names[0] ?? 'none', signer, days, names)
      const isChained = withChain && signer === intermediate
      const sent = [certificate, ...(isChained ? [intermediate.certificate] : [])]
      const cert = sent.map((each) => `${each.toString('pem')}\n`).join('')
      const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' })
      return { key: key.toString(), cert }
    },
  }
}
