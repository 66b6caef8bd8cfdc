// Project publishing: it has no API endpoints, and is observed in DNS, TLS and HTTP.
import { must, open, should } from '../requirement.ts'

const at = (rule: number) => `Project publishing ${rule}`

/** A single look at DNS, TLS and HTTP can test it. */
const outside = { shows: 'outside' } as const
/** It can be tested only over time, or before and after an action in the dashboard. */
const overTime = { shows: 'over time' } as const
/** The configuration alone can test it. */
const configuration = { shows: 'configuration' } as const
const model = {
  shows: 'model',
  untestable:
    'It happens in the dashboard, which has no API: petvet cannot test it; `petvet domains demo` ' +
    'simulates it with a dashboard of its own.',
} as const

export const publishing = {
  'publishing.subdomain': must(
    at(1),
    'A project is published at a subdomain of the platform by default.',
    outside,
  ),
  'publishing.paid-plan': must(at(1), 'A custom domain needs the plan Pro or above.', outside),
  'publishing.deployed': must(at(1), 'The project must have had a successful deploy.', model),
  'publishing.instead': open(at(1), 'What the subdomain does once a domain is active.', outside),
  'publishing.downgrade': open(at(1), 'What a downgrade to Free does to domains.', model),
  'publishing.add': must(
    at(2),
    'The action Add domain adds a domain, and then shows the DNS record values.',
    model,
  ),
  'publishing.shown-record': must(
    at(2),
    'The record values shown are those that Verify expects.',
    model,
  ),
  'publishing.cname': must(
    at(3),
    'A subdomain has a CNAME record whose value is the platform host.',
    outside,
  ),
  'publishing.cname-direct': should(
    at(3),
    'The CNAME points directly at the platform host, not through other names.',
    outside,
  ),
  'publishing.ttl': open(at(3), 'The TTL of the record; 3600 is suggested.', outside),
  'publishing.apex': must(
    at(3),
    'An apex domain has the addresses of the platform host, by ALIAS or ANAME, and no CNAME.',
    outside,
  ),
  'publishing.no-conflict': must(at(3), 'The name has no conflicting record.', outside),
  'publishing.conflict-blocks': must(at(3), 'A conflicting record blocks Verify.', model),
  'publishing.verify': must(
    at(4),
    'Verify checks the DNS records as they are at that moment.',
    model,
  ),
  'publishing.propagation': should(
    at(4),
    'A DNS change propagates within 48 hours, and Verify can be repeated after it failed.',
    overTime,
  ),
  'publishing.certificate': must(
    at(5),
    'A verified domain has a trusted and valid certificate for its name.',
    outside,
  ),
  'publishing.certificate-soon': should(
    at(5),
    'The certificate is issued within a couple of minutes of the verification.',
    overTime,
  ),
  'publishing.certificate-order': should(
    at(5),
    'No certificate is issued before the first successful Verify.',
    model,
  ),
  'publishing.renewal': should(
    at(5),
    'The certificate is renewed in time: CAA allows it, and a tenth of its lifetime is left.',
    outside,
  ),
  'publishing.caa': must(at(5), 'CAA records allow the certificate authority to issue.', outside),
  'publishing.re-verify': must(
    at(5),
    'Re-verify leads to a certificate once the cause of its absence is fixed.',
    model,
  ),
  'publishing.re-verify-broken': open(
    at(5),
    'What Re-verify does to a domain that no longer verifies.',
    model,
  ),
  'publishing.several': must(at(6), 'Several domains can be attached to one project.', outside),
  'publishing.shape': must(
    at(6),
    '`domains.primary` and `domains.redirects[]` have the documented shape.',
    configuration,
  ),
  'publishing.primary': must(at(6), 'The primary domain serves the project.', outside),
  'publishing.redirect': must(
    at(6),
    'Each `from` responds with its `status`, and a Location whose host is its `to`.',
    outside,
  ),
  'publishing.redirect-path': open(at(6), 'Whether Location keeps path and query.', outside),
  'publishing.plain-http': open(at(6), 'The response to plain HTTP, and to HEAD.', outside),
  'publishing.redirect-reach': should(
    at(6),
    'Each `from` has the DNS record and the certificate that its redirect needs.',
    outside,
  ),
  'publishing.redirect-graph': should(
    at(6),
    'Each `from` occurs once, is not the primary domain, and redirects do not loop.',
    configuration,
  ),
  'publishing.redirect-foreign': open(
    at(6),
    'Whether `to` may be a domain that is not attached to the project.',
    configuration,
  ),
  'publishing.removed': must(
    at(7),
    'A removed domain stops serving traffic immediately, on open connections too.',
    overTime,
  ),
  'publishing.removed-alone': must(
    at(7),
    'Removing one domain leaves the others as they were.',
    overTime,
  ),
  'publishing.removed-after': open(at(7), 'The response of a removed domain.', overTime),
  'publishing.added-again': open(at(7), 'Whether a removed domain can be added again.', model),
  'publishing.no-operation': must(at(8), 'No API operation manages domains or projects.'),
}
