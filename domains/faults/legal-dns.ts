// Legal ways to set DNS: other TTLs, aliases, addresses, CAA records.
import { authorityName, platformHost } from '../demo/customers.ts'
import { type Change, type DomainLegal, legal } from '../demo/variant.ts'
import { apex, docs, indirect, instead, later, plus, twoAddresses } from './changes.ts'

const aliases = ['domain-cname', 'domain-cname-direct']
const atApex = ['domain-apex', 'domain-conflict']
const everyDomain = ['domain-cname', 'domain-conflict', 'domain-certificate', 'domain-primary']

const withTtl = (ttl: number): Change => ({
  zones: (all) => all.map((each) => ({ ...each, ttl })),
})

const longTexts = Array.from(
  { length: 60 },
  (_, index) => `${apex} TXT text-${index}-${'x'.repeat(60)}`,
)

export const legalRecords: readonly DomainLegal[] = [
  ...legal([...everyDomain, ...atApex, 'domain-redirect', 'project-domains'], {
    'as-documented': ['All is as the document has it.', {}],
  }),
  ...legal(['domain-ttl', 'domain-cname'], {
    'ttl-300': ['The TTL is 300.', withTtl(300)],
    'ttl-86400': ['The TTL is a day.', withTtl(86_400)],
  }),
  ...legal(aliases, {
    'target-in-capitals': [
      'The value of the CNAME is spelt in capitals.',
      { spells: (name) => name.toUpperCase() },
    ],
  }),
  ...legal([...aliases, ...atApex], {
    'platform-host-alias': [
      'The platform host is an alias itself.',
      instead(
        platformHost,
        `${platformHost} CNAME edge.publish.test`,
        'edge.publish.test A 127.0.0.1',
      ),
    ],
    'indirect-alias': [
      'The CNAME leads to the platform host by way of another name.',
      { warns: `domain-cname-direct@${docs}`, ...indirect },
    ],
  }),
  ...legal([...atApex, 'domain-certificate', 'domain-primary'], {
    'platform-two-addresses': ['The platform host has two addresses.', twoAddresses],
  }),
  ...legal(atApex, {
    'apex-subset': [
      'The apex has one of the two addresses of the platform.',
      { ...twoAddresses, ...instead(apex, `${apex} A 127.0.0.2`) },
    ],
    'apex-with-mail': [
      'The apex has MX and TXT records.',
      plus(`${apex} MX mail.animals.test`, `${apex} TXT v=spf1 -all`),
    ],
    'apex-long-text': [
      'The apex has so many TXT records that a response goes over TCP.',
      plus(...longTexts),
    ],
    'delegated-apex': [
      'A child zone is delegated, and its top is an apex with an address.',
      { apexes: [docs], ...later(instead(docs, `${docs} A 127.0.0.1`)) },
    ],
  }),
  ...legal(everyDomain, {
    'answers-over-tcp': [
      'The DNS server responds to everything over TCP alone.',
      { dns: () => 'truncated' },
    ],
  }),
  ...legal(['domain-cname'], {
    'changed-an-hour-ago': [
      'The CNAME was changed an hour ago and is not seen yet.',
      {
        sinceHours: 1,
        inconclusive: `domain-cname@${docs}`,
        ...instead(docs, `${docs} CNAME old.elsewhere.test`),
      },
    ],
  }),
  ...legal(['domain-cname', 'domain-conflict'], {
    proxied: [
      'A proxy of the customer is in front, and hides the CNAME.',
      {
        allowProxy: true,
        inconclusive: `domain-cname@${docs}`,
        ...later(instead(docs, `${docs} A 203.0.113.77`)),
      },
    ],
  }),
]

const allowing = `farm.test CAA 0 issue "${authorityName}"`
const forbidding = 'farm.test CAA 0 issue "other-ca.test"'

export const legalCaa: readonly DomainLegal[] = legal(['domain-caa', 'domain-renewal'], {
  'caa-names-authority': ['CAA names the authority.', plus(allowing)],
  'caa-one-of-several': [
    'CAA names several authorities, one of them with parameters.',
    plus(forbidding, `farm.test CAA 0 issue "${authorityName}; validationmethods=http-01"`),
  ],
  'caa-report-alone': [
    'CAA says where to report, and no more.',
    plus('farm.test CAA 0 iodef "mailto:security@farm.test"'),
  ],
  'caa-wildcards-alone': [
    'CAA forbids wildcards, which are not requested.',
    plus('farm.test CAA 0 issuewild ";"'),
  ],
  'caa-nearer-allows': [
    'CAA above forbids, and that of the zone allows.',
    plus('test CAA 0 issue ";"', allowing, `${apex} CAA 0 issue "${authorityName}"`),
  ],
  'caa-in-capitals': [
    'Tag and value of CAA are in capitals.',
    plus(`farm.test CAA 0 ISSUE "${authorityName.toUpperCase()}"`),
  ],
  'caa-critical-known': [
    'CAA is critical, and known.',
    plus(`farm.test CAA 128 issue "${authorityName}"`),
  ],
  'caa-parent-of-target': [
    'CAA forbids above the name that the CNAME leads to, which does not count.',
    plus('publish.test CAA 0 issue "other-ca.test"'),
  ],
  'caa-tightened-later': [
    'CAA was tightened after the certificate had been issued.',
    { warns: `domain-renewal@${docs}`, ...later(plus(forbidding)) },
  ],
})
