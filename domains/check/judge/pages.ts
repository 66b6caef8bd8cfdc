// Judges what domains answer: the primary serves the project, each `from` redirects.
import type { RedirectConfig } from '../../rules/lint.ts'
import { askedPath, type Probe } from '../facts.ts'
import {
  breach,
  type HostCheck,
  inapplicable,
  observed,
  pass,
  type Said,
  untested,
} from '../finding.ts'
import { redirectHost, showsMarker, targetOf, tellAnswer } from '../page.ts'
import { type HostScene, probesOf, type Scene } from '../scene.ts'
import { certificateState } from './certificate.ts'
import { verifies } from './dns.ts'

/** The worst of what was said of several addresses. */
const worstOf = (all: readonly Said[]): Said => {
  const order = ['breach', 'untested', 'observed', 'inapplicable', 'pass']
  const [worst] = all.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
  return worst ?? untested('blocked', 'no address of the platform is known')
}

/** Without a certificate nothing is served, and that is told apart. */
const hindrance = (scene: Scene, host: HostScene): string | null => {
  if (scene.platformTrouble) return scene.platformTrouble
  if (verifies(scene, host) === false) return 'the DNS does not verify'
  const state = certificateState(scene, host)
  if (state === 'unreached') return 'no address of the platform could be reached'
  return state === 'wrong' ? 'there is no good certificate' : null
}

const judgePage = (scene: Scene, probe: Probe): Said => {
  const { marker, path } = scene.facts.asked
  const expected = `2xx${marker === null ? '' : ' with the marker'} at ${path}`
  const { answer, failed, host } = probe
  if (!answer) {
    const isTheirs = failed?.stage === 'http'
    const why = `${tellAnswer(probe)}, at ${probe.address}`
    return isTheirs && failed?.code !== 'ETIMEDOUT'
      ? breach(expected, why)
      : untested('blocked', why)
  }
  const to = redirectHost(probe)
  const isElsewhere = to !== null && to !== host
  if (isElsewhere && (marker !== null || isOfPlatform(scene, to))) {
    return breach(expected, tellAnswer(probe))
  }
  // A page within, a login, a limit, a project of its own mind: it may be so made.
  if (to !== null || marker === null || [401, 403, 429].includes(answer.status)) {
    return untested('ambiguous', `${tellAnswer(probe)}: --marker and --path name an open page`)
  }
  if (answer.status < 200 || answer.status > 299) return breach(expected, tellAnswer(probe))
  const shows = showsMarker(probe, marker)
  if (shows) return pass(`${answer.status} with the marker`)
  const what = `${answer.status} without the marker`
  return shows === null
    ? untested('ambiguous', `${what} in the first 64 KiB`)
    : breach(expected, what)
}

const isOfPlatform = ({ facts }: Scene, host: string) =>
  host === facts.asked.platformHost || host === facts.asked.site

const judgePrimary = (scene: Scene, host: HostScene): Said => {
  if (host.redirect) return inapplicable('it redirects')
  const probes = probesOf(scene, host, 'page')
  const said = worstOf(probes.map((probe) => judgePage(scene, probe)))
  const hindered = hindrance(scene, host)
  return said.kind === 'pass' || hindered === null ? said : untested('blocked', hindered)
}

const judgeLocation = (probe: Probe, { to, status }: RedirectConfig): Said => {
  const expected = `${status} with a Location whose host is ${to}`
  const { answer, failed } = probe
  if (!answer) {
    const isTheirs = failed?.stage === 'http' && failed.code !== 'ETIMEDOUT'
    return isTheirs ? breach(expected, tellAnswer(probe)) : untested('blocked', tellAnswer(probe))
  }
  // Who stands in front of it may refuse a stranger.
  if ([403, 429].includes(answer.status)) return untested('blocked', tellAnswer(probe))
  if (answer.status !== status || redirectHost(probe) !== to) {
    return breach(expected, tellAnswer(probe))
  }
  return pass(tellAnswer(probe))
}

const judgeRedirect = (scene: Scene, host: HostScene): Said => {
  const { redirect } = host
  if (!redirect) return inapplicable('it does not redirect')
  const probes = [...probesOf(scene, host, 'page'), ...probesOf(scene, host, 'path')]
  const said = worstOf(probes.map((probe) => judgeLocation(probe, redirect)))
  const hindered = hindrance(scene, host)
  return said.kind === 'pass' || hindered === null ? said : untested('blocked', hindered)
}

const observePath = (scene: Scene, host: HostScene): Said => {
  if (!host.redirect) return inapplicable('it does not redirect')
  const [probe] = probesOf(scene, host, 'path')
  const target = probe && targetOf(probe)
  if (!target) return untested('blocked', 'no redirect')
  const given = new URL(askedPath, 'https://any')
  const path = target.pathname === given.pathname ? 'path kept' : 'path dropped'
  return observed(`${path}, query ${target.search === given.search ? 'kept' : 'dropped'}`)
}

const observePlain = (scene: Scene, host: HostScene): Said => {
  const [plain] = probesOf(scene, host, 'plain')
  const [head] = probesOf(scene, host, 'head')
  if (!plain) return untested('blocked', 'no address of the platform is known')
  const to = redirectHost(plain)
  const scheme = targetOf(plain)?.protocol === 'https:' ? 'HTTPS' : 'HTTP'
  const where = to === host.host ? 'itself' : to
  const told = to === null ? tellAnswer(plain) : `${plain.answer?.status} to ${where} by ${scheme}`
  return observed(`plain HTTP ${told}; HEAD ${head ? tellAnswer(head) : 'not asked'}`)
}

const judgeReach = (scene: Scene, host: HostScene): Said => {
  if (!host.redirect) return inapplicable('it does not redirect')
  const expected = 'a DNS record that verifies, and a certificate'
  const holds = verifies(scene, host)
  const state = certificateState(scene, host)
  if (holds === false && scene.facts.asked.since === null) {
    return breach(expected, 'the DNS does not verify')
  }
  if (holds && state === 'wrong' && scene.facts.asked.verifiedAt === null) {
    return breach(expected, 'no good certificate')
  }
  return holds && state === 'good'
    ? pass('both are there')
    : untested('blocked', 'not both are told')
}

const last =
  (purpose: Probe['purpose']): HostCheck[2] =>
  (scene, host) =>
    probesOf(scene, host, purpose).slice(-1)

export const pageChecks: readonly HostCheck[] = [
  ['domain-primary', judgePrimary, last('page')],
  ['domain-redirect', judgeRedirect, last('page')],
  ['domain-redirect-reach', judgeReach, last('page')],
  ['domain-redirect-path', observePath, last('path')],
  ['domain-plain-http', observePlain, last('plain')],
]

/** Whether a domain does what it is there for. */
export const works = (scene: Scene, host: HostScene): boolean =>
  (host.redirect ? judgeRedirect : judgePrimary)(scene, host).kind === 'pass'
