// Variants of pages, redirects, removals and the file of the domains; and all variants of the
// demonstration that `petvet mutants` proves the checks on.
import type { EdgeRequest, EdgeResponse } from '../demo/edge-server.ts'
import type { Respond } from '../demo/start-demo.ts'
import { attached, page, platformHost, primary, redirectTo, siteHost } from '../demo/start-demo.ts'
import type { Change, DomainLegal, DomainMutant } from './changes.ts'
import { apex, docs, edge2, edges, legal, mutants, shop, uncertified } from './changes.ts'
import { dnsLegal, dnsMutants } from './dns-variants.ts'

const when = (
  is: (request: EdgeRequest) => boolean,
  respond: (request: EdgeRequest, honest: Respond) => EdgeResponse,
): Change => ({
  respond: (honest, request) => (is(request) ? respond(request, honest) : honest(request)),
})

/** Other responses over HTTPS to one host. */
const at = (of: string, respond: (request: EdgeRequest) => EdgeResponse) =>
  when(({ host, scheme }) => host === of && scheme === 'https', respond)

const noSite = page(404, 'no such site')
const isPlain = ({ scheme }: EdgeRequest) => scheme === 'http'
const isDocs = ({ host }: EdgeRequest) => host === docs

const primaryHas = (status: number, body: string) => at(primary, () => page(status, body))
const primaryTo = (status: number, host: string) =>
  at(primary, () => redirectTo(status, `https://${host}/`))
const isSecond = ({ host, address }: EdgeRequest) => host === primary && address === edge2
const notAtSecond = { ...edges, ...when(isSecond, () => noSite) }

const docsTo = (to: string) => at(docs, () => redirectTo(308, to))
const docsToHost = (status: number, host: string) =>
  at(docs, ({ path }) => redirectTo(status, `https://${host}${path}`))
const serving = when(isDocs, (request, honest) => honest({ ...request, host: primary }))
const refresh = `<meta http-equiv="refresh" content="0;url=https://${primary}">`
const isDocsPath = (request: EdgeRequest) => isDocs(request) && request.path !== '/'
const frontPageAlone = when(isDocsPath, () => noSite)

const file = (redirects?: unknown, own: unknown = primary): Change => ({
  domains: { domains: { primary: own, redirects } },
})
const redirect = { from: docs, to: primary, status: 301 }
const toFarm = { ...redirect, to: 'farm.test' }
const fromPrimary = { from: primary, to: docs, status: 301 }
const fromShop = { from: shop, to: docs, status: 301 }

/** Faults of the removal of a host, which one way to it shows. */
const removals = (
  rows: readonly (readonly [way: string, host: string, id: string, says: string, change: Change])[],
) =>
  rows.flatMap(([way, host, id, says, change]) => {
    const all = { [id]: [says, { remove: host, ...change }] } as const
    return mutants(`removed-${way}@${host}`, 'publishing.removed', all)
  })

const stillAt = (of: string) => at(of, attached)
const asIfSecure = (request: EdgeRequest) => attached({ ...request, scheme: 'https' })
const stillPlain = (of: string) => when((one) => one.host === of && isPlain(one), asIfSecure)

/** Whether it was called with the same object before. */
const remembering = () => {
  const known = new WeakSet<object>()
  return (what: object): boolean => {
    const isKnown = known.has(what)
    known.add(what)
    return isKnown
  }
}
const isKept = remembering()
const onHeld = when((request) => isKept(request.connection) && isDocs(request), attached)
const onOther = when(({ sni, host }) => sni !== host, attached)
const onResumed = when(({ resumed }) => resumed, attached)

/** Another domain is gone where the removed one is. */
const shopGoesToo: Change = {
  remove: docs,
  respond: (honest, request) => {
    const removed = honest({ ...request, host: docs })
    return request.host === shop && removed.status === 404 ? removed : honest(request)
  },
}

/** The first handshake of another domain is before the removal, the second after it. */
const isPresented = remembering()
const shopRefusedToo: Change = {
  remove: docs,
  credentials: (honest, sni) => (isPresented(honest) && sni === shop ? null : honest),
}

const webMutants = [
  ...mutants(`domain-primary@${primary}`, 'publishing.primary', {
    'primary-not-found': ['The primary domain has no route.', at(primary, () => noSite)],
    'primary-other-project': ["Another project's page is served.", primaryHas(200, 'Another')],
    'primary-redirects-to-platform': ['It redirects to its host.', primaryTo(302, platformHost)],
    'primary-redirects-to-subdomain': ['It redirects to the subdomain.', primaryTo(301, siteHost)],
    'primary-redirects-to-itself': ['It redirects to itself for ever.', primaryTo(301, primary)],
    'primary-one-address': ['One of two addresses does not know the domain.', notAtSecond],
  }),
  ...mutants('site-subdomain', 'publishing.subdomain', {
    'subdomain-absent': ['The project is published nowhere.', { respond: () => noSite }],
  }),
  ...mutants(`domain-redirect@${docs}`, 'publishing.redirect', {
    'redirect-always-302': ['Every redirect is temporary.', docsToHost(302, primary)],
    'redirect-wrong-host': ['Every redirect goes to the apex.', docsToHost(308, apex)],
    'redirect-host-as-path': ['The target is used as a path.', docsTo(`/${primary}`)],
    'redirect-to-itself': ['It redirects to itself.', docsToHost(308, docs)],
    'redirect-no-location': ['The redirect has no Location.', at(docs, () => page(308, ''))],
    'redirect-userinfo': ['The target is user information.', docsTo(`https://${primary}@${apex}/`)],
    'redirect-serves': ['The project is served, and nothing redirects.', serving],
    'redirect-meta-refresh': ['It is a page that refreshes.', at(docs, () => page(200, refresh))],
    'redirect-not-attached': ['The edge does not know the domain.', at(docs, () => noSite)],
    'redirect-front-page-alone': ['Only the front page redirects.', frontPageAlone],
  }),
  ...mutants(`domain-redirect-secure@${docs}`, 'publishing.redirect-secure', {
    'redirect-to-plain-http': ['It leads to plain HTTP.', docsTo(`http://${primary}/`)],
  }),
  ...mutants(`domain-redirect-reach@${docs}`, 'publishing.redirect-reach', {
    'redirect-reach-lost': ['Domains that redirect get no certificate.', uncertified],
  }),
  ...removals([
    ['fresh', docs, 'removed-redirect-answers', 'It still redirects.', stillAt(docs)],
    ['fresh', docs, 'removed-redirect-serves', 'It serves the project now.', serving],
    ['fresh', primary, 'removed-primary-serves', 'It still serves.', stillAt(primary)],
    ['plain-http', shop, 'removed-plain-http-answers', 'HTTP still redirects.', stillPlain(shop)],
    ['plain-http', primary, 'removed-plain-http-serves', 'HTTP serves.', stillPlain(primary)],
    ['other-sni', docs, 'removed-other-sni-answers', 'It is served after another SNI.', onOther],
    ['held', docs, 'removed-held-answers', 'The route is bound to the connection.', onHeld],
    ['resumed', docs, 'removed-resumed-answers', 'The route is in the TLS session.', onResumed],
  ]),
  ...mutants(`removed-alone@${shop}`, 'publishing.removed-alone', {
    'removed-others-too': ['Removing one redirect removes them all.', shopGoesToo],
    'removed-others-refused': ['The handshake of another is refused.', shopRefusedToo],
  }),
  ...mutants(`removed-dns@${docs}`, 'publishing.removed-dns', {
    'removed-dns-left': ['Its DNS still points to the platform.', { remove: docs }],
  }),
  ...mutants('lint', 'publishing.shape', {
    'file-status-200': ['A status is no redirect.', file([{ ...redirect, status: 200 }])],
    'file-primary-url': ['The primary domain is a URL.', file([], `https://${primary}`)],
    'file-public-suffix': ['The primary is a suffix of others.', file([], 'co.uk')],
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

const toPrimary = () => redirectTo(308, `https://${primary}/`)
const plainSame = when(isPlain, (request, honest) => honest({ ...request, scheme: 'https' }))
const plainRefused = when(isPlain, () => page(403, 'HTTPS only'))
const toForeign = file([{ from: docs, to: 'far.elsewhere.test', status: 308 }])
const foreign = { ...toForeign, ...docsTo('https://far.elsewhere.test/') }
const inCapitals = { from: 'Docs.Farm.Test', to: primary, status: 308 }
const speltOtherwise = file([inCapitals], 'WWW.Animals.Test.')
const apexPrimary: Change = {
  ...file([{ from: docs, to: apex, status: 308 }], apex),
  respond: (honest, request) =>
    isDocs(request)
      ? redirectTo(308, `https://${apex}/`)
      : honest({ ...request, host: request.host === apex ? primary : request.host }),
}

/** Its record is to be removed as well, which is prudent, and may be done later. */
const removing = (of: string, change: Change = {}) => ({
  ...{ remove: of, warns: `removed-dns@${of}` },
  ...change,
})

/** The removed domain returns this status instead of 404. */
const removedWith = (of: string, status: number) =>
  removing(of, {
    respond: (honest, request) => {
      const usual = honest(request)
      return request.host === of && usual.status === 404 ? page(status, 'no such site') : usual
    },
  })
const closing = removing(docs, {
  respond: (honest, request) => {
    const usual = honest(request)
    return { ...usual, headers: { ...usual.headers, connection: 'close' } }
  },
})
const noHandshake = removing(docs, {
  credentials: (honest, sni, _address, fallback) =>
    sni === docs && honest === fallback ? null : honest,
})

const webLegal = [
  ...legal(['domain-redirect', 'domain-redirect-path'], {
    'path-dropped': ['Location is the front page.', docsTo(`https://${primary}/`)],
  }),
  ...legal(['domain-plain-http', 'domain-primary'], {
    'plain-http-same': ['Plain HTTP returns the same as HTTPS.', plainSame],
    'plain-http-refused': ['Plain HTTP is refused.', plainRefused],
  }),
  ...legal(['site-subdomain', 'site-instead'], {
    'subdomain-redirects': ['The subdomain redirects.', at(siteHost, toPrimary)],
    'subdomain-vanishes': ['The subdomain is gone.', at(siteHost, () => noSite)],
  }),
  ...legal(['project-plan'], {
    'plan-business': ['The project is on Business.', { plan: 'business' }],
    'plan-enterprise': ['It is on Enterprise.', { plan: 'enterprise' }],
  }),
  ...legal(['domains-shape', 'domain-primary'], {
    'no-redirects': ['The list of redirects is empty.', file([])],
    'no-redirects-member': ['There is no list of redirects.', file()],
  }),
  ...legal(['domains-foreign-target', 'domain-redirect'], {
    'redirect-to-foreign': ['A redirect goes to a domain that is not attached.', foreign],
  }),
  ...legal(['domain-primary', 'domain-apex', 'domain-redirect'], {
    'apex-primary': ['The apex is the primary domain, and the others redirect to it.', apexPrimary],
  }),
  ...legal(['domains-shape', 'domains-graph', 'domain-redirect'], {
    'file-spelt-otherwise': ['The file has capitals and a final dot.', speltOtherwise],
  }),
  ...legal(['removed-fresh', 'removed-plain-http', 'removed-alone', 'removed-after'], {
    'removed-domain-404': ['A removed domain returns 404.', removing(docs)],
    'removed-primary-404': ['So does the removed primary.', removing(primary)],
    'removed-records-too': ['Its record is removed.', { remove: docs, dropsRecords: true }],
    'removed-closes-connections': ['No connection is kept open.', closing],
    'removed-410': ['It returns 410.', removedWith(docs, 410)],
    'removed-421': ['It returns 421.', removedWith(docs, 421)],
    'removed-parked': ['It returns a page of the platform.', removedWith(primary, 200)],
    'removed-no-handshake': ['The handshake is refused.', noHandshake],
  }),
]

export const domainMutants: readonly DomainMutant[] = [...dnsMutants, ...webMutants]
export const domainLegal: readonly DomainLegal[] = [...dnsLegal, ...webLegal]
export const domainSubjects = [...domainMutants, ...domainLegal]
