// Published projects that are legal, which no check may fail; and those that show no fault and no
// conformance, where a check has to be inconclusive.

import type { EdgeRequest } from '../demo/edge-server.ts'
import {
  authorityName,
  customHosts,
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
  type DomainLegal,
  docs,
  docsHas,
  file,
  indirect,
  instead,
  type LegalChange,
  leaf,
  legal,
  noSite,
  plus,
  twoAddresses,
  twoNameServers,
  uncertified,
  when,
} from './changes.ts'

const aliases = ['domain-cname', 'domain-cname-direct']
const atApex = ['domain-apex', 'domain-conflict']
const everyDomain = ['domain-cname', 'domain-conflict', 'domain-certificate', 'domain-primary']

const withTtl = (ttl: number): Change => ({
  zones: (all) => all.map((each) => ({ ...each, ttl })),
})

const longTexts = Array.from({ length: 60 }, (_, at) => `${apex} TXT text-${at}-${'x'.repeat(60)}`)
const edge = 'edge.publish.test'
const hostAlias = instead(platformHost, `${platformHost} CNAME ${edge}`, `${edge} A 127.0.0.1`)
const warnsOfDetour = (change: Change) => ({ warns: `domain-cname-direct@${docs}`, ...change })
const hops = Array.from({ length: 9 }, (_, at) => `n${at}.farm.test`)
const tenAliases = [
  'CNAME n0.farm.test',
  ...hops.map((n, at) => `${n} CNAME ${hops[at + 1] ?? platformHost}`),
] as const
const ofPool = { inconclusive: `domain-apex@${apex}`, ...apexHas('A 127.0.0.9') }
const mailAtApex = plus(`${apex} MX mail.animals.test`, `${apex} TXT v=spf1 -all`)

const changedAnHourAgo = {
  sinceHours: 1,
  inconclusive: `domain-cname@${docs}`,
  ...docsHas('CNAME old.elsewhere.test'),
}

const proxied = {
  allowProxy: true,
  inconclusive: `domain-cname@${docs}`,
  ...docsHas('A 203.0.113.77'),
}

const caa = (data: string, at = 'farm.test') => plus(`${at} CAA ${data}`)
const allowing = `0 issue "${authorityName}"`
const others = '0 issue "other-ca.test"'
const tightened = { warns: `domain-renewal@${docs}`, ...caa(others) }

const noAuthority = {
  inconclusive: `domain-caa@${docs}`,
  authorities: [],
  ...caa(others),
  ...uncertified,
  verifiedMinutes: 1,
}
const located = (location: string): Change => at(docs, () => redirectTo(308, location))

const toPrimary = () => redirectTo(308, `https://${primary}/`)
const isPlain = ({ scheme }: EdgeRequest) => scheme === 'http'
const plainSame = when(isPlain, (request, honest) => honest({ ...request, scheme: 'https' }))
const plainRefused = when(isPlain, () => page(403, 'HTTPS only'))

const foreign: Change = {
  ...file([{ from: docs, to: 'far.elsewhere.test', status: 308 }]),
  ...located('https://far.elsewhere.test/'),
}

const notYet = {
  verifiedMinutes: 5,
  inconclusive: `domain-certificate@${docs}`,
  warns: `domain-certificate-soon@${docs}`,
  ...uncertified,
}

const inCapitals = { from: 'Docs.Farm.Test', to: primary, status: 308 }
const speltOtherwise = file([inCapitals], 'WWW.Animals.Test.')
const isOfApexPrimary = ({ host }: EdgeRequest) => [apex, docs].includes(host)

/** Its record is to be removed as well, which is prudent, and may be done later. */
const removing = (of: string) => ({ remove: of, warns: `removed-dns@${of}` })

/** The removed domain returns this status instead of 404. */
const removedWith = (of: string, status: number): LegalChange => ({
  ...removing(of),
  respond: (honest, request) => {
    const usual = honest(request)
    return request.host === of && usual.status === 404 ? page(status, 'no such site') : usual
  },
})

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
  inconclusive: `domain-propagation@${docs}`,
  dnsTimeoutMs: 100,
}
const soon = { ...uncertified, verifiedMinutes: 1 }
const platformSilent = {
  inconclusive: `domain-certificate@${primary}`,
  // A name that leads there fails as well.
  dns: (name: string, type: string) =>
    name === platformHost || (name !== apex && /^A/.test(type)) ? ('SERVFAIL' as const) : undefined,
}
const refusing: LegalChange = {
  ...removing(docs),
  credentials: (honest, sni, _address, fallback) =>
    sni === docs && honest === fallback ? null : honest,
}

const closing: LegalChange = {
  ...removing(docs),
  respond: (honest, request) => {
    const usual = honest(request)
    return { ...usual, headers: { ...usual.headers, connection: 'close' } }
  },
}

/** TCP connects to no multicast address, so no machine has a route to it. */
const noRoute = 'ff0e::1'

export const domainLegal: readonly DomainLegal[] = [
  // DNS records
  ...legal([...everyDomain, ...atApex, 'domain-redirect', 'project-domains'], {
    'as-documented': ['Everything is as the interface has it.', {}],
  }),
  ...legal(['domain-ttl', 'domain-cname'], {
    'ttl-300': ['The TTL is 300.', withTtl(300)],
    'ttl-86400': ['The TTL is a day.', withTtl(86_400)],
  }),
  ...legal([...aliases, ...atApex], {
    'target-in-capitals': ['DNS is in capitals.', { spells: (name) => name.toUpperCase() }],
    'platform-host-alias': ['The platform host is an alias itself.', hostAlias],
    'indirect-alias': ['The CNAME points there through another name.', warnsOfDetour(indirect)],
    'alias-of-ten': ['Ten CNAMEs lead there.', warnsOfDetour(docsHas(...tenAliases))],
  }),
  ...legal([...atApex, 'domain-certificate', 'domain-primary'], {
    'platform-two-addresses': ['The platform host has two addresses.', twoAddresses],
    'platform-pool-rotates': ['Responses have one in turn.', { ...twoAddresses, rotates: true }],
    'platform-no-route': ['No route leads to one.', plus(`${platformHost} AAAA ${noRoute}`)],
  }),
  ...legal(atApex, {
    'apex-subset': ['It has one of two.', { ...twoAddresses, ...apexHas('A 127.0.0.2') }],
    'apex-of-pool': ['Its address is in the network of the platform, and not known.', ofPool],
    'apex-with-mail': ['The apex has MX and TXT records.', mailAtApex],
    'apex-long-text': ['Its TXT records need a response over TCP.', plus(...longTexts)],
    'delegated-apex': ['A child zone is one.', { apexes: [docs], ...docsHas('A 127.0.0.1') }],
  }),
  ...legal(everyDomain, {
    'answers-over-tcp': ['DNS responds over TCP only.', { dns: () => 'truncated' }],
  }),
  ...legal(['domain-cname', 'domain-conflict'], {
    'changed-an-hour-ago': ['A new CNAME is not seen yet.', changedAnHourAgo],
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
  // CAA records
  ...legal(['domain-caa', 'domain-renewal'], {
    'caa-names-authority': ['CAA names the authority.', caa(allowing)],
    'caa-parent-of-target': ['It forbids above the CNAME target.', caa(others, 'publish.test')],
    'caa-tightened-later': ['It was tightened later.', tightened],
    'caa-servfail': ['It fails.', { ...failing('domain-caa', 'SERVFAIL', /^CAA$/), ...soon }],
    'caa-authority-unknown': ["The platform's authority is not given.", noAuthority],
  }),
  // Certificates
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
  // Pages and redirects
  ...legal(['domain-redirect', 'domain-redirect-path'], {
    'path-dropped': ['Location is the front page.', located(`https://${primary}/`)],
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
  // The file
  ...legal(['domains-shape', 'domain-primary'], {
    'no-redirects': ['The list of redirects is empty.', file([])],
    'no-redirects-member': ['There is no list of redirects.', file()],
  }),
  ...legal(['domains-foreign-target', 'domain-redirect'], {
    'redirect-to-foreign': ['A redirect goes to a domain that is not attached.', foreign],
  }),
  ...legal(['domain-primary', 'domain-apex', 'domain-redirect'], {
    'apex-primary': [
      'The apex is the primary domain, and the others redirect to it.',
      {
        ...file([{ from: docs, to: apex, status: 308 }], apex),
        ...when(isOfApexPrimary, (request, honest) =>
          request.host === apex
            ? honest({ ...request, host: primary })
            : redirectTo(308, `https://${apex}/`),
        ),
      },
    ],
  }),
  ...legal(['domains-shape', 'domains-graph', 'domain-redirect'], {
    'file-spelt-otherwise': ['The file has capitals and a final dot.', speltOtherwise],
  }),
  // Removals
  ...legal(['removed-fresh', 'removed-plain-http', 'removed-alone', 'removed-after'], {
    'removed-domain-404': ['A removed domain returns 404.', removing(docs)],
    'removed-primary-404': ['So does the removed primary.', removing(primary)],
    'removed-records-too': ['Its record is removed.', { remove: docs, dropsRecords: true }],
    'removed-closes-connections': ['No connection is kept open.', closing],
    'removed-410': ['It returns 410.', removedWith(docs, 410)],
    'removed-421': ['It returns 421.', removedWith(docs, 421)],
    'removed-parked': ['It returns a page of the platform.', removedWith(primary, 200)],
    'removed-no-handshake': ['The handshake is refused.', refusing],
  }),
]
