// What a person does in the dashboard of the publishing model: Add domain, Verify, Remove, and the
// configuration of primary and redirects.
import type { Rules } from './rules.ts'
import type {
  Domain,
  Platform,
  Project,
  PublishingEvent,
  Redirect,
  Step,
  Surroundings,
} from './state.ts'

type Of<Kind extends PublishingEvent['kind']> = Extract<PublishingEvent, { kind: Kind }>

/** A refused event changes nothing. */
export const refuse = (platform: Platform, reason: string): Step => ({
  platform,
  reply: { ok: false, reason },
})

export const accept = (platform: Platform, changed: Project): Step => ({
  platform: {
    ...platform,
    projects: platform.projects.map((each) => (each.slug === changed.slug ? changed : each)),
  },
  reply: { ok: true },
})

const owns = (project: Project, host: string) =>
  project.domains.some((domain) => domain.host === host)

const guardFault = (rules: Rules, project: Project): string | null => {
  if (!rules.planAllows(project.plan)) return 'a custom domain needs Pro or above'
  return rules.hasDeployed(project) ? null : 'the project has had no successful deploy'
}

const addFault = (
  rules: Rules,
  { policy, projects, formerly }: Platform,
  project: Project,
  host: string,
): string | null => {
  const fault = policy.guard === 'add' ? guardFault(rules, project) : null
  if (fault) return fault
  if (projects.some((each) => owns(each, host))) return 'it is taken'
  const former = formerly[host]
  const isAnothers = former !== undefined && former !== project.slug
  return isAnothers && policy.addAgain === 'same-project' ? 'another project had it' : null
}

export const add = (rules: Rules, platform: Platform, project: Project, host: string): Step => {
  const fault = addFault(rules, platform, project, host)
  if (fault) return refuse(platform, fault)
  const domain = rules.added({
    host,
    addedMs: platform.nowMs,
    dns: 'pending',
    reason: null,
    askedMs: null,
    stalled: false,
    certificate: null,
  })
  const step = accept(platform, { ...project, domains: [...project.domains, domain] })
  return { ...step, reply: { ok: true, record: rules.record(host, platform.host) } }
}

const judged = (
  rules: Rules,
  platform: Platform,
  domain: Domain,
  surroundings: Surroundings,
): Domain => {
  const reason = rules.dnsFault(domain, surroundings.dns(domain.host), platform)
  if (reason) return { ...domain, dns: 'invalid', reason }
  const askedMs = domain.certificate === null ? platform.nowMs : domain.askedMs
  return { ...domain, dns: 'verified', reason: null, askedMs, stalled: false }
}

/** Verify, and Re-verify, which asks for a certificate once more. */
export const verify = (
  rules: Rules,
  platform: Platform,
  project: Project,
  { host, kind }: Of<'add' | 'verify' | 're-verify' | 'remove'>,
  surroundings: Surroundings,
): Step => {
  const domain = project.domains.find((each) => each.host === host)
  if (!domain) return refuse(platform, 'it is not attached')
  const fault = platform.policy.guard === 'verify' ? guardFault(rules, project) : null
  if (fault) return refuse(platform, fault)
  const after = judged(rules, platform, domain, surroundings)
  const changed = kind === 're-verify' ? rules.reVerified(domain, after) : after
  const domains = project.domains.map((each) => (each.host === host ? changed : each))
  const step = accept(platform, { ...project, domains })
  if (changed.dns === 'verified') return step
  return { ...step, reply: { ok: false, reason: changed.reason ?? 'it is not verified' } }
}

export const remove = (rules: Rules, platform: Platform, project: Project, host: string): Step => {
  if (!owns(project, host)) return refuse(platform, 'it is not attached')
  const step = accept(platform, rules.removed(project, host))
  const formerly = { ...platform.formerly, [host]: project.slug }
  return { ...step, platform: { ...step.platform, formerly } }
}

export const configure = (
  platform: Platform,
  project: Project,
  { primary, redirects }: Of<'configure'>,
): Step => {
  const fault = redirectFault(platform, project, primary, redirects)
  return fault ? refuse(platform, fault) : accept(platform, { ...project, primary, redirects })
}

const redirectFault = (
  { policy }: Platform,
  project: Project,
  primary: string,
  redirects: readonly Redirect[],
): string | null => {
  if (!owns(project, primary)) return 'the primary domain is not attached'
  const sources = redirects.map(({ from }) => from)
  if (sources.includes(primary)) return 'the primary domain cannot redirect'
  if (new Set(sources).size < sources.length) return 'a domain redirects twice'
  if (sources.some((from) => !owns(project, from))) return 'a domain that redirects is not attached'
  if (redirects.some(({ status }) => status < 300 || status > 399)) return 'no redirect status'
  const foreign = redirects.some(({ to }) => !owns(project, to))
  return foreign && policy.foreignTarget === 'refused' ? 'a target is not attached' : null
}
