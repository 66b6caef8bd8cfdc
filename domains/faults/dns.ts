// Faults in the DNS of a subdomain and of an apex.
import { platformHost } from '../demo/customers.ts'
import type { DomainFault } from '../demo/variant.ts'
import { beside, inPlaceLater, inPlaceOf, record } from './records.ts'

const docs = 'docs.farm.test'
const apex = 'animals.test'
const oldAddress = '203.0.113.9'
const oldAddress6 = '2001:db8::9'

const cname = {
  breaks: 'publishing.cname',
  caughtBy: `domain-cname@${docs}`,
} as const
const conflict = {
  breaks: 'publishing.no-conflict',
  caughtBy: `domain-conflict@${docs}`,
} as const
const flat = {
  breaks: 'publishing.apex',
  caughtBy: `domain-apex@${apex}`,
} as const

export const dnsFaults: readonly DomainFault[] = [
  { id: 'cname-missing', ...cname, fault: 'No record was set.', ...inPlaceOf(docs) },
  {
    id: 'cname-typo',
    ...cname,
    fault: 'A letter of the platform host is missing.',
    ...inPlaceOf(docs, record(docs, 'CNAME', 'site.publish.test')),
  },
  {
    id: 'cname-old-host',
    ...cname,
    fault: 'The CNAME still leads to the host before.',
    ...inPlaceOf(docs, record(docs, 'CNAME', 'old.elsewhere.test')),
  },
  {
    id: 'cname-doubled-name',
    ...cname,
    fault: 'The record stands at a name to which the zone was added once more.',
    ...inPlaceOf(docs, record('docs.farm.test.farm.test', 'CNAME', platformHost)),
  },
  {
    id: 'cname-doubled-target',
    ...cname,
    fault: 'The final dot of the value was left out, and the zone was added to it.',
    ...inPlaceOf(docs, record(docs, 'CNAME', `${platformHost}.farm.test`)),
  },
  {
    id: 'cname-loop',
    ...cname,
    fault: 'The CNAME leads back to itself by way of another.',
    ...inPlaceOf(
      docs,
      record(docs, 'CNAME', 'help.farm.test'),
      record('help.farm.test', 'CNAME', docs),
    ),
  },
  {
    id: 'cname-address-instead',
    ...cname,
    fault: "The platform's address was set as an A record, and no CNAME.",
    ...inPlaceOf(docs, record(docs, 'A', '127.0.0.1')),
  },
  {
    id: 'cname-indirect',
    breaks: 'publishing.cname-direct',
    caughtBy: `domain-cname-direct@${docs}`,
    fault: 'The CNAME leads to a name of the customer that leads on.',
    ...inPlaceLater(
      docs,
      record(docs, 'CNAME', 'all.farm.test'),
      record('all.farm.test', 'CNAME', platformHost),
    ),
  },
  {
    id: 'conflict-old-address',
    ...conflict,
    fault: 'An A record leads to the old server, and there is no CNAME.',
    ...inPlaceOf(docs, record(docs, 'A', oldAddress)),
  },
  {
    id: 'conflict-address-beside',
    ...conflict,
    fault: 'An A record was left beside the CNAME.',
    ...beside(record(docs, 'A', oldAddress)),
  },
  {
    id: 'conflict-address6-beside',
    ...conflict,
    fault: 'An AAAA record was left beside the CNAME.',
    ...beside(record(docs, 'AAAA', oldAddress6)),
  },
  {
    id: 'conflict-two-cnames',
    ...conflict,
    fault: 'The CNAME before was left beside the new one.',
    ...beside(record(docs, 'CNAME', 'old.elsewhere.test')),
  },
  {
    id: 'conflict-mail-beside',
    ...conflict,
    fault: 'An MX record was left beside the CNAME.',
    ...beside(record(docs, 'MX', 'mail.farm.test')),
  },
  {
    id: 'apex-cname',
    ...flat,
    fault: 'The apex has a CNAME.',
    ...inPlaceOf(apex, record(apex, 'CNAME', platformHost)),
  },
  {
    id: 'apex-elsewhere',
    ...flat,
    fault: 'The apex has the address of the old server.',
    ...inPlaceOf(apex, record(apex, 'A', oldAddress)),
  },
  {
    id: 'apex-alias-elsewhere',
    ...flat,
    fault: 'ALIAS leads to a host of the same provider that is not the platform host.',
    ...inPlaceOf(
      apex,
      record(apex, 'ALIAS', 'old.publish.test'),
      record('old.publish.test', 'A', oldAddress),
    ),
  },
  { id: 'apex-missing', ...flat, fault: 'The apex has no address.', ...inPlaceOf(apex) },
  {
    id: 'apex-old-address-beside',
    breaks: 'publishing.no-conflict',
    caughtBy: `domain-conflict@${apex}`,
    fault: 'The address of the old server was left at the apex beside ALIAS.',
    ...beside(record(apex, 'A', oldAddress)),
  },
  {
    id: 'apex-old-address6-beside',
    breaks: 'publishing.no-conflict',
    caughtBy: `domain-conflict@${apex}`,
    fault: 'The AAAA record of the old server was left at the apex beside ALIAS.',
    ...beside(record(apex, 'AAAA', oldAddress6)),
  },
]
