// Certificates and CAA records. A missing certificate is diagnosed in the order of rule 5: does the
// DNS still verify, does a CAA record forbid the authority, else use Re-verify.
import { caaPartsOf } from '../../rules/dns.ts'
import { ambiguous, blocked, breach, type HostCheck, pass } from '../declare.ts'
import type { Probe } from '../facts.ts'
import { type HostScene, probesOf, type Scene } from '../scene.ts'
import { verifies } from './dns.ts'

const minuteMs = 60_000
const soonMs = 2 * minuteMs
const lateMs = 30 * minuteMs

/** No connection, or a timeout before the handshake ended: that shows no certificate. */
const isUnreached = ({ failed, tls }: Probe) =>
  failed?.stage === 'connect' || (failed?.code === 'ETIMEDOUT' && tls === null)

const reachedOf = (scene: Scene, host: HostScene): Probe[] =>
  probesOf(scene, host, 'page').filter((each) => !isUnreached(each))

const faultOf = ({ tls, failed, sni, at }: Probe): string | null => {
  if (!tls) return `no certificate: the handshake ended with ${failed?.code ?? 'nothing'}`
  const atMs = Date.parse(at)
  if (!tls.namesHost) return `a certificate for ${tls.names.join(', ') || tls.subject}, not ${sni}`
  if (Date.parse(tls.validFrom) > atMs) return `a certificate not valid before ${tls.validFrom}`
  if (Date.parse(tls.validTo) <= atMs) return `a certificate that expired at ${tls.validTo}`
  return tls.error === null ? null : `a certificate that is not trusted: ${tls.error}`
}

export const certificateState = (scene: Scene, host: HostScene): 'good' | 'wrong' | 'unreached' => {
  const reached = reachedOf(scene, host)
  if (reached.length === 0) return 'unreached'
  return reached.every((each) => faultOf(each) === null) ? 'good' : 'wrong'
}

const criticalBit = 128
/** RFC 8659, 8657, 9495, and those of the CA/Browser Forum. */
const knownTags = [
  'issue',
  'issuewild',
  'issuemail',
  'issuevmc',
  'iodef',
  'contactemail',
  'contactphone',
]

/** The authority that an `issue` value names; empty: none, or it is malformed. */
const issuerIn = (value: string): string => {
  const name = (value.split(';')[0] ?? '').trim().toLowerCase()
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(name) ? name : ''
}

type Allowance = { readonly allows: boolean | null; readonly why: string }

const allowanceOf = (set: readonly string[], authorities: readonly string[]): Allowance => {
  const records = set.map((data) => {
    const { flags, tag, value } = caaPartsOf(data)
    return { data, tag: tag.toLowerCase(), isCritical: (flags & criticalBit) !== 0, value }
  })
  const unknown = records.find(({ tag, isCritical }) => isCritical && !knownTags.includes(tag))
  if (unknown) return { allows: false, why: `${unknown.data} is critical and unknown` }
  const issue = records.filter(({ tag }) => tag === 'issue')
  if (issue.length === 0) return { allows: true, why: 'no record restricts issuing' }
  const names = issue.map(({ value }) => issuerIn(value)).filter((name) => name !== '')
  const shown = issue.map(({ data }) => data).join(', ')
  if (names.length === 0) return { allows: false, why: `${shown} allows nobody to issue` }
  if (authorities.length === 0)
    return { allows: null, why: `${shown}; give the authority with --ca` }
  const allows = names.some((name) => authorities.includes(name))
  return { allows, why: allows ? shown : `${shown}, and not ${authorities.join(' or ')}` }
}

const allowanceFor = (scene: Scene, { caa }: HostScene): Allowance => {
  if (caa.trouble) return { allows: null, why: caa.trouble }
  if (caa.at === null) return { allows: true, why: 'there are no CAA records' }
  const { allows, why } = allowanceOf(caa.set, scene.facts.settings.authorities)
  return { allows, why: `at ${caa.at}: ${why}` }
}

/** Rule 5: the cause of a missing certificate. */
const diagnosis = (scene: Scene, host: HostScene): string => {
  const { allows } = allowanceFor(scene, host)
  if (verifies(scene, host) === false) return 'the DNS does not verify'
  if (allows === false) return 'CAA forbids it'
  return allows ? 'DNS and CAA are right: use Re-verify' : 'the DNS verifies, CAA is not known'
}

/** A page whose certificate is wrong, or else any. */
const shown: HostCheck['grounds'] = (scene, host) => {
  const pages = probesOf(scene, host, 'page')
  const wrong = pages.filter((each) => faultOf(each) !== null)
  return wrong.length > 0 ? wrong.slice(-1) : pages.slice(0, 1)
}

const certificate: HostCheck = {
  id: 'domain-certificate',
  requirement: 'publishing.certificate',
  sends: 'A TLS handshake for the domain at each address of the platform.',
  fails: 'No certificate, or one that does not name the domain, is not trusted, or not valid now.',
  inconclusive:
    'no address is reached, DNS or CAA prevent it, or Verify succeeded less than 30 minutes ' +
    'ago (--verified-at)',
  judge: (scene, host) => {
    const reached = reachedOf(scene, host)
    if (reached.length === 0) {
      const failed = probesOf(scene, host, 'page')[0]?.failed
      const why = failed?.code ?? scene.platformTrouble ?? 'no address'
      return blocked(`no address of the platform could be reached: ${why}`)
    }
    const faults = reached.flatMap((each) => {
      const fault = faultOf(each)
      return fault === null ? [] : [`${fault}, at ${each.address}`]
    })
    if (faults.length === 0) return pass(`valid until ${reached[0]?.tls?.validTo}`)
    const expected = `a trusted certificate for ${host.host}, valid now, at every address`
    // None, or that of another name: it has not been issued. Any other one was, and is wrong.
    const isMissing = reached.every(({ tls }) => !tls?.namesHost)
    if (!isMissing) return breach(expected, faults.join('; '))
    const cause = diagnosis(scene, host)
    const isAllowed = allowanceFor(scene, host).allows !== false
    if (verifies(scene, host) !== true || !isAllowed) return blocked(cause)
    const { verifiedAt } = scene.facts.settings
    const sinceMs = verifiedAt === null ? lateMs : scene.atMs - Date.parse(verifiedAt)
    if (sinceMs >= lateMs) return breach(expected, `${faults.join('; ')} (${cause})`)
    const minutes = (sinceMs / minuteMs).toFixed(1)
    return blocked(`none yet, ${minutes} min after Verify: it may take up to 30`)
  },
  grounds: shown,
}

const certificateSoon: HostCheck = {
  id: 'domain-certificate-soon',
  requirement: 'publishing.certificate-soon',
  sends: 'Nothing of its own: the time at which the certificate was first seen.',
  fails: 'The certificate is seen more than two minutes after Verify (--verified-at).',
  inconclusive:
    '--verified-at is not given, or no check ran in time: use petvet domains watch (ambiguous)',
  judge: (scene, host) => {
    const { verifiedAt } = scene.facts.settings
    if (verifiedAt === null) return ambiguous('give the time of Verify with --verified-at')
    const state = certificateState(scene, host)
    if (state === 'unreached') return blocked('no address could be reached')
    const seen = scene.facts.certificateSeen[host.host]
    const seenMs = (seen === undefined ? scene.atMs : Date.parse(seen)) - Date.parse(verifiedAt)
    const minutes = `${(seenMs / minuteMs).toFixed(1)} min after Verify`
    const expected = 'a certificate within a couple of minutes'
    if (state === 'wrong') {
      return seenMs <= soonMs
        ? blocked(`none yet, ${minutes}`)
        : breach(expected, `none ${minutes}`)
    }
    if (seenMs <= soonMs) return pass(`seen ${minutes}`)
    return seen === undefined
      ? ambiguous(`seen ${minutes}; petvet domains watch records when it appears`)
      : breach(expected, `first seen ${minutes}`)
  },
  grounds: shown,
}

/** Of its lifetime: there are certificates of six days. */
const minShareLeft = 0.1

const renewal: HostCheck = {
  id: 'domain-renewal',
  requirement: 'publishing.renewal',
  sends: 'Nothing of its own: the certificate, and the current CAA records.',
  fails: 'CAA forbids its renewal, or less than a tenth of its lifetime is left.',
  inconclusive: 'there is no valid certificate (blocked), or CAA is not known',
  judge: (scene, host) => {
    if (certificateState(scene, host) !== 'good') return blocked('no valid certificate')
    const { allows, why } = allowanceFor(scene, host)
    if (allows === false) return breach('CAA records that allow the authority to renew', why)
    const short = probesOf(scene, host, 'page').find(({ tls, at }) => {
      if (!tls) return false
      const [fromMs, toMs] = [Date.parse(tls.validFrom), Date.parse(tls.validTo)]
      return toMs - Date.parse(at) < (toMs - fromMs) * minShareLeft
    })
    if (short) return breach('a tenth of its lifetime left', `it ends at ${short.tls?.validTo}`)
    return allows === null ? ambiguous(why) : pass(why)
  },
  grounds: shown,
}

const caa: HostCheck = {
  id: 'domain-caa',
  requirement: 'publishing.caa',
  sends: 'DNS queries for the nearest CAA records above the domain, and at its CNAME target.',
  fails:
    'They allow nobody or only others to issue, or one is critical and unknown; and there is no ' +
    'valid certificate.',
  inconclusive: 'CAA is not known (blocked), or the authority is not named (--ca)',
  judge: (scene, host) => {
    const { allows, why } = allowanceFor(scene, host)
    if (allows) return pass(why)
    const isIssued = certificateState(scene, host) === 'good'
    if (isIssued) return pass(`a certificate was issued; now ${why}`)
    if (allows === false) return breach('CAA records that allow the authority to issue', why)
    return host.caa.trouble ? blocked(why) : ambiguous(why)
  },
  grounds: (_scene, host) => [{ name: host.caa.at ?? host.host, type: 'CAA' }],
}

export const certificateChecks: readonly HostCheck[] = [certificate, certificateSoon, renewal, caa]
