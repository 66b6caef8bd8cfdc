// Faults of what domains answer: the primary's page, the redirects, and what a removal leaves.
import { platformHost, primary, siteHost } from '../demo/customers.ts'
import type { EdgeRequest } from '../demo/edge.ts'
import { caught, type DomainFault, type PublishingVariant } from '../demo/variant.ts'
import { at, docs, noSite, page, to, twoAddresses, uncertified } from './records.ts'

const shop = 'shop.animals.test'

const serves = caught(`domain-primary@${primary}`, 'publishing.primary')
const absent = caught('site-subdomain', 'publishing.subdomain')
const redirects = caught(`domain-redirect@${docs}`, 'publishing.redirect')
const reach = caught(`domain-redirect-reach@${docs}`, 'publishing.redirect-reach')

export const pageFaults: readonly DomainFault[] = [
  serves(
    'primary-not-found',
    'The primary domain is routed nowhere.',
    at(primary, () => noSite),
  ),
  serves(
    'primary-other-project',
    "Another project's page is served.",
    at(primary, () => page(200, '<title>Another</title>')),
  ),
  serves(
    'primary-redirects-to-platform',
    'The primary domain redirects to the platform.',
    at(primary, () => to(302, `https://${platformHost}/`)),
  ),
  serves(
    'primary-redirects-to-subdomain',
    'The primary domain redirects to the subdomain that it replaces.',
    at(primary, () => to(301, `https://${siteHost}/`)),
  ),
  serves(
    'primary-error',
    'The edge fails for custom domains.',
    at(primary, () => page(502, 'bad gateway')),
  ),
  serves('primary-one-address', 'One of two addresses does not know the domain.', {
    addresses: twoAddresses,
    answer: (honest, request) =>
      request.host === primary && request.address === '127.0.0.2' ? noSite : honest(request),
  }),
  absent('subdomain-absent', 'The project is published nowhere.', { answer: () => noSite }),
  redirects(
    'redirect-always-302',
    'Every redirect is temporary.',
    at(docs, ({ path }) => to(302, `https://${primary}${path}`)),
  ),
  redirects(
    'redirect-301-for-308',
    'Every permanent redirect is 301.',
    at(docs, ({ path }) => to(301, `https://${primary}${path}`)),
  ),
  redirects(
    'redirect-wrong-host',
    'Every redirect leads to the apex of the primary domain.',
    at(docs, ({ path }) => to(308, `https://animals.test${path}`)),
  ),
  redirects(
    'redirect-host-as-path',
    'The target is taken for a path.',
    at(docs, () => to(308, `/${primary}`)),
  ),
  redirects(
    'redirect-no-scheme',
    'Location lacks its scheme.',
    at(docs, () => to(308, primary)),
  ),
  redirects(
    'redirect-to-itself',
    'It leads to itself, for ever.',
    at(docs, ({ path }) => to(308, `https://${docs}${path}`)),
  ),
  redirects(
    'redirect-no-location',
    'There is a status, and no Location.',
    at(docs, () => page(308, '')),
  ),
  redirects(
    'redirect-userinfo',
    'The path is glued to the target, which makes another host of it.',
    at(docs, () => to(308, `https://${primary}@animals.test/`)),
  ),
  redirects('redirect-serves', 'The project is served at the domain, and nothing redirects.', {
    answer: (honest, request) =>
      request.host === docs ? honest({ ...request, host: primary }) : honest(request),
  }),
  redirects(
    'redirect-meta-refresh',
    'The redirect is a page that refreshes.',
    at(docs, () => page(200, `<meta http-equiv="refresh" content="0;url=https://${primary}">`)),
  ),
  redirects(
    'redirect-not-attached',
    'A domain that redirects is not known at the edge.',
    at(docs, () => noSite),
  ),
  redirects('redirect-front-page-alone', 'The front page redirects, and no other path.', {
    answer: (honest, request) =>
      request.host === docs && request.path !== '/' ? page(404, 'no page') : honest(request),
  }),
  reach('redirect-reach-lost', 'Domains that redirect are given no certificate.', uncertified),
]

const removed = (way: string, host: string) =>
  caught(`removed-${way}@${host}`, 'publishing.removed', { remove: host })
const alone = caught(`removed-alone@${shop}`, 'publishing.removed-alone', { remove: docs })

/** Responses as before the removal, to some requests. */
const still = (is: (request: EdgeRequest) => boolean): PublishingVariant => ({
  answer: (honest, request, formerly) => (is(request) ? formerly(request) : honest(request)),
})
const stillPlain = (host: string): PublishingVariant => ({
  policy: { plainHttp: 'same' },
  ...still((request) => request.host === host && request.scheme === 'http'),
})

const routes = new WeakMap<object, true>()

export const removalFaults: readonly DomainFault[] = [
  removed('fresh', docs)(
    'removed-redirect-answers',
    'A removed domain redirects as before.',
    still(({ host }) => host === docs),
  ),
  removed('fresh', primary)(
    'removed-primary-serves',
    'A removed domain serves as before.',
    still(({ host }) => host === primary),
  ),
  removed('plain-http', shop)(
    'removed-plain-http-answers',
    'A removed domain redirects to its target over plain HTTP.',
    stillPlain(shop),
  ),
  removed('plain-http', primary)(
    'removed-plain-http-serves',
    'A removed domain serves over plain HTTP.',
    stillPlain(primary),
  ),
  removed('other-sni', docs)(
    'removed-other-sni-answers',
    "A removed domain answers on a connection that was opened under another's name.",
    still(({ sni, host }) => sni !== host),
  ),
  removed('held', docs)(
    'removed-held-answers',
    'The route is bound to the connection, and outlives the removal on it.',
    still(({ host, connection }) => {
      const isKnown = routes.has(connection)
      routes.set(connection, true)
      return isKnown && host === docs
    }),
  ),
  removed('resumed', docs)(
    'removed-resumed-answers',
    'The route is kept with the TLS session, and comes back with it.',
    still(({ resumed }) => resumed),
  ),
  alone('removed-others-too', 'Removing one redirect removes them all.', {
    answer: (honest, request) => {
      const isGone = request.host === shop && honest({ ...request, host: docs }).status === 404
      return isGone ? noSite : honest(request)
    },
  }),
]
