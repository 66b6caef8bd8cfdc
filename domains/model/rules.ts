// The rules of the publishing section, one function each, over the state of projects and their
// domains. A test replaces one of them to plant a defect.
import type { Plan } from '../../spec/plans.ts'
import { recordToSet, registrableDomain } from '../rules/host-name.ts'

export interface Redirect {
  readonly from: string
  readonly to: string
  readonly status: number
}

/** A name is verified first; its certificate comes later. */
export interface Domain {
  readonly host: string
  readonly addedMs: number
  readonly dns: 'pending' | 'verified' | 'invalid'
  /** Why the last Verify refused it. */
  readonly reason: string | null
  /** Since when a certificate is being requested; null: it is not, or the platform gave up. */
  readonly requestedMs: number | null
  /** The names in the certificate; null: there is none. */
  readonly certificate: readonly string[] | null
}

export interface Project {
  readonly slug: string
  readonly plan: Plan
  /** How each deploy ended, in order. */
  readonly deploys: readonly ('ok' | 'failed')[]
  readonly domains: readonly Domain[]
  readonly primary: string | null
  readonly redirects: readonly Redirect[]
}

/** What DNS holds at the name of a host at one moment. */
export interface DnsFacts {
  readonly cnames: readonly string[]
  /** A and AAAA records; at an apex, the addresses that ALIAS or ANAME resolves to. */
  readonly addresses: readonly string[]
  readonly platformAddresses: readonly string[]
}

/** The platform as a rule sees it. */
export interface PlatformNow {
  /** Where customers point their domains: `{platform_host}`. */
  readonly host: string
  readonly nowMs: number
}

/** What a host responds over HTTPS. */
export type HostResponse =
  | { readonly kind: 'serve'; readonly slug: string }
  | { readonly kind: 'redirect'; readonly status: number; readonly to: string }
  | { readonly kind: 'nothing' }

const apexFault = ({ cnames, addresses, platformAddresses }: DnsFacts): string | null => {
  if (cnames.length > 0) return 'an apex cannot have a CNAME'
  if (addresses.length === 0) return 'no ALIAS or ANAME record'
  const foreign = addresses.find((address) => !platformAddresses.includes(address))
  return foreign === undefined ? null : `a conflicting record points to ${foreign}`
}

const subdomainFault = ({ cnames, addresses }: DnsFacts, platformHost: string): string | null => {
  const [conflict] = addresses
  if (conflict !== undefined) return `a conflicting record points to ${conflict}`
  if (cnames.length > 1) return 'several CNAME records conflict'
  const [target] = cnames
  if (target === undefined) return 'no CNAME record'
  return target === platformHost ? null : `the CNAME points to ${target}`
}

export const rules = {
  hasDeployed: ({ deploys }: Project): boolean => deploys.includes('ok'),
  planAllows: (plan: Plan): boolean => plan !== 'free',
  record: recordToSet,
  added: (domain: Domain): Domain => domain,
  /** Why the DNS does not verify; null if it does. */
  dnsFault: ({ host }: Domain, facts: DnsFacts, platform: PlatformNow): string | null =>
    registrableDomain(host) === host ? apexFault(facts) : subdomainFault(facts, platform.host),
  reVerified: (_before: Domain, verified: Domain): Domain => verified,
  /** Whether a certificate is being requested. */
  isRequesting: ({ dns, certificate, requestedMs }: Domain): boolean =>
    dns === 'verified' && certificate === null && requestedMs !== null,
  mayIssue: (caaAllows: boolean): boolean => caaAllows,
  issueAfterMs: 60_000,
  certificateNames: (host: string, _platformHost: string): readonly string[] => [host],
  removed: (project: Project, host: string): Project => ({
    ...project,
    domains: project.domains.filter((domain) => domain.host !== host),
    primary: project.primary === host ? null : project.primary,
    redirects: project.redirects.filter(({ from }) => from !== host),
  }),
  redirectResponse: ({ status, to }: Redirect, _project: Project): HostResponse => ({
    kind: 'redirect',
    status,
    to,
  }),
}

export type Rules = Readonly<typeof rules>
