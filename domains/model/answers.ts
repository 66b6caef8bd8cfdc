// What the outside gets of the publishing model: answers to hosts, and their certificates.
import type { Rules } from './rules.ts'
import type { Domain, HostAnswer, Platform, Project } from './state.ts'

const owns = (project: Project, host: string) =>
  project.domains.some((domain) => domain.host === host)

/** The names in the certificate that a host presents; null: it has none of its own. */
export const certificateOf = (platform: Platform, host: string): readonly string[] | null =>
  platform.projects.flatMap(({ domains }) => domains).find((each) => each.host === host)
    ?.certificate ?? null

/** What a host is answered, over HTTPS. */
export const answering =
  (rules: Rules) =>
  (platform: Platform, host: string): HostAnswer => {
    const own = platform.projects.find(({ slug }) => host === `${slug}.${platform.zone}`)
    if (own) return atSubdomain(platform, own, rules)
    const project = platform.projects.find((each) => owns(each, host))
    const domain = project?.domains.find((each) => each.host === host)
    if (!project || !domain || !isServing(platform, project, domain, rules)) {
      return { kind: 'nothing' }
    }
    const redirect = project.redirects.find(({ from }) => from === host)
    if (redirect) return rules.redirectAnswer(redirect, project)
    return { kind: 'serve', slug: project.slug }
  }

const isServing = (
  { policy }: Platform,
  project: Project,
  { certificate, dns }: Domain,
  rules: Rules,
): boolean => {
  if (certificate === null) return false
  if (policy.downgrade === 'suspend' && !rules.planAllows(project.plan)) return false
  return policy.reVerifyFailure === 'keep' || dns === 'verified'
}

const atSubdomain = (platform: Platform, project: Project, rules: Rules): HostAnswer => {
  const { slug, primary, domains } = project
  if (!rules.hasDeployed(project)) return { kind: 'nothing' }
  const active = domains.find(({ host }) => host === primary)?.certificate ? primary : null
  if (active === null || platform.policy.subdomain === 'serve') return { kind: 'serve', slug }
  if (platform.policy.subdomain === 'vanish') return { kind: 'nothing' }
  return { kind: 'redirect', status: 308, to: active }
}
