// Legal ways to set DNS: other TTLs, aliases, addresses, CAA records.
import { authorityName, platformHost } from '../demo/customers.ts'
import { type DomainLegal, legal } from '../demo/variant.ts'
import {
  apex,
  caa,
  docs,
  indirect,
  instead,
  otherAuthority,
  plus,
  record,
  twoAddresses,
} from './records.ts'

const everyDomain = ['domain-cname', 'domain-conflict', 'domain-certificate', 'domain-primary']
const ttls = ['domain-ttl', 'domain-cname']
const aliases = ['domain-cname', 'domain-cname-direct']
const atApex = ['domain-apex', 'domain-conflict']
const caas = ['domain-caa', 'domain-renewal']

const withTtl = (ttl: number) => ({
  zones: (all: Parameters<ReturnType<typeof plus>>[0]) => all.map((each) => ({ ...each, ttl })),
})

const allowing = caa('farm.test', 0, 'issue', authorityName)
const longTexts = Array.from({ length: 60 }, (_, index) =>
  record(apex, 'TXT', `text-${index}-${'x'.repeat(60)}`),
)

export const legalRecords: readonly DomainLegal[] = [
  legal('as-documented', 'All is as the document has it.', [
    ...everyDomain,
    ...atApex,
    'domain-redirect',
    'project-domains',
  ]),
  legal('ttl-300', 'The TTL is 300.', ttls, withTtl(300)),
  legal('ttl-86400', 'The TTL is a day.', ttls, withTtl(86_400)),
  legal('target-in-capitals', 'The value of the CNAME is spelt in capitals.', aliases, {
    spells: (name) => name.toUpperCase(),
  }),
  legal('platform-host-alias', 'The platform host is an alias itself.', [...aliases, ...atApex], {
    zones: instead(
      platformHost,
      record(platformHost, 'CNAME', 'edge.publish.test'),
      record('edge.publish.test', 'A', '127.0.0.1'),
    ),
  }),
  legal(
    'platform-two-addresses',
    'The platform host has two addresses.',
    [...atApex, 'domain-certificate', 'domain-primary'],
    { addresses: twoAddresses },
  ),
  legal('apex-subset', 'The apex has one of the two addresses of the platform.', atApex, {
    addresses: twoAddresses,
    zones: instead(apex, record(apex, 'A', '127.0.0.2')),
  }),
  legal('apex-with-mail', 'The apex has MX and TXT records.', atApex, {
    zones: plus(record(apex, 'MX', 'mail.animals.test'), record(apex, 'TXT', 'v=spf1 -all')),
  }),
  legal(
    'apex-long-text',
    'The apex has so many TXT records that an answer goes over TCP.',
    atApex,
    { zones: plus(...longTexts) },
  ),
  legal('answers-over-tcp', 'The DNS server answers everything over TCP alone.', everyDomain, {
    dns: () => 'truncated',
  }),
  legal(
    'indirect-alias',
    'The CNAME leads to the platform host by way of another name.',
    [...aliases, 'domain-conflict'],
    { warns: `domain-cname-direct@${docs}`, ...indirect },
  ),
  legal(
    'delegated-apex',
    'A child zone is delegated, and its top is an apex with an address.',
    atApex,
    { apexes: [docs], laterZones: instead(docs, record(docs, 'A', '127.0.0.1')) },
  ),
  legal('caa-names-authority', 'CAA names the authority.', caas, { zones: plus(allowing) }),
  legal('caa-one-of-several', 'CAA names several authorities, one of them with parameters.', caas, {
    zones: plus(
      caa('farm.test', 0, 'issue', otherAuthority),
      caa('farm.test', 0, 'issue', `${authorityName}; validationmethods=http-01`),
    ),
  }),
  legal('caa-report-alone', 'CAA says where to report, and no more.', caas, {
    zones: plus(caa('farm.test', 0, 'iodef', 'mailto:security@farm.test')),
  }),
  legal('caa-wildcards-alone', 'CAA forbids wildcards, of which none is asked for.', caas, {
    zones: plus(caa('farm.test', 0, 'issuewild', ';')),
  }),
  legal('caa-nearer-allows', 'CAA above forbids, and that of the zone allows.', caas, {
    zones: plus(caa('test', 0, 'issue', ';'), allowing, caa(apex, 0, 'issue', authorityName)),
  }),
  legal('caa-in-capitals', 'Tag and value of CAA are in capitals.', caas, {
    zones: plus(caa('farm.test', 0, 'ISSUE', authorityName.toUpperCase())),
  }),
  legal('caa-critical-known', 'CAA is critical, and known.', caas, {
    zones: plus(caa('farm.test', 128, 'issue', authorityName)),
  }),
  legal(
    'caa-parent-of-target',
    'CAA forbids above the name that the CNAME leads to, where nobody looks.',
    caas,
    { zones: plus(caa('publish.test', 0, 'issue', otherAuthority)) },
  ),
  legal('caa-tightened-later', 'CAA was tightened after the certificate had been issued.', caas, {
    warns: `domain-renewal@${docs}`,
    laterZones: plus(caa('farm.test', 0, 'issue', otherAuthority)),
  }),
  legal(
    'changed-an-hour-ago',
    'The CNAME was changed an hour ago and is not seen yet.',
    ['domain-cname'],
    {
      sinceHours: 1,
      untold: `domain-cname@${docs}`,
      zones: instead(docs, record(docs, 'CNAME', 'old.elsewhere.test')),
    },
  ),
  legal(
    'proxied',
    'A proxy of the customer stands in front, and hides the CNAME.',
    ['domain-cname', 'domain-conflict'],
    {
      allowProxy: true,
      untold: `domain-cname@${docs}`,
      laterZones: instead(docs, record(docs, 'A', '203.0.113.77')),
    },
  ),
]
