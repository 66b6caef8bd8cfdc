// Project publishing: it has no API endpoints, and is observed in DNS, TLS and HTTP.
import { must, open, should, under } from './requirement.ts'

/** It happens in the dashboard. */
const manual = {
  untestable: 'It happens in the dashboard, which has no API: petvet cannot test it.',
} as const

export const publishing = {
  ...under('Project publishing 1', {
    'publishing.subdomain': must(
      'A project is published at a subdomain of the platform by default.',
    ),
    'publishing.paid-plan': must('A custom domain needs the plan Pro or above.'),
    'publishing.deployed': must('The project must have had a successful deploy.', manual),
    'publishing.addresses': should('Every address of the platform host responds.'),
    'publishing.instead': open('What the subdomain does once a domain is active.'),
    'publishing.downgrade': open('What a downgrade to Free does to domains.', manual),
  }),
  ...under('Project publishing 2', {
    'publishing.add': must(
      'The action Add domain adds a domain, and then shows the DNS record values.',
      manual,
    ),
    'publishing.shown-record': must(
      'The record values shown are those that Verify expects.',
      manual,
    ),
  }),
  ...under('Project publishing 3', {
    'publishing.cname': must('A subdomain has a CNAME record whose value is the platform host.'),
    'publishing.cname-direct': should(
      'The CNAME points directly at the platform host, not through other names.',
    ),
    'publishing.ttl': open('The TTL of the record; 3600 is suggested.'),
    'publishing.apex': must(
      'An apex domain has the addresses of the platform host, by ALIAS or ANAME, and no CNAME.',
    ),
    'publishing.no-conflict': must('The name has no conflicting record.'),
    'publishing.conflict-blocks': must('A conflicting record blocks Verify.', manual),
  }),
  ...under('Project publishing 4', {
    'publishing.verify': must('Verify checks the DNS records as they are at that moment.', manual),
    'publishing.propagation': should(
      'A DNS change propagates within 48 hours, and Verify can be repeated after it failed.',
    ),
  }),
  ...under('Project publishing 5', {
    'publishing.certificate': must(
      'A verified domain has a trusted and valid certificate for its name.',
    ),
    'publishing.certificate-soon': should(
      'The certificate is issued within a couple of minutes of the verification.',
    ),
    'publishing.certificate-order': should(
      'No certificate is issued before the first successful Verify.',
      manual,
    ),
    'publishing.renewal': should(
      'The certificate is renewed in time: CAA allows it, and a tenth of its lifetime is left.',
    ),
    'publishing.caa': must('CAA records allow the certificate authority to issue.'),
    'publishing.re-verify': must(
      'Re-verify leads to a certificate once the cause of its absence is fixed.',
      manual,
    ),
    'publishing.re-verify-broken': open(
      'What Re-verify does to a domain that no longer verifies.',
      manual,
    ),
  }),
  ...under('Project publishing 6', {
    'publishing.several': must('Several domains can be attached to one project.'),
    'publishing.shape': must(
      '`domains.primary` and `domains.redirects[]` have the documented shape.',
    ),
    'publishing.primary': must('The primary domain serves the project.'),
    'publishing.redirect': must(
      'Each `from` responds with its `status`, and a Location whose host is its `to`.',
    ),
    'publishing.redirect-secure': should('A redirect does not lead from HTTPS to plain HTTP.'),
    'publishing.redirect-path': open('Whether Location keeps path and query.'),
    'publishing.plain-http': open('The response to plain HTTP, and to HEAD.'),
    'publishing.redirect-reach': should(
      'Each `from` has the DNS record and the certificate that its redirect needs.',
    ),
    'publishing.redirect-graph': should(
      'Each `from` occurs once, is not the primary domain, and redirects do not loop.',
    ),
    'publishing.redirect-foreign': open(
      'Whether `to` may be a domain that is not attached to the project.',
    ),
  }),
  ...under('Project publishing 7', {
    'publishing.removed': must(
      'A removed domain stops serving traffic immediately, on open connections too.',
    ),
    'publishing.removed-alone': must('Removing one domain leaves the others as they were.'),
    'publishing.removed-dns': should(
      'The DNS of a removed domain does not point to the platform, where others may claim it.',
    ),
    'publishing.removed-after': open('The response of a removed domain.'),
    'publishing.added-again': open('Whether a removed domain can be added again.', manual),
  }),
  ...under('Project publishing 8', {
    'publishing.no-operation': must('No API operation manages domains or projects.'),
  }),
}
