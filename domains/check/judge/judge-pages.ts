// What domains respond: the primary serves the project, each `from` redirects.
import type { RedirectConfig } from '../../rules/lint.ts'
import { longerPath, type Probe } from '../facts.ts'
import * as read from '../response.ts'
import * as is from '../result.ts'
import { firstFor, type HostScene, list, probesFor } from '../scene.ts'
import { certificateState } from './judge-certificate.ts'
import { blockedByDns, verifies } from './judge-dns.ts'

const notReady = 'the DNS does not verify, or there is no valid certificate (blocked)'
const noAddress = is.blocked('no address of the platform was requested')
const doesNotRedirect = is.inapplicable('it does not redirect')

/** Without a certificate nothing is served, which another check reports. */
const obstacleOf = (host: HostScene): is.Result | null => {
  if (host.platformTrouble) return is.blocked(host.platformTrouble)
  if (verifies(host) === false) return blockedByDns(host)
  const state = certificateState(host)
  if (state === 'unreached') return is.blocked('no address of the platform could be reached')
  const isWrong = state === 'wrong'
  return isWrong ? is.blockedBy('domain-certificate', 'there is no valid certificate') : null
}

/** With the addresses that it is about, if it is right at others. */
const located = (worst: is.Result, results: readonly is.Result[]): is.Result => {
  const addressesOf = (is: (one: is.Result) => boolean) =>
    new Set(results.filter(is).flatMap(({ probe }) => probe?.address ?? []))
  const wrong = addressesOf(({ actual }) => actual === worst.actual)
  const right = addressesOf(({ kind }) => kind === 'pass').difference(wrong)
  if (worst.kind !== 'breach' || right.size === 0) return worst
  const { expected, actual } = worst
  const where = `at ${list([...wrong])}; right at ${list([...right])}`
  return { ...worst, ...is.breach(`${expected ?? ''}`, `${actual}, ${where}`) }
}

/** The worst result of all addresses, unless DNS or TLS explains it. */
const worstOf = (host: HostScene, probes: Probe[], judgeOne: (probe: Probe) => is.Result) => {
  const results = probes.map((probe): is.Result => ({ ...judgeOne(probe), probe }))
  const worst =
    results.find(({ kind }) => kind === 'breach') ??
    results.find(({ kind }) => kind === 'untested') ??
    results[0] ??
    noAddress
  const obstacle = obstacleOf(host)
  return worst.kind === 'pass' || obstacle === null ? located(worst, results) : obstacle
}

/** Closing a connection is a fault of the server; a timeout may have other causes. */
const noResponse = (probe: Probe, expected: string): is.Result => {
  const isServerFault = probe.failed?.stage === 'http' && probe.failed.code !== 'ETIMEDOUT'
  const why = read.describeResponse(probe)
  return isServerFault ? is.breach(expected, why) : is.blocked(`${why}, at ${probe.address}`)
}

const judgePage = (scene: HostScene, probe: Probe): is.Result => {
  const { marker, path, platformHost, site } = scene
  const expected = `2xx${marker === null ? '' : ' with the marker'} at ${path}`
  const { response, host } = probe
  if (!response) return noResponse(probe, expected)
  const shown = read.describeResponse(probe)
  if (read.redirectsToItself(probe)) return is.breach(expected, `${shown}: it redirects to itself`)
  const to = read.redirectHost(probe)
  const isOfPlatform = to === platformHost || to === site
  if (to !== null && to !== host && (marker !== null || isOfPlatform)) {
    return is.breach(expected, shown)
  }
  // A page further in, a login, a limit: the project may be made that way.
  if (to !== null || marker === null || [401, 403, 429].includes(response.status)) {
    const how = marker === null ? '--marker and --path' : '--path'
    return is.ambiguous(`${shown}: give an open page with ${how}`)
  }
  if (response.status < 200 || response.status > 299) return is.breach(expected, shown)
  const shows = read.showsMarker(probe, marker)
  if (shows) return is.pass(`${response.status} with the marker`)
  const what = `${response.status} without the marker`
  return shows === null ? is.ambiguous(`${what} in the first 64 KiB`) : is.breach(expected, what)
}

const judgePrimary = (host: HostScene): is.Result => {
  if (host.redirect) return is.inapplicable('it redirects')
  return worstOf(host, probesFor(host, 'page'), (probe) => judgePage(host, probe))
}

const judgeLocation = (probe: Probe, { to, status }: RedirectConfig): is.Result => {
  const expected = `${status} with a Location whose host is ${to}`
  const { response } = probe
  if (!response) return noResponse(probe, expected)
  const shown = read.describeResponse(probe)
  // A firewall may be in front of it.
  if ([403, 429].includes(response.status)) return is.blocked(shown)
  const isRight = response.status === status && read.redirectHost(probe) === to
  return isRight ? is.pass(shown) : is.breach(expected, shown)
}

const judgeRedirect = (host: HostScene): is.Result => {
  const { redirect: configured } = host
  if (!configured) return doesNotRedirect
  return worstOf(host, probesFor(host, 'page', 'path'), (probe) => judgeLocation(probe, configured))
}

/** Whether a domain serves or redirects as configured. */
export const works = (host: HostScene): boolean =>
  (host.redirect ? judgeRedirect : judgePrimary)(host).kind === 'pass'

export const pageChecks = [
  is.check('domain-primary', 'publishing.primary', {
    sends: '`GET` of the page of the primary domain at each address of the platform.',
    fails: 'Another status than 2xx, a redirect to another host, or a page without the --marker.',
    inconclusive: `no --marker identifies the page (ambiguous), or ${notReady}`,
    judge: judgePrimary,
  }),
  is.check('domain-redirect', 'publishing.redirect', {
    sends: '`GET` of the page and of a longer path of each `from`, at each address.',
    fails: 'Another status than the file has, or a Location whose host is not `to`.',
    inconclusive: `the response is 403 or 429, or ${notReady}`,
    judge: judgeRedirect,
  }),
  is.check('domain-redirect-reach', 'publishing.redirect-reach', {
    sends: 'Nothing of its own: DNS and certificate of each `from`.',
    fails: 'Its DNS does not verify, or it has no valid certificate.',
    inconclusive: 'one of them is not known (blocked)',
    judge: (host) => {
      if (!host.redirect) return doesNotRedirect
      const { since, verifiedAt } = host
      const expected = 'a DNS record that verifies, and a certificate'
      const [holds, state] = [verifies(host), certificateState(host)]
      if (holds === false && since === null) return is.breach(expected, 'the DNS does not verify')
      if (holds && state === 'wrong' && verifiedAt === null) {
        return is.breach(expected, 'no valid certificate')
      }
      const isRight = holds && state === 'good'
      return isRight ? is.pass('both are there') : is.blocked('one of them is not known')
    },
  }),
  is.check('domain-redirect-secure', 'publishing.redirect-secure', {
    sends: 'The requests of `domain-redirect`.',
    fails: 'Its Location is a URL of plain HTTP.',
    inconclusive: 'it does not redirect (blocked)',
    judge: (host) => {
      if (!host.redirect) return doesNotRedirect
      const all = probesFor(host, 'page', 'path').filter((one) => read.redirectHost(one) !== null)
      const probe = all.find((one) => read.targetUrl(one)?.protocol === 'http:')
      if (probe)
        return is.breach('a Location with https://', read.describeResponse(probe), { probe })
      return all.length > 0 ? is.pass('https') : is.blocked('no redirect')
    },
  }),
  is.check('domain-redirect-path', 'publishing.redirect-path', {
    sends: '`GET` of a longer path of each `from`.',
    fails: 'Whether its Location keeps path and query.',
    inconclusive: 'it does not redirect (blocked)',
    judge: (host) => {
      if (!host.redirect) return doesNotRedirect
      const [probe] = probesFor(host, 'path')
      const target = probe && read.targetUrl(probe)
      if (!target) return is.blocked('no redirect')
      const sent = new URL(longerPath, 'https://any')
      const kept = (part: 'pathname' | 'search') =>
        target[part] === sent[part] ? 'kept' : 'dropped'
      return is.observed(`path ${kept('pathname')}, query ${kept('search')}`)
    },
    grounds: firstFor('path'),
  }),
  is.check('domain-plain-http', 'publishing.plain-http', {
    sends: '`GET` over plain HTTP, and `HEAD` over HTTPS.',
    fails: 'The response to each.',
    inconclusive: 'no address of the platform is known (blocked)',
    judge: (host) => {
      const [[plain], [head]] = [probesFor(host, 'plain'), probesFor(host, 'head')]
      if (!plain) return noAddress
      const to = read.redirectHost(plain)
      const scheme = read.targetUrl(plain)?.protocol === 'https:' ? 'HTTPS' : 'HTTP'
      const where = `${plain.response?.status} to ${to === host.host ? 'itself' : to} by ${scheme}`
      const shown = to === null ? read.describeResponse(plain) : where
      const second = head ? read.describeResponse(head) : 'not sent'
      return is.observed(`plain HTTP ${shown}; HEAD ${second}`)
    },
    grounds: firstFor('plain'),
  }),
]
