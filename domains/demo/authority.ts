// A throw-away certificate authority: a root, an intermediate, and leaves as wrong as asked for.
// The door of @peculiar/x509, which needs the metadata of reflect-metadata to be there first.
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

/** What a TLS server presents, in PEM. */
export interface Credentials {
  readonly key: string
  /** The leaf, and the certificates above it that are sent along. */
  readonly cert: string
}

export interface LeafOptions {
  readonly names: readonly string[]
  readonly notBefore: Date
  readonly notAfter: Date
  /** Who signs: the intermediate, the root itself, a root that nobody trusts, or nobody. */
  readonly signedBy: 'intermediate' | 'root' | 'stranger' | 'itself'
  /** Whether the intermediate is sent along. */
  readonly withChain: boolean
}

export interface Authority {
  readonly rootPem: string
  readonly issue: (options: LeafOptions) => Promise<Credentials>
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const dayMs = 24 * 3600_000

interface Party {
  readonly name: string
  readonly keys: webcrypto.CryptoKeyPair
  readonly certificate: X509Certificate
}

let serial = 1
const nextSerial = () => (serial++).toString(16).padStart(8, '0')

const generateKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

const party = async (name: string, above: Party | null): Promise<Party> => {
  const keys = await generateKeys()
  const certificate = await X509CertificateGenerator.create({
    serialNumber: nextSerial(),
    subject: `CN=${name}`,
    issuer: `CN=${above?.name ?? name}`,
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + 365 * dayMs),
    signingKey: (above?.keys ?? keys).privateKey,
    publicKey: keys.publicKey,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  })
  return { name, keys, certificate }
}

const pemOf = async (key: webcrypto.CryptoKey): Promise<string> => {
  const text = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64')
  const lines = text.match(/.{1,64}/g) ?? []
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n')
}

export const createAuthority = async (): Promise<Authority> => {
  const root = await party('petvet demo root', null)
  const stranger = await party('petvet demo stranger', null)
  const intermediate = await party('petvet demo intermediate', root)
  const signers = { root, stranger, intermediate, itself: null }
  return {
    rootPem: root.certificate.toString('pem'),
    issue: async ({ names, notBefore, notAfter, signedBy, withChain }) => {
      const keys = await generateKeys()
      const signer = signers[signedBy]
      const [subject = 'nobody'] = names
      const leaf = await X509CertificateGenerator.create({
        serialNumber: nextSerial(),
        subject: `CN=${subject}`,
        issuer: `CN=${signer?.name ?? subject}`,
        notBefore,
        notAfter,
        signingKey: (signer?.keys ?? keys).privateKey,
        publicKey: keys.publicKey,
        signingAlgorithm: algorithm,
        extensions: [
          new BasicConstraintsExtension(false),
          new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
          new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
          new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
        ],
      })
      const sent = withChain && signer === intermediate ? [leaf, intermediate.certificate] : [leaf]
      const cert = sent.map((each) => `${each.toString('pem')}\n`).join('')
      return { key: await pemOf(keys.privateKey), cert }
    },
  }
}
