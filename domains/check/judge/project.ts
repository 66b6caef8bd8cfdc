// Judges the project as a whole: its subdomain of the platform, its plan, several domains.
import type { Probe } from '../facts.ts'
import {
  breach,
  type Finding,
  inapplicable,
  observed,
  pass,
  type Said,
  untested,
} from '../finding.ts'
import { redirectHost, showsMarker, tellAnswer } from '../page.ts'
import { probesOf, type Scene } from '../scene.ts'
import { works } from './pages.ts'

const siteProbes = ({ facts, platform }: Scene): Probe[] =>
  facts.probes.filter(
    ({ host, address }) => host === facts.asked.site && platform.includes(address),
  )

/** With an active domain the subdomain may serve, redirect or vanish: then only a page tells. */
const judgeSubdomain = (scene: Scene): Said => {
  const { site, marker } = scene.facts.asked
  if (site === null) return untested('ambiguous', '--site names the subdomain')
  const probes = siteProbes(scene)
  if (probes.length === 0) return untested('blocked', `${site} is not at the platform's addresses`)
  if (marker === null) return untested('ambiguous', '--marker tells whether it is the project')
  if (probes.every((probe) => showsMarker(probe, marker))) return pass('it serves the project')
  const answers = probes.map(tellAnswer).join(', ')
  const isActive = scene.hosts.some((host) => works(scene, host))
  if (isActive) return untested('ambiguous', `${answers}, where a custom domain is active instead`)
  const unanswered = probes.some(({ answer }) => answer === null || answer.cut)
  if (unanswered) return untested('blocked', answers)
  return breach('2xx with the marker', answers)
}

const observeInstead = (scene: Scene): Said => {
  const { site, marker } = scene.facts.asked
  const [probe] = siteProbes(scene)
  if (site === null || !probe) return untested('blocked', 'the subdomain was not asked')
  const to = redirectHost(probe)
  if (to !== null) return observed(`it redirects to ${to}`)
  const serves = marker !== null && showsMarker(probe, marker)
  return observed(serves ? 'it serves the project, too' : tellAnswer(probe))
}

/** `--plan` says which plan the project has been on since the domain was added. */
const judgePlan = (scene: Scene): Said => {
  const { plan } = scene.facts.asked
  if (plan === null) return untested('ambiguous', '--plan tells the plan of the project')
  const working = scene.hosts.filter((host) => works(scene, host))
  if (plan !== 'free') {
    return working.length > 0
      ? pass(`${plan} has one`)
      : untested('blocked', 'no custom domain works yet')
  }
  const [first] = working
  return first
    ? breach('no custom domain for a project that was always on Free', `${first.host} works`)
    : pass('Free has none')
}

const judgeSeveral = (scene: Scene): Said => {
  const { hosts } = scene
  if (hosts.length < 2) return inapplicable('one domain is attached')
  const working = hosts.filter((host) => works(scene, host)).length
  return working > 1
    ? pass(`${working} of ${hosts.length} work`)
    : untested('blocked', `${working} of ${hosts.length} works`)
}

const observeForeign = ({ facts, hosts }: Scene): Said => {
  const attached = hosts.map(({ host }) => host)
  const foreign = facts.config.redirects.map(({ to }) => to).filter((to) => !attached.includes(to))
  if (facts.config.redirects.length === 0) return inapplicable('there are no redirects')
  return observed(foreign.length === 0 ? 'none is configured' : foreign.join(', '))
}

const judgeShape = ({ facts }: Scene): Said => {
  const { primary, redirects } = facts.config
  return pass(`primary ${primary}, ${redirects.length} redirects`)
}

/** A file that breaks these is refused before anything is asked; here they are on record. */
const graph = pass('each from stands once, and no redirects loop')

export const judgeProject = (scene: Scene): Finding[] => {
  const site = siteProbes(scene).slice(0, 1)
  const [primary] = scene.hosts
  const page = primary ? probesOf(scene, primary, 'page').slice(0, 1) : []
  const about = (check: string, said: Said, grounds: Finding['grounds'] = []): Finding => ({
    check,
    host: null,
    said,
    grounds,
  })
  return [
    about('site-subdomain', judgeSubdomain(scene), site),
    about('site-instead', observeInstead(scene), site),
    about('project-plan', judgePlan(scene), page),
    about('project-domains', judgeSeveral(scene)),
    about('domains-shape', judgeShape(scene)),
    about('domains-graph', graph),
    about('domains-foreign-target', observeForeign(scene)),
  ]
}
