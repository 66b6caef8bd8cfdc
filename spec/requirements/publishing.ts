// The dashboard workflow: it has no API endpoints and shows in DNS, TLS and HTTP alone.
import { must, open, should } from '../sentence.ts'

const at = (rule: number) => `Project publishing ${rule}`
const later = { planned: 'the publishing suites' }
const dashboard = { untestable: 'It happens in the dashboard; the reference model shows it.' }

export const publishing = {
  'publishing.subdomain': must(at(1), 'A deployed project serves at a platform subdomain.', later),
  'publishing.paid-plan': must(at(1), 'A custom domain needs Pro or above.', later),
  'publishing.deployed': must(at(1), 'The project must have had a successful deploy.', dashboard),
  'publishing.instead': open(at(1), 'What the subdomain does once a domain is active.', later),
  'publishing.downgrade': open(at(1), 'What a downgrade to Free does to domains.', dashboard),
  'publishing.add': must(at(2), 'Add domain exists and shows the record values.', dashboard),
  'publishing.shown-record': must(at(2), 'The values shown are those to set.', dashboard),
  'publishing.cname': must(at(3), 'A subdomain has a CNAME to the platform host.', later),
  'publishing.ttl': should(at(3), 'The TTL is 3600.', later),
  'publishing.apex': must(at(3), 'An apex points there by ALIAS or ANAME.', later),
  'publishing.no-conflict': must(at(3), 'No conflicting record stands at the name.', later),
  'publishing.conflict-blocks': must(at(3), 'A conflicting record blocks Verify.', dashboard),
  'publishing.verify': must(at(4), 'Verify judges the DNS as it is.', dashboard),
  'publishing.propagation': should(at(4), 'DNS changes take up to 48 hours.', later),
  'publishing.certificate': must(at(5), 'A verified domain has a certificate.', later),
  'publishing.certificate-soon': should(at(5), 'It is there within minutes.', later),
  'publishing.certificate-order': should(at(5), 'None is issued before Verify.', dashboard),
  'publishing.caa': must(at(5), 'CAA records let the authority issue.', later),
  'publishing.re-verify': must(at(5), 'Re-verify leads to a certificate.', dashboard),
  'publishing.re-verify-broken': open(at(5), 'Re-verify while the DNS is wrong.', dashboard),
  'publishing.several': must(at(6), 'Several domains can be attached.', later),
  'publishing.shape': must(at(6), '`domains` has the shape of the document.', later),
  'publishing.primary': must(at(6), 'The primary domain serves the project.', later),
  'publishing.redirect': must(at(6), 'Each redirect answers its status and target.', later),
  'publishing.redirect-path': open(at(6), 'Whether path and query are kept.', later),
  'publishing.plain-http': open(at(6), 'What plain HTTP and HEAD answer.', later),
  'publishing.redirect-reach': should(at(6), 'Each `from` has DNS and certificate.', later),
  'publishing.redirect-graph': should(at(6), 'Redirects are unique and do not loop.', later),
  'publishing.redirect-foreign': open(at(6), 'Whether `to` may be a foreign domain.', later),
  'publishing.removed': must(at(7), 'A removed domain stops serving at once.', later),
  'publishing.removed-alone': must(at(7), 'Removing one leaves the others as they were.', later),
  'publishing.removed-after': open(at(7), 'What a removed domain answers.', later),
  'publishing.added-again': open(at(7), 'Whether it can be added again.', dashboard),
  'publishing.no-operation': must(at(8), 'No API operation manages domains or projects.'),
}
