// The publishing model: the dashboard of one project. DNS, CAA and time come from outside.
import type { Plan } from '../../spec/plans.ts'
import { recordToSet, registrableDomain } from '../rules/host-name.ts'
import type { RedirectConfig } from '../rules/lint.ts'

/** What DNS holds at the name of a host at one moment. */
export interface DnsFacts {
  readonly cnames: readonly string[]
  /** A and AAAA records; at an apex, the addresses that ALIAS or ANAME resolves to. */
  readonly addresses: readonly string[]
  readonly platformAddresses: readonly string[]
}

/** The platform, and the world around it, which is read anew each time. */
interface Platform {
  /** Where customers point their domains: `{platform_host}`. */
  readonly host: string
  /** The project's own subdomain. */
  readonly siteHost: string
  readonly plan: Plan
  readonly dns: (host: string) => DnsFacts
  /** Whether the CAA records let the platform's authority issue for a host. */
  readonly caaAllows: (host: string) => boolean
}

export type Button = 'add' | 'verify' | 're-verify' | 'remove'

export type Reply =
  | { readonly ok: true; readonly record?: ReturnType<typeof recordToSet> }
  | { readonly ok: false; readonly reason: string }

/** What a host responds over HTTPS. */
export type HostResponse =
  | { readonly kind: 'redirect'; readonly status: number; readonly to: string }
  | { readonly kind: 'serve' }
  | { readonly kind: 'nothing' }

interface Domain {
  /** Since when a certificate is being requested; null: it is not, or the platform gave up. */
  requestedMs: number | null
  hasCertificate: boolean
}

const done: Reply = { ok: true }
const refused = (reason: string): Reply => ({ ok: false, reason })

const issueAfterMs = 60_000
/** After this time without a certificate, only Re-verify requests one again. */
const giveUpAfterMs = 30 * 60_000

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

/** What is refused changes nothing. */
export class PublishingModel {
  readonly #platform: Platform
  readonly #domains = new Map<string, Domain>()
  #redirects: readonly RedirectConfig[] = []
  #isDeployed = false
  #nowMs = 0

  constructor(platform: Platform) {
    this.#platform = platform
  }

  /** One success is enough, whatever follows it. */
  deploy(ok: boolean): void {
    this.#isDeployed ||= ok
  }

  press(button: Button, host: string): Reply {
    const domain = this.#domains.get(host)
    if (button === 'add') return this.#add(host)
    if (!domain) return refused('it is not attached')
    if (button !== 'remove') return this.#verify(host, domain)
    this.#domains.delete(host)
    this.#redirects = this.#redirects.filter(({ from }) => from !== host)
    return done
  }

  configure(primary: string, redirects: readonly RedirectConfig[]): Reply {
    const sources = redirects.map(({ from }) => from)
    const isAttached = (host: string) => this.#domains.has(host)
    if (!isAttached(primary)) return refused('the primary domain is not attached')
    if (sources.includes(primary)) return refused('the primary domain cannot redirect')
    if (new Set(sources).size < sources.length) return refused('a domain redirects twice')
    if (!sources.every(isAttached)) return refused('a domain that redirects is not attached')
    const isOdd = redirects.some(({ status }) => status < 300 || status > 399)
    if (isOdd) return refused('no redirect status')
    this.#redirects = redirects
    return done
  }

  /** Lets time pass, in which certificates are issued. */
  pass(ms: number): void {
    this.#nowMs += ms
    for (const [host, domain] of this.#domains) {
      if (domain.hasCertificate || domain.requestedMs === null) continue
      const waitedMs = this.#nowMs - domain.requestedMs
      domain.hasCertificate = waitedMs >= issueAfterMs && this.#platform.caaAllows(host)
      if (waitedMs >= giveUpAfterMs) domain.requestedMs = null
    }
  }

  respond(host: string): HostResponse {
    if (host === this.#platform.siteHost)
      return this.#isDeployed ? { kind: 'serve' } : { kind: 'nothing' }
    if (!this.hasCertificate(host)) return { kind: 'nothing' }
    const redirect = this.#redirects.find(({ from }) => from === host)
    return redirect
      ? { kind: 'redirect', status: redirect.status, to: redirect.to }
      : { kind: 'serve' }
  }

  hasCertificate(host: string): boolean {
    return this.#domains.get(host)?.hasCertificate ?? false
  }

  #add(host: string): Reply {
    if (this.#platform.plan === 'free') return refused('a custom domain needs Pro or above')
    if (!this.#isDeployed) return refused('the project has had no successful deploy')
    if (this.#domains.has(host)) return refused('it is taken')
    this.#domains.set(host, { requestedMs: null, hasCertificate: false })
    return { ok: true, record: recordToSet(host, this.#platform.host) }
  }

  /** Re-verify does the same: it requests a certificate once more. */
  #verify(host: string, domain: Domain): Reply {
    const facts = this.#platform.dns(host)
    const isApex = registrableDomain(host) === host
    const fault = isApex ? apexFault(facts) : subdomainFault(facts, this.#platform.host)
    domain.requestedMs = fault === null ? this.#nowMs : null
    return fault === null ? done : refused(fault)
  }
}
