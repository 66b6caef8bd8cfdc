// Seeded defects of the publishing model: one rule of it is wrong, as an implementer might get it
// wrong. The property runs have to find every one.
import {
  type DnsFacts,
  type Domain,
  type PlatformNow,
  type Project,
  type Rules,
  rules,
} from '../model/rules.ts'

const dayMs = 24 * 3600_000

const { record, dnsFault, removed } = rules

const withDns = (change: (facts: DnsFacts) => DnsFacts): Partial<Rules> => ({
  dnsFault: (domain, facts, platform) => dnsFault(domain, change(facts), platform),
})

const withRecord = (change: (host: string) => Partial<ReturnType<Rules['record']>>) => ({
  record: (host: string, value: string) => ({ ...record(host, value), ...change(host) }),
})

const anyTarget = (domain: Domain, facts: DnsFacts, platform: PlatformNow) =>
  dnsFault(domain, { ...facts, cnames: facts.cnames.map(() => platform.host) }, platform)

const cached = (domain: Domain, facts: DnsFacts, platform: PlatformNow) => {
  if (domain.dns === 'pending') return dnsFault(domain, facts, platform)
  return domain.reason
}

const everAfter = (domain: Domain, facts: DnsFacts, platform: PlatformNow) =>
  domain.dns === 'verified' ? null : dnsFault(domain, facts, platform)

const impatient = (domain: Domain, facts: DnsFacts, platform: PlatformNow) =>
  platform.nowMs - domain.addedMs > dayMs ? 'too late' : dnsFault(domain, facts, platform)

const without = (project: Project, host: string): Project => ({
  ...project,
  domains: project.domains.map((domain) =>
    domain.host === host ? { ...domain, dns: 'invalid', certificate: null } : domain,
  ),
})

/** By a name; a test holds that each is found. */
export const defects: Readonly<Record<string, Partial<Rules>>> = {
  'no plan is needed': { planAllows: () => true },
  'Enterprise is forgotten': { planAllows: (plan) => plan === 'pro' || plan === 'business' },
  'Pro does not count as paid': {
    planAllows: (plan) => plan === 'business' || plan === 'enterprise',
  },
  'no deploy is needed': { hasDeployed: () => true },
  'only the latest deploy counts': { hasDeployed: ({ deploys }) => deploys.at(-1) === 'ok' },
  'only the first deploy counts': { hasDeployed: ({ deploys }) => deploys[0] === 'ok' },
  'any deploy counts': { hasDeployed: ({ deploys }) => deploys.length > 0 },
  'a CNAME is shown for an apex': withRecord(() => ({ type: 'CNAME' })),
  'the name shown is the whole host': withRecord((host) => ({ name: host })),
  'the name shown is the first label': withRecord((host) => ({ name: host.split('.')[0] ?? '' })),
  'an apex is two labels': withRecord((host) => {
    const labels = host.split('.')
    return labels.length === 2 ? {} : { type: 'CNAME', name: labels.slice(0, -2).join('.') }
  }),
  'it is verified when added': {
    added: (domain) => ({ ...domain, dns: 'verified', requestedMs: domain.addedMs }),
  },
  'an A record next to the CNAME is ignored': {
    dnsFault: (domain, facts, platform) =>
      dnsFault(domain, facts.cnames.length > 0 ? { ...facts, addresses: [] } : facts, platform),
  },
  'a foreign address at an apex is ignored': withDns((facts) => ({
    ...facts,
    platformAddresses: [...facts.platformAddresses, ...facts.addresses],
  })),
  'the first of two CNAMEs counts': withDns((facts) => ({
    ...facts,
    cnames: facts.cnames.slice(0, 1),
  })),
  'any CNAME is accepted': { dnsFault: anyTarget },
  'no record at all is accepted': {
    dnsFault: (domain, facts, platform) =>
      facts.cnames.length + facts.addresses.length === 0 ? null : dnsFault(domain, facts, platform),
  },
  'the first result is cached': { dnsFault: cached },
  'a success is cached': { dnsFault: everAfter },
  'it gives up after a day': { dnsFault: impatient },
  'Re-verify does nothing': { reVerified: (before) => before },
  'Re-verify requests no certificate': {
    reVerified: (before, after) => ({
      ...after,
      requestedMs: before.requestedMs,
    }),
  },
  'a certificate needs no verification': {
    reVerified: (before, after) => ({ ...after, requestedMs: before.addedMs }),
    isRequesting: ({ certificate, requestedMs }) => certificate === null && requestedMs !== null,
  },
  'CAA is not checked': { mayIssue: () => true },
  'no certificate is issued': { mayIssue: () => false },
  'a certificate takes ten minutes': { issueAfterMs: 10 * 60_000 },
  'the certificate names the platform host': { certificateNames: (_host, platform) => [platform] },
  'Remove leaves the route': {
    removed: (project, host) => ({ ...project, primary: removed(project, host).primary }),
  },
  'Remove drops every domain': {
    removed: (project) => ({ ...project, domains: [], redirects: [], primary: null }),
  },
  'Remove keeps the owner': { removed: without },
  'Remove drops all redirects': {
    removed: (project, host) => ({ ...removed(project, host), redirects: [] }),
  },
  'every redirect is 302': {
    redirectResponse: ({ to }) => ({ kind: 'redirect', status: 302, to }),
  },
  'every redirect leads to the primary': {
    redirectResponse: ({ status, to }, { primary }) => ({
      kind: 'redirect',
      status,
      to: primary ?? to,
    }),
  },
  'a redirect is served': {
    redirectResponse: (_redirect, { slug }) => ({ kind: 'serve', slug }),
  },
}
