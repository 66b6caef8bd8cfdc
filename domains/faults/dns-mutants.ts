// Mutants of the DNS of a subdomain and of an apex, of CAA records, and of certificates.
import { authorityName, platformHost } from '../demo/demo.ts'
import {
  apex,
  type DomainMutant,
  days,
  docs,
  indirect,
  instead,
  leaf,
  mutants,
  plus,
  secondAddress,
  twoAddresses,
  uncertified,
} from './changes.ts'

const oldAddress = '203.0.113.9'
const oldAddress6 = '2001:db8::9'

const otherCa = 'CAA 0 issue "other-ca.test"'
const ourCa = `CAA 0 issue "${authorityName}"`
const nearestForbids = plus(`farm.test ${ourCa}`, `${docs} ${otherCa}`)

/** `docs` has only this record. */
const docsHas = (data: string) => instead(docs, `${docs} ${data}`)
const docsHasToo = (data: string) => plus(`${docs} ${data}`)
const apexHas = (data: string, ...more: string[]) => instead(apex, `${apex} ${data}`, ...more)

export const dnsMutants: readonly DomainMutant[] = [
  ...mutants(`domain-cname@${docs}`, 'publishing.cname', {
    'cname-missing': ['No record is set.', instead(docs)],
    'cname-typo': ['The platform host has a typo.', docsHas('CNAME site.publish.test')],
    'cname-old-host': ['It points to the previous host.', docsHas('CNAME old.elsewhere.test')],
    'cname-doubled-name': [
      'The name of the record has its zone twice.',
      instead(docs, `${docs}.farm.test CNAME ${platformHost}`),
    ],
    'cname-doubled-target': [
      'The final dot is missing.',
      docsHas(`CNAME ${platformHost}.farm.test`),
    ],
    'cname-loop': [
      'The CNAME points back to itself through another.',
      instead(docs, `${docs} CNAME help.farm.test`, `help.farm.test CNAME ${docs}`),
    ],
    'cname-address-instead': ['It has A, and no CNAME.', docsHas('A 127.0.0.1')],
  }),
  ...mutants(`domain-cname-direct@${docs}`, 'publishing.cname-direct', {
    'cname-indirect': ["The CNAME points to the customer's own name for it.", indirect],
  }),
  ...mutants(`domain-conflict@${docs}`, 'publishing.no-conflict', {
    'conflict-old-address': ['It has an old A, and no CNAME.', docsHas(`A ${oldAddress}`)],
    'conflict-address-beside': ['An old A record remains.', docsHasToo(`A ${oldAddress}`)],
    'conflict-address6-beside': ['An old AAAA record remains.', docsHasToo(`AAAA ${oldAddress6}`)],
    'conflict-two-cnames': ['An old CNAME remains.', docsHasToo('CNAME old.elsewhere.test')],
    'conflict-mail-beside': ['An MX record remains.', docsHasToo('MX mail.farm.test')],
  }),
  ...mutants(`domain-apex@${apex}`, 'publishing.apex', {
    'apex-cname': ['The apex has a CNAME.', apexHas(`CNAME ${platformHost}`)],
    'apex-elsewhere': ['It has the address of the old server.', apexHas(`A ${oldAddress}`)],
    'apex-alias-elsewhere': [
      'ALIAS points to a host of the same provider that is not the platform host.',
      apexHas('ALIAS old.publish.test', `old.publish.test A ${oldAddress}`),
    ],
    'apex-missing': ['The apex has no address.', instead(apex)],
  }),
  ...mutants(`domain-conflict@${apex}`, 'publishing.no-conflict', {
    'apex-old-address-beside': ['An old A record remains.', plus(`${apex} A ${oldAddress}`)],
    'apex-old-address6-beside': ['An old AAAA remains.', plus(`${apex} AAAA ${oldAddress6}`)],
  }),
  ...mutants(`domain-caa@${docs}`, 'publishing.caa', {
    'caa-other-authority': ['CAA of the zone names another.', plus(`farm.test ${otherCa}`)],
    'caa-nobody-at-top': ['CAA two levels above allows nobody.', plus('test CAA 0 issue ";"')],
    'caa-alias-target': ['CAA is at the CNAME target.', plus(`${platformHost} ${otherCa}`)],
    'caa-critical-unknown': [
      'CAA has a critical property that no authority knows.',
      plus('farm.test CAA 128 newtag "x"', `farm.test CAA 0 issue "${authorityName}"`),
    ],
    'caa-nearest-forbids': ['CAA of the zone allows, of the name forbids.', nearestForbids],
  }),
]

export const certificateMutants: readonly DomainMutant[] = [
  ...mutants(`domain-certificate@${docs}`, 'publishing.certificate', {
    'certificate-fallback': ["The platform's own certificate is presented.", uncertified],
    'certificate-refused': [
      'The handshake for a verified domain is refused.',
      { credentials: (honest, sni) => (sni === docs ? null : honest) },
    ],
    'certificate-expired': ['The certificate was not renewed.', leaf(days(-90, -1))],
    'certificate-not-yet': ['The certificate is not valid yet.', leaf(days(1, 90))],
    'certificate-self-signed': ['It is signed by itself.', leaf({ signedBy: 'itself' })],
    'certificate-stranger': ['Its authority is not trusted.', leaf({ signedBy: 'untrusted' })],
    'certificate-no-chain': ['The intermediate is not sent with it.', leaf({ withChain: false })],
    'certificate-other-name': ['It names only the apex.', leaf({ names: ['farm.test'] })],
    'certificate-wildcard-too-high': ['Its wildcard is too high.', leaf({ names: ['*.test'] })],
    'certificate-one-address': [
      'One of two addresses presents the fallback certificate.',
      {
        ...twoAddresses,
        credentials: (honest, sni, address, fallback) =>
          sni === docs && address === secondAddress ? fallback : honest,
      },
    ],
    'certificate-late': ['None an hour after Verify.', { verifiedMinutes: 60, ...uncertified }],
  }),
  ...mutants(`domain-certificate-soon@${docs}`, 'publishing.certificate-soon', {
    'certificate-not-soon': ['None ten minutes later.', { verifiedMinutes: 10, ...uncertified }],
  }),
  ...mutants(`domain-renewal@${docs}`, 'publishing.renewal', {
    'certificate-last-day': ['One day of its ninety is left.', leaf(days(-89, 1))],
  }),
]
