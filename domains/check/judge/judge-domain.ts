// The judgement of a published project: here its subdomain of the platform, its plan, its file and
// a removal; each domain in the files next to it. From facts to findings, and nothing else.
import type { Facts, Probe, Purpose } from '../facts.ts'
import {
  ambiguous,
  blocked,
  blockedBy,
  breach,
  buildScene,
  type DomainCheck,
  declared,
  describeResponse,
  type HostScene,
  inapplicable,
  observed,
  type ProjectScene,
  pass,
  probesFor,
  type Result,
  redirectHost,
  showsMarker,
} from '../scene.ts'
import { certificateChecks } from './judge-certificate.ts'
import { dnsChecks, verifies } from './judge-dns.ts'
import { findGrounds, pageChecks, works } from './judge-pages.ts'

/** Whether a response is still that of the attached domain; null if that is not known. */
const isStill = (scene: HostScene, probe: Probe): boolean | null => {
  const { redirect, settings } = scene
  if (!probe.response) return false
  if (redirect) return redirectHost(probe) === redirect.to
  if (settings.marker !== null) return showsMarker(probe, settings.marker)
  const page = scene.before.find(({ response }) => response)
  const { status, body } = probe.response
  if (status < 200 || status > 299) return false
  return page?.response?.body === body ? true : null
}

const judgeGone = (scene: HostScene, purpose: Purpose): Result => {
  const isServed = (probe: Probe) => isStill(scene, probe)
  if (!scene.before.some(isServed)) return blocked('it did not work before it was removed')
  const after = probesFor(scene, purpose)
  if (after.length === 0) return blocked('there was no such connection')
  if (purpose === 'held' && after.every(({ failed }) => failed !== null)) {
    return blocked('the held connection was closed in the meantime')
  }
  if (after.every(({ failed }) => failed?.stage === 'connect')) {
    return blocked('no address could be reached')
  }
  const still = after.find(isServed)
  if (still) {
    const lateMs = Date.parse(still.at) - scene.atMs
    const actual = `${describeResponse(still)}, ${lateMs} ms after the removal`
    return breach('nothing of the domain', actual, still)
  }
  return after.some((probe) => isServed(probe) === null)
    ? ambiguous('2xx with another page: identify the project with --marker')
    : pass(after.map(describeResponse).join(', '))
}

/** One way in which the removed domain is requested again. */
const gone = (
  purpose: Purpose,
  sends: string,
  inconclusive = 'it did not work before it was removed (blocked)',
) => ({
  requirement: 'publishing.removed' as const,
  sends,
  fails: 'The response is still the project or its redirect.',
  inconclusive,
  judge: (scene: HostScene) => judgeGone(scene, purpose),
  grounds: findGrounds(purpose),
})

/** Checks of the domain that was removed. */
const removedChecks = declared({
  'removed-fresh': gone('page', '`GET` of the page of the removed domain, on a new connection.'),
  'removed-plain-http': gone('plain', 'The same over plain HTTP.'),
  'removed-held': gone(
    'held',
    'The same on a connection that was opened before the removal.',
    'the held connection was closed in the meantime (blocked)',
  ),
  'removed-resumed': gone(
    'resumed',
    'The same in a TLS session from before the removal.',
    'no session could be resumed (blocked)',
  ),
  'removed-other-sni': gone(
    'other-sni',
    'The same after a handshake that names another domain of the project.',
  ),
  'removed-after': {
    requirement: 'publishing.removed-after',
    sends: 'The requests of `removed-fresh`.',
    fails: 'The response, the certificate, and whether its DNS still points to the platform.',
    inconclusive: 'it was not requested (blocked)',
    judge: (scene) => {
      const [page] = probesFor(scene, 'page')
      if (!page) return blocked('it was not requested')
      const dangles = verifies(scene) === true
      const left = dangles
        ? '; its DNS still points to the platform, where others may claim it'
        : ''
      const named = page.tls?.namesHost ? 'its own' : "another's"
      const presented = page.tls === null ? 'none' : named
      return observed(`${describeResponse(page)}; certificate: ${presented}${left}`)
    },
    grounds: findGrounds('page'),
  },
})

/** The part of a response that must not change. */
const essence = (probe: Probe | undefined): string =>
  probe?.response ? `${probe.response.status} ${redirectHost(probe) ?? ''}`.trim() : 'no response'

/** Checks of each other domain. */
const keptChecks = declared({
  'removed-alone': {
    requirement: 'publishing.removed-alone',
    sends: '`GET` of the page of each other domain, before and after.',
    fails: 'Another status, or a redirect to another host.',
    inconclusive: 'it did not respond both times (blocked)',
    judge: (scene) => {
      const later = probesFor(scene, 'page')
      const pairs = scene.before
        .map((before) => [before, later.find((each) => each.address === before.address)] as const)
        .filter(([before, again]) => before.response && again?.response)
      if (pairs.length === 0) return blocked('it did not respond both times')
      const changed = pairs.find(([before, again]) => essence(before) !== essence(again))
      return changed
        ? breach(essence(changed[0]), essence(changed[1]), changed[1])
        : pass(`as before: ${essence(pairs[0]?.[0])}`)
    },
    grounds: findGrounds('page'),
  },
})

/** The check of a domain that does not work. */
const idlePage = (hosts: readonly HostScene[]): string => {
  const idle = hosts.find((host) => !works(host))
  return `${idle?.redirect ? 'domain-redirect' : 'domain-primary'}@${idle?.host}`
}

const siteGrounds = ({ probes }: ProjectScene) => probes.slice(0, 1)

const projectChecks = declared<ProjectScene>({
  'site-subdomain': {
    requirement: 'publishing.subdomain',
    sends: '`GET` of the page of the subdomain of the platform (--site).',
    fails: 'It does not show the --marker, and no custom domain is active.',
    inconclusive:
      '--site or --marker is not given, or a custom domain is active instead (ambiguous)',
    judge: ({ settings: { site, marker }, probes, hosts }) => {
      if (site === null) return ambiguous('give the subdomain with --site')
      if (probes.length === 0) return blocked(`${site} is not at the platform's addresses`)
      if (marker === null) return ambiguous('identify the project with --marker')
      if (probes.every((probe) => showsMarker(probe, marker))) return pass('it serves the project')
      const shown = probes.map(describeResponse).join(', ')
      if (hosts.some(works)) return ambiguous(`${shown}, while a custom domain is active instead`)
      if (probes.some(({ response }) => response === null || response.cut)) return blocked(shown)
      return breach('2xx with the marker', shown)
    },
    grounds: siteGrounds,
  },
  'site-instead': {
    requirement: 'publishing.instead',
    sends: 'The same request.',
    fails: 'Whether it serves the project, redirects, or is gone.',
    inconclusive: 'the subdomain was not requested (blocked)',
    judge: ({ settings: { marker }, probes: [probe] }) => {
      if (!probe) return blocked('the subdomain was not requested')
      const to = redirectHost(probe)
      if (to !== null) return observed(`it redirects to ${to}`)
      const serves = marker !== null && showsMarker(probe, marker)
      return observed(serves ? 'it serves the project as well' : describeResponse(probe))
    },
    grounds: siteGrounds,
  },
  'project-plan': {
    requirement: 'publishing.paid-plan',
    sends: 'Nothing of its own: which domains work, compared to --plan.',
    fails: 'A custom domain works, and the project was always on Free.',
    inconclusive: '--plan is not given (ambiguous), or none works yet (blocked)',
    judge: ({ settings: { plan: given }, hosts }) => {
      if (given === null) return ambiguous('give the plan of the project with --plan')
      const working = hosts.find(works)
      if (given !== 'free') {
        return working
          ? pass(`${given} has one`)
          : blockedBy(idlePage(hosts), 'no custom domain works yet')
      }
      if (!working) return pass('Free has none')
      const expected = 'no custom domain for a project that was always on Free'
      const [page] = probesFor(working, 'page')
      return breach(expected, `${working.host} works`, page)
    },
    grounds: ({ hosts }) => hosts.slice(0, 1).flatMap(findGrounds('page')),
  },
  'project-domains': {
    requirement: 'publishing.several',
    sends: 'Nothing of its own: which domains work.',
    fails: 'Nothing that shows from outside; two domains that work meet it.',
    inconclusive: 'fewer than two work (blocked)',
    judge: ({ hosts }) => {
      if (hosts.length < 2) return inapplicable('one domain is attached')
      const working = hosts.filter(works).length
      return working > 1
        ? pass(`${working} of ${hosts.length} work`)
        : blockedBy(idlePage(hosts), `${working} of ${hosts.length} works`)
    },
  },
  /** A file that violates one of these two is refused before anything is sent. */
  'domains-shape': {
    requirement: 'publishing.shape',
    sends: 'Nothing: the file of the domains is validated against its schema.',
    fails: 'A member that is missing, unknown, or of another form: the file is refused (exit 2).',
    judge: ({ config: { primary, redirects } }) =>
      pass(`primary ${primary}, ${redirects.length} redirects`),
  },
  'domains-graph': {
    requirement: 'publishing.redirect-graph',
    sends: 'Nothing: the redirects of the file.',
    fails:
      'A `from` that occurs twice or is the primary, or redirects that loop: the file is refused ' +
      '(exit 2).',
    judge: () => pass('each from occurs once, and no redirects loop'),
  },
  'domains-foreign-target': {
    requirement: 'publishing.redirect-foreign',
    sends: 'Nothing: the redirects of the file.',
    fails: 'Each `to` that is not a domain of the project.',
    judge: ({ config: { redirects }, hosts }) => {
      if (redirects.length === 0) return inapplicable('there are no redirects')
      const attached = hosts.map(({ host }) => host)
      const foreign = redirects.map(({ to }) => to).filter((to) => !attached.includes(to))
      return observed(foreign.join(', ') || 'none is configured')
    },
  },
})

const hostChecks = [dnsChecks, certificateChecks, pageChecks]

/** Every check, as `petvet explain` lists them. */
export const domainChecks = [
  ...hostChecks.flat(),
  ...projectChecks,
  ...removedChecks,
  ...keptChecks,
] as const

const find = <S>(check: DomainCheck<S>, host: string | null, subject: S) => {
  const { probe, ...result } = check.judge(subject)
  const grounds = probe ? [probe] : (check.grounds?.(subject) ?? [])
  return { check: check.id, requirement: check.requirement, host, result, grounds }
}

/** What a check found; without a host it is about the project as a whole. */
export type Finding = ReturnType<typeof find>

const findEach = (checks: readonly DomainCheck<HostScene>[], hosts: readonly HostScene[]) =>
  hosts.flatMap((host) => checks.map((check) => find(check, host.host, host)))

/** After a removal that alone is judged: the rest is no longer as configured. */
export const judge = (facts: Facts): Finding[] => {
  const scene = buildScene(facts)
  const { removal } = facts
  if (removal === null) {
    return [
      ...projectChecks.map((check) => find(check, null, scene)),
      ...hostChecks.flatMap((checks) => findEach(checks, scene.hosts)),
    ]
  }
  const isRemoved = ({ host }: HostScene) => host === removal.host
  return [
    ...findEach(removedChecks, scene.hosts.filter(isRemoved)),
    ...findEach(
      keptChecks,
      scene.hosts.filter((host) => !isRemoved(host)),
    ),
  ]
}
