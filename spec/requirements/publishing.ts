// The dashboard workflow: it has no API endpoints and shows in DNS, TLS and HTTP alone.
import { must, open, should } from '../sentence.ts'

const at = (rule: number) => `Project publishing ${rule}`

/** It shows to whoever asks DNS, TLS and HTTP, at one moment. */
const outside = { shows: 'outside' } as const
/** It shows only over time, or around what a person does in the dashboard. */
const overTime = { shows: 'over time' } as const
/** It shows in the configuration alone. */
const configuration = { shows: 'configuration' } as const
const model = {
  shows: 'model',
  untestable: 'It happens in the dashboard, which has no API: only `petvet domains demo` shows it.',
} as const

export const publishing = {
  'publishing.subdomain': must(
    at(1),
    'A deployed project serves at a platform subdomain.',
    outside,
  ),
  'publishing.paid-plan': must(at(1), 'A custom domain needs Pro or above.', outside),
  'publishing.deployed': must(
    at(1),
    'The project has had a successful deploy, at any time.',
    model,
  ),
  'publishing.instead': open(at(1), 'What the subdomain does once a domain is active.', outside),
  'publishing.downgrade': open(at(1), 'What a downgrade to Free does to domains.', model),
  'publishing.add': must(at(2), 'Add domain exists, and then the record values are shown.', model),
  'publishing.shown-record': must(at(2), 'The values shown are those of the record to set.', model),
  'publishing.cname': must(at(3), 'A subdomain has a CNAME to the platform host.', outside),
  'publishing.cname-direct': should(
    at(3),
    'The CNAME names the platform host itself, and no name on the way to it.',
    outside,
  ),
  'publishing.ttl': open(at(3), 'The TTL of the record, of which 3600 is suggested.', outside),
  'publishing.apex': must(
    at(3),
    'An apex domain points at the platform host by ALIAS or ANAME: no CNAME, its addresses alone.',
    outside,
  ),
  'publishing.no-conflict': must(at(3), 'No conflicting record stands at the name.', outside),
  'publishing.conflict-blocks': must(at(3), 'A conflicting record blocks Verify.', model),
  'publishing.verify': must(at(4), 'Verify judges the DNS as it is at that moment.', model),
  'publishing.propagation': should(
    at(4),
    'A DNS change is seen everywhere within 48 hours, and an early failed Verify is not final.',
    overTime,
  ),
  'publishing.certificate': must(
    at(5),
    'A verified domain presents a trusted certificate that names it and is valid now.',
    outside,
  ),
  'publishing.certificate-soon': should(
    at(5),
    'The certificate is there within a couple of minutes of the verification.',
    overTime,
  ),
  'publishing.certificate-order': should(at(5), 'No certificate precedes the first Verify.', model),
  'publishing.renewal': should(
    at(5),
    'The certificate can be renewed: CAA allows it, and more than a tenth of its time is left.',
    outside,
  ),
  'publishing.caa': must(at(5), 'CAA records let the certificate authority issue.', outside),
  'publishing.re-verify': must(
    at(5),
    'Re-verify leads to a certificate once its cause is gone.',
    model,
  ),
  'publishing.re-verify-broken': open(at(5), 'What Re-verify does to a domain gone wrong.', model),
  'publishing.several': must(at(6), 'Several domains can be attached to one project.', outside),
  'publishing.shape': must(
    at(6),
    '`domains.primary` and `domains.redirects[]` have the shape of the document.',
    configuration,
  ),
  'publishing.primary': must(at(6), 'The primary domain serves the project.', outside),
  'publishing.redirect': must(
    at(6),
    'Each `from` answers its `status`, and a Location whose host is its `to`.',
    outside,
  ),
  'publishing.redirect-path': open(at(6), 'Whether Location keeps path and query.', outside),
  'publishing.plain-http': open(at(6), 'What plain HTTP and HEAD are answered.', outside),
  'publishing.redirect-reach': should(
    at(6),
    'Each `from` has the DNS record and the certificate without which its redirect is not reached.',
    outside,
  ),
  'publishing.redirect-graph': should(
    at(6),
    'Each `from` stands once, is not the primary domain, and no redirects loop.',
    configuration,
  ),
  'publishing.redirect-foreign': open(
    at(6),
    'Whether `to` may be a domain that is not attached.',
    configuration,
  ),
  'publishing.removed': must(
    at(7),
    'A removed domain stops serving at once, on connections that are held, too.',
    overTime,
  ),
  'publishing.removed-alone': must(
    at(7),
    'Removing one domain leaves the others as they were.',
    overTime,
  ),
  'publishing.removed-after': open(at(7), 'What a removed domain answers.', overTime),
  'publishing.added-again': open(at(7), 'Whether a removed domain can be added again.', model),
  'publishing.no-operation': must(at(8), 'No API operation manages domains or projects.'),
}
