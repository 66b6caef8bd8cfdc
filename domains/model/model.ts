// The publishing model: a pure state machine of the dashboard, with DNS and time from outside, and
// what hosts respond.
import type { Rules } from './rules.ts'
import type {
  Domain,
  HostAnswer,
  Platform,
  Project,
  PublishingEvent,
  Redirect,
  Step,
  Surroundings,
} from './state.ts'

/** After this time without a certificate, only Re-verify requests one again. */
const stalledAfterMs = 30 * 60_000

export interface Model {
  /** What an event does; an event that is refused changes nothing. */
  readonly step: (platform: Platform, event: PublishingEvent, surroundings: Surroundings) => Step
  /** What a host responds over HTTPS. */
  readonly answer: (platform: Platform, host: string) => HostAnswer
  /** The names in the certificate that a host presents; null: it has none of its own. */
  readonly certificate: (platform: Platform, host: string) => readonly string[] | null
}

const refuse = (platform: Platform, reason: string): Step => ({
  platform,
  reply: { ok: false, reason },
})

const accept = (platform: Platform, changed: Project): Step => ({
  platform: {
    ...platform,
    projects: platform.projects.map((each) => (each.slug === changed.slug ? changed : each)),
  },
  reply: { ok: true },
})

const domainOf = ({ domains }: Project, host: string) => domains.find((each) => each.host === host)

export const createModel = (rules: Rules): Model => ({
  answer: (platform, host) => answer(rules, platform, host),
  certificate: ({ projects }, host) =>
    projects.flatMap((project) => domainOf(project, host) ?? [])[0]?.certificate ?? null,
  step: (platform, event, surroundings) => {
    if (event.kind === 'pass') return pass(rules, platform, event.ms, surroundings)
    const project = platform.projects.find(({ slug }) => slug === event.slug)
    if (!project) return refuse(platform, 'there is no such project')
    switch (event.kind) {
      case 'deploy':
        return accept(platform, {
          ...project,
          deploys: [...project.deploys, event.ok ? 'ok' : 'failed'],
        })
      case 'plan':
        return accept(platform, { ...project, plan: event.plan })
      case 'add':
        return add(rules, platform, project, event.host)
      case 'verify':
      case 're-verify':
        return verify(rules, platform, project, event, surroundings)
      case 'remove':
        if (!domainOf(project, event.host)) return refuse(platform, 'it is not attached')
        return accept(platform, rules.removed(project, event.host))
      case 'configure': {
        const { primary, redirects } = event
        const fault = redirectFault(project, primary, redirects)
        return fault
          ? refuse(platform, fault)
          : accept(platform, { ...project, primary, redirects })
      }
    }
  },
})

const addFault = (rules: Rules, { projects }: Platform, project: Project, host: string) => {
  if (!rules.planAllows(project.plan)) return 'a custom domain needs Pro or above'
  if (!rules.hasDeployed(project)) return 'the project has had no successful deploy'
  return projects.some((each) => domainOf(each, host)) ? 'it is taken' : null
}

const add = (rules: Rules, platform: Platform, project: Project, host: string): Step => {
  const fault = addFault(rules, platform, project, host)
  if (fault) return refuse(platform, fault)
  const domain = rules.added({
    host,
    addedMs: platform.nowMs,
    dns: 'pending',
    reason: null,
    requestedMs: null,
    stalled: false,
    certificate: null,
  })
  const step = accept(platform, { ...project, domains: [...project.domains, domain] })
  return { ...step, reply: { ok: true, record: rules.record(host, platform.host) } }
}

/** Verify, and Re-verify, which requests a certificate once more. */
const verify = (
  rules: Rules,
  platform: Platform,
  project: Project,
  { host, kind }: Extract<PublishingEvent, { host: string }>,
  { dns }: Surroundings,
): Step => {
  const domain = domainOf(project, host)
  if (!domain) return refuse(platform, 'it is not attached')
  const reason = rules.dnsFault(domain, dns(host), platform)
  const requestedMs = domain.certificate === null ? platform.nowMs : domain.requestedMs
  const after: Domain = reason
    ? { ...domain, dns: 'invalid', reason }
    : { ...domain, dns: 'verified', reason: null, requestedMs, stalled: false }
  const changed = kind === 're-verify' ? rules.reVerified(domain, after) : after
  const domains = project.domains.map((each) => (each === domain ? changed : each))
  const step = accept(platform, { ...project, domains })
  if (changed.dns === 'verified') return step
  return { ...step, reply: { ok: false, reason: changed.reason ?? 'it is not verified' } }
}

const redirectFault = (project: Project, primary: string, redirects: readonly Redirect[]) => {
  if (!domainOf(project, primary)) return 'the primary domain is not attached'
  const sources = redirects.map(({ from }) => from)
  if (sources.includes(primary)) return 'the primary domain cannot redirect'
  if (new Set(sources).size < sources.length) return 'a domain redirects twice'
  if (!sources.every((from) => domainOf(project, from))) {
    return 'a domain that redirects is not attached'
  }
  const isOdd = redirects.some(({ status }) => status < 300 || status > 399)
  return isOdd ? 'no redirect status' : null
}

const pass = (rules: Rules, platform: Platform, ms: number, surroundings: Surroundings): Step => {
  const later = { ...platform, nowMs: platform.nowMs + ms }
  const projects = later.projects.map((project) => ({
    ...project,
    domains: project.domains.map((domain) => issued(rules, later, domain, surroundings)),
  }))
  return { platform: { ...later, projects }, reply: { ok: true } }
}

const issued = (
  rules: Rules,
  { nowMs, host: platformHost }: Platform,
  domain: Domain,
  surroundings: Surroundings,
): Domain => {
  if (!rules.isRequesting(domain)) return domain
  const waitedMs = nowMs - (domain.requestedMs ?? nowMs)
  if (waitedMs >= rules.issueAfterMs && rules.mayIssue(domain.host, surroundings)) {
    return { ...domain, certificate: rules.certificateNames(domain.host, platformHost) }
  }
  return waitedMs >= stalledAfterMs ? { ...domain, stalled: true } : domain
}

const answer = (rules: Rules, platform: Platform, host: string): HostAnswer => {
  const own = platform.projects.find(({ slug }) => host === `${slug}.${platform.zone}`)
  if (own) return atSubdomain(rules, platform, own)
  const project = platform.projects.find((each) => domainOf(each, host))
  const domain = project && domainOf(project, host)
  if (!domain || domain.certificate === null) return { kind: 'nothing' }
  const redirect = project.redirects.find(({ from }) => from === host)
  if (redirect) return rules.redirectAnswer(redirect, project)
  return { kind: 'serve', slug: project.slug }
}

const atSubdomain = (rules: Rules, { policy }: Platform, project: Project): HostAnswer => {
  const { slug, primary } = project
  if (!rules.hasDeployed(project)) return { kind: 'nothing' }
  const isActive = primary !== null && domainOf(project, primary)?.certificate
  if (!isActive || policy.subdomain === 'serve') return { kind: 'serve', slug }
  return policy.subdomain === 'vanish'
    ? { kind: 'nothing' }
    : { kind: 'redirect', status: 308, to: primary }
}
