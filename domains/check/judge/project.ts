// The project as a whole: its subdomain of the platform, its plan, several domains, the file.
import {
  ambiguous,
  blocked,
  breach,
  type DomainCheck,
  inapplicable,
  observed,
  pass,
} from '../declare.ts'
import type { Probe } from '../facts.ts'
import { describeResponse, probesOf, redirectHost, type Scene, showsMarker } from '../scene.ts'
import { works } from './pages.ts'

type ProjectCheck = DomainCheck<null>

const siteProbes = ({ facts, platform }: Scene): Probe[] =>
  facts.probes.filter(
    ({ host, address }) => host === facts.settings.site && platform.includes(address),
  )

const siteGrounds = (scene: Scene) => siteProbes(scene).slice(0, 1)
const noGrounds = () => []

const subdomain: ProjectCheck = {
  id: 'site-subdomain',
  requirement: 'publishing.subdomain',
  sends: '`GET` of the page of the subdomain of the platform (--site).',
  fails: 'It does not show the --marker, and no custom domain is active.',
  inconclusive: '--site or --marker is not given, or a custom domain is active instead (ambiguous)',
  judge: (scene) => {
    const { site, marker } = scene.facts.settings
    if (site === null) return ambiguous('give the subdomain with --site')
    const probes = siteProbes(scene)
    if (probes.length === 0) return blocked(`${site} is not at the platform's addresses`)
    if (marker === null) return ambiguous('identify the project with --marker')
    if (probes.every((probe) => showsMarker(probe, marker))) return pass('it serves the project')
    const shown = probes.map(describeResponse).join(', ')
    const isActive = scene.hosts.some((host) => works(scene, host))
    if (isActive) return ambiguous(`${shown}, while a custom domain is active instead`)
    if (probes.some(({ response }) => response === null || response.cut)) return blocked(shown)
    return breach('2xx with the marker', shown)
  },
  grounds: siteGrounds,
}

const instead: ProjectCheck = {
  id: 'site-instead',
  requirement: 'publishing.instead',
  sends: 'The same request.',
  fails: 'Whether it serves the project, redirects, or is gone.',
  inconclusive: 'the subdomain was not requested (blocked)',
  judge: (scene) => {
    const { marker } = scene.facts.settings
    const [probe] = siteProbes(scene)
    if (!probe) return blocked('the subdomain was not requested')
    const to = redirectHost(probe)
    if (to !== null) return observed(`it redirects to ${to}`)
    const serves = marker !== null && showsMarker(probe, marker)
    return observed(serves ? 'it serves the project as well' : describeResponse(probe))
  },
  grounds: siteGrounds,
}

const plan: ProjectCheck = {
  id: 'project-plan',
  requirement: 'publishing.paid-plan',
  sends: 'Nothing of its own: which domains work, compared to --plan.',
  fails: 'A custom domain works, and the project was always on Free.',
  inconclusive: '--plan is not given (ambiguous), or none works yet (blocked)',
  judge: (scene) => {
    const { plan: given } = scene.facts.settings
    if (given === null) return ambiguous('give the plan of the project with --plan')
    const working = scene.hosts.find((host) => works(scene, host))
    if (given !== 'free') {
      return working ? pass(`${given} has one`) : blocked('no custom domain works yet')
    }
    return working
      ? breach('no custom domain for a project that was always on Free', `${working.host} works`)
      : pass('Free has none')
  },
  grounds: (scene) =>
    scene.hosts.slice(0, 1).flatMap((host) => probesOf(scene, host, 'page').slice(0, 1)),
}

const several: ProjectCheck = {
  id: 'project-domains',
  requirement: 'publishing.several',
  sends: 'Nothing of its own: which domains work.',
  fails: 'Nothing that shows from outside; two domains that work meet it.',
  inconclusive: 'fewer than two work (blocked)',
  judge: (scene) => {
    const { hosts } = scene
    if (hosts.length < 2) return inapplicable('one domain is attached')
    const working = hosts.filter((host) => works(scene, host)).length
    return working > 1
      ? pass(`${working} of ${hosts.length} work`)
      : blocked(`${working} of ${hosts.length} works`)
  },
  grounds: noGrounds,
}

/** A file that violates these two is refused before anything is sent: a run always passes them. */
const shape: ProjectCheck = {
  id: 'domains-shape',
  requirement: 'publishing.shape',
  sends: 'Nothing: the file of the domains is validated against its schema.',
  fails: 'A member that is missing, unknown, or of another form: the file is refused (exit 2).',
  judge: ({ facts: { config } }) =>
    pass(`primary ${config.primary}, ${config.redirects.length} redirects`),
  grounds: noGrounds,
}

const graph: ProjectCheck = {
  id: 'domains-graph',
  requirement: 'publishing.redirect-graph',
  sends: 'Nothing: the redirects of the file.',
  fails:
    'A `from` that occurs twice or is the primary, or redirects that loop: the file is refused ' +
    '(exit 2).',
  judge: () => pass('each from occurs once, and no redirects loop'),
  grounds: noGrounds,
}

const foreignTarget: ProjectCheck = {
  id: 'domains-foreign-target',
  requirement: 'publishing.redirect-foreign',
  sends: 'Nothing: the redirects of the file.',
  fails: 'Each `to` that is not a domain of the project.',
  judge: ({ facts, hosts }) => {
    const { redirects } = facts.config
    if (redirects.length === 0) return inapplicable('there are no redirects')
    const attached = hosts.map(({ host }) => host)
    const foreign = redirects.map(({ to }) => to).filter((to) => !attached.includes(to))
    return observed(foreign.join(', ') || 'none is configured')
  },
  grounds: noGrounds,
}

export const projectChecks: readonly ProjectCheck[] = [
  subdomain,
  instead,
  plan,
  several,
  shape,
  graph,
  foreignTarget,
]
