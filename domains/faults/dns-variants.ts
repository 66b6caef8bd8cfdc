// Variants of the DNS and the certificates of a published project.
import { authorityName, customHosts, platformHost, primary } from '../demo/start-demo.ts'
import type { Change } from './changes.ts'
import { apex, docs, edge2, edges, instead, legal, mutants, plus, uncertified } from './changes.ts'

const oldAddress = '203.0.113.9'
const oldAddress6 = '2001:db8::9'
/** Of loopback, with no server. */
const noEdge = '127.0.0.3'
/** TCP connects to no multicast address, so no machine has a route to it. */
const noRoute = 'ff0e::1'

/** `docs`, or the apex, has only this record; other names have these. */
const docsHas = (data: string, ...more: string[]) => instead(docs, `${docs} ${data}`, ...more)
const apexHas = (data: string, ...more: string[]) => instead(apex, `${apex} ${data}`, ...more)
const docsHasToo = (data: string) => plus(`${docs} ${data}`)

/** The zone of `docs` and of the apex have two name servers, of which the second differs. */
const twoNameServers = (secondary: NonNullable<Change['secondary']>): Change => ({
  ...{ ...edges, sinceHours: 60, secondary },
  ...plus(
    ...['test', 'farm.test', apex].map((zone) => `${zone} NS ns1.farm.test`),
    ...['farm.test', apex].map((zone) => `${zone} NS ns2.farm.test`),
    ...edges.addresses.map((address, index) => `ns${index + 1}.farm.test A ${address}`),
  ),
})

const doubled = instead(docs, `${docs}.farm.test CNAME ${platformHost}`)
const looping = docsHas('CNAME help.farm.test', `help.farm.test CNAME ${docs}`)
const indirect = docsHas('CNAME all.farm.test', `all.farm.test CNAME ${platformHost}`)
const docsOld = docsHas('CNAME old.elsewhere.test')
const apexOld = apexHas(`A ${oldAddress}`)
const aliasOld = apexHas('ALIAS old.publish.test', `old.publish.test A ${oldAddress}`)

const caa = (data: string, at = 'farm.test') => plus(`${at} CAA ${data}`)
const ours = `0 issue "${authorityName}"`
const others = '0 issue "other-ca.test"'
/** CAA records with which no certificate was issued. */
const forbidden = (...records: readonly string[]) => ({ ...plus(...records), ...uncertified })
const zoneForbids = forbidden(`farm.test CAA ${others}`)
const targetForbids = forbidden(`${platformHost} CAA ${others}`)
const unknownTag = forbidden('farm.test CAA 128 newtag "x"', `farm.test CAA ${ours}`)
const nearestForbids = forbidden(`farm.test CAA ${ours}`, `${docs} CAA ${others}`)

const leaf = (
  change: Partial<Parameters<NonNullable<Change['leaf']>>[1]>,
  of: string | null = docs,
): Change => ({
  leaf: (host, honest) => (of === null || host === of ? { ...honest, ...change } : honest),
})

const fallbackAtSecond: Change = {
  ...edges,
  credentials: (honest, sni, address, fallback) =>
    sni === docs && address === edge2 ? fallback : honest,
}
const refusing: Change = { credentials: (honest, sni) => (sni === docs ? null : honest) }

export const dnsMutants = [
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
  }),
  ...mutants(`domain-propagation@${docs}`, 'publishing.propagation', {
    'propagation-stale-server': ['One name server has the old CNAME.', twoNameServers(docsOld)],
    'propagation-lame-server': ['One is lame.', twoNameServers({ dns: () => 'REFUSED' })],
  }),
  ...mutants(`domain-propagation@${apex}`, 'publishing.propagation', {
    'propagation-stale-apex': ['One has the old address of the apex.', twoNameServers(apexOld)],
  }),
  ...mutants('platform-addresses', 'publishing.addresses', {
    'address-refuses': ['No edge is at one of the addresses.', plus(`${platformHost} A ${noEdge}`)],
  }),
  ...mutants(`domain-caa@${docs}`, 'publishing.caa', {
    'caa-other-authority': ['CAA of the zone names another.', zoneForbids],
    'caa-nobody-at-top': ['CAA two levels above allows nobody.', forbidden('test CAA 0 issue ";"')],
    'caa-alias-target': ['CAA is at the CNAME target.', targetForbids],
    'caa-critical-unknown': ['CAA has a critical property that no authority knows.', unknownTag],
    'caa-nearest-forbids': ['CAA of the zone allows, of the name forbids.', nearestForbids],
  }),
  ...mutants(`domain-certificate@${docs}`, 'publishing.certificate', {
    'certificate-fallback': ["The platform's own certificate is presented.", uncertified],
    'certificate-refused': ['Its handshake is refused.', refusing],
    'certificate-expired': ['The certificate was not renewed.', leaf({ days: [-90, -1] })],
    'certificate-not-yet': ['The certificate is not valid yet.', leaf({ days: [1, 90] })],
    'certificate-self-signed': ['It is signed by itself.', leaf({ signedBy: 'itself' })],
    'certificate-stranger': ['Its authority is not trusted.', leaf({ signedBy: 'untrusted' })],
    'certificate-no-chain': ['The intermediate is not sent with it.', leaf({ withChain: false })],
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
]

const withTtl = (ttl: number): Change => ({ zones: (all) => all.map((one) => ({ ...one, ttl })) })
const texts = Array.from({ length: 60 }, (_, at) => `${apex} TXT text-${at}-${'x'.repeat(60)}`)
const edge = 'edge.publish.test'
const hostAlias = instead(platformHost, `${platformHost} CNAME ${edge}`, `${edge} A 127.0.0.1`)
const detour = (change: Change) => ({ warns: `domain-cname-direct@${docs}`, ...change })
const hops = Array.from({ length: 9 }, (_, at) => `n${at}.farm.test`)
const nineAliases = hops.map((name, at) => `${name} CNAME ${hops[at + 1] ?? platformHost}`)
const tenAliases = detour(docsHas(`CNAME ${hops[0]}`, ...nineAliases))
const ofPool = { inconclusive: `domain-apex@${apex}`, ...apexHas('A 127.0.0.9') }
const mailAtApex = plus(`${apex} MX mail.animals.test`, `${apex} TXT v=spf1 -all`)

/** Another record, for which there is a reason. */
const excused = (reason: Change, data: string) => ({
  ...{ inconclusive: `domain-cname@${docs}`, ...reason },
  ...docsHas(data),
})
const anHourAgo = excused({ sinceHours: 1 }, 'CNAME old.elsewhere.test')
const proxied = excused({ allowProxy: true }, 'A 203.0.113.77')

type Dns = NonNullable<Change['dns']>

/** The DNS of the zone of `docs` fails, for one check. */
const failing = (check: string, failure: ReturnType<Dns>, type = /./) => ({
  inconclusive: `${check}@${docs}`,
  dns: (name: string, of: string) =>
    type.test(of) && (name === docs || name === 'farm.test') ? failure : undefined,
})
const silent = { ...failing('domain-cname', 'silent'), dnsTimeoutMs: 100 }
const withoutAddresses = failing('domain-conflict', 'SERVFAIL', /^(?!CNAME)/)
const oneSilent = {
  ...twoNameServers({ dns: () => 'silent' }),
  ...{ inconclusive: `domain-propagation@${docs}`, dnsTimeoutMs: 100 },
}
// A name that leads there fails as well.
const platformFails: Dns = (name, type) =>
  name === platformHost || (name !== apex && /^A/.test(type)) ? 'SERVFAIL' : undefined
const platformSilent = { inconclusive: `domain-certificate@${primary}`, dns: platformFails }

const tightened = { warns: `domain-renewal@${docs}`, ...caa(others) }
const soon = { ...uncertified, verifiedMinutes: 1 }
const noAuthority = { inconclusive: `domain-caa@${docs}`, authorities: [], ...caa(others), ...soon }
const caaFails = { ...failing('domain-caa', 'SERVFAIL', /^CAA$/), ...soon }

const notYet = {
  ...{ ...uncertified, verifiedMinutes: 5, inconclusive: `domain-certificate@${docs}` },
  warns: `domain-certificate-soon@${docs}`,
}

const everyDomain = ['domain-cname', 'domain-conflict', 'domain-certificate', 'domain-primary']
const atApex = ['domain-apex', 'domain-conflict']

export const dnsLegal = [
  ...legal([...everyDomain, ...atApex, 'domain-redirect', 'project-domains'], {
    'as-documented': ['Everything is as the interface has it.', {}],
    'answers-over-tcp': ['DNS responds over TCP only.', { dns: () => 'truncated' }],
  }),
  ...legal(['domain-ttl', 'domain-cname'], {
    'ttl-300': ['The TTL is 300.', withTtl(300)],
    'ttl-86400': ['The TTL is a day.', withTtl(86_400)],
  }),
  ...legal(['domain-cname', 'domain-cname-direct', ...atApex], {
    'target-in-capitals': ['DNS is in capitals.', { spells: (name) => name.toUpperCase() }],
    'platform-host-alias': ['The platform host is an alias itself.', hostAlias],
    'indirect-alias': ['The CNAME points there through another name.', detour(indirect)],
    'alias-of-ten': ['Ten CNAMEs lead there.', tenAliases],
  }),
  ...legal([...atApex, 'domain-certificate', 'domain-primary'], {
    'platform-two-addresses': ['The platform host has two addresses.', edges],
    'platform-pool-rotates': ['Responses have one in turn.', { ...edges, rotates: true }],
    'platform-no-route': ['No route leads to one.', plus(`${platformHost} AAAA ${noRoute}`)],
  }),
  ...legal(atApex, {
    'apex-subset': ['It has one of two.', { ...edges, ...apexHas(`A ${edge2}`) }],
    'apex-of-pool': ['Its address is in the network of the platform, and not known.', ofPool],
    'apex-with-mail': ['The apex has MX and TXT records.', mailAtApex],
    'apex-long-text': ['Its TXT records need a response over TCP.', plus(...texts)],
    'delegated-apex': ['A child zone is one.', { apexes: [docs], ...docsHas('A 127.0.0.1') }],
  }),
  ...legal(['domain-cname', 'domain-conflict'], {
    'changed-an-hour-ago': ['A new CNAME is not seen yet.', anHourAgo],
    proxied: ['A proxy of the customer is in front, and hides the CNAME.', proxied],
    'dns-silent': ['The DNS server of one zone does not respond.', silent],
    'dns-servfail': ['It fails.', failing('domain-cname', 'SERVFAIL')],
    'dns-refused': ['The DNS server refuses queries.', failing('domain-conflict', 'REFUSED')],
    'dns-addresses-silent': ['Only the CNAME is known.', withoutAddresses],
  }),
  ...legal(['domain-propagation', 'domain-cname'], {
    'name-servers-agree': ['Both name servers have the same record.', twoNameServers({})],
    'name-server-silent': ['One of the two does not respond.', oneSilent],
  }),
  ...legal(['domain-caa', 'domain-renewal'], {
    'caa-names-authority': ['CAA names the authority.', caa(ours)],
    'caa-parent-of-target': ['It forbids above the CNAME target.', caa(others, 'publish.test')],
    'caa-tightened-later': ['It was tightened later.', tightened],
    'caa-servfail': ['It fails.', caaFails],
    'caa-authority-unknown': ["The platform's authority is not given.", noAuthority],
  }),
  ...legal(['domain-certificate', 'domain-renewal'], {
    'one-certificate-for-all': ['One for all domains.', leaf({ names: customHosts }, null)],
    'wildcard-certificate': ['A wildcard covers the domain.', leaf({ names: ['*.farm.test'] })],
    'certificate-of-the-root': ['The root signs them itself.', leaf({ signedBy: 'root' }, null)],
    'six-day-certificate': ['Certificates last six days.', leaf({ days: [-3, 3] }, null)],
    'dns-platform-silent': ['The addresses of the platform host are not known.', platformSilent],
  }),
  ...legal(['domain-certificate', 'domain-certificate-soon'], {
    'certificate-five-minutes': ['Five minutes after Verify there is none yet.', notYet],
  }),
]
