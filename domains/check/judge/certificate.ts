// Judges certificates and CAA records, in the order of rule 5: does the DNS still verify, does a
// CAA record forbid the authority, else Re-verify.
import type { CaaRecord } from '../../rules/dns-packet.ts'
import type { Probe } from '../facts.ts'
import { breach, type HostCheck, pass, type Said, untested } from '../finding.ts'
import { type HostScene, probesOf, type Scene } from '../scene.ts'
import { verifies } from './dns.ts'

const minuteMs = 60_000
const soonMs = 2 * minuteMs
const lateMs = 30 * minuteMs

/** Why a connection did not tell of a certificate, though not by the target's doing. */
const isUnreached = ({ failed, tls }: Probe) =>
  failed?.stage === 'connect' || (failed?.code === 'ETIMEDOUT' && tls === null)

const faultOf = (probe: Probe): string | null => {
  const { tls, failed, sni, at } = probe
  if (!tls) return `no certificate: the handshake ended with ${failed?.code ?? 'nothing'}`
  const atMs = Date.parse(at)
  if (!tls.namesHost) return `a certificate for ${tls.names.join(', ') || tls.subject}, not ${sni}`
  if (Date.parse(tls.validFrom) > atMs) return `a certificate not valid before ${tls.validFrom}`
  if (Date.parse(tls.validTo) <= atMs) return `a certificate that expired at ${tls.validTo}`
  return tls.error === null ? null : `a certificate that is not trusted: ${tls.error}`
}

export const certificateState = (scene: Scene, host: HostScene): 'good' | 'wrong' | 'unreached' => {
  const reached = probesOf(scene, host, 'page').filter((each) => !isUnreached(each))
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

/** The authority that an `issue` value names; empty: nobody. Null: it is malformed. */
const issuerIn = (value: string): string | null => {
  const name = (value.split(';')[0] ?? '').trim().toLowerCase()
  return /^([a-z0-9-]+(\.[a-z0-9-]+)*)?$/.test(name) ? name : null
}

type Allowance = { readonly allows: boolean | null; readonly why: string }

const tell = ({ flags, tag, value }: CaaRecord) => `${flags} ${tag} "${value}"`

const allowanceOf = (set: readonly CaaRecord[], authorities: readonly string[]): Allowance => {
  const tagged = set.map((record) => ({ record, tag: record.tag.toLowerCase() }))
  const strange = tagged.find(
    ({ record, tag }) => (record.flags & criticalBit) !== 0 && !knownTags.includes(tag),
  )
  if (strange) return { allows: false, why: `${tell(strange.record)} is critical and unknown` }
  const issue = tagged.filter(({ tag }) => tag === 'issue').map(({ record }) => record)
  if (issue.length === 0) return { allows: true, why: 'no record restricts issuing' }
  const names = issue
    .map(({ value }) => issuerIn(value))
    .filter((name) => name !== null && name !== '')
  const told = issue.map(tell).join(', ')
  if (names.length === 0) return { allows: false, why: `${told} lets nobody issue` }
  if (authorities.length === 0) return { allows: null, why: `${told}; --ca tells the authority` }
  const allows = names.some((name) => name !== null && authorities.includes(name))
  return { allows, why: allows ? told : `${told}, and not ${authorities.join(' or ')}` }
}

const caaOf = (scene: Scene, { caa }: HostScene): Allowance => {
  if (caa.trouble) return { allows: null, why: caa.trouble }
  if (caa.at === null) return { allows: true, why: 'there are no CAA records' }
  const { allows, why } = allowanceOf(caa.set, scene.facts.asked.authorities)
  return { allows, why: `at ${caa.at}: ${why}` }
}

const judgeCaa = (scene: Scene, host: HostScene): Said => {
  const { allows, why } = caaOf(scene, host)
  if (allows) return pass(why)
  const hasCertificate = certificateState(scene, host) === 'good'
  if (hasCertificate) return pass(`a certificate was issued; now ${why}`)
  if (allows === null) return untested(host.caa.trouble ? 'blocked' : 'ambiguous', why)
  return breach('CAA records that let the authority issue', why)
}

const verifiedForMs = ({ atMs, facts }: Scene): number | null =>
  facts.asked.verifiedAt === null ? null : atMs - Date.parse(facts.asked.verifiedAt)

/** Rule 5: what to look at when no certificate is there. */
const diagnosis = (scene: Scene, host: HostScene): string => {
  const { allows } = caaOf(scene, host)
  if (verifies(scene, host) === false) return 'the DNS does not verify'
  if (allows === false) return 'CAA forbids it'
  return allows ? 'DNS and CAA hold: use Re-verify' : 'the DNS holds, CAA cannot be told'
}

const judgeCertificate = (scene: Scene, host: HostScene): Said => {
  const pages = probesOf(scene, host, 'page')
  const reached = pages.filter((each) => !isUnreached(each))
  if (reached.length === 0) {
    const why = pages[0]?.failed?.code ?? scene.platformTrouble ?? 'no address'
    return untested('blocked', `no address of the platform could be reached: ${why}`)
  }
  const faults = reached.flatMap((each) => {
    const fault = faultOf(each)
    return fault === null ? [] : [`${fault}, at ${each.address}`]
  })
  if (faults.length === 0) return pass(`valid until ${reached[0]?.tls?.validTo}`)
  // Another name's certificate, or none: it has not been issued. Anything else was, and is wrong.
  const isMissing = reached.every(({ tls }) => !tls?.namesHost)
  const forMs = verifiedForMs(scene)
  const cause = diagnosis(scene, host)
  if (isMissing && verifies(scene, host) !== true) return untested('blocked', cause)
  if (isMissing && caaOf(scene, host).allows === false) return untested('blocked', cause)
  if (isMissing && forMs !== null && forMs < lateMs) {
    const minutes = (forMs / minuteMs).toFixed(1)
    return untested('blocked', `none yet, ${minutes} min after Verify: it may take up to 30`)
  }
  const expected = `a trusted certificate for ${host.host}, valid now, at every address`
  return breach(expected, `${faults.join('; ')}${isMissing ? ` (${cause})` : ''}`)
}

const judgeSoon = (scene: Scene, host: HostScene): Said => {
  const { verifiedAt } = scene.facts.asked
  if (verifiedAt === null) return untested('ambiguous', '--verified-at tells since when')
  const state = certificateState(scene, host)
  if (state === 'unreached') return untested('blocked', 'no address could be reached')
  const seen = scene.facts.certificateSeen[host.host]
  const seenMs = (seen === undefined ? scene.atMs : Date.parse(seen)) - Date.parse(verifiedAt)
  const minutes = `${(seenMs / minuteMs).toFixed(1)} min after Verify`
  if (state === 'good' && seenMs <= soonMs) return pass(`there ${minutes}`)
  if (state === 'good' && seen === undefined) {
    return untested('ambiguous', `there ${minutes}; petvet domains watch tells since when`)
  }
  const expected = 'a certificate within a couple of minutes'
  if (state === 'good') return breach(expected, `first seen ${minutes}`)
  return seenMs <= soonMs
    ? untested('blocked', `none yet, ${minutes}`)
    : breach(expected, `none ${minutes}`)
}

/** A share of its whole time: there are certificates of six days. */
const leastShareLeft = 0.1

const judgeRenewal = (scene: Scene, host: HostScene): Said => {
  if (certificateState(scene, host) !== 'good') return untested('blocked', 'no good certificate')
  const { allows, why } = caaOf(scene, host)
  if (allows === false) return breach('CAA records that let the authority renew', why)
  const short = probesOf(scene, host, 'page').flatMap(({ tls, at }) => {
    if (!tls) return []
    const [fromMs, toMs] = [Date.parse(tls.validFrom), Date.parse(tls.validTo)]
    return toMs - Date.parse(at) < (toMs - fromMs) * leastShareLeft ? [tls.validTo] : []
  })
  if (short.length > 0) return breach('a tenth of its time left', `it ends at ${short[0]}`)
  return allows === null ? untested('ambiguous', why) : pass(why)
}

/** A page whose certificate is wrong, or else any. */
const shown: HostCheck[2] = (scene, host) => {
  const pages = probesOf(scene, host, 'page')
  const wrong = pages.filter((each) => faultOf(each) !== null)
  return wrong.length > 0 ? wrong.slice(-1) : pages.slice(0, 1)
}

export const certificateChecks: readonly HostCheck[] = [
  ['domain-certificate', judgeCertificate, shown],
  ['domain-certificate-soon', judgeSoon, shown],
  ['domain-renewal', judgeRenewal, shown],
  ['domain-caa', judgeCaa, (_scene, { caa, host }) => [{ name: caa.at ?? host, type: 'CAA' }]],
]
