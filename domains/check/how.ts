// How the checks of a published project's domains are judged, each with its sentence. They are made
// for each domain, so that a report calls them `domain-cname@docs.example.com`.

import type { RequirementId } from '../../spec/requirements.ts'

interface DomainTelling {
  readonly requirement: RequirementId
  readonly asks: string
  readonly finds: string
  readonly open: string | null
}

type Row = readonly [requirement: RequirementId, asks: string, finds: string, open?: string]

const dnsMay =
  'DNS failed or said nothing (blocked), the change is younger than 48 hours (--since), ' +
  'resolvers ' +
  'differ, or a proxy may stand in front (ambiguous)'
const notThere = 'the DNS does not verify, or no good certificate is there (blocked)'
const gone = 'Anything that is still the project or its redirect.'
const notBefore = 'it did not work before it was removed (blocked)'

const rows: Readonly<Record<string, Row>> = {
  'domain-cname': [
    'publishing.cname',
    'The CNAME records of a subdomain, followed to where they lead.',
    'They do not lead to the platform host: none, another name, a loop, an address in their place.',
    dnsMay,
  ],
  'domain-cname-direct': [
    'publishing.cname-direct',
    'The CNAME of a subdomain that leads to the platform host.',
    'It does so by way of another name. It is a should.',
    'no CNAME leads there (blocked)',
  ],
  'domain-apex': [
    'publishing.apex',
    'CNAME, A and AAAA of an apex domain.',
    'A CNAME, no address, or none of the addresses of the platform host.',
    dnsMay,
  ],
  'domain-conflict': [
    'publishing.no-conflict',
    'All that DNS holds at the name.',
    'Something beside the record that the dashboard shows: a second CNAME, an address or a mail ' +
      "record beside it, or an address that is not the platform's.",
    dnsMay,
  ],
  'domain-ttl': [
    'publishing.ttl',
    'The record at the name.',
    'Its TTL; a resolver counts it down.',
    'there is no record (blocked)',
  ],
  'domain-propagation': [
    'publishing.propagation',
    'The same questions to every resolver that is given.',
    'Two of them still differ 48 hours after the change. It is a should.',
    'one resolver alone and no --since cannot tell (ambiguous)',
  ],
  'domain-certificate': [
    'publishing.certificate',
    'A TLS handshake for the domain at each address of the platform.',
    'No certificate, or one that does not name the domain, is not trusted, or is not valid now.',
    'no address is reached, DNS or CAA hinder it, or Verify said yes less than 30 minutes ago ' +
      '(--verified-at)',
  ],
  'domain-certificate-soon': [
    'publishing.certificate-soon',
    'When the certificate was first seen, beside --verified-at.',
    'More than two minutes after Verify. It is a should.',
    '--verified-at is not given, or nobody looked in time: petvet domains watch does (ambiguous)',
  ],
  'domain-renewal': [
    'publishing.renewal',
    'A good certificate, and the CAA records of now.',
    'CAA forbids to renew it, or less than a tenth of its time is left. It is a should.',
    'no certificate is good (blocked), or CAA cannot be told',
  ],
  'domain-caa': [
    'publishing.caa',
    'The nearest CAA records above the domain, and at the name its CNAME leads to.',
    'They let nobody, or only others, issue, or one is critical and unknown; and no good ' +
      'certificate is there.',
    'CAA cannot be told (blocked), or the authority is not named (--ca)',
  ],
  'domain-primary': [
    'publishing.primary',
    'The page of the primary domain at each address of the platform.',
    'Another status than 2xx, a redirect to another host, or a page without the --marker.',
    `no --marker tells the page (ambiguous), or ${notThere}`,
  ],
  'domain-redirect': [
    'publishing.redirect',
    'The front page and a longer address of each `from`, at each address of the platform.',
    'Another status than the file has, or a Location whose host is not `to`.',
    `it is answered 403 or 429, or ${notThere}`,
  ],
  'domain-redirect-reach': [
    'publishing.redirect-reach',
    'DNS and certificate of each `from`.',
    'Its DNS does not verify, or it has no good certificate. It is a should.',
    'not both are told (blocked)',
  ],
  'domain-redirect-path': [
    'publishing.redirect-path',
    'The Location of a longer address.',
    'Whether path and query are kept.',
    'it does not redirect (blocked)',
  ],
  'domain-plain-http': [
    'publishing.plain-http',
    'Plain HTTP, and HEAD, at the domain.',
    'What each is answered.',
    'no address of the platform is known (blocked)',
  ],
  'site-subdomain': [
    'publishing.subdomain',
    'The page of the subdomain of the platform (--site).',
    'It does not show the --marker, and no custom domain is active.',
    '--site or --marker is not given, or a custom domain is active instead (ambiguous)',
  ],
  'site-instead': [
    'publishing.instead',
    'The same page.',
    'Whether it serves the project, redirects, or is gone.',
    'the subdomain was not asked (blocked)',
  ],
  'project-plan': [
    'publishing.paid-plan',
    'Which domains work, beside --plan.',
    'One works, and the project was always on Free.',
    '--plan is not given (ambiguous), or none works yet (blocked)',
  ],
  'project-domains': [
    'publishing.several',
    'Which domains work.',
    'Nothing breaks it from outside: two that work keep it.',
    'fewer than two work (blocked)',
  ],
  'domains-shape': [
    'publishing.shape',
    'The file of the domains, against its schema; nothing is sent.',
    'A member that is missing, unknown, or of another form: the file is refused (exit 2).',
  ],
  'domains-graph': [
    'publishing.redirect-graph',
    'The redirects of the file; nothing is sent.',
    'A `from` that stands twice or is the primary, or redirects that loop: the file is refused ' +
      '(exit 2).',
  ],
  'domains-foreign-target': [
    'publishing.redirect-foreign',
    'The redirects of the file; nothing is sent.',
    'Which `to` is no domain of the project.',
  ],
  'removed-fresh': [
    'publishing.removed',
    'The page of the removed domain, on a new connection.',
    gone,
    notBefore,
  ],
  'removed-plain-http': ['publishing.removed', 'The same by plain HTTP.', gone, notBefore],
  'removed-held': [
    'publishing.removed',
    'The same on a connection that was opened before the removal.',
    gone,
    'the held connection was closed in the meantime (blocked)',
  ],
  'removed-resumed': [
    'publishing.removed',
    'The same in a TLS session from before the removal.',
    gone,
    'no session could be resumed (blocked)',
  ],
  'removed-other-sni': [
    'publishing.removed',
    'The same through a handshake that names another domain of the project.',
    gone,
    notBefore,
  ],
  'removed-alone': [
    'publishing.removed-alone',
    'The page of each other domain, before and after.',
    'Another status, or a redirect to another host.',
    'it did not answer both times (blocked)',
  ],
  'removed-after': [
    'publishing.removed-after',
    'The page of the removed domain, and its certificate.',
    'What is answered, and whether its DNS still points at the platform.',
    'it was not asked (blocked)',
  ],
}

/** By the id of a check, without its domain. */
export const domainHow: Readonly<Record<string, DomainTelling>> = Object.fromEntries(
  Object.entries(rows).map(([id, [requirement, asks, finds, open]]) => [
    id,
    { requirement, asks, finds, open: open ?? null },
  ]),
)
