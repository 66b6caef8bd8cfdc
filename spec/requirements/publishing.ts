// Project publishing: it has no API endpoints, and is observed in DNS, TLS and HTTP.
import { must, open, should, under } from './requirement.ts'

/** A single look at DNS, TLS and HTTP can test it. */
const outside = { shows: 'outside' } as const
/** It can be tested only over time, or before and after an action in the dashboard. */
const overTime = { shows: 'over time' } as const
/** The configuration alone can test it. */
const configuration = { shows: 'configuration' } as const
const model = {
  shows: 'model',
  untestable: 'It happens in the dashboard, which has no API: petvet cannot test it.',
} as const

export const publishing = {
  ...under('Project publishing 1', {
    'publishing.subdomain': must(
      'A project is published at a subdomain of the platform by default.',
      outside,
    ),
    'publishing.paid-plan': must('A custom domain needs the plan Pro or above.', outside),
    'publishing.deployed': must('The project must have had a successful deploy.', model),
    'publishing.instead': open('What the subdomain does once a domain is active.', outside),
    'publishing.downgrade': open('What a downgrade to Free does to domains.', model),
  }),
  ...under('Project publishing 2', {
    'publishing.add': must(
      'The action Add domain adds a domain, and then shows the DNS record values.',
      model,
    ),
    'publishing.shown-record': must(
      'The record values shown are those that Verify expects.',
      model,
    ),
  }),
  ...under('Project publishing 3', {
    'publishing.cname': must(
      'A subdomain has a CNAME record whose value is the platform host.',
      outside,
    ),
    'publishing.cname-direct': should(
      'The CNAME points directly at the platform host, not through other names.',
      outside,
    ),
    'publishing.ttl': open('The TTL of the record; 3600 is suggested.', outside),
    'publishing.apex': must(
      'An apex domain has the addresses of the platform host, by ALIAS or ANAME, and no CNAME.',
      outside,
    ),
    'publishing.no-conflict': must('The name has no conflicting record.', outside),
    'publishing.conflict-blocks': must('A conflicting record blocks Verify.', model),
  }),
  ...under('Project publishing 4', {
    'publishing.verify': must('Verify checks the DNS records as they are at that moment.', model),
    'publishing.propagation': should(
      'A DNS change propagates within 48 hours, and Verify can be repeated after it failed.',
      overTime,
    ),
  }),
  ...under('Project publishing 5', {
    'publishing.certificate': must(
      'A verified domain has a trusted and valid certificate for its name.',
      outside,
    ),
    'publishing.certificate-soon': should(
      'The certificate is issued within a couple of minutes of the verification.',
      overTime,
    ),
    'publishing.certificate-order': should(
      'No certificate is issued before the first successful Verify.',
      model,
    ),
    'publishing.renewal': should(
      'The certificate is renewed in time: CAA allows it, and a tenth of its lifetime is left.',
      outside,
    ),
    'publishing.caa': must('CAA records allow the certificate authority to issue.', outside),
    'publishing.re-verify': must(
      'Re-verify leads to a certificate once the cause of its absence is fixed.',
      model,
    ),
    'publishing.re-verify-broken': open(
      'What Re-verify does to a domain that no longer verifies.',
      model,
    ),
  }),
  ...under('Project publishing 6', {
    'publishing.several': must('Several domains can be attached to one project.', outside),
    'publishing.shape': must(
      '`domains.primary` and `domains.redirects[]` have the documented shape.',
      configuration,
    ),
    'publishing.primary': must('The primary domain serves the project.', outside),
    'publishing.redirect': must(
      'Each `from` responds with its `status`, and a Location whose host is its `to`.',
      outside,
    ),
    'publishing.redirect-path': open('Whether Location keeps path and query.', outside),
    'publishing.plain-http': open('The response to plain HTTP, and to HEAD.', outside),
    'publishing.redirect-reach': should(
      'Each `from` has the DNS record and the certificate that its redirect needs.',
      outside,
    ),
    'publishing.redirect-graph': should(
      'Each `from` occurs once, is not the primary domain, and redirects do not loop.',
      configuration,
    ),
    'publishing.redirect-foreign': open(
      'Whether `to` may be a domain that is not attached to the project.',
      configuration,
    ),
  }),
  ...under('Project publishing 7', {
    'publishing.removed': must(
      'A removed domain stops serving traffic immediately, on open connections too.',
      overTime,
    ),
    'publishing.removed-alone': must(
      'Removing one domain leaves the others as they were.',
      overTime,
    ),
    'publishing.removed-after': open('The response of a removed domain.', overTime),
    'publishing.added-again': open('Whether a removed domain can be added again.', model),
  }),
  ...under('Project publishing 8', {
    'publishing.no-operation': must('No API operation manages domains or projects.'),
  }),
}
