// Every mutant of a published project; here those of pages, redirects, a removal and the file.

import { page, platformHost, primary, redirectTo, siteHost } from '../demo/demo.ts'
import type { EdgeRequest } from '../demo/edge.ts'
import {
  apex,
  at,
  type Change,
  type DomainMutant,
  docs,
  file,
  mutants,
  noSite,
  secondAddress,
  shop,
  twoAddresses,
  uncertified,
} from './changes.ts'
import { certificateMutants, dnsMutants } from './dns-mutants.ts'

const atPrimary = (status: number, body: string) => at(primary, () => page(status, body))
const primaryTo = (status: number, host: string) =>
  at(primary, () => redirectTo(status, `https://${host}/`))

const pageMutants: readonly DomainMutant[] = [
  ...mutants(`domain-primary@${primary}`, 'publishing.primary', {
    'primary-not-found': ['The primary domain has no route.', at(primary, () => noSite)],
    'primary-other-project': ["Another project's page is served.", atPrimary(200, 'Another')],
    'primary-redirects-to-platform': [
      'It redirects to the platform.',
      primaryTo(302, platformHost),
    ],
    'primary-redirects-to-subdomain': ['It redirects to the subdomain.', primaryTo(301, siteHost)],
    'primary-error': ['The edge fails for custom domains.', atPrimary(502, 'bad gateway')],
    'primary-one-address': [
      'One of two addresses does not know the domain.',
      {
        ...twoAddresses,
        respond: (honest, request) =>
          request.host === primary && request.address === secondAddress ? noSite : honest(request),
      },
    ],
  }),
  ...mutants('site-subdomain', 'publishing.subdomain', {
    'subdomain-absent': ['The project is published nowhere.', { respond: () => noSite }],
  }),
]

const docsTo = (status: number, to: string): Change => at(docs, () => redirectTo(status, to))
const docsToHost = (status: number, host: string): Change =>
  at(docs, ({ path }) => redirectTo(status, `https://${host}${path}`))

const redirectMutants: readonly DomainMutant[] = [
  ...mutants(`domain-redirect@${docs}`, 'publishing.redirect', {
    'redirect-always-302': ['Every redirect is temporary.', docsToHost(302, primary)],
    'redirect-301-for-308': ['Every permanent redirect is 301.', docsToHost(301, primary)],
    'redirect-wrong-host': ['Every redirect goes to the apex.', docsToHost(308, apex)],
    'redirect-host-as-path': ['The target is used as a path.', docsTo(308, `/${primary}`)],
    'redirect-no-scheme': ['Location has no scheme.', docsTo(308, primary)],
    'redirect-to-itself': ['It redirects to itself.', docsToHost(308, docs)],
    'redirect-no-location': ['The redirect has no Location.', at(docs, () => page(308, ''))],
    'redirect-userinfo': [
      'The target becomes user information.',
      docsTo(308, `https://${primary}@${apex}/`),
    ],
    'redirect-serves': [
      'The project is served at the domain, and nothing redirects.',
      {
        respond: (honest, request) =>
          honest(request.host === docs ? { ...request, host: primary } : request),
      },
    ],
    'redirect-meta-refresh': [
      'The redirect is a page that refreshes.',
      at(docs, () => page(200, `<meta http-equiv="refresh" content="0;url=https://${primary}">`)),
    ],
    'redirect-not-attached': ['The edge does not know the domain.', at(docs, () => noSite)],
    'redirect-front-page-alone': [
      'The front page redirects, and no other path.',
      {
        respond: (honest, request) =>
          request.host === docs && request.path !== '/' ? page(404, 'no page') : honest(request),
      },
    ],
  }),
  ...mutants(`domain-redirect-reach@${docs}`, 'publishing.redirect-reach', {
    'redirect-reach-lost': ['Domains that redirect get no certificate.', uncertified],
  }),
]

/** A fault of a removal, which one way to the removed domain shows. */
const removed = (way: string, host: string, id: string, fault: string, change: Change) =>
  mutants(`removed-${way}@${host}`, 'publishing.removed', {
    [id]: [fault, { remove: host, ...change }],
  })

const still = (is: (request: EdgeRequest) => boolean): Change => ({
  respond: (honest, request, formerly) => (is(request) ? formerly(request) : honest(request)),
})
const stillAt = (of: string) => still(({ host }) => host === of)
const stillPlain = (of: string): Change => ({
  respond: (honest, request, formerly) =>
    request.host === of && request.scheme === 'http'
      ? formerly({ ...request, scheme: 'https' })
      : honest(request),
})

const known = new WeakSet<object>()
const isKeptAlive = ({ connection, host }: EdgeRequest): boolean => {
  const isKnown = known.has(connection)
  known.add(connection)
  return isKnown && host === docs
}

const others = 'It is served on connections that were opened for another name.'
const kept = 'The route is bound to the connection, and outlives the removal on it.'
const resumed = 'The route is stored with the TLS session, and returns with it.'

const removalMutants: readonly DomainMutant[] = [
  ...removed('fresh', docs, 'removed-redirect-answers', 'It still redirects.', stillAt(docs)),
  ...removed('fresh', primary, 'removed-primary-serves', 'It still serves.', stillAt(primary)),
  ...removed(
    'plain-http',
    shop,
    'removed-plain-http-answers',
    'It still redirects to its target over plain HTTP.',
    stillPlain(shop),
  ),
  ...removed(
    'plain-http',
    primary,
    'removed-plain-http-serves',
    'It still serves over plain HTTP.',
    stillPlain(primary),
  ),
  ...removed(
    'other-sni',
    docs,
    'removed-other-sni-answers',
    others,
    still(({ sni, host }) => sni !== host),
  ),
  ...removed('held', docs, 'removed-held-answers', kept, still(isKeptAlive)),
  ...removed(
    'resumed',
    docs,
    'removed-resumed-answers',
    resumed,
    still((request) => request.resumed),
  ),
  ...mutants(`removed-alone@${shop}`, 'publishing.removed-alone', {
    'removed-others-too': [
      'Removing one redirect removes them all.',
      {
        remove: docs,
        respond: (honest, request) => {
          const isGone = request.host === shop && honest({ ...request, host: docs }).status === 404
          return isGone ? noSite : honest(request)
        },
      },
    ],
  }),
]

const redirect = { from: docs, to: primary, status: 301 }
const toFarm = { ...redirect, to: 'farm.test' }
const fromPrimary = { from: primary, to: docs, status: 301 }
const fromShop = { from: shop, to: docs, status: 301 }

const configurationMutants: readonly DomainMutant[] = [
  ...mutants('lint', 'publishing.shape', {
    'file-status-text': ['A status is a text.', file([{ ...redirect, status: '301' }])],
    'file-status-200': ['A status is no redirect.', file([{ ...redirect, status: 200 }])],
    'file-status-fraction': ['A status is no integer.', file([{ ...redirect, status: 301.5 }])],
    'file-primary-url': ['The primary domain is a URL.', file([], `https://${primary}`)],
    'file-primary-number': ['The primary domain is a number.', file(undefined, 7)],
    'file-no-primary': ['There is no primary.', { domains: { domains: { redirects: [] } } }],
    'file-redirect-without-to': ['A redirect has no target.', file([{ from: docs, status: 301 }])],
  }),
  ...mutants('lint', 'publishing.redirect-graph', {
    'file-from-twice': ['A domain redirects to two others.', file([redirect, toFarm])],
    'file-from-primary': ['The primary domain redirects.', file([fromPrimary])],
    'file-loop': ['Two redirects loop.', file([{ ...redirect, to: shop }, fromShop])],
  }),
  ...mutants('project-plan', 'publishing.paid-plan', {
    'plan-free': ['A project that was always on Free has a custom domain.', { plan: 'free' }],
  }),
]

export const domainMutants: readonly DomainMutant[] = [
  ...dnsMutants,
  ...certificateMutants,
  ...pageMutants,
  ...redirectMutants,
  ...removalMutants,
  ...configurationMutants,
]
