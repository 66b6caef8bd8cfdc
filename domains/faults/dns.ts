// Faults in the DNS of a subdomain and of an apex, in CAA records, and in certificates.
import { authorityName, platformHost } from '../demo/customers.ts'
import { caught, type DomainMistake } from '../demo/variant.ts'
import {
  apex,
  days,
  docs,
  indirect,
  instead,
  leaf,
  plus,
  twoAddresses,
  uncertified,
} from './changes.ts'

const oldAddress = '203.0.113.9'
const oldAddress6 = '2001:db8::9'

export const dnsFaults: readonly DomainMistake[] = [
  ...caught(`domain-cname@${docs}`, 'publishing.cname', {
    'cname-missing': ['No record was set.', instead(docs)],
    'cname-typo': [
      'A letter of the platform host is missing.',
      instead(docs, `${docs} CNAME site.publish.test`),
    ],
    'cname-old-host': [
      'The CNAME still leads to the previous host.',
      instead(docs, `${docs} CNAME old.elsewhere.test`),
    ],
    'cname-doubled-name': [
      'The record is at a name to which the zone was added once more.',
      instead(docs, `${docs}.farm.test CNAME ${platformHost}`),
    ],
    'cname-doubled-target': [
      'The final dot of the value was left out, and the zone was added to it.',
      instead(docs, `${docs} CNAME ${platformHost}.farm.test`),
    ],
    'cname-loop': [
      'The CNAME leads back to itself by way of another.',
      instead(docs, `${docs} CNAME help.farm.test`, `help.farm.test CNAME ${docs}`),
    ],
    'cname-address-instead': [
      "The platform's address was set as an A record, and no CNAME.",
      instead(docs, `${docs} A 127.0.0.1`),
    ],
  }),
  ...caught(`domain-cname-direct@${docs}`, 'publishing.cname-direct', {
    'cname-indirect': ['The CNAME leads to a name of the customer that leads on.', indirect],
  }),
  ...caught(`domain-conflict@${docs}`, 'publishing.no-conflict', {
    'conflict-old-address': [
      'An A record leads to the old server, and there is no CNAME.',
      instead(docs, `${docs} A ${oldAddress}`),
    ],
    'conflict-address-beside': [
      'An A record was left next to the CNAME.',
      plus(`${docs} A ${oldAddress}`),
    ],
    'conflict-address6-beside': [
      'An AAAA record was left next to the CNAME.',
      plus(`${docs} AAAA ${oldAddress6}`),
    ],
    'conflict-two-cnames': [
      'The previous CNAME was left next to the new one.',
      plus(`${docs} CNAME old.elsewhere.test`),
    ],
    'conflict-mail-beside': [
      'An MX record was left next to the CNAME.',
      plus(`${docs} MX mail.farm.test`),
    ],
  }),
  ...caught(`domain-apex@${apex}`, 'publishing.apex', {
    'apex-cname': ['The apex has a CNAME.', instead(apex, `${apex} CNAME ${platformHost}`)],
    'apex-elsewhere': [
      'The apex has the address of the old server.',
      instead(apex, `${apex} A ${oldAddress}`),
    ],
    'apex-alias-elsewhere': [
      'ALIAS leads to a host of the same provider that is not the platform host.',
      instead(apex, `${apex} ALIAS old.publish.test`, `old.publish.test A ${oldAddress}`),
    ],
    'apex-missing': ['The apex has no address.', instead(apex)],
  }),
  ...caught(`domain-conflict@${apex}`, 'publishing.no-conflict', {
    'apex-old-address-beside': [
      'The address of the old server was left at the apex next to ALIAS.',
      plus(`${apex} A ${oldAddress}`),
    ],
    'apex-old-address6-beside': [
      'The AAAA record of the old server was left at the apex next to ALIAS.',
      plus(`${apex} AAAA ${oldAddress6}`),
    ],
  }),
  ...caught(`domain-caa@${docs}`, 'publishing.caa', {
    'caa-other-authority': [
      "CAA at the domain's apex names another authority.",
      plus('farm.test CAA 0 issue "other-ca.test"'),
    ],
    'caa-nobody-at-top': [
      'CAA two levels above the domain lets nobody issue.',
      plus('test CAA 0 issue ";"'),
    ],
    'caa-alias-target': [
      'CAA is at the name that the CNAME leads to.',
      plus(`${platformHost} CAA 0 issue "other-ca.test"`),
    ],
    'caa-critical-unknown': [
      'CAA has a critical property that no authority knows.',
      plus('farm.test CAA 128 newtag "x"', `farm.test CAA 0 issue "${authorityName}"`),
    ],
    'caa-nearest-forbids': [
      'CAA of the zone allows the authority, and that of the name itself does not.',
      plus(`${apex} CAA 0 issue "${authorityName}"`, `${docs} CAA 0 issue "other-ca.test"`),
    ],
  }),
]

export const certificateFaults: readonly DomainMistake[] = [
  ...caught(`domain-certificate@${docs}`, 'publishing.certificate', {
    'certificate-fallback': [
      "The platform's own certificate is presented for a verified domain.",
      uncertified,
    ],
    'certificate-refused': [
      'The handshake for a verified domain is refused.',
      { credentials: (honest, sni) => (sni === docs ? null : honest) },
    ],
    'certificate-expired': ['The certificate was not renewed.', leaf(days(-90, -1))],
    'certificate-not-yet': ['The certificate is not valid yet.', leaf(days(1, 90))],
    'certificate-self-signed': [
      'The certificate is signed by itself.',
      leaf({ signedBy: 'itself' }),
    ],
    'certificate-stranger': [
      'The certificate is signed by an authority that nobody trusts.',
      leaf({ signedBy: 'stranger' }),
    ],
    'certificate-no-chain': [
      'The intermediate certificate is not sent along.',
      leaf({ withChain: false }),
    ],
    'certificate-other-name': [
      'The certificate names the apex of the domain alone.',
      leaf({ names: ['farm.test'] }),
    ],
    'certificate-wildcard-too-high': [
      'The certificate has a wildcard two levels above the domain.',
      leaf({ names: ['*.test'] }),
    ],
    'certificate-one-address': [
      'One of two addresses presents the fallback certificate.',
      {
        ...twoAddresses,
        credentials: (honest, sni, address, fallback) =>
          sni === docs && address === '127.0.0.2' ? fallback : honest,
      },
    ],
    'certificate-late': [
      'An hour after Verify there is none yet.',
      { verifiedMinutes: 60, ...uncertified },
    ],
  }),
  ...caught(`domain-certificate-soon@${docs}`, 'publishing.certificate-soon', {
    'certificate-not-soon': [
      'Ten minutes after Verify there is none yet.',
      { verifiedMinutes: 10, ...uncertified },
    ],
  }),
  ...caught(`domain-renewal@${docs}`, 'publishing.renewal', {
    'certificate-last-day': [
      'The renewal has failed for weeks: a day is left of ninety.',
      leaf(days(-89, 1)),
    ],
  }),
]
