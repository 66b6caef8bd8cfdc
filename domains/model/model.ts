// The publishing model: a pure state machine of the dashboard, with DNS and time from outside.
import { answering, certificateOf } from './answers.ts'
import { accept, add, configure, refuse, remove, verify } from './dashboard.ts'
import type { Rules } from './rules.ts'
import type {
  Domain,
  HostAnswer,
  Platform,
  Project,
  PublishingEvent,
  Step,
  Surroundings,
} from './state.ts'

/** How long a certificate is asked for before only Re-verify asks again. */
const stalledAfterMs = 30 * 60_000

export interface Model {
  /** What an event does; an event that is refused changes nothing. */
  readonly step: (platform: Platform, event: PublishingEvent, surroundings: Surroundings) => Step
  readonly answer: (platform: Platform, host: string) => HostAnswer
  readonly certificate: (platform: Platform, host: string) => readonly string[] | null
}

export const createModel = (rules: Rules): Model => ({
  answer: answering(rules),
  certificate: certificateOf,
  step: (platform, event, surroundings) => {
    if (event.kind === 'pass') return pass(rules, platform, event.ms, surroundings)
    const project = platform.projects.find(({ slug }) => slug === event.slug)
    if (!project) return refuse(platform, 'there is no such project')
    switch (event.kind) {
      case 'deploy':
        return accept(platform, deployed(project, event.ok))
      case 'plan':
        return accept(platform, { ...project, plan: event.plan })
      case 'add':
        return add(rules, platform, project, event.host)
      case 'verify':
      case 're-verify':
        return verify(rules, platform, project, event, surroundings)
      case 'remove':
        return remove(rules, platform, project, event.host)
      case 'configure':
        return configure(platform, project, event)
    }
  },
})

const deployed = (project: Project, ok: boolean): Project => ({
  ...project,
  deploys: [...project.deploys, ok ? 'ok' : 'failed'],
})

const pass = (rules: Rules, platform: Platform, ms: number, surroundings: Surroundings): Step => {
  const later = { ...platform, nowMs: platform.nowMs + ms }
  const issuing = (domain: Domain) => issued(rules, later, domain, surroundings)
  const projects = later.projects.map((project) => ({
    ...project,
    domains: project.domains.map(issuing),
  }))
  return { platform: { ...later, projects }, reply: { ok: true } }
}

const issued = (
  rules: Rules,
  { nowMs, host: platformHost }: Platform,
  domain: Domain,
  surroundings: Surroundings,
): Domain => {
  if (!rules.isAsking(domain)) return domain
  const waitedMs = nowMs - (domain.askedMs ?? nowMs)
  if (waitedMs >= rules.issueAfterMs && rules.mayIssue(domain.host, surroundings)) {
    return { ...domain, certificate: rules.certificateNames(domain.host, platformHost) }
  }
  return waitedMs >= stalledAfterMs ? { ...domain, stalled: true } : domain
}
