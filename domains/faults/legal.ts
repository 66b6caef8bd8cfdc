// Published projects that are legal, and those of which a check cannot decide.
import { platformHost, primary } from '../demo/customers.ts'
import { type DomainLegal, legal, type PublishingVariant } from '../demo/variant.ts'
import { legalRecords } from './legal-records.ts'
import { apex, at, caa, daysFromNow, docs, file, leaf, plus, to, uncertified } from './records.ts'

const certified = ['domain-certificate']
const redirected = ['domain-redirect']
const gone = ['removed-fresh', 'removed-alone', 'removed-after']
const allGone = [...gone, 'removed-plain-http']

/** Another Location for the one redirect. */
const located = (location: string): PublishingVariant => at(docs, () => to(308, location))

const legalResponses: readonly DomainLegal[] = [
  legal('one-certificate-for-all', 'One certificate names all domains.', certified, {
    leaf: (_host, honest) => ({ ...honest, names: [primary, apex, 'shop.animals.test', docs] }),
  }),
  legal(
    'wildcard-certificate',
    'A wildcard covers the domain.',
    certified,
    leaf({ names: ['*.farm.test'] }),
  ),
  legal('six-day-certificate', 'Certificates last six days.', [...certified, 'domain-renewal'], {
    leaf: (_host, honest) => ({
      ...honest,
      notBefore: daysFromNow(-3),
      notAfter: daysFromNow(3),
    }),
  }),
  legal('certificate-of-the-root', 'The root signs certificates itself.', certified, {
    leaf: (_host, honest) => ({ ...honest, signedBy: 'root' }),
  }),
  legal(
    'certificate-five-minutes',
    'Five minutes after Verify there is no certificate yet.',
    [...certified, 'domain-certificate-soon'],
    {
      verifiedMinutes: 5,
      untold: `domain-certificate@${docs}`,
      warns: `domain-certificate-soon@${docs}`,
      ...uncertified,
    },
  ),
  legal(
    'path-dropped',
    'Location leads to the front page.',
    [...redirected, 'domain-redirect-path'],
    { policy: { path: 'dropped' } },
  ),
  legal(
    'location-capitals',
    'The host is in capitals.',
    redirected,
    located('https://WWW.ANIMALS.TEST/'),
  ),
  legal('location-no-protocol', 'Location is //host/.', redirected, located(`//${primary}/`)),
  legal(
    'location-plain-http',
    'Location leads to plain HTTP.',
    redirected,
    located(`http://${primary}/`),
  ),
  legal(
    'location-final-dot',
    'The host has its final dot.',
    redirected,
    located(`https://${primary}./`),
  ),
  legal(
    'plain-http-same',
    'Plain HTTP answers as HTTPS does.',
    ['domain-plain-http', 'domain-primary'],
    { policy: { plainHttp: 'same' } },
  ),
  legal('plain-http-refused', 'Plain HTTP is refused.', ['domain-plain-http', 'domain-primary'], {
    policy: { plainHttp: 'refuse' },
  }),
  legal(
    'no-redirects',
    'The list of redirects is empty.',
    ['domains-shape', 'domain-primary'],
    file([]),
  ),
  legal(
    'no-redirects-member',
    'There is no list of redirects.',
    ['domains-shape', 'domain-primary'],
    file(),
  ),
  legal(
    'redirect-to-foreign',
    'A redirect leads to a domain that is not attached.',
    ['domains-foreign-target', 'domain-redirect'],
    {
      ...file([{ from: docs, to: 'far.elsewhere.test', status: 308 }]),
      ...located('https://far.elsewhere.test/'),
    },
  ),
  legal(
    'apex-primary',
    'The apex is the primary domain, and the others redirect to it.',
    ['domain-primary', 'domain-apex', 'domain-redirect'],
    {
      ...file([{ from: docs, to: apex, status: 308 }], apex),
      answer: (honest, request) => {
        if (request.host === apex) return honest({ ...request, host: primary })
        return request.host === docs ? to(308, `https://${apex}/`) : honest(request)
      },
    },
  ),
  legal(
    'file-spelt-otherwise',
    'The file has capitals and a final dot.',
    ['domains-shape', 'domains-graph', 'domain-redirect'],
    file([{ from: 'Docs.Farm.Test', to: primary, status: 308 }], 'WWW.Animals.Test.'),
  ),
  legal('subdomain-redirects', 'The subdomain redirects.', ['site-subdomain', 'site-instead'], {
    policy: { subdomain: 'redirect' },
  }),
  legal('subdomain-vanishes', 'The subdomain is gone.', ['site-subdomain', 'site-instead'], {
    policy: { subdomain: 'vanish' },
  }),
  legal('plan-business', 'The project is on Business.', ['project-plan'], {
    onPlan: 'business',
    plan: 'business',
  }),
  legal('plan-enterprise', 'It is on Enterprise.', ['project-plan'], {
    onPlan: 'enterprise',
    plan: 'enterprise',
  }),
  legal('removed-domain-404', 'A removed domain answers 404.', allGone, { remove: docs }),
  legal('removed-primary-404', 'So does the removed primary.', allGone, { remove: primary }),
  legal('removed-410', 'It answers 410.', allGone, {
    remove: docs,
    policy: { removedAnswer: 'gone' },
  }),
  legal('removed-421', 'It answers 421.', allGone, {
    remove: docs,
    policy: { removedAnswer: 'misdirected' },
  }),
  legal('removed-parked', 'A page of the platform stands there.', allGone, {
    remove: primary,
    policy: { removedAnswer: 'parked' },
  }),
  legal('removed-no-handshake', 'The handshake is refused.', gone, {
    remove: docs,
    policy: { removedAnswer: 'no-handshake' },
    credentials: (honest, sni, _address, fallback) =>
      honest === fallback && sni === docs ? null : honest,
  }),
]

export const domainLegal: readonly DomainLegal[] = [...legalRecords, ...legalResponses]

const isOfZone = (name: string) => name === docs || name === 'farm.test'

/** No fault can be shown of these, and no conformance: a check has to be inconclusive. */
export const domainUnsure: readonly DomainLegal[] = [
  legal('dns-silent', 'The DNS server of one zone says nothing.', ['domain-cname'], {
    untold: `domain-cname@${docs}`,
    dnsTimeoutMs: 100,
    dns: (name) => (isOfZone(name) ? 'silent' : undefined),
  }),
  legal('dns-servfail', 'The DNS server of one zone fails.', ['domain-cname'], {
    untold: `domain-cname@${docs}`,
    dns: (name) => (isOfZone(name) ? 'SERVFAIL' : undefined),
  }),
  legal('dns-refused', 'The DNS server refuses to speak of one zone.', ['domain-conflict'], {
    untold: `domain-conflict@${docs}`,
    dns: (name) => (isOfZone(name) ? 'REFUSED' : undefined),
  }),
  legal('dns-platform-silent', 'Nothing can be told of the platform host.', certified, {
    untold: `domain-certificate@${primary}`,
    dns: (name) => (name === platformHost ? 'SERVFAIL' : undefined),
  }),
  legal('dns-addresses-silent', 'The CNAME is told, and no addresses are.', ['domain-conflict'], {
    untold: `domain-conflict@${docs}`,
    dns: (name, type) => (name === docs && type !== 'CNAME' ? 'SERVFAIL' : undefined),
  }),
  legal('caa-servfail', 'CAA alone cannot be told, where no certificate is.', ['domain-caa'], {
    untold: `domain-caa@${docs}`,
    dns: (name, type) => (type === 'CAA' && isOfZone(name) ? 'SERVFAIL' : undefined),
    ...uncertified,
    verifiedMinutes: 1,
  }),
  legal(
    'caa-authority-unknown',
    'CAA names an authority, and nobody says which is the platform’s.',
    ['domain-caa'],
    {
      untold: `domain-caa@${docs}`,
      authorities: [],
      laterZones: plus(caa('farm.test', 0, 'issue', 'some-ca.test')),
      ...uncertified,
      verifiedMinutes: 1,
    },
  ),
]
