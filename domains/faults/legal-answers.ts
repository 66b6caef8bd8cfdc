// Legal certificates, redirects, removals, plans and files.
import { primary } from '../demo/customers.ts'
import type { DomainLegal, PublishingVariant } from '../demo/variant.ts'

const docs = 'docs.farm.test'
const dayMs = 24 * 3600_000
const daysFromNow = (days: number) => new Date(Date.now() + days * dayMs)

/** Another Location for the one redirect. */
const located = (location: string): PublishingVariant => ({
  answer: (honest, request) =>
    request.host === docs && request.scheme === 'https'
      ? { status: 308, headers: { location }, body: '' }
      : honest(request),
})

const file = (redirects: unknown) => ({ domains: { domains: { primary, redirects } } })

export const legalAnswers: readonly DomainLegal[] = [
  {
    id: 'one-certificate-for-all',
    does: 'One certificate names all domains.',
    leaf: (_host, honest) => ({
      ...honest,
      names: [primary, 'animals.test', 'shop.animals.test', docs],
    }),
  },
  {
    id: 'wildcard-certificate',
    does: 'A wildcard covers the domain.',
    leaf: (host, honest) => (host === docs ? { ...honest, names: ['*.farm.test'] } : null),
  },
  {
    id: 'six-day-certificate',
    does: 'Certificates last six days.',
    leaf: (_host, honest) => ({
      ...honest,
      notBefore: daysFromNow(-3),
      notAfter: daysFromNow(3),
    }),
  },
  {
    id: 'certificate-of-the-root',
    does: 'The root signs certificates itself.',
    leaf: (_host, honest) => ({ ...honest, signedBy: 'root' }),
  },
  {
    id: 'certificate-five-minutes',
    does: 'Five minutes after Verify there is no certificate yet.',
    verifiedMinutes: 5,
    untold: `domain-certificate@${docs}`,
    warns: `domain-certificate-soon@${docs}`,
    credentials: (honest, sni, _address, fallback) => (sni === docs ? fallback : honest),
  },
  { id: 'path-dropped', does: 'Location leads to the front page.', policy: { path: 'dropped' } },
  {
    id: 'location-capitals',
    does: 'The host is in capitals.',
    ...located('https://WWW.ANIMALS.TEST/'),
  },
  { id: 'location-no-protocol', does: 'Location is //host/.', ...located(`//${primary}/`) },
  {
    id: 'location-plain-http',
    does: 'Location leads to plain HTTP.',
    ...located(`http://${primary}/`),
  },
  {
    id: 'location-final-dot',
    does: 'The host has its final dot.',
    ...located(`https://${primary}./`),
  },
  {
    id: 'plain-http-same',
    does: 'Plain HTTP answers as HTTPS does.',
    policy: { plainHttp: 'same' },
  },
  { id: 'plain-http-refused', does: 'Plain HTTP is refused.', policy: { plainHttp: 'refuse' } },
  { id: 'no-redirects', does: 'The list of redirects is empty.', ...file([]) },
  { id: 'no-redirects-member', does: 'There is no list of redirects.', ...file(undefined) },
  {
    id: 'redirect-to-foreign',
    does: 'A redirect leads to a domain that is not attached.',
    ...file([{ from: docs, to: 'far.elsewhere.test', status: 308 }]),
    ...located('https://far.elsewhere.test/'),
  },
  {
    id: 'apex-primary',
    does: 'The apex is the primary domain, and the others redirect to it.',
    domains: {
      domains: {
        primary: 'animals.test',
        redirects: [{ from: docs, to: 'animals.test', status: 308 }],
      },
    },
    answer: (honest, request) => {
      if (request.host === 'animals.test') return honest({ ...request, host: primary })
      if (request.host !== docs) return honest(request)
      return { status: 308, headers: { location: 'https://animals.test/' }, body: '' }
    },
  },
  {
    id: 'file-spelt-otherwise',
    does: 'The file has capitals and a final dot.',
    domains: {
      domains: {
        primary: 'WWW.Animals.Test.',
        redirects: [{ from: 'Docs.Farm.Test', to: primary, status: 308 }],
      },
    },
  },
  {
    id: 'subdomain-redirects',
    does: 'The subdomain redirects.',
    policy: { subdomain: 'redirect' },
  },
  { id: 'subdomain-vanishes', does: 'The subdomain is gone.', policy: { subdomain: 'vanish' } },
  {
    id: 'plan-business',
    does: 'The project is on Business.',
    onPlan: 'business',
    plan: 'business',
  },
  { id: 'plan-enterprise', does: 'It is on Enterprise.', onPlan: 'enterprise', plan: 'enterprise' },
  { id: 'removed-domain-404', does: 'A removed domain answers 404.', remove: docs },
  { id: 'removed-primary-404', does: 'So does the removed primary.', remove: primary },
  { id: 'removed-410', does: 'It answers 410.', remove: docs, policy: { removedAnswer: 'gone' } },
  {
    id: 'removed-421',
    does: 'It answers 421.',
    remove: docs,
    policy: { removedAnswer: 'misdirected' },
  },
  {
    id: 'removed-parked',
    does: 'A page of the platform stands there.',
    remove: primary,
    policy: { removedAnswer: 'parked' },
  },
  {
    id: 'removed-no-handshake',
    does: 'The handshake is refused.',
    remove: docs,
    policy: { removedAnswer: 'no-handshake' },
    credentials: (honest, sni, _address, fallback) =>
      honest === fallback && sni === docs ? null : honest,
  },
]
