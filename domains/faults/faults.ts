// The faults of published projects, each of which violates one requirement; here those of pages,
// redirects, a removal and the file.
import { platformHost, primary, siteHost } from '../demo/customers.ts'
import type { EdgeRequest } from '../demo/edge.ts'
import { type Change, caught, type DomainMistake } from '../demo/variant.ts'
import { page, redirectTo } from '../demo/website.ts'
import { at, docs, file, noSite, twoAddresses, uncertified } from './changes.ts'
import { certificateFaults, dnsFaults } from './dns.ts'

const shop = 'shop.animals.test'

const pageFaults: readonly DomainMistake[] = [
  ...caught(`domain-primary@${primary}`, 'publishing.primary', {
    'primary-not-found': ['The primary domain is routed nowhere.', at(primary, () => noSite)],
    'primary-other-project': [
      "Another project's page is served.",
      at(primary, () => page(200, '<title>Another</title>')),
    ],
    'primary-redirects-to-platform': [
      'The primary domain redirects to the platform.',
      at(primary, () => redirectTo(302, `https://${platformHost}/`)),
    ],
    'primary-redirects-to-subdomain': [
      'The primary domain redirects to the subdomain that it replaces.',
      at(primary, () => redirectTo(301, `https://${siteHost}/`)),
    ],
    'primary-error': [
      'The edge fails for custom domains.',
      at(primary, () => page(502, 'bad gateway')),
    ],
    'primary-one-address': [
      'One of two addresses does not know the domain.',
      {
        ...twoAddresses,
        answer: (honest, request) =>
          request.host === primary && request.address === '127.0.0.2' ? noSite : honest(request),
      },
    ],
  }),
  ...caught('site-subdomain', 'publishing.subdomain', {
    'subdomain-absent': ['The project is published nowhere.', { answer: () => noSite }],
  }),
]

/** The redirect of one domain has another response. */
const redirecting = (answer: (request: EdgeRequest) => readonly [number, string]): Change =>
  at(docs, (request) => redirectTo(...answer(request)))

const redirectFaults: readonly DomainMistake[] = [
  ...caught(`domain-redirect@${docs}`, 'publishing.redirect', {
    'redirect-always-302': [
      'Every redirect is temporary.',
      redirecting(({ path }) => [302, `https://${primary}${path}`]),
    ],
    'redirect-301-for-308': [
      'Every permanent redirect is 301.',
      redirecting(({ path }) => [301, `https://${primary}${path}`]),
    ],
    'redirect-wrong-host': [
      'Every redirect leads to the apex of the primary domain.',
      redirecting(({ path }) => [308, `https://animals.test${path}`]),
    ],
    'redirect-host-as-path': [
      'The target is used as a path.',
      redirecting(() => [308, `/${primary}`]),
    ],
    'redirect-no-scheme': ['Location lacks its scheme.', redirecting(() => [308, primary])],
    'redirect-to-itself': [
      'It leads to itself, for ever.',
      redirecting(({ path }) => [308, `https://${docs}${path}`]),
    ],
    'redirect-no-location': ['There is a status, and no Location.', at(docs, () => page(308, ''))],
    'redirect-userinfo': [
      'The path is appended to the target, which makes another host of it.',
      redirecting(() => [308, `https://${primary}@animals.test/`]),
    ],
    'redirect-serves': [
      'The project is served at the domain, and nothing redirects.',
      {
        answer: (honest, request) =>
          honest(request.host === docs ? { ...request, host: primary } : request),
      },
    ],
    'redirect-meta-refresh': [
      'The redirect is a page that refreshes.',
      at(docs, () => page(200, `<meta http-equiv="refresh" content="0;url=https://${primary}">`)),
    ],
    'redirect-not-attached': [
      'A domain that redirects is not known at the edge.',
      at(docs, () => noSite),
    ],
    'redirect-front-page-alone': [
      'The front page redirects, and no other path.',
      {
        answer: (honest, request) =>
          request.host === docs && request.path !== '/' ? page(404, 'no page') : honest(request),
      },
    ],
  }),
  ...caught(`domain-redirect-reach@${docs}`, 'publishing.redirect-reach', {
    'redirect-reach-lost': ['Domains that redirect get no certificate.', uncertified],
  }),
]

/** A fault of a removal: it shows on one way to the removed domain. */
const removed = (way: string, host: string, id: string, fault: string, change: Change) =>
  caught(`removed-${way}@${host}`, 'publishing.removed', {
    [id]: [fault, { remove: host, ...change }],
  })

/** Responses as before the removal, to some requests. */
const still = (is: (request: EdgeRequest) => boolean): Change => ({
  answer: (honest, request, formerly) => (is(request) ? formerly(request) : honest(request)),
})
const stillServed = (host: string) => still((request) => request.host === host)
const stillPlain = (host: string): Change => ({
  policy: { plainHttp: 'same' },
  ...still((request) => request.host === host && request.scheme === 'http'),
})

const routes = new WeakSet<object>()
const isRouted = ({ connection, host }: EdgeRequest): boolean => {
  const isKnown = routes.has(connection)
  routes.add(connection)
  return isKnown && host === docs
}

const removalFaults: readonly DomainMistake[] = [
  ...removed(
    'fresh',
    docs,
    'removed-redirect-answers',
    'A removed domain redirects as before.',
    stillServed(docs),
  ),
  ...removed(
    'fresh',
    primary,
    'removed-primary-serves',
    'A removed domain serves as before.',
    stillServed(primary),
  ),
  ...removed(
    'plain-http',
    shop,
    'removed-plain-http-answers',
    'A removed domain redirects to its target over plain HTTP.',
    stillPlain(shop),
  ),
  ...removed(
    'plain-http',
    primary,
    'removed-plain-http-serves',
    'A removed domain serves over plain HTTP.',
    stillPlain(primary),
  ),
  ...removed(
    'other-sni',
    docs,
    'removed-other-sni-answers',
    "A removed domain is served on a connection that was opened under another's name.",
    still(({ sni, host }) => sni !== host),
  ),
  ...removed(
    'held',
    docs,
    'removed-held-answers',
    'The route is bound to the connection, and outlives the removal on it.',
    still(isRouted),
  ),
  ...removed(
    'resumed',
    docs,
    'removed-resumed-answers',
    'The route is kept with the TLS session, and comes back with it.',
    still(({ resumed }) => resumed),
  ),
  ...caught(`removed-alone@${shop}`, 'publishing.removed-alone', {
    'removed-others-too': [
      'Removing one redirect removes them all.',
      {
        remove: docs,
        answer: (honest, request) => {
          const isGone = request.host === shop && honest({ ...request, host: docs }).status === 404
          return isGone ? noSite : honest(request)
        },
      },
    ],
  }),
]

const redirect = { from: docs, to: primary, status: 301 }

const configurationFaults: readonly DomainMistake[] = [
  ...caught('lint', 'publishing.shape', {
    'file-status-text': ['A status is a text.', file([{ ...redirect, status: '301' }])],
    'file-status-200': ['A status is no redirect.', file([{ ...redirect, status: 200 }])],
    'file-status-fraction': ['A status is no integer.', file([{ ...redirect, status: 301.5 }])],
    'file-primary-url': ['The primary domain is a URL.', file([], `https://${primary}`)],
    'file-primary-number': ['The primary domain is a number.', file(undefined, 7)],
    'file-no-primary': ['There is no primary.', { domains: { domains: { redirects: [] } } }],
    'file-redirect-without-to': ['A redirect leads nowhere.', file([{ from: docs, status: 301 }])],
  }),
  ...caught('lint', 'publishing.redirect-graph', {
    'file-from-twice': [
      'A domain redirects to two others.',
      file([redirect, { ...redirect, to: 'farm.test' }]),
    ],
    'file-from-primary': [
      'The primary domain redirects.',
      file([{ ...redirect, from: primary, to: docs }]),
    ],
    'file-loop': [
      'Two domains redirect to each other.',
      file([
        { ...redirect, to: shop },
        { ...redirect, from: shop, to: docs },
      ]),
    ],
  }),
  ...caught('project-plan', 'publishing.paid-plan', {
    'plan-free': ['A project that was always on Free has a custom domain.', { plan: 'free' }],
  }),
]

export const domainFaults: readonly DomainMistake[] = [
  ...dnsFaults,
  ...certificateFaults,
  ...pageFaults,
  ...redirectFaults,
  ...removalFaults,
  ...configurationFaults,
]
