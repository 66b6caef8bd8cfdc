// Faults of certificates.
import { caught, type DomainFault } from '../demo/variant.ts'
import { daysFromNow, docs, leaf, twoAddresses, uncertified } from './records.ts'

const wrong = caught(`domain-certificate@${docs}`, 'publishing.certificate')
const late = caught(`domain-certificate-soon@${docs}`, 'publishing.certificate-soon')
const unrenewed = caught(`domain-renewal@${docs}`, 'publishing.renewal')

export const certificateFaults: readonly DomainFault[] = [
  wrong(
    'certificate-fallback',
    "The platform's own certificate is presented for a verified domain.",
    uncertified,
  ),
  wrong('certificate-refused', 'The handshake for a verified domain is refused.', {
    credentials: (honest, sni) => (sni === docs ? null : honest),
  }),
  wrong(
    'certificate-expired',
    'The certificate was not renewed.',
    leaf({ notBefore: daysFromNow(-90), notAfter: daysFromNow(-1) }),
  ),
  wrong(
    'certificate-not-yet',
    'The certificate is not valid yet.',
    leaf({ notBefore: daysFromNow(1), notAfter: daysFromNow(90) }),
  ),
  wrong(
    'certificate-self-signed',
    'The certificate is signed by itself.',
    leaf({ signedBy: 'itself' }),
  ),
  wrong(
    'certificate-stranger',
    'The certificate is signed by an authority that nobody trusts.',
    leaf({ signedBy: 'stranger' }),
  ),
  wrong(
    'certificate-no-chain',
    'The intermediate certificate is not sent along.',
    leaf({ withChain: false }),
  ),
  wrong(
    'certificate-other-name',
    'The certificate names the apex of the domain alone.',
    leaf({ names: ['farm.test'] }),
  ),
  wrong(
    'certificate-wildcard-too-high',
    'A wildcard two levels above is taken to cover the domain.',
    leaf({ names: ['*.test'] }),
  ),
  wrong('certificate-one-address', 'One of two addresses presents the fallback certificate.', {
    addresses: twoAddresses,
    credentials: (honest, sni, address, fallback) =>
      sni === docs && address === '127.0.0.2' ? fallback : honest,
  }),
  wrong('certificate-late', 'An hour after Verify there is none yet.', {
    verifiedMinutes: 60,
    ...uncertified,
  }),
  late('certificate-not-soon', 'Ten minutes after Verify there is none yet.', {
    verifiedMinutes: 10,
    ...uncertified,
  }),
  unrenewed(
    'certificate-last-day',
    'The renewal has failed for weeks: a day is left of ninety.',
    leaf({ notBefore: daysFromNow(-89), notAfter: daysFromNow(1) }),
  ),
]
