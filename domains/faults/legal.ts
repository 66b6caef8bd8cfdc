// Published projects that are legal, and those for which a check has to be inconclusive.
import { platformHost, primary } from '../demo/customers.ts'
import { type Change, type DomainLegal, legal } from '../demo/variant.ts'
import { redirectTo } from '../demo/website.ts'
import { apex, at, days, docs, file, later, leaf, plus, uncertified } from './changes.ts'
import { legalCaa, legalRecords } from './legal-dns.ts'

const legalCertificates: readonly DomainLegal[] = [
  ...legal(['domain-certificate'], {
    'one-certificate-for-all': [
      'One certificate names all domains.',
      {
        leaf: (_host, honest) => ({
          ...honest,
          names: [primary, apex, 'shop.animals.test', docs],
        }),
      },
    ],
    'wildcard-certificate': ['A wildcard covers the domain.', leaf({ names: ['*.farm.test'] })],
    'certificate-of-the-root': [
      'The root signs certificates itself.',
      { leaf: (_host, honest) => ({ ...honest, signedBy: 'root' }) },
    ],
  }),
  ...legal(['domain-certificate', 'domain-renewal'], {
    'six-day-certificate': [
      'Certificates last six days.',
      { leaf: (_host, honest) => ({ ...honest, ...days(-3, 3) }) },
    ],
  }),
  ...legal(['domain-certificate', 'domain-certificate-soon'], {
    'certificate-five-minutes': [
      'Five minutes after Verify there is no certificate yet.',
      {
        verifiedMinutes: 5,
        inconclusive: `domain-certificate@${docs}`,
        warns: `domain-certificate-soon@${docs}`,
        ...uncertified,
      },
    ],
  }),
]

/** Another Location for the one redirect. */
const located = (location: string): Change => at(docs, () => redirectTo(308, location))

const legalPages: readonly DomainLegal[] = [
  ...legal(['domain-redirect', 'domain-redirect-path'], {
    'path-dropped': ['Location leads to the front page.', { policy: { path: 'dropped' } }],
  }),
  ...legal(['domain-redirect'], {
    'location-capitals': ['The host is in capitals.', located('https://WWW.ANIMALS.TEST/')],
    'location-no-protocol': ['Location is //host/.', located(`//${primary}/`)],
    'location-plain-http': ['Location leads to plain HTTP.', located(`http://${primary}/`)],
    'location-final-dot': ['The host has its final dot.', located(`https://${primary}./`)],
  }),
  ...legal(['domain-plain-http', 'domain-primary'], {
    'plain-http-same': ['Plain HTTP returns the same as HTTPS.', { policy: { plainHttp: 'same' } }],
    'plain-http-refused': ['Plain HTTP is refused.', { policy: { plainHttp: 'refuse' } }],
  }),
  ...legal(['site-subdomain', 'site-instead'], {
    'subdomain-redirects': ['The subdomain redirects.', { policy: { subdomain: 'redirect' } }],
    'subdomain-vanishes': ['The subdomain is gone.', { policy: { subdomain: 'vanish' } }],
  }),
  ...legal(['project-plan'], {
    'plan-business': ['The project is on Business.', { onPlan: 'business', plan: 'business' }],
    'plan-enterprise': ['It is on Enterprise.', { onPlan: 'enterprise', plan: 'enterprise' }],
  }),
]

const legalFiles: readonly DomainLegal[] = [
  ...legal(['domains-shape', 'domain-primary'], {
    'no-redirects': ['The list of redirects is empty.', file([])],
    'no-redirects-member': ['There is no list of redirects.', file()],
  }),
  ...legal(['domains-foreign-target', 'domain-redirect'], {
    'redirect-to-foreign': [
      'A redirect leads to a domain that is not attached.',
      {
        ...file([{ from: docs, to: 'far.elsewhere.test', status: 308 }]),
        ...located('https://far.elsewhere.test/'),
      },
    ],
  }),
  ...legal(['domain-primary', 'domain-apex', 'domain-redirect'], {
    'apex-primary': [
      'The apex is the primary domain, and the others redirect to it.',
      {
        ...file([{ from: docs, to: apex, status: 308 }], apex),
        answer: (honest, request) => {
          if (request.host === apex) return honest({ ...request, host: primary })
          return request.host === docs ? redirectTo(308, `https://${apex}/`) : honest(request)
        },
      },
    ],
  }),
  ...legal(['domains-shape', 'domains-graph', 'domain-redirect'], {
    'file-spelt-otherwise': [
      'The file has capitals and a final dot.',
      file([{ from: 'Docs.Farm.Test', to: primary, status: 308 }], 'WWW.Animals.Test.'),
    ],
  }),
]

const gone = ['removed-fresh', 'removed-alone', 'removed-after']

const legalRemovals: readonly DomainLegal[] = [
  ...legal([...gone, 'removed-plain-http'], {
    'removed-domain-404': ['A removed domain returns 404.', { remove: docs }],
    'removed-primary-404': ['So does the removed primary.', { remove: primary }],
    'removed-410': ['It returns 410.', { remove: docs, policy: { removedAnswer: 'gone' } }],
    'removed-421': ['It returns 421.', { remove: docs, policy: { removedAnswer: 'misdirected' } }],
    'removed-parked': [
      'It returns a page of the platform.',
      { remove: primary, policy: { removedAnswer: 'parked' } },
    ],
  }),
  ...legal(gone, {
    'removed-no-handshake': [
      'The handshake is refused.',
      {
        remove: docs,
        policy: { removedAnswer: 'no-handshake' },
        credentials: (honest, sni, _address, fallback) =>
          honest === fallback && sni === docs ? null : honest,
      },
    ],
  }),
]

export const domainLegal: readonly DomainLegal[] = [
  ...legalRecords,
  ...legalCaa,
  ...legalCertificates,
  ...legalPages,
  ...legalFiles,
  ...legalRemovals,
]

const isOfZone = (name: string) => name === docs || name === 'farm.test'

/** These show no fault and no conformance: a check has to be inconclusive. */
export const domainUnsure: readonly DomainLegal[] = [
  ...legal(['domain-cname'], {
    'dns-silent': [
      'The DNS server of one zone does not respond.',
      {
        inconclusive: `domain-cname@${docs}`,
        dnsTimeoutMs: 100,
        dns: (name) => (isOfZone(name) ? 'silent' : undefined),
      },
    ],
    'dns-servfail': [
      'The DNS server of one zone fails.',
      {
        inconclusive: `domain-cname@${docs}`,
        dns: (name) => (isOfZone(name) ? 'SERVFAIL' : undefined),
      },
    ],
  }),
  ...legal(['domain-conflict'], {
    'dns-refused': [
      'The DNS server refuses queries for one zone.',
      {
        inconclusive: `domain-conflict@${docs}`,
        dns: (name) => (isOfZone(name) ? 'REFUSED' : undefined),
      },
    ],
    'dns-addresses-silent': [
      'The CNAME is known, and no addresses are.',
      {
        inconclusive: `domain-conflict@${docs}`,
        dns: (name, type) => (name === docs && type !== 'CNAME' ? 'SERVFAIL' : undefined),
      },
    ],
  }),
  ...legal(['domain-certificate'], {
    'dns-platform-silent': [
      'Nothing is known of the platform host.',
      {
        inconclusive: `domain-certificate@${primary}`,
        dns: (name) => (name === platformHost ? 'SERVFAIL' : undefined),
      },
    ],
  }),
  ...legal(['domain-caa'], {
    'caa-servfail': [
      'Only CAA is not known, and there is no certificate.',
      {
        inconclusive: `domain-caa@${docs}`,
        dns: (name, type) => (type === 'CAA' && isOfZone(name) ? 'SERVFAIL' : undefined),
        ...uncertified,
        verifiedMinutes: 1,
      },
    ],
    'caa-authority-unknown': [
      "CAA names an authority, and the platform's is not given.",
      {
        inconclusive: `domain-caa@${docs}`,
        authorities: [],
        ...later(plus('farm.test CAA 0 issue "some-ca.test"')),
        ...uncertified,
        verifiedMinutes: 1,
      },
    ],
  }),
]
