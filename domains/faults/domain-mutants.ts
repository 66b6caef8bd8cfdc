// Published projects that each violate one requirement, and the check that has to find it.

import type { EdgeRequest } from '../demo/edge-server.ts'
import {
  attached,
  authorityName,
  page,
  platformHost,
  primary,
  redirectTo,
  siteHost,
} from '../demo/start-demo.ts'
import {
  apex,
  apexHas,
  at,
  type Change,
  type DomainMutant,
  type DomainSubject,
  docs,
  docsHas,
  file,
  indirect,
  instead,
  leaf,
  mutants,
  noSite,
  plus,
  secondAddress,
  shop,
  twoAddresses,
  twoNameServers,
  uncertified,
  when,
} from './changes.ts'
import { domainLegal } from './legal-projects.ts'

const oldAddress = '203.0.113.9'
/** Of loopback, with no server. */
const noEdge = '127.0.0.3'
const oldAddress6 = '2001:db8::9'

const otherCa = 'CAA 0 issue "other-ca.test"'
const ourCa = `CAA 0 issue "${authorityName}"`
/** CAA records with which no certificate was issued. */
const forbidden = (...records: readonly string[]): Change => ({
  ...plus(...records),
  ...uncertified,
})
const unknownTag = forbidden('farm.test CAA 128 newtag "x"', `farm.test ${ourCa}`)
const nearestForbids = forbidden(`farm.test ${ourCa}`, `${docs} ${otherCa}`)

const doubled = instead(docs, `${docs}.farm.test CNAME ${platformHost}`)
const looping = docsHas('CNAME help.farm.test', `help.farm.test CNAME ${docs}`)
const docsOld = docsHas('CNAME old.elsewhere.test')
const apexOld = apexHas(`A ${oldAddress}`)
const aliasOld = apexHas('ALIAS old.publish.test', `old.publish.test A ${oldAddress}`)
const docsHasToo = (data: string) => plus(`${docs} ${data}`)

const fallbackAtSecond: Change = {
  ...twoAddresses,
  credentials: (honest, sni, address, fallback) =>
    sni === docs && address === secondAddress ? fallback : honest,
}

const atPrimary = (status: number, body: string) => at(primary, () => page(status, body))
const primaryTo = (status: number, host: string) =>
  at(primary, () => redirectTo(status, `https://${host}/`))

const isSecond = ({ host, address }: EdgeRequest) => host === primary && address === secondAddress

const notAtSecond = { ...twoAddresses, ...when(isSecond, () => noSite) }

const docsTo = (to: string): Change => at(docs, () => redirectTo(308, to))
const docsToHost = (status: number, host: string): Change =>
  at(docs, ({ path }) => redirectTo(status, `https://${host}${path}`))

const isDocs = ({ host }: EdgeRequest) => host === docs
const serving = when(isDocs, (request, honest) => honest({ ...request, host: primary }))
const refresh = `<meta http-equiv="refresh" content="0;url=https://${primary}">`
const frontPageAlone = when(
  ({ host, path }) => host === docs && path !== '/',
  () => noSite,
)
const refusing: Change['credentials'] = (honest, sni) => (sni === docs ? null : honest)

/** Faults of the removal of a host, which one way to it shows. */
const removals = (
  rows: readonly (readonly [way: string, host: string, id: string, says: string, change: Change])[],
) =>
  rows.flatMap(([way, host, id, says, change]) => {
    const all = { [id]: [says, { remove: host, ...change }] } as const
    return mutants(`removed-${way}@${host}`, 'publishing.removed', all)
  })

const stillAt = (of: string) => at(of, attached)
const stillPlain = (of: string): Change =>
  when(
    ({ host, scheme }) => host === of && scheme === 'http',
    (request) => attached({ ...request, scheme: 'https' }),
  )

const known = new WeakSet<object>()
const isKeptAlive = ({ connection, host }: EdgeRequest): boolean => {
  const isKnown = known.has(connection)
  known.add(connection)
  return isKnown && host === docs
}

const onOther = when(({ sni, host }) => sni !== host, attached)
const onHeld = when(isKeptAlive, attached)
const onResumed = when(({ resumed }) => resumed, attached)

/** Another domain is gone where the removed one is. */
const shopGoesToo: Change = {
  remove: docs,
  ...when(
    ({ host }) => host === shop,
    (request, honest) =>
      honest({ ...request, host: docs }).status === 404 ? noSite : honest(request),
  ),
}

const presented = new WeakSet<object>()

/** The first handshake of another domain is before the removal, the second after it. */
const shopRefusedToo: Change = {
  remove: docs,
  credentials: (honest, sni) => {
    const isAgain = presented.has(honest)
    presented.add(honest)
    return isAgain && sni === shop ? null : honest
  },
}

const redirect = { from: docs, to: primary, status: 301 }
const toFarm = { ...redirect, to: 'farm.test' }
const fromPrimary = { from: primary, to: docs, status: 301 }
const fromShop = { from: shop, to: docs, status: 301 }

export const domainMutants: readonly DomainMutant[] = [
  // DNS and CAA records
  ...mutants(`domain-cname@${docs}`, 'publishing.cname', {
    'cname-missing': ['No record is set.', instead(docs)],
    'cname-typo': ['The platform host has a typo.', docsHas('CNAME site.publish.test')],
    'cname-old-host': ['It points to the previous host.', docsOld],
    'cname-doubled-name': ['The name of the record has its zone twice.', doubled],
    'cname-loop': ['The CNAME points back to itself through another.', looping],
    'cname-address-instead': ['It has A, and no CNAME.', docsHas('A 127.0.0.1')],
  }),
  ...mutants(`domain-cname-direct@${docs}`, 'publishing.cname-direct', {
    'cname-indirect': ["The CNAME points to the customer's own name for it.", indirect],
  }),
  ...mutants(`domain-conflict@${docs}`, 'publishing.no-conflict', {
    'conflict-old-address': ['It has an old A, and no CNAME.', docsHas(`A ${oldAddress}`)],
    'conflict-address-beside': ['An old A record remains.', docsHasToo(`A ${oldAddress}`)],
    'conflict-address6-beside': ['An old AAAA record remains.', docsHasToo(`AAAA ${oldAddress6}`)],
    'conflict-two-cnames': ['An old CNAME remains.', docsHasToo('CNAME old.elsewhere.test')],
    'conflict-mail-beside': ['An MX record remains.', docsHasToo('MX mail.farm.test')],
  }),
  ...mutants(`domain-apex@${apex}`, 'publishing.apex', {
    'apex-cname': ['The apex has a CNAME.', apexHas(`CNAME ${platformHost}`)],
    'apex-elsewhere': ['It has the address of the old server.', apexOld],
    'apex-alias-elsewhere': ['ALIAS points to another host of the provider.', aliasOld],
    'apex-missing': ['The apex has no address.', instead(apex)],
  }),
  ...mutants(`domain-conflict@${apex}`, 'publishing.no-conflict', {
    'apex-old-address-beside': ['An old A record remains.', plus(`${apex} A ${oldAddress}`)],
    'apex-old-address6-beside': ['An old AAAA remains.', plus(`${apex} AAAA ${oldAddress6}`)],
  }),
  ...mutants(`domain-propagation@${docs}`, 'publishing.propagation', {
    'propagation-stale-server': ['One name server has the old CNAME.', twoNameServers(docsOld)],
    'propagation-lame-server': ['One is lame.', twoNameServers({ dns: () => 'REFUSED' })],
  }),
  ...mutants(`domain-propagation@${apex}`, 'publishing.propagation', {
    'propagation-stale-apex': ['One has the old address of the apex.', twoNameServers(apexOld)],
  }),
  ...mutants(`domain-caa@${docs}`, 'publishing.caa', {
    'caa-other-authority': ['CAA of the zone names another.', forbidden(`farm.test ${otherCa}`)],
    'caa-nobody-at-top': ['CAA two levels above allows nobody.', forbidden('test CAA 0 issue ";"')],
    'caa-alias-target': ['CAA is at the CNAME target.', forbidden(`${platformHost} ${otherCa}`)],
    'caa-critical-unknown': ['CAA has a critical property that no authority knows.', unknownTag],
    'caa-nearest-forbids': ['CAA of the zone allows, of the name forbids.', nearestForbids],
  }),
  // Certificates
  ...mutants(`domain-certificate@${docs}`, 'publishing.certificate', {
    'certificate-fallback': ["The platform's own certificate is presented.", uncertified],
    'certificate-refused': ['Its handshake is refused.', { credentials: refusing }],
    'certificate-expired': ['The certificate was not renewed.', leaf({ days: [-90, -1] })],
    'certificate-not-yet': ['The certificate is not valid yet.', leaf({ days: [1, 90] })],
    'certificate-self-signed': ['It is signed by itself.', leaf({ signedBy: 'itself' })],
    'certificate-stranger': ['Its authority is not trusted.', leaf({ signedBy: 'untrusted' })],
    'certificate-no-chain': ['The intermediate is not sent with it.', leaf({ withChain: false })],
    'certificate-other-name': ['It names only the apex.', leaf({ names: ['farm.test'] })],
    'certificate-wildcard-too-high': ['Its wildcard is too high.', leaf({ names: ['*.test'] })],
    'certificate-one-address': ['One of two addresses presents the fallback.', fallbackAtSecond],
    'certificate-late': ['None an hour after Verify.', { verifiedMinutes: 60, ...uncertified }],
  }),
  ...mutants(`domain-certificate-soon@${docs}`, 'publishing.certificate-soon', {
    'certificate-not-soon': ['None ten minutes later.', { verifiedMinutes: 10, ...uncertified }],
  }),
  ...mutants(`domain-renewal@${docs}`, 'publishing.renewal', {
    'certificate-last-day': ['One day of its ninety is left.', leaf({ days: [-89, 1] })],
  }),
  // Pages
  ...mutants(`domain-primary@${primary}`, 'publishing.primary', {
    'primary-not-found': ['The primary domain has no route.', at(primary, () => noSite)],
    'primary-other-project': ["Another project's page is served.", atPrimary(200, 'Another')],
    'primary-redirects-to-platform': ['It redirects to its host.', primaryTo(302, platformHost)],
    'primary-redirects-to-subdomain': ['It redirects to the subdomain.', primaryTo(301, siteHost)],
    'primary-redirects-to-itself': ['It redirects to itself for ever.', primaryTo(301, primary)],
    'primary-error': ['The edge fails for custom domains.', atPrimary(502, 'bad gateway')],
    'primary-one-address': ['One of two addresses does not know the domain.', notAtSecond],
  }),
  ...mutants('platform-addresses', 'publishing.addresses', {
    'address-refuses': ['No edge is at one of the addresses.', plus(`${platformHost} A ${noEdge}`)],
  }),
  ...mutants('site-subdomain', 'publishing.subdomain', {
    'subdomain-absent': ['The project is published nowhere.', { respond: () => noSite }],
  }),
  // Redirects
  ...mutants(`domain-redirect@${docs}`, 'publishing.redirect', {
    'redirect-always-302': ['Every redirect is temporary.', docsToHost(302, primary)],
    'redirect-wrong-host': ['Every redirect goes to the apex.', docsToHost(308, apex)],
    'redirect-host-as-path': ['The target is used as a path.', docsTo(`/${primary}`)],
    'redirect-no-scheme': ['Location has no scheme.', docsTo(primary)],
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
  // Removals
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
  // The file, and the plan
  ...mutants('lint', 'publishing.shape', {
    'file-status-200': ['A status is no redirect.', file([{ ...redirect, status: 200 }])],
    'file-status-fraction': ['A status is no integer.', file([{ ...redirect, status: 301.5 }])],
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

/** Every variant of the demonstration that `petvet mutants` proves the checks on. */
export const domainSubjects: readonly DomainSubject[] = [...domainMutants, ...domainLegal]
