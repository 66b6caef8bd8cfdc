// The rules of the publishing section, one function each: the seams at which a defect is planted.
import type { Plan } from '../../spec/plans.ts'
import { type RecordToSet, recordToSet, registrableDomain } from '../rules/host-name.ts'
import type {
  DnsFacts,
  Domain,
  HostAnswer,
  Platform,
  Project,
  Redirect,
  Surroundings,
} from './state.ts'

export interface Rules {
  readonly hasDeployed: (project: Project) => boolean
  readonly planAllows: (plan: Plan) => boolean
  readonly record: (host: string, platformHost: string) => RecordToSet
  readonly added: (domain: Domain) => Domain
  /** Why the DNS does not verify; null where it does. */
  readonly dnsFault: (domain: Domain, facts: DnsFacts, platform: Platform) => string | null
  readonly reVerified: (domain: Domain, verified: Domain) => Domain
  /** Whether a certificate is being requested. */
  readonly isRequesting: (domain: Domain) => boolean
  readonly mayIssue: (host: string, surroundings: Surroundings) => boolean
  readonly issueAfterMs: number
  readonly certificateNames: (host: string, platformHost: string) => readonly string[]
  readonly removed: (project: Project, host: string) => Project
  readonly redirectAnswer: (redirect: Redirect, project: Project) => HostAnswer
}

const usualIssueMs = 60_000

const isApex = (host: string): boolean => registrableDomain(host) === host

const apexFault = ({ cnames, addresses, platformAddresses }: DnsFacts): string | null => {
  if (cnames.length > 0) return 'an apex cannot have a CNAME'
  if (addresses.length === 0) return 'no ALIAS or ANAME record'
  const foreign = addresses.find((address) => !platformAddresses.includes(address))
  return foreign === undefined ? null : `a conflicting record leads to ${foreign}`
}

const subdomainFault = (
  { cnames, addresses }: DnsFacts,
  { host: platformHost }: Platform,
): string | null => {
  const [conflict] = addresses
  if (conflict !== undefined) return `a conflicting record leads to ${conflict}`
  if (cnames.length > 1) return 'several CNAME records conflict'
  const [target] = cnames
  if (target === undefined) return 'no CNAME record'
  return target === platformHost ? null : `the CNAME leads to ${target}`
}

export const rules: Rules = {
  hasDeployed: ({ deploys }) => deploys.includes('ok'),
  planAllows: (plan) => plan !== 'free',
  record: recordToSet,
  added: (domain) => domain,
  dnsFault: ({ host }, facts, platform) =>
    isApex(host) ? apexFault(facts) : subdomainFault(facts, platform),
  reVerified: (_before, verified) => verified,
  isRequesting: ({ dns, certificate, requestedMs, stalled }) =>
    dns === 'verified' && certificate === null && requestedMs !== null && !stalled,
  mayIssue: (host, { caaAllows }) => caaAllows(host),
  issueAfterMs: usualIssueMs,
  certificateNames: (host) => [host],
  removed: (project, host) => ({
    ...project,
    domains: project.domains.filter((domain) => domain.host !== host),
    primary: project.primary === host ? null : project.primary,
    redirects: project.redirects.filter(({ from }) => from !== host),
  }),
  redirectAnswer: ({ status, to }) => ({ kind: 'redirect', status, to }),
}
