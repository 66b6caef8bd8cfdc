// Certificates and CAA records. A missing certificate is diagnosed in the order of rule 5: does the
// DNS still verify, does a CAA record forbid the authority, else use Re-verify.
import { duration } from '../../../history/quote.ts'
import { parseCaa } from '../../rules/dns-records.ts'
import { isLost, type Probe } from '../facts.ts'
import * as is from '../result.ts'
import { firstFor, type HostScene, list, probesFor } from '../scene.ts'
import { blockedByDns, verifies } from './judge-dns.ts'

const minuteMs = 60_000
const soonMs = 2 * minuteMs
const lateMs = 30 * minuteMs

/** No connection, or a timeout before the handshake ended, shows no certificate. */
const reachedOf = (host: HostScene): Probe[] =>
  probesFor(host, 'page').filter((one) => !isLost(one) || one.tls !== null)

/** By a part of what OpenSSL or the system reports; the dates of a leaf are judged before. */
const reports = [
  ['unrecognized name', 'the server knows no such name'],
  ['handshake failure', 'the server refuses the handshake'],
  ['internal error', 'the server reports an internal error'],
  ['wrong version', 'the server does not speak TLS on this port'],
  ['packet length', 'the server does not speak TLS on this port'],
  ['ECONNRESET', 'the server closes the connection'],
  ['DEPTH_ZERO_SELF', 'it is signed by itself'],
  ['SELF_SIGNED', 'the root of its chain is not trusted'],
  ['LEAF', 'the server sends no intermediate certificate, and its issuer is no trusted root'],
  ['GET_ISSUER', 'its chain ends below an authority that is not trusted'],
  ['HAS_EXPIRED', 'a certificate above it has expired'],
] as const

const inWords = (code: string) => reports.find(([part]) => code.includes(part))?.[1]

/** Clients compare the host with the subject alternative names alone. */
const isInCommonNameAlone = ({ tls, sni }: Probe): boolean =>
  tls !== null && tls.names.length === 0 && tls.subject.split('\n').includes(`CN=${sni}`)

const faultOf = (probe: Probe): string | null => {
  const { tls, failed, sni, at } = probe
  if (!tls) {
    const code = failed?.code ?? 'nothing'
    return `no certificate: ${inWords(code) ?? `the handshake ended with ${code}`}`
  }
  const atMs = Date.parse(at)
  if (isInCommonNameAlone(probe))
    return 'a certificate with the name in its CN only, and not in SAN'
  if (!tls.namesHost) return `a certificate for ${tls.names.join(', ') || tls.subject}, not ${sni}`
  if (Date.parse(tls.validFrom) > atMs) return `a certificate not valid before ${tls.validFrom}`
  if (Date.parse(tls.validTo) <= atMs) return `a certificate that expired at ${tls.validTo}`
  if (tls.error === null) return null
  const issuer = tls.issuer.split('\n').at(-1)
  return `a certificate of ${issuer} that is not trusted: ${inWords(tls.error) ?? tls.error}`
}

/** Each fault with the addresses that have it, and where the certificate is right. */
const describeFaults = (reached: readonly Probe[]): string => {
  const groups = [...Map.groupBy(reached, faultOf)]
  return groups
    .toSorted(([a], [b]) => Number(a === null) - Number(b === null))
    .map(([fault, own]) => {
      const isAll = groups.length === 1 && own.length > 1
      const where = isAll ? `all ${own.length} addresses` : list(own.map(({ address }) => address))
      return fault === null ? `right at ${where}` : `${fault}, at ${where}`
    })
    .join('; ')
}

/** Whether curl refuses the certificate too; it accepts one with the name in its CN. */
export const isSeenByCurl = (one: Probe) => faultOf(one) !== null && !isInCommonNameAlone(one)

export const certificateState = (host: HostScene): 'good' | 'wrong' | 'unreached' => {
  const reached = reachedOf(host)
  if (reached.length === 0) return 'unreached'
  return reached.every((each) => faultOf(each) === null) ? 'good' : 'wrong'
}

const criticalBit = 128
/** RFC 8659, 8657, 9495, and those of the CA/Browser Forum. */
const knownTag = /^(issue|issuewild|issuemail|issuevmc|iodef|contactemail|contactphone)$/i

/** The authority that an `issue` value names; empty: none, or it is malformed. */
const issuerIn = (value: string): string => {
  const name = (value.split(';')[0] ?? '').trim().toLowerCase()
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(name) ? name : ''
}

/** Whether CAA allows the authority to issue; null if that is not known. */
const allowanceOf = ({ caa, dns, authorities, platformHost }: HostScene) => {
  if (caa.trouble) return { allows: null, why: caa.trouble }
  if (caa.at === null) return { allows: true, why: 'there are no CAA records' }
  const host = dns.chain.indexOf(platformHost)
  const isTheirs = host >= 0 && dns.chain.indexOf(caa.at) >= host
  const at = isTheirs ? `${caa.at}, which the platform has to change` : caa.at
  const found = (allows: boolean | null, why: string, change = '') => ({
    allows,
    why: `at ${at}: ${why}`,
    ...(change !== '' && !isTheirs && { fix: `${change} of ${caa.at}` }),
  })
  const records = caa.set.map((data) => ({ data, ...parseCaa(data) }))
  const unknown = records.find(({ flags, tag }) => (flags & criticalBit) > 0 && !knownTag.test(tag))
  if (unknown) {
    return found(false, `${unknown.data} is critical and unknown`, `remove CAA ${unknown.data}`)
  }
  const issue = records.filter(({ tag }) => tag.toLowerCase() === 'issue')
  if (issue.length === 0) return found(true, 'no record restricts issuing')
  const names = issue.map(({ value }) => issuerIn(value)).filter((name) => name !== '')
  const shown = issue.map(({ data }) => data).join(', ')
  const [authority] = authorities
  const change = authority === undefined ? '' : `add CAA 0 issue "${authority}" to those`
  if (names.length === 0) return found(false, `${shown} allows nobody to issue`, change)
  if (authorities.length === 0) return found(null, `${shown}; give the authority with --ca`)
  const allows = names.some((name) => authorities.includes(name))
  if (allows) return found(true, shown)
  return found(false, `${shown}, and not ${authorities.join(' or ')}`, change)
}

/** A page whose certificate is wrong, or else any. */
const grounds = (host: HostScene) => {
  const wrong = probesFor(host, 'page').filter((each) => faultOf(each) !== null)
  return wrong.length > 0 ? wrong.slice(-1) : firstFor('page')(host)
}

const judgeCertificate = (host: HostScene): is.Result => {
  const [reached, state] = [reachedOf(host), certificateState(host)]
  if (state === 'unreached') {
    const failed = probesFor(host, 'page')[0]?.failed
    const why = failed?.code ?? host.platformTrouble ?? 'not requested'
    return is.blocked(`no address of the platform could be reached: ${why}`)
  }
  if (state === 'good') return is.pass(`valid until ${reached[0]?.tls?.validTo}`)
  const faults = describeFaults(reached)
  const expected = `a trusted certificate for ${host.host}, valid now, at every address`
  // None, or that of another name: it has not been issued. Any other one was, and is wrong.
  const isMissing = reached.every((one) => !one.tls?.namesHost && !isInCommonNameAlone(one))
  if (!isMissing) return is.breach(expected, faults)
  const [holds, { allows, why }] = [verifies(host), allowanceOf(host)]
  if (holds === false) return blockedByDns(host)
  if (allows === false) return is.blockedBy('domain-caa', 'CAA forbids it')
  const cause = allows ? 'DNS and CAA are right: use Re-verify' : `the DNS verifies; CAA ${why}`
  if (holds === null) return is.blocked(cause)
  const { verifiedAt } = host
  const sinceMs = verifiedAt === null ? lateMs : host.atMs - Date.parse(verifiedAt)
  if (sinceMs >= lateMs) return is.breach(expected, `${faults} (${cause})`)
  const age = duration(Math.max(0, sinceMs))
  return is.blocked(`none yet, ${age} after Verify: it may take up to 30 min`)
}

const judgeSoon = (host: HostScene): is.Result => {
  const { certificateSeen: seen, atMs, verifiedAt } = host
  if (verifiedAt === null) return is.ambiguous('give the time of Verify with --verified-at')
  const state = certificateState(host)
  if (state === 'unreached') return is.blocked('no address could be reached')
  const endMs = seen === undefined ? atMs : Date.parse(seen)
  // The clock that the time was noted by may be ahead.
  const seenMs = Math.max(0, endMs - Date.parse(verifiedAt))
  const age = `${duration(seenMs)} after Verify`
  const expected = 'a certificate within a couple of minutes'
  if (state === 'wrong') {
    return seenMs <= soonMs ? is.blocked(`none yet, ${age}`) : is.breach(expected, `none ${age}`)
  }
  if (seenMs <= soonMs) return is.pass(`seen ${age}`)
  return seen === undefined
    ? is.ambiguous(`seen ${age}; petvet domains watch records when it appears`)
    : is.breach(expected, `first seen ${age}`)
}

const allowing = (what: string) => `CAA records that allow the authority to ${what}`

/** A share of the lifetime, as there are certificates of six days. */
const minShareLeft = 0.1

export const certificateChecks = [
  is.check('domain-certificate', 'publishing.certificate', {
    sends: 'A TLS handshake for the domain at each address of the platform.',
    fails: 'None, or one that does not name the domain, is not trusted, or not valid now.',
    inconclusive:
      'no address is reached, DNS or CAA prevent it, or Verify succeeded less than 30 minutes ' +
      'ago (--verified-at)',
    judge: judgeCertificate,
    grounds,
  }),
  is.check('domain-certificate-soon', 'publishing.certificate-soon', {
    sends: 'Nothing of its own: the time at which the certificate was first seen.',
    fails: 'The certificate is seen more than two minutes after Verify (--verified-at).',
    inconclusive: '--verified-at is not given, or no check ran in time: use watch (ambiguous)',
    judge: judgeSoon,
    grounds,
  }),
  is.check('domain-renewal', 'publishing.renewal', {
    sends: 'Nothing of its own: the certificate, and the current CAA records.',
    fails: 'CAA forbids its renewal, or less than a tenth of its lifetime is left.',
    inconclusive: 'there is no valid certificate (blocked), or CAA is not known',
    judge: (host) => {
      if (certificateState(host) !== 'good') return is.blocked('no valid certificate')
      const { allows, why, ...change } = allowanceOf(host)
      if (allows === false) return is.breach(allowing('renew'), why, change)
      const short = probesFor(host, 'page').find(({ tls, at }) => {
        if (!tls) return false
        const [fromMs, toMs] = [Date.parse(tls.validFrom), Date.parse(tls.validTo)]
        return toMs - Date.parse(at) < (toMs - fromMs) * minShareLeft
      })
      if (short)
        return is.breach('a tenth of its lifetime left', `it ends at ${short.tls?.validTo}`)
      return allows === null ? is.ambiguous(why) : is.pass(why)
    },
    grounds,
  }),
  is.check('domain-caa', 'publishing.caa', {
    sends: 'DNS queries for the nearest CAA records above the domain, and at its CNAME target.',
    fails: 'They allow none or only others, or one is critical and unknown; no valid certificate.',
    inconclusive: 'CAA is not known (blocked), or the authority is not named (--ca)',
    judge: (host) => {
      const { allows, why, ...change } = allowanceOf(host)
      if (allows) return is.pass(why)
      if (certificateState(host) === 'good') return is.pass(`a certificate was issued; now ${why}`)
      if (allows === false) return is.breach(allowing('issue'), why, change)
      return host.caa.trouble ? is.blocked(why) : is.ambiguous(why)
    },
    grounds: ({ caa: { at }, host }) => [{ name: at ?? host, type: 'CAA' }],
  }),
]
