// The publishing model: a state machine of the dashboard. DNS, CAA and time come from outside.
import type { Plan } from '../../spec/plans.ts'
import type { RecordToSet } from '../rules/host-name.ts'
import type { DnsFacts, Domain, HostResponse, Project, Redirect, Rules } from './rules.ts'

/** The platform, and the world around it, which is read anew each time. */
export interface Platform {
  /** Where customers point their domains: `{platform_host}`. */
  readonly host: string
  /** The zone of the projects' own subdomains. */
  readonly zone: string
  readonly plans: Readonly<Record<string, Plan>>
  readonly dns: (host: string) => DnsFacts
  /** Whether the CAA records let the platform's authority issue for a host. */
  readonly caaAllows: (host: string) => boolean
}

export type Button = 'add' | 'verify' | 're-verify' | 'remove'

export type PublishingEvent =
  | { readonly kind: 'deploy'; readonly slug: string; readonly ok: boolean }
  | { readonly kind: 'plan'; readonly slug: string; readonly plan: Plan }
  | { readonly kind: Button; readonly slug: string; readonly host: string }
  | {
      readonly kind: 'configure'
      readonly slug: string
      readonly primary: string
      readonly redirects: readonly Redirect[]
    }
  | { readonly kind: 'pass'; readonly ms: number }

export type Reply =
  | { readonly ok: true; readonly record?: RecordToSet }
  | { readonly ok: false; readonly reason: string }

const done: Reply = { ok: true }
const refused = (reason: string): Reply => ({ ok: false, reason })

/** After this time without a certificate, only Re-verify requests one again. */
const giveUpAfterMs = 30 * 60_000

const domainOf = ({ domains }: Project, host: string) => domains.find((each) => each.host === host)

export class PublishingModel {
  readonly #rules: Rules
  readonly #platform: Platform
  readonly #projects: Map<string, Project>
  #nowMs = 0

  constructor(rules: Rules, platform: Platform) {
    const empty = { deploys: [], domains: [], primary: null, redirects: [] }
    this.#rules = rules
    this.#platform = platform
    this.#projects = new Map(
      Object.entries(platform.plans).map(([slug, plan]) => [slug, { slug, plan, ...empty }]),
    )
  }

  get nowMs(): number {
    return this.#nowMs
  }

  /** An event that is refused changes nothing. */
  act(event: PublishingEvent): Reply {
    if (event.kind === 'pass') return this.#pass(event.ms)
    const project = this.#projects.get(event.slug)
    if (!project) return refused('there is no such project')
    switch (event.kind) {
      case 'deploy':
        return this.#set({ ...project, deploys: [...project.deploys, event.ok ? 'ok' : 'failed'] })
      case 'plan':
        return this.#set({ ...project, plan: event.plan })
      case 'add':
        return this.#add(project, event.host)
      case 'remove':
        return domainOf(project, event.host)
          ? this.#set(this.#rules.removed(project, event.host))
          : refused('it is not attached')
      case 'configure': {
        const { primary, redirects } = event
        const fault = redirectFault(project, primary, redirects)
        return fault ? refused(fault) : this.#set({ ...project, primary, redirects })
      }
      default:
        return this.#verify(project, event.host, event.kind)
    }
  }

  /** What a host responds over HTTPS. */
  respond(host: string): HostResponse {
    const projects = [...this.#projects.values()]
    const own = projects.find(({ slug }) => host === `${slug}.${this.#platform.zone}`)
    if (own) {
      return this.#rules.hasDeployed(own) ? { kind: 'serve', slug: own.slug } : { kind: 'nothing' }
    }
    const project = projects.find((each) => domainOf(each, host))
    if (!project || this.certificate(host) === null) return { kind: 'nothing' }
    const redirect = project.redirects.find(({ from }) => from === host)
    if (redirect) return this.#rules.redirectResponse(redirect, project)
    return { kind: 'serve', slug: project.slug }
  }

  /** The names in the certificate that a host presents; null: it has none of its own. */
  certificate(host: string): readonly string[] | null {
    const [domain] = [...this.#projects.values()].flatMap((each) => domainOf(each, host) ?? [])
    return domain?.certificate ?? null
  }

  #set(project: Project): Reply {
    this.#projects.set(project.slug, project)
    return done
  }

  #add(project: Project, host: string): Reply {
    if (!this.#rules.planAllows(project.plan)) return refused('a custom domain needs Pro or above')
    if (!this.#rules.hasDeployed(project)) {
      return refused('the project has had no successful deploy')
    }
    if ([...this.#projects.values()].some((each) => domainOf(each, host))) {
      return refused('it is taken')
    }
    const domain = this.#rules.added({
      host,
      addedMs: this.#nowMs,
      dns: 'pending',
      reason: null,
      requestedMs: null,
      certificate: null,
    })
    this.#set({ ...project, domains: [...project.domains, domain] })
    return { ok: true, record: this.#rules.record(host, this.#platform.host) }
  }

  /** Re-verify requests a certificate once more. */
  #verify(project: Project, host: string, button: 'verify' | 're-verify'): Reply {
    const domain = domainOf(project, host)
    if (!domain) return refused('it is not attached')
    const platform = { host: this.#platform.host, nowMs: this.#nowMs }
    const reason = this.#rules.dnsFault(domain, this.#platform.dns(host), platform)
    const after: Domain = reason
      ? { ...domain, dns: 'invalid', reason }
      : { ...domain, dns: 'verified', reason: null, requestedMs: this.#nowMs }
    const changed = button === 're-verify' ? this.#rules.reVerified(domain, after) : after
    const domains = project.domains.map((each) => (each === domain ? changed : each))
    this.#set({ ...project, domains })
    return changed.dns === 'verified' ? done : refused(changed.reason ?? 'it is not verified')
  }

  #pass(ms: number): Reply {
    this.#nowMs += ms
    for (const project of this.#projects.values()) {
      this.#set({ ...project, domains: project.domains.map((domain) => this.#issued(domain)) })
    }
    return done
  }

  #issued(domain: Domain): Domain {
    if (!this.#rules.isRequesting(domain)) return domain
    const waitedMs = this.#nowMs - (domain.requestedMs ?? this.#nowMs)
    const allows = this.#rules.mayIssue(this.#platform.caaAllows(domain.host))
    if (waitedMs >= this.#rules.issueAfterMs && allows) {
      const certificate = this.#rules.certificateNames(domain.host, this.#platform.host)
      return { ...domain, certificate }
    }
    return waitedMs >= giveUpAfterMs ? { ...domain, requestedMs: null } : domain
  }
}

const redirectFault = (project: Project, primary: string, redirects: readonly Redirect[]) => {
  const sources = redirects.map(({ from }) => from)
  if (!domainOf(project, primary)) return 'the primary domain is not attached'
  if (sources.includes(primary)) return 'the primary domain cannot redirect'
  if (new Set(sources).size < sources.length) return 'a domain redirects twice'
  if (!sources.every((from) => domainOf(project, from))) {
    return 'a domain that redirects is not attached'
  }
  const isOdd = redirects.some(({ status }) => status < 300 || status > 399)
  return isOdd ? 'no redirect status' : null
}
