// Certificates and CAA records. A missing certificate is diagnosed in the order of rule 5: does the
// DNS still verify, does a CAA record forbid the authority, else use Re-verify.
import { parseCaa } from '../../rules/dns-records.ts'
import type { Probe } from '../facts.ts'
import {
  ambiguous,
  blocked,
  breach,
  declared,
  type HostScene,
  pass,
  probesFor,
  type Result,
} from '../scene.ts'
import { verifies } from './judge-dns.ts'

const minuteMs = 60_000
const soonMs = 2 * minuteMs
const lateMs = 30 * minuteMs

/** No connection, or a timeout before the handshake ended, shows no certificate. */
const reachedOf = (host: HostScene): Probe[] =>
  probesFor(host, 'page').filter(
    ({ failed, tls }) =>
      failed?.stage !== 'connect' && (failed?.code !== 'ETIMEDOUT' || tls !== null),
  )

const faultOf = ({ tls, failed, sni, at }: Probe): string | null => {
  if (!tls) return `no certificate: the handshake ended with ${failed?.code ?? 'nothing'}`
  const atMs = Date.parse(at)
  if (!tls.namesHost) return `a certificate for ${tls.names.join(', ') || tls.subject}, not ${sni}`
  if (Date.parse(tls.validFrom) > atMs) return `a certificate not valid before ${tls.validFrom}`
  if (Date.parse(tls.validTo) <= atMs) return `a certificate that expired at ${tls.validTo}`
  return tls.error === null ? null : `a certificate that is not trusted: ${tls.error}`
}

export const certificateState = (host: HostScene): 'good' | 'wrong' | 'unreached' => {
  const reached = reachedOf(host)
  if (reached.length === 0) return 'unreached'
  return reached.every((each) => faultOf(each) === null) ? 'good' : 'wrong'
}

const criticalBit = 128
/** RFC 8659, 8657, 9495, and those of the CA/Browser Forum. */
const knownTag = /^(issue|issuewild|issuemail|issuevmc|iodef|contactemail|contactphone)$/

/** The authority that an `issue` value names; empty: none, or it is malformed. */
const issuerIn = (value: string): string => {
  const name = (value.split(';')[0] ?? '').trim().toLowerCase()
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(name) ? name : ''
}

/** Whether CAA allows the authority to issue; null if that is not known. */
const allowanceOf = ({ caa, settings: { authorities } }: HostScene) => {
  if (caa.trouble) return { allows: null, why: caa.trouble }
  if (caa.at === null) return { allows: true, why: 'there are no CAA records' }
  const found = (allows: boolean | null, why: string) => ({ allows, why: `at ${caa.at}: ${why}` })
  const records = caa.set.map((data) => {
    const { flags, tag, value } = parseCaa(data)
    return { data, tag: tag.toLowerCase(), isCritical: (flags & criticalBit) !== 0, value }
  })
  const unknown = records.find(({ tag, isCritical }) => isCritical && !knownTag.test(tag))
  if (unknown) return found(false, `${unknown.data} is critical and unknown`)
  const issue = records.filter(({ tag }) => tag === 'issue')
  if (issue.length === 0) return found(true, 'no record restricts issuing')
  const names = issue.map(({ value }) => issuerIn(value)).filter((name) => name !== '')
  const shown = issue.map(({ data }) => data).join(', ')
  if (names.length === 0) return found(false, `${shown} allows nobody to issue`)
  if (authorities.length === 0) return found(null, `${shown}; give the authority with --ca`)
  const allows = names.some((name) => authorities.includes(name))
  return found(allows, allows ? shown : `${shown}, and not ${authorities.join(' or ')}`)
}

/** A page whose certificate is wrong, or else any. */
const grounds = (host: HostScene) => {
  const pages = probesFor(host, 'page')
  const wrong = pages.filter((each) => faultOf(each) !== null)
  return wrong.length > 0 ? wrong.slice(-1) : pages.slice(0, 1)
}

const judgeCertificate = (host: HostScene): Result => {
  const reached = reachedOf(host)
  if (reached.length === 0) {
    const failed = probesFor(host, 'page')[0]?.failed
    const why = failed?.code ?? host.platformTrouble ?? 'no address'
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
  const [holds, { allows }] = [verifies(host), allowanceOf(host)]
  if (holds === false) return blocked('the DNS does not verify')
  if (allows === false) return blocked('CAA forbids it')
  const cause = allows
    ? 'DNS and CAA are right: use Re-verify'
    : 'the DNS verifies, CAA is not known'
  if (holds === null) return blocked(cause)
  const { verifiedAt } = host.settings
  const sinceMs = verifiedAt === null ? lateMs : host.atMs - Date.parse(verifiedAt)
  if (sinceMs >= lateMs) return breach(expected, `${faults.join('; ')} (${cause})`)
  const minutes = (sinceMs / minuteMs).toFixed(1)
  return blocked(`none yet, ${minutes} min after Verify: it may take up to 30`)
}

const judgeSoon = (host: HostScene): Result => {
  const { certificateSeen: seen, atMs } = host
  const { verifiedAt } = host.settings
  if (verifiedAt === null) return ambiguous('give the time of Verify with --verified-at')
  const state = certificateState(host)
  if (state === 'unreached') return blocked('no address could be reached')
  const seenMs = (seen === undefined ? atMs : Date.parse(seen)) - Date.parse(verifiedAt)
  const minutes = `${(seenMs / minuteMs).toFixed(1)} min after Verify`
  const expected = 'a certificate within a couple of minutes'
  if (state === 'wrong') {
    return seenMs <= soonMs ? blocked(`none yet, ${minutes}`) : breach(expected, `none ${minutes}`)
  }
  if (seenMs <= soonMs) return pass(`seen ${minutes}`)
  return seen === undefined
    ? ambiguous(`seen ${minutes}; petvet domains watch records when it appears`)
    : breach(expected, `first seen ${minutes}`)
}

/** A share of the lifetime, as there are certificates of six days. */
const minShareLeft = 0.1

export const certificateChecks = declared({
  'domain-certificate': {
    requirement: 'publishing.certificate',
    sends: 'A TLS handshake for the domain at each address of the platform.',
    fails:
      'No certificate, or one that does not name the domain, is not trusted, or not valid now.',
    inconclusive:
      'no address is reached, DNS or CAA prevent it, or Verify succeeded less than 30 minutes ' +
      'ago (--verified-at)',
    judge: judgeCertificate,
    grounds,
  },
  'domain-certificate-soon': {
    requirement: 'publishing.certificate-soon',
    sends: 'Nothing of its own: the time at which the certificate was first seen.',
    fails: 'The certificate is seen more than two minutes after Verify (--verified-at).',
    inconclusive:
      '--verified-at is not given, or no check ran in time: use petvet domains watch (ambiguous)',
    judge: judgeSoon,
    grounds,
  },
  'domain-renewal': {
    requirement: 'publishing.renewal',
    sends: 'Nothing of its own: the certificate, and the current CAA records.',
    fails: 'CAA forbids its renewal, or less than a tenth of its lifetime is left.',
    inconclusive: 'there is no valid certificate (blocked), or CAA is not known',
    judge: (host) => {
      if (certificateState(host) !== 'good') return blocked('no valid certificate')
      const { allows, why } = allowanceOf(host)
      if (allows === false) return breach('CAA records that allow the authority to renew', why)
      const short = probesFor(host, 'page').find(({ tls, at }) => {
        if (!tls) return false
        const [fromMs, toMs] = [Date.parse(tls.validFrom), Date.parse(tls.validTo)]
        return toMs - Date.parse(at) < (toMs - fromMs) * minShareLeft
      })
      if (short) return breach('a tenth of its lifetime left', `it ends at ${short.tls?.validTo}`)
      return allows === null ? ambiguous(why) : pass(why)
    },
    grounds,
  },
  'domain-caa': {
    requirement: 'publishing.caa',
    sends: 'DNS queries for the nearest CAA records above the domain, and at its CNAME target.',
    fails:
      'They allow nobody or only others to issue, or one is critical and unknown; and there is ' +
      'no valid certificate.',
    inconclusive: 'CAA is not known (blocked), or the authority is not named (--ca)',
    judge: (host) => {
      const { allows, why } = allowanceOf(host)
      if (allows) return pass(why)
      const isIssued = certificateState(host) === 'good'
      if (isIssued) return pass(`a certificate was issued; now ${why}`)
      if (allows === false) return breach('CAA records that allow the authority to issue', why)
      return host.caa.trouble ? blocked(why) : ambiguous(why)
    },
    grounds: ({ caa: { at }, host }) => [{ name: at ?? host, type: 'CAA' }],
  },
})
