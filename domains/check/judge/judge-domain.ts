// The judgement of a published project, from facts to findings: its subdomain of the platform, its
// plan, its file, and the removal of a domain. What each domain is judged by is next to it.
import { isIPv6 } from 'node:net'
import { type Facts, isLost, type Probe, type Purpose } from '../facts.ts'
import * as read from '../response.ts'
import * as is from '../result.ts'
import type { HostScene, ProjectScene } from '../scene.ts'
import { buildScene, firstFor, probesFor } from '../scene.ts'
import { certificateChecks } from './judge-certificate.ts'
import { dnsChecks, verifies } from './judge-dns.ts'
import { pageChecks, works } from './judge-pages.ts'

/** With these codes a connection fails for what this machine lacks, such as IPv6. */
const noRoute = ['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EACCES', 'EPERM']

/** The check of a domain that does not work. */
const idlePage = (hosts: readonly HostScene[]): string => {
  const idle = hosts.find((host) => !works(host))
  return `${idle?.redirect ? 'domain-redirect' : 'domain-primary'}@${idle?.host}`
}

const siteGrounds = ({ probes }: ProjectScene) => probes.slice(0, 1)

const ofProject = is.check<ProjectScene>

const projectChecks = [
  ofProject('site-subdomain', 'publishing.subdomain', {
    sends: '`GET` of the page of the subdomain of the platform (--site).',
    fails: 'It does not show the --marker, and no custom domain is active.',
    inconclusive: '--site or --marker is missing, or a custom domain is active (ambiguous)',
    judge: ({ site, marker, probes, hosts }) => {
      if (site === null) return is.ambiguous('give the subdomain with --site')
      if (probes.length === 0) return is.blocked(`${site} is not at the platform's addresses`)
      if (marker === null) return is.ambiguous('identify the project with --marker')
      if (probes.every((probe) => read.showsMarker(probe, marker)))
        return is.pass('it serves the project')
      const shown = probes.map(read.describeResponse).join(', ')
      if (hosts.some(works))
        return is.ambiguous(`${shown}, while a custom domain is active instead`)
      if (probes.some(({ response }) => response === null || response.cut)) return is.blocked(shown)
      return is.breach('2xx with the marker', shown)
    },
    grounds: siteGrounds,
  }),
  ofProject('platform-addresses', 'publishing.addresses', {
    sends: 'Nothing of its own: which addresses of the platform host respond to HTTPS.',
    fails: 'One refuses connections or is silent, while others respond.',
    inconclusive: 'this machine has no route to one, or none responds (blocked)',
    judge: ({ lost, hosts, platform, platformTrouble }) => {
      if (platformTrouble) return is.blocked(platformTrouble)
      const probes = hosts.flatMap(({ probes: own }) => own)
      if (probes.every(isLost)) return is.blocked('no address of the platform responds')
      if (lost.size === 0) return is.pass('all respond')
      const shown = [...lost].map(([address, code]) => `${address} (${code})`).join(', ')
      const isSilent6 = platform.filter(isIPv6).every((address) => lost.has(address))
      const isHere = [...lost].every(
        ([address, code]) =>
          noRoute.includes(code) || (code === 'ETIMEDOUT' && isIPv6(address) && isSilent6),
      )
      const actual = `no response at ${shown}: the others are judged without it`
      return isHere
        ? is.blocked(`this machine cannot reach ${shown}`)
        : is.breach('a response at every address of the platform host', actual)
    },
  }),
  ofProject('site-instead', 'publishing.instead', {
    sends: 'The same request.',
    fails: 'Whether it serves the project, redirects, or is gone.',
    inconclusive: 'the subdomain was not requested (blocked)',
    judge: ({ marker, probes: [probe] }) => {
      if (!probe) return is.blocked('the subdomain was not requested')
      const to = read.redirectHost(probe)
      if (to !== null) return is.observed(`it redirects to ${to}`)
      const serves = marker !== null && read.showsMarker(probe, marker)
      return is.observed(serves ? 'it serves the project as well' : read.describeResponse(probe))
    },
    grounds: siteGrounds,
  }),
  ofProject('project-plan', 'publishing.paid-plan', {
    sends: 'Nothing of its own: which domains work, compared to --plan.',
    fails: 'A custom domain works, and the project was always on Free.',
    inconclusive: '--plan is not given (ambiguous), or none works yet (blocked)',
    judge: ({ plan: given, hosts }) => {
      if (given === null) return is.ambiguous('give the plan of the project with --plan')
      const working = hosts.find(works)
      if (given !== 'free') {
        return working
          ? is.pass(`${given} has one`)
          : is.blockedBy(idlePage(hosts), 'no custom domain works yet')
      }
      if (!working) return is.pass('Free has none')
      const expected = 'no custom domain for a project that was always on Free'
      const [probe] = probesFor(working, 'page')
      return is.breach(expected, `${working.host} works`, probe && { probe })
    },
    grounds: ({ hosts }) => hosts.slice(0, 1).flatMap(firstFor('page')),
  }),
  ofProject('project-domains', 'publishing.several', {
    sends: 'Nothing of its own: which domains work.',
    fails: 'Nothing that shows from outside; two domains that work meet it.',
    inconclusive: 'fewer than two work (blocked)',
    judge: ({ hosts }) => {
      if (hosts.length < 2) return is.inapplicable('one domain is attached')
      const working = hosts.filter(works).length
      return working > 1
        ? is.pass(`${working} of ${hosts.length} work`)
        : is.blockedBy(idlePage(hosts), `${working} of ${hosts.length} works`)
    },
  }),
  /** A file that violates one of these two is refused before anything is sent. */
  ofProject('domains-shape', 'publishing.shape', {
    sends: 'Nothing: the file of the domains is validated against its schema.',
    fails: 'A member that is missing, unknown, or of another form: the file is refused (exit 2).',
    judge: ({ config: { primary, redirects } }) =>
      is.pass(`primary ${primary}, ${redirects.length} redirects`),
  }),
  ofProject('domains-graph', 'publishing.redirect-graph', {
    sends: 'Nothing: the redirects of the file.',
    fails: 'A `from` that occurs twice or is the primary, or a loop: the file is refused (exit 2).',
    judge: () => is.pass('each from occurs once, and no redirects loop'),
  }),
  ofProject('domains-foreign-target', 'publishing.redirect-foreign', {
    sends: 'Nothing: the redirects of the file.',
    fails: 'Each `to` that is not a domain of the project.',
    judge: ({ config: { redirects }, hosts }) => {
      if (redirects.length === 0) return is.inapplicable('there are no redirects')
      const attached = hosts.map(({ host }) => host)
      const foreign = redirects.map(({ to }) => to).filter((to) => !attached.includes(to))
      return is.observed(foreign.join(', ') || 'none is configured')
    },
  }),
]

/** Whether a response is still the redirect, or a page of the project; null: it is not known. */
const isStill = ({ redirect, marker, before }: HostScene, probe: Probe): boolean | null => {
  if (!probe.response) return false
  if (redirect && read.redirectHost(probe) === redirect.to) return true
  const { status, body } = probe.response
  if (marker !== null) return read.showsMarker(probe, marker)
  if (status < 200 || status > 299) return false
  return before.some(({ response }) => response?.body === body) ? true : null
}

const judgeGone = (scene: HostScene, purpose: Purpose): is.Result => {
  const isServed = (probe: Probe) => isStill(scene, probe)
  if (!scene.before.some(isServed)) return is.blocked('it did not work before it was removed')
  const after = probesFor(scene, purpose)
  if (after.length === 0) return is.inapplicable('there is no such connection')
  // On a closed connection nothing is served, whichever side closed it.
  const isClosed = ({ failed }: Probe) => purpose === 'held' && failed?.code !== 'ETIMEDOUT'
  if (after.every((one) => isLost(one) && !isClosed(one))) {
    return is.blocked('no address responded')
  }
  const still = after.find(isServed)
  if (still) {
    const lateMs = Date.parse(still.at) - scene.atMs
    const actual = `${read.describeResponse(still)}, ${lateMs} ms after the removal`
    return is.breach('nothing of the domain', actual, { probe: still })
  }
  return after.some((probe) => isServed(probe) === null)
    ? is.ambiguous('2xx with another page: identify the project with --marker')
    : is.pass(after.map(read.describeResponse).join(', '))
}

/** One way in which the removed domain is requested again. */
const gone = (id: string, purpose: Purpose, sends: string) =>
  is.check(id, 'publishing.removed', {
    sends,
    fails: 'The response is still the project or its redirect.',
    inconclusive: 'it did not work before it was removed (blocked)',
    judge: (scene) => judgeGone(scene, purpose),
    grounds: firstFor(purpose),
  })

const removedChecks = [
  gone('removed-fresh', 'page', '`GET` of the page of the removed domain, on a new connection.'),
  gone('removed-plain-http', 'plain', 'The same over plain HTTP.'),
  gone('removed-held', 'held', 'The same on a connection that was opened before the removal.'),
  gone('removed-resumed', 'resumed', 'The same in a TLS session from before the removal.'),
  gone('removed-other-sni', 'other-sni', 'The same after a handshake that names another domain.'),
  is.check('removed-dns', 'publishing.removed-dns', {
    sends: 'The DNS queries for the removed domain.',
    fails: 'Its record still leads to the platform, where another project may claim the domain.',
    inconclusive: 'its DNS is not known (blocked)',
    judge: (scene) => {
      const holds = verifies(scene)
      if (holds === null) return is.blocked('its DNS is not known')
      if (!holds) return is.pass('it does not')
      const [page] = probesFor(scene, 'page')
      const now = page ? ` (now ${read.describeResponse(page)})` : ''
      const actual = `its DNS still points to the platform${now}, where others may claim it`
      const fix = `remove the ${scene.dns.isApex ? 'ALIAS or ANAME' : 'CNAME'} of ${scene.host}`
      return is.breach('no record that leads to the platform', actual, { fix })
    },
    grounds: ({ host, dns }) => [{ name: host, type: dns.isApex ? 'A' : 'CNAME' }],
  }),
  is.check('removed-after', 'publishing.removed-after', {
    sends: 'The requests of `removed-fresh`.',
    fails: 'The response, and the certificate.',
    inconclusive: 'it was not requested (blocked)',
    judge: (scene) => {
      const [page] = probesFor(scene, 'page')
      if (!page) return is.blocked('it was not requested')
      const own = page.tls?.namesHost ? 'its own' : "another's"
      return is.observed(`${read.describeResponse(page)}; certificate: ${page.tls ? own : 'none'}`)
    },
  }),
]

/** The part of a response that must not change. */
const essence = (probe: Probe): string =>
  probe.response
    ? `${probe.response.status} ${read.redirectHost(probe) ?? ''}`.trim()
    : read.describeResponse(probe)

/** The check of each other domain. */
const removedAlone = is.check('removed-alone', 'publishing.removed-alone', {
  sends: '`GET` of the page of each other domain, before and after.',
  fails: 'Another status, a redirect to another host, or no response any more.',
  inconclusive: 'it did not respond both times (blocked)',
  judge: (scene) => {
    const later = probesFor(scene, 'page')
    const pairs = scene.before.flatMap((before) => {
      const again = later.find(({ address }) => address === before.address)
      // No response may have other causes; a refused handshake or a closed connection has none.
      return before.response && again && !isLost(again) ? [[before, again] as const] : []
    })
    const [first] = pairs
    if (!first) return is.blocked('it did not respond both times')
    const changed = pairs.find(([before, again]) => essence(before) !== essence(again))
    return changed
      ? is.breach(essence(changed[0]), essence(changed[1]), { probe: changed[1] })
      : is.pass(`as before: ${essence(first[0])}`)
  },
})

const hostChecks = [dnsChecks, certificateChecks, pageChecks]

/** Every check, as `petvet explain` lists them. */
export const domainChecks = [
  ...[...hostChecks.flat(), ...projectChecks],
  ...[...removedChecks, removedAlone],
] as const

const find = <S>(check: is.DomainCheck<S>, subject: S, own?: HostScene) => {
  const { probe, ...result } = check.judge(subject)
  const host = own?.host ?? null
  const usual = own ? firstFor('page')(own) : []
  const grounds = probe ? [probe] : (check.grounds?.(subject) ?? usual)
  return { check: check.id, requirement: check.requirement, host, result, grounds }
}

/** What a check found; without a host it is about the project as a whole. */
export type Finding = ReturnType<typeof find>

const findEach = (checks: readonly is.DomainCheck<HostScene>[], hosts: readonly HostScene[]) =>
  hosts.flatMap((host) => checks.map((check) => find(check, host, host)))

/** After a removal that alone is judged: the rest is no longer as configured. */
export const judge = (facts: Facts): Finding[] => {
  const scene = buildScene(facts)
  const { removal } = facts
  if (removal === null) {
    return [
      ...projectChecks.map((check) => find(check, scene)),
      ...hostChecks.flatMap((checks) => findEach(checks, scene.hosts)),
    ]
  }
  const [gone, kept] = [true, false].map((isGone) =>
    scene.hosts.filter(({ host }) => (host === removal.host) === isGone),
  )
  return [...findEach(removedChecks, gone ?? []), ...findEach([removedAlone], kept ?? [])]
}
