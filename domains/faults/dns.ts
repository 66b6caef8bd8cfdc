// Faults in the DNS of a subdomain and of an apex, and CAA records that forbid the authority.
import { authorityName, platformHost } from '../demo/customers.ts'
import { caught, type DomainFault } from '../demo/variant.ts'
import { apex, caa, docs, indirect, instead, otherAuthority, plus, record } from './records.ts'

const oldAddress = '203.0.113.9'
const oldAddress6 = '2001:db8::9'

const cname = caught(`domain-cname@${docs}`, 'publishing.cname')
const direct = caught(`domain-cname-direct@${docs}`, 'publishing.cname-direct')
const conflict = caught(`domain-conflict@${docs}`, 'publishing.no-conflict')
const atApex = caught(`domain-apex@${apex}`, 'publishing.apex')
const apexConflict = caught(`domain-conflict@${apex}`, 'publishing.no-conflict')
const forbidden = caught(`domain-caa@${docs}`, 'publishing.caa')

const loop = [record(docs, 'CNAME', 'help.farm.test'), record('help.farm.test', 'CNAME', docs)]
const aliasElsewhere = [
  record(apex, 'ALIAS', 'old.publish.test'),
  record('old.publish.test', 'A', oldAddress),
]

export const dnsFaults: readonly DomainFault[] = [
  cname('cname-missing', 'No record was set.', { zones: instead(docs) }),
  cname('cname-typo', 'A letter of the platform host is missing.', {
    zones: instead(docs, record(docs, 'CNAME', 'site.publish.test')),
  }),
  cname('cname-old-host', 'The CNAME still leads to the host before.', {
    zones: instead(docs, record(docs, 'CNAME', 'old.elsewhere.test')),
  }),
  cname(
    'cname-doubled-name',
    'The record stands at a name to which the zone was added once more.',
    {
      zones: instead(docs, record('docs.farm.test.farm.test', 'CNAME', platformHost)),
    },
  ),
  cname(
    'cname-doubled-target',
    'The final dot of the value was left out, and the zone was added to it.',
    { zones: instead(docs, record(docs, 'CNAME', `${platformHost}.farm.test`)) },
  ),
  cname('cname-loop', 'The CNAME leads back to itself by way of another.', {
    zones: instead(docs, ...loop),
  }),
  cname('cname-address-instead', "The platform's address was set as an A record, and no CNAME.", {
    zones: instead(docs, record(docs, 'A', '127.0.0.1')),
  }),
  direct('cname-indirect', 'The CNAME leads to a name of the customer that leads on.', indirect),
  conflict('conflict-old-address', 'An A record leads to the old server, and there is no CNAME.', {
    zones: instead(docs, record(docs, 'A', oldAddress)),
  }),
  conflict('conflict-address-beside', 'An A record was left beside the CNAME.', {
    zones: plus(record(docs, 'A', oldAddress)),
  }),
  conflict('conflict-address6-beside', 'An AAAA record was left beside the CNAME.', {
    zones: plus(record(docs, 'AAAA', oldAddress6)),
  }),
  conflict('conflict-two-cnames', 'The CNAME before was left beside the new one.', {
    zones: plus(record(docs, 'CNAME', 'old.elsewhere.test')),
  }),
  conflict('conflict-mail-beside', 'An MX record was left beside the CNAME.', {
    zones: plus(record(docs, 'MX', 'mail.farm.test')),
  }),
  atApex('apex-cname', 'The apex has a CNAME.', {
    zones: instead(apex, record(apex, 'CNAME', platformHost)),
  }),
  atApex('apex-elsewhere', 'The apex has the address of the old server.', {
    zones: instead(apex, record(apex, 'A', oldAddress)),
  }),
  atApex(
    'apex-alias-elsewhere',
    'ALIAS leads to a host of the same provider that is not the platform host.',
    { zones: instead(apex, ...aliasElsewhere) },
  ),
  atApex('apex-missing', 'The apex has no address.', { zones: instead(apex) }),
  apexConflict(
    'apex-old-address-beside',
    'The address of the old server was left at the apex beside ALIAS.',
    { zones: plus(record(apex, 'A', oldAddress)) },
  ),
  apexConflict(
    'apex-old-address6-beside',
    'The AAAA record of the old server was left at the apex beside ALIAS.',
    { zones: plus(record(apex, 'AAAA', oldAddress6)) },
  ),
]

export const caaFaults: readonly DomainFault[] = [
  forbidden('caa-other-authority', "CAA at the domain's apex names another authority.", {
    zones: plus(caa('farm.test', 0, 'issue', otherAuthority)),
  }),
  forbidden('caa-nobody-at-top', 'CAA two levels above the domain lets nobody issue.', {
    zones: plus(caa('test', 0, 'issue', ';')),
  }),
  forbidden('caa-alias-target', 'CAA stands at the name that the CNAME leads to.', {
    zones: plus(caa(platformHost, 0, 'issue', otherAuthority)),
  }),
  forbidden('caa-critical-unknown', 'CAA has a critical property that no authority knows.', {
    zones: plus(caa('farm.test', 128, 'newtag', 'x'), caa('farm.test', 0, 'issue', authorityName)),
  }),
  forbidden(
    'caa-nearest-forbids',
    'CAA of the zone allows the authority, and that of the name itself does not.',
    {
      zones: plus(caa(apex, 0, 'issue', authorityName), caa(docs, 0, 'issue', otherAuthority)),
    },
  ),
]
