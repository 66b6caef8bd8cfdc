// What domains respond: the primary serves the project, each `from` redirects.
import type { RedirectConfig } from '../../rules/lint.ts'
import { longerPath, type Probe, type Purpose } from '../facts.ts'
import {
  ambiguous,
  blocked,
  blockedBy,
  breach,
  declared,
  describeResponse,
  type HostScene,
  inapplicable,
  list,
  observed,
  pass,
  probesFor,
  type Result,
  redirectHost,
  redirectsToItself,
  showsMarker,
  targetUrl,
} from '../scene.ts'
import { certificateState } from './judge-certificate.ts'
import { blockedByDns, verifies } from './judge-dns.ts'

/** The first request of a purpose. */
export const findGrounds = (purpose: Purpose) => (host: HostScene) =>
  probesFor(host, purpose).slice(0, 1)

const notReady = 'the DNS does not verify, or there is no valid certificate (blocked)'
const noAddress = blocked('no address of the platform was requested')
const doesNotRedirect = inapplicable('it does not redirect')

/** Without a certificate nothing is served, which another check reports. */
const obstacleOf = (host: HostScene): Result | null => {
  if (host.platformTrouble) return blocked(host.platformTrouble)
  if (verifies(host) === false) return blockedByDns(host)
  const state = certificateState(host)
  if (state === 'unreached') return blocked('no address of the platform could be reached')
  const isWrong = state === 'wrong'
  return isWrong ? blockedBy('domain-certificate', 'there is no valid certificate') : null
}

/** With the addresses that it is about, if it is right at others. */
const located = (worst: Result, results: readonly Result[]): Result => {
  const addressesOf = (some: readonly Result[]) =>
    list([...new Set(some.flatMap(({ probe }) => probe?.address ?? []))])
  const same = results.filter(({ actual }) => actual === worst.actual)
  const isWrongAt = (one: Result) => same.some(({ probe }) => probe?.address === one.probe?.address)
  const right = results.filter((one) => one.kind === 'pass' && !isWrongAt(one))
  if (worst.kind !== 'breach' || right.length === 0) return worst
  const { expected, actual, probe } = worst
  return breach(
    `${expected ?? ''}`,
    `${actual}, at ${addressesOf(same)}; right at ${addressesOf(right)}`,
    probe,
  )
}

/** The worst result of all addresses, unless DNS or TLS explains it. */
const worstOf = (
  host: HostScene,
  probes: readonly Probe[],
  judgeOne: (probe: Probe) => Result,
): Result => {
  const results = probes.map((probe): Result => ({ ...judgeOne(probe), probe }))
  const worst =
    results.find(({ kind }) => kind === 'breach') ??
    results.find(({ kind }) => kind === 'untested') ??
    results[0] ??
    noAddress
  const obstacle = obstacleOf(host)
  return worst.kind === 'pass' || obstacle === null ? located(worst, results) : obstacle
}

/** Closing a connection is a fault of the server; a timeout may have other causes. */
const noResponse = (probe: Probe, expected: string): Result => {
  const isServerFault = probe.failed?.stage === 'http' && probe.failed.code !== 'ETIMEDOUT'
  const why = describeResponse(probe)
  return isServerFault ? breach(expected, why) : blocked(`${why}, at ${probe.address}`)
}

const judgePage = ({ settings }: HostScene, probe: Probe): Result => {
  const { marker, path, platformHost, site } = settings
  const expected = `2xx${marker === null ? '' : ' with the marker'} at ${path}`
  const { response, host } = probe
  if (!response) return noResponse(probe, expected)
  const shown = describeResponse(probe)
  if (redirectsToItself(probe)) return breach(expected, `${shown}: it redirects to itself`)
  const to = redirectHost(probe)
  const isOfPlatform = to === platformHost || to === site
  if (to !== null && to !== host && (marker !== null || isOfPlatform)) {
    return breach(expected, shown)
  }
  // A page further in, a login, a limit: the project may be made that way.
  if (to !== null || marker === null || [401, 403, 429].includes(response.status)) {
    const how = marker === null ? '--marker and --path' : '--path'
    return ambiguous(`${shown}: give an open page with ${how}`)
  }
  if (response.status < 200 || response.status > 299) return breach(expected, shown)
  const shows = showsMarker(probe, marker)
  if (shows) return pass(`${response.status} with the marker`)
  const what = `${response.status} without the marker`
  return shows === null ? ambiguous(`${what} in the first 64 KiB`) : breach(expected, what)
}

const judgePrimary = (host: HostScene): Result => {
  if (host.redirect) return inapplicable('it redirects')
  return worstOf(host, probesFor(host, 'page'), (probe) => judgePage(host, probe))
}

const judgeLocation = (probe: Probe, { to, status }: RedirectConfig): Result => {
  const expected = `${status} with a Location whose host is ${to}`
  const { response } = probe
  if (!response) return noResponse(probe, expected)
  const shown = describeResponse(probe)
  // A firewall may be in front of it.
  if ([403, 429].includes(response.status)) return blocked(shown)
  const isRight = response.status === status && redirectHost(probe) === to
  return isRight ? pass(shown) : breach(expected, shown)
}

const judgeRedirect = (host: HostScene): Result => {
  const { redirect: configured } = host
  if (!configured) return doesNotRedirect
  const probes = [...probesFor(host, 'page'), ...probesFor(host, 'path')]
  return worstOf(host, probes, (probe) => judgeLocation(probe, configured))
}

/** Whether a domain serves or redirects as configured. */
export const works = (host: HostScene): boolean =>
  (host.redirect ? judgeRedirect : judgePrimary)(host).kind === 'pass'

export const pageChecks = declared({
  'domain-primary': {
    requirement: 'publishing.primary',
    sends: '`GET` of the page of the primary domain at each address of the platform.',
    fails: 'Another status than 2xx, a redirect to another host, or a page without the --marker.',
    inconclusive: `no --marker identifies the page (ambiguous), or ${notReady}`,
    judge: judgePrimary,
    grounds: findGrounds('page'),
  },
  'domain-redirect': {
    requirement: 'publishing.redirect',
    sends:
      '`GET` of the page and of a longer path of each `from`, at each address of the platform.',
    fails: 'Another status than the file has, or a Location whose host is not `to`.',
    inconclusive: `the response is 403 or 429, or ${notReady}`,
    judge: judgeRedirect,
    grounds: findGrounds('page'),
  },
  'domain-redirect-reach': {
    requirement: 'publishing.redirect-reach',
    sends: 'Nothing of its own: DNS and certificate of each `from`.',
    fails: 'Its DNS does not verify, or it has no valid certificate.',
    inconclusive: 'one of them is not known (blocked)',
    judge: (host) => {
      if (!host.redirect) return doesNotRedirect
      const { since, verifiedAt } = host.settings
      const expected = 'a DNS record that verifies, and a certificate'
      const holds = verifies(host)
      const state = certificateState(host)
      if (holds === false && since === null) return breach(expected, 'the DNS does not verify')
      if (holds && state === 'wrong' && verifiedAt === null) {
        return breach(expected, 'no valid certificate')
      }
      return holds && state === 'good'
        ? pass('both are there')
        : blocked('one of them is not known')
    },
    grounds: findGrounds('page'),
  },
  'domain-redirect-secure': {
    requirement: 'publishing.redirect-secure',
    sends: 'The requests of `domain-redirect`.',
    fails: 'Its Location is a URL of plain HTTP.',
    inconclusive: 'it does not redirect (blocked)',
    judge: (host) => {
      if (!host.redirect) return doesNotRedirect
      const probes = [...probesFor(host, 'page'), ...probesFor(host, 'path')]
      const leading = probes.filter((probe) => redirectHost(probe) !== null)
      const plain = leading.find((probe) => targetUrl(probe)?.protocol === 'http:')
      if (plain) return breach('a Location with https://', describeResponse(plain), plain)
      return leading.length > 0 ? pass('https') : blocked('no redirect')
    },
    grounds: findGrounds('page'),
  },
  'domain-redirect-path': {
    requirement: 'publishing.redirect-path',
    sends: '`GET` of a longer path of each `from`.',
    fails: 'Whether its Location keeps path and query.',
    inconclusive: 'it does not redirect (blocked)',
    judge: (host) => {
      if (!host.redirect) return doesNotRedirect
      const [probe] = probesFor(host, 'path')
      const target = probe && targetUrl(probe)
      if (!target) return blocked('no redirect')
      const sent = new URL(longerPath, 'https://any')
      const path = target.pathname === sent.pathname ? 'kept' : 'dropped'
      return observed(`path ${path}, query ${target.search === sent.search ? 'kept' : 'dropped'}`)
    },
    grounds: findGrounds('path'),
  },
  'domain-plain-http': {
    requirement: 'publishing.plain-http',
    sends: '`GET` over plain HTTP, and `HEAD` over HTTPS.',
    fails: 'The response to each.',
    inconclusive: 'no address of the platform is known (blocked)',
    judge: (host) => {
      const [plain] = probesFor(host, 'plain')
      const [head] = probesFor(host, 'head')
      if (!plain) return noAddress
      const to = redirectHost(plain)
      const scheme = targetUrl(plain)?.protocol === 'https:' ? 'HTTPS' : 'HTTP'
      const where = `${plain.response?.status} to ${to === host.host ? 'itself' : to} by ${scheme}`
      const shown = to === null ? describeResponse(plain) : where
      return observed(`plain HTTP ${shown}; HEAD ${head ? describeResponse(head) : 'not sent'}`)
    },
    grounds: findGrounds('plain'),
  },
})
