// The publishing model: the dashboard of one project. DNS and time come from outside.
import type { Plan } from '../../spec/plans.ts'
import { recordToSet, registrableDomain } from '../rules/host-name.ts'
import type { RedirectConfig } from '../rules/lint.ts'
import { caaAllows, dataAt, resolveAddresses, type Zones } from './zones.ts'

/** The platform, and the world around it, which is read anew each time. */
interface Platform {
  /** Where customers point their domains: `{platform_host}`. */
  readonly host: string
  /** The project's own subdomain. */
  readonly siteHost: string
  readonly plan: Plan
  /** How CAA records name the authority that issues its certificates. */
  readonly authority: string
  readonly zones: Zones
}

export type Button = 'add' | 'verify' | 're-verify' | 'remove'

export type Reply =
  | { readonly ok: true; readonly record?: ReturnType<typeof recordToSet> }
  | { readonly ok: false; readonly reason: string }

/** What a host responds over HTTPS: a redirect, the project, or nothing of it. */
export type HostResponse = RedirectConfig | 'project' | null

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

/** ALIAS and ANAME of an apex count as the addresses that they resolve to. */
const dnsFault = (zones: Zones, host: string, platformHost: string): string | null => {
  const cnames = dataAt(zones, host, 'CNAME')
  const addresses = dataAt(zones, host, 'A', 'AAAA')
  const isApex = registrableDomain(host) === host
  if (isApex && cnames.length > 0) return 'an apex cannot have a CNAME'
  if (isApex && addresses.length === 0) return 'no ALIAS or ANAME record'
  const own = isApex ? resolveAddresses(zones, platformHost) : []
  const foreign = addresses.find((address) => !own.includes(address))
  if (foreign !== undefined) return `a conflicting record points to ${foreign}`
  if (cnames.length > 1) return 'several CNAME records conflict'
  const [target] = cnames
  if (!isApex && target === undefined) return 'no CNAME record'
  return isApex || target === platformHost ? null : `the CNAME points to ${target}`
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

  /** @returns false if it is refused */
  configure(primary: string, redirects: readonly RedirectConfig[]): boolean {
    const hosts = [primary, ...redirects.map(({ from }) => from)]
    const areAttached = hosts.every((host) => this.#domains.has(host))
    const areRedirects = redirects.every(({ status }) => status >= 300 && status <= 399)
    const isAccepted = areAttached && areRedirects && new Set(hosts).size === hosts.length
    if (isAccepted) this.#redirects = redirects
    return isAccepted
  }

  /** Lets time pass, in which certificates are issued. */
  pass(ms: number): void {
    const { zones, authority } = this.#platform
    this.#nowMs += ms
    for (const [host, domain] of this.#domains) {
      if (domain.hasCertificate || domain.requestedMs === null) continue
      const waitedMs = this.#nowMs - domain.requestedMs
      domain.hasCertificate = waitedMs >= issueAfterMs && caaAllows(zones, host, authority)
      if (waitedMs >= giveUpAfterMs) domain.requestedMs = null
    }
  }

  respond(host: string): HostResponse {
    const isSite = host === this.#platform.siteHost
    if (isSite ? !this.#isDeployed : !this.hasCertificate(host)) return null
    return this.#redirects.find(({ from }) => from === host) ?? 'project'
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
    const { zones, host: platformHost } = this.#platform
    const fault = dnsFault(zones, host, platformHost)
    domain.requestedMs = fault === null ? this.#nowMs : null
    return fault === null ? done : refused(fault)
  }
}
