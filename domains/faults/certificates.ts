// Faults of certificates, and CAA records that keep the authority from issuing one.
import { authorityName, platformHost } from '../demo/customers.ts'
import type { DomainFault, PublishingVariant } from '../demo/variant.ts'
import { beside, caa } from './records.ts'

const docs = 'docs.farm.test'
const dayMs = 24 * 3600_000
const otherAuthority = 'other-ca.test'

const certificate = {
  breaks: 'publishing.certificate',
  caughtBy: `domain-certificate@${docs}`,
} as const
const forbidden = { breaks: 'publishing.caa', caughtBy: `domain-caa@${docs}` } as const

const leaf = (change: Partial<Parameters<NonNullable<PublishingVariant['leaf']>>[1]>) => ({
  leaf: ((host, honest) => (host === docs ? { ...honest, ...change } : null)) satisfies NonNullable<
    PublishingVariant['leaf']
  >,
})

const daysFromNow = (days: number) => new Date(Date.now() + days * dayMs)

export const certificateFaults: readonly DomainFault[] = [
  {
    id: 'certificate-fallback',
    ...certificate,
    fault: "The platform's own certificate is presented for a verified domain.",
    credentials: (honest, sni, _address, fallback) => (sni === docs ? fallback : honest),
  },
  {
    id: 'certificate-refused',
    ...certificate,
    fault: 'The handshake for a verified domain is refused.',
    credentials: (honest, sni) => (sni === docs ? null : honest),
  },
  {
    id: 'certificate-expired',
    ...certificate,
    fault: 'The certificate was not renewed.',
    ...leaf({ notBefore: daysFromNow(-90), notAfter: daysFromNow(-1) }),
  },
  {
    id: 'certificate-not-yet',
    ...certificate,
    fault: 'The certificate is not valid yet.',
    ...leaf({ notBefore: daysFromNow(1), notAfter: daysFromNow(90) }),
  },
  {
    id: 'certificate-self-signed',
    ...certificate,
    fault: 'The certificate is signed by itself.',
    ...leaf({ signedBy: 'itself' }),
  },
  {
    id: 'certificate-stranger',
    ...certificate,
    fault: 'The certificate is signed by an authority that nobody trusts.',
    ...leaf({ signedBy: 'stranger' }),
  },
  {
    id: 'certificate-no-chain',
    ...certificate,
    fault: 'The intermediate certificate is not sent along.',
    ...leaf({ withChain: false }),
  },
  {
    id: 'certificate-other-name',
    ...certificate,
    fault: 'The certificate names the apex of the domain alone.',
    ...leaf({ names: ['farm.test'] }),
  },
  {
    id: 'certificate-wildcard-too-high',
    ...certificate,
    fault: 'A wildcard two levels above is taken to cover the domain.',
    ...leaf({ names: ['*.test'] }),
  },
  {
    id: 'certificate-one-address',
    ...certificate,
    fault: 'One of two addresses presents the fallback certificate.',
    addresses: ['127.0.0.1', '127.0.0.2'],
    credentials: (honest, sni, address, fallback) =>
      sni === docs && address === '127.0.0.2' ? fallback : honest,
  },
  {
    id: 'certificate-late',
    ...certificate,
    fault: 'An hour after Verify there is none yet.',
    verifiedMinutes: 60,
    credentials: (honest, sni, _address, fallback) => (sni === docs ? fallback : honest),
  },
  {
    id: 'certificate-not-soon',
    breaks: 'publishing.certificate-soon',
    caughtBy: `domain-certificate-soon@${docs}`,
    fault: 'Ten minutes after Verify there is none yet.',
    verifiedMinutes: 10,
    credentials: (honest, sni, _address, fallback) => (sni === docs ? fallback : honest),
  },
  {
    id: 'certificate-last-day',
    breaks: 'publishing.renewal',
    caughtBy: `domain-renewal@${docs}`,
    fault: 'The renewal has failed for weeks: a day is left of ninety.',
    ...leaf({ notBefore: daysFromNow(-89), notAfter: daysFromNow(1) }),
  },
  {
    id: 'caa-other-authority',
    ...forbidden,
    fault: "CAA at the domain's apex names another authority.",
    ...beside(caa('farm.test', 0, 'issue', otherAuthority)),
  },
  {
    id: 'caa-nobody-at-top',
    ...forbidden,
    fault: 'CAA two levels above the domain lets nobody issue.',
    ...beside(caa('test', 0, 'issue', ';')),
  },
  {
    id: 'caa-alias-target',
    ...forbidden,
    fault: 'CAA stands at the name that the CNAME leads to.',
    ...beside(caa(platformHost, 0, 'issue', otherAuthority)),
  },
  {
    id: 'caa-critical-unknown',
    ...forbidden,
    fault: 'CAA has a critical property that no authority knows.',
    ...beside(caa('farm.test', 128, 'newtag', 'x'), caa('farm.test', 0, 'issue', authorityName)),
  },
  {
    id: 'caa-nearest-forbids',
    ...forbidden,
    fault: 'CAA of the zone allows the authority, and that of the name itself does not.',
    zones: (all) => [
      ...all,
      caa('animals.test', 0, 'issue', authorityName),
      caa(docs, 0, 'issue', otherAuthority),
    ],
  },
]
