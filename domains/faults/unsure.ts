// Published projects that show no fault and no conformance: a check has to be inconclusive.
import { platformHost, primary } from '../demo/demo.ts'
import { type Change, type DomainLegal, docs, later, plus, uncertified, unsure } from './changes.ts'

type Dns = NonNullable<Change['dns']>

/** The DNS of the zone of `docs` fails, for one check. */
const failing = (check: string, failure: ReturnType<Dns>, type = /./) => ({
  inconclusive: `${check}@${docs}`,
  dns: (name: string, of: string) =>
    type.test(of) && (name === docs || name === 'farm.test') ? failure : undefined,
})

const silent = { ...failing('domain-cname', 'silent'), dnsTimeoutMs: 100 }
const withoutAddresses = failing('domain-conflict', 'SERVFAIL', /^(?!CNAME)/)
const soon = { ...uncertified, verifiedMinutes: 1 }

export const domainUnsure: readonly DomainLegal[] = [
  ...unsure(['domain-cname'], {
    'dns-silent': ['The DNS server of one zone does not respond.', silent],
    'dns-servfail': ['It fails.', failing('domain-cname', 'SERVFAIL')],
  }),
  ...unsure(['domain-conflict'], {
    'dns-refused': ['The DNS server refuses queries.', failing('domain-conflict', 'REFUSED')],
    'dns-addresses-silent': ['Only the CNAME is known.', withoutAddresses],
  }),
  ...unsure(['domain-certificate'], {
    'dns-platform-silent': [
      'The addresses of the platform host are not known.',
      {
        inconclusive: `domain-certificate@${primary}`,
        dns: (name) => (name === platformHost ? 'SERVFAIL' : undefined),
      },
    ],
  }),
  ...unsure(['domain-caa'], {
    'caa-servfail': [
      'Only CAA is not known, and there is no certificate.',
      { ...failing('domain-caa', 'SERVFAIL', /^CAA$/), ...soon },
    ],
    'caa-authority-unknown': [
      "CAA names an authority, and the platform's is not given.",
      {
        inconclusive: `domain-caa@${docs}`,
        authorities: [],
        ...later(plus('farm.test CAA 0 issue "some-ca.test"')),
        ...soon,
      },
    ],
  }),
]
