// Faults of what domains answer: the primary's page, and the redirects.
import { platformHost, primary, siteHost } from '../demo/customers.ts'
import type { EdgeAnswer, EdgeRequest } from '../demo/edge.ts'
import type { DomainFault, PublishingVariant } from '../demo/variant.ts'

const docs = 'docs.farm.test'

const page = (status: number, body: string): EdgeAnswer => ({ status, headers: {}, body })
const to = (status: number, location: string): EdgeAnswer => ({
  status,
  headers: { location },
  body: '',
})

/** Answers over HTTPS to one host. */
const at = (host: string, answer: (request: EdgeRequest) => EdgeAnswer): PublishingVariant => ({
  answer: (honest, request) =>
    request.host === host && request.scheme === 'https' ? answer(request) : honest(request),
})

const serves = { breaks: 'publishing.primary', caughtBy: `domain-primary@${primary}` } as const
const redirects = { breaks: 'publishing.redirect', caughtBy: `domain-redirect@${docs}` } as const

export const pageFaults: readonly DomainFault[] = [
  {
    id: 'primary-not-found',
    ...serves,
    fault: 'The primary domain is routed nowhere.',
    ...at(primary, () => page(404, 'no such site')),
  },
  {
    id: 'primary-other-project',
    ...serves,
    fault: "Another project's page is served.",
    ...at(primary, () => page(200, '<title>Another</title>')),
  },
  {
    id: 'primary-redirects-to-platform',
    ...serves,
    fault: 'The primary domain redirects to the platform.',
    ...at(primary, () => to(302, `https://${platformHost}/`)),
  },
  {
    id: 'primary-redirects-to-subdomain',
    ...serves,
    fault: 'The primary domain redirects to the subdomain that it replaces.',
    ...at(primary, () => to(301, `https://${siteHost}/`)),
  },
  {
    id: 'primary-error',
    ...serves,
    fault: 'The edge fails for custom domains.',
    ...at(primary, () => page(502, 'bad gateway')),
  },
  {
    id: 'primary-one-address',
    ...serves,
    fault: 'One of two addresses does not know the domain.',
    addresses: ['127.0.0.1', '127.0.0.2'],
    answer: (honest, request) =>
      request.host === primary && request.address === '127.0.0.2'
        ? page(404, 'no such site')
        : honest(request),
  },
  {
    id: 'subdomain-absent',
    breaks: 'publishing.subdomain',
    caughtBy: 'site-subdomain',
    fault: 'The project is published nowhere.',
    answer: () => page(404, 'no such site'),
  },
  {
    id: 'redirect-always-302',
    ...redirects,
    fault: 'Every redirect is temporary.',
    ...at(docs, ({ path }) => to(302, `https://${primary}${path}`)),
  },
  {
    id: 'redirect-301-for-308',
    ...redirects,
    fault: 'Every permanent redirect is 301.',
    ...at(docs, ({ path }) => to(301, `https://${primary}${path}`)),
  },
  {
    id: 'redirect-wrong-host',
    ...redirects,
    fault: 'Every redirect leads to the apex of the primary domain.',
    ...at(docs, ({ path }) => to(308, `https://animals.test${path}`)),
  },
  {
    id: 'redirect-host-as-path',
    ...redirects,
    fault: 'The target is taken for a path.',
    ...at(docs, () => to(308, `/${primary}`)),
  },
  {
    id: 'redirect-no-scheme',
    ...redirects,
    fault: 'Location lacks its scheme.',
    ...at(docs, () => to(308, primary)),
  },
  {
    id: 'redirect-to-itself',
    ...redirects,
    fault: 'It leads to itself, for ever.',
    ...at(docs, ({ path }) => to(308, `https://${docs}${path}`)),
  },
  {
    id: 'redirect-no-location',
    ...redirects,
    fault: 'There is a status, and no Location.',
    ...at(docs, () => page(308, '')),
  },
  {
    id: 'redirect-userinfo',
    ...redirects,
    fault: 'The path is glued to the target, which makes another host of it.',
    ...at(docs, () => to(308, `https://${primary}@animals.test/`)),
  },
  {
    id: 'redirect-serves',
    ...redirects,
    fault: 'The project is served at the domain, and nothing redirects.',
    answer: (honest, request) =>
      request.host === docs ? honest({ ...request, host: primary }) : honest(request),
  },
  {
    id: 'redirect-meta-refresh',
    ...redirects,
    fault: 'The redirect is a page that refreshes.',
    ...at(docs, () => page(200, `<meta http-equiv="refresh" content="0;url=https://${primary}">`)),
  },
  {
    id: 'redirect-not-attached',
    ...redirects,
    fault: 'A domain that redirects is not known at the edge.',
    ...at(docs, () => page(404, 'no such site')),
  },
  {
    id: 'redirect-front-page-alone',
    ...redirects,
    fault: 'The front page redirects, and no other path.',
    answer: (honest, request) =>
      request.host === docs && request.path !== '/' ? page(404, 'no page') : honest(request),
  },
  {
    id: 'redirect-reach-lost',
    breaks: 'publishing.redirect-reach',
    caughtBy: `domain-redirect-reach@${docs}`,
    fault: 'Domains that redirect are given no certificate.',
    credentials: (honest, sni, _address, fallback) => (sni === docs ? fallback : honest),
  },
]
