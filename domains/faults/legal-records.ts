// Legal ways to set DNS: other TTLs, aliases, addresses, CAA records.
import { authorityName, platformHost } from '../demo/customers.ts'
import type { DomainLegal, PublishingVariant } from '../demo/variant.ts'
import { beside, besideLater, caa, inPlaceLater, inPlaceOf, record } from './records.ts'

const docs = 'docs.farm.test'
const apex = 'animals.test'
const twoAddresses = ['127.0.0.1', '127.0.0.2']
const otherAuthority = 'other-ca.test'

const withTtl = (ttl: number): PublishingVariant => ({
  zones: (all) => all.map((each) => ({ ...each, ttl })),
})

const allowing = caa('farm.test', 0, 'issue', authorityName)

export const legalRecords: readonly DomainLegal[] = [
  { id: 'as-documented', does: 'All is as the document has it.' },
  { id: 'ttl-300', does: 'The TTL is 300.', ...withTtl(300) },
  { id: 'ttl-86400', does: 'The TTL is a day.', ...withTtl(86_400) },
  {
    id: 'target-in-capitals',
    does: 'The value of the CNAME is spelt in capitals.',
    spells: (name) => name.toUpperCase(),
  },
  {
    id: 'platform-host-alias',
    does: 'The platform host is an alias itself.',
    ...inPlaceOf(
      platformHost,
      record(platformHost, 'CNAME', 'edge.publish.test'),
      record('edge.publish.test', 'A', '127.0.0.1'),
    ),
  },
  {
    id: 'platform-two-addresses',
    does: 'The platform host has two addresses.',
    addresses: twoAddresses,
  },
  {
    id: 'apex-subset',
    does: 'The apex has one of the two addresses of the platform.',
    addresses: twoAddresses,
    ...inPlaceOf(apex, record(apex, 'A', '127.0.0.2')),
  },
  {
    id: 'apex-with-mail',
    does: 'The apex has MX and TXT records.',
    ...beside(record(apex, 'MX', 'mail.animals.test'), record(apex, 'TXT', 'v=spf1 -all')),
  },
  {
    id: 'apex-long-text',
    does: 'The apex has so many TXT records that an answer goes over TCP.',
    ...beside(
      ...Array.from({ length: 60 }, (_, index) =>
        record(apex, 'TXT', `text-${index}-${'x'.repeat(60)}`),
      ),
    ),
  },
  {
    id: 'answers-over-tcp',
    does: 'The DNS server answers everything over TCP alone.',
    dns: () => 'truncated',
  },
  {
    id: 'indirect-alias',
    does: 'The CNAME leads to the platform host by way of another name.',
    warns: `domain-cname-direct@${docs}`,
    ...inPlaceLater(
      docs,
      record(docs, 'CNAME', 'all.farm.test'),
      record('all.farm.test', 'CNAME', platformHost),
    ),
  },
  {
    id: 'delegated-apex',
    does: 'A child zone is delegated, and its top is an apex with an address.',
    apexes: ['docs.farm.test'],
    ...inPlaceLater(docs, record(docs, 'A', '127.0.0.1')),
  },
  { id: 'caa-names-authority', does: 'CAA names the authority.', ...beside(allowing) },
  {
    id: 'caa-one-of-several',
    does: 'CAA names several authorities, one of them with parameters.',
    ...beside(
      caa('farm.test', 0, 'issue', otherAuthority),
      caa('farm.test', 0, 'issue', `${authorityName}; validationmethods=http-01`),
    ),
  },
  {
    id: 'caa-report-alone',
    does: 'CAA says where to report, and no more.',
    ...beside(caa('farm.test', 0, 'iodef', 'mailto:security@farm.test')),
  },
  {
    id: 'caa-wildcards-alone',
    does: 'CAA forbids wildcards, of which none is asked for.',
    ...beside(caa('farm.test', 0, 'issuewild', ';')),
  },
  {
    id: 'caa-nearer-allows',
    does: 'CAA above forbids, and that of the zone allows.',
    ...beside(caa('test', 0, 'issue', ';'), allowing, caa(apex, 0, 'issue', authorityName)),
  },
  {
    id: 'caa-in-capitals',
    does: 'Tag and value of CAA are in capitals.',
    ...beside(caa('farm.test', 0, 'ISSUE', authorityName.toUpperCase())),
  },
  {
    id: 'caa-critical-known',
    does: 'CAA is critical, and known.',
    ...beside(caa('farm.test', 128, 'issue', authorityName)),
  },
  {
    id: 'caa-parent-of-target',
    does: 'CAA forbids above the name that the CNAME leads to, where nobody looks.',
    ...beside(caa('publish.test', 0, 'issue', otherAuthority)),
  },
  {
    id: 'caa-tightened-later',
    does: 'CAA was tightened after the certificate had been issued.',
    warns: `domain-renewal@${docs}`,
    ...besideLater(caa('farm.test', 0, 'issue', otherAuthority)),
  },
  {
    id: 'changed-an-hour-ago',
    does: 'The CNAME was changed an hour ago and is not seen yet.',
    sinceHours: 1,
    untold: `domain-cname@${docs}`,
    ...inPlaceOf(docs, record(docs, 'CNAME', 'old.elsewhere.test')),
  },
  {
    id: 'proxied',
    does: 'A proxy of the customer stands in front, and hides the CNAME.',
    allowProxy: true,
    untold: `domain-cname@${docs}`,
    ...inPlaceLater(docs, record(docs, 'A', '203.0.113.77')),
  },
]
