// Judges the DNS of each domain: CNAME, apex, conflicts, TTL, and whether resolvers agree.
import type { DnsType } from '../../rules/dns-packet.ts'
import {
  breach,
  type HostCheck,
  inapplicable,
  observed,
  pass,
  type Said,
  untested,
} from '../finding.ts'
import type { HostScene, Scene } from '../scene.ts'
import type { HostView } from '../walk.ts'
import { foreignIn, list, sameView, unlessExplained, unlessYoung } from './doubt.ts'

const cnameActual = (scene: Scene, { dns, doubled }: HostScene): string => {
  const { platformHost } = scene.facts.asked
  const [target] = dns.cnames
  if (dns.loops) return `CNAMEs that loop: ${[dns.host, ...dns.chain].join(' -> ')}`
  if (target?.data.startsWith(`${platformHost}.`)) {
    return `CNAME ${target.data}: the final dot was left out`
  }
  if (target) return `CNAME ${list(dns.cnames.map(({ data }) => data))}`
  if (doubled) return 'no CNAME: the record stands at the name with its zone written twice'
  if (dns.own.length > 0) return `no CNAME, but the address ${list(dns.own.map((a) => a.data))}`
  return 'no record'
}

/** An authoritative server speaks of its own zones alone. */
const untoldWay = ({ cnames, cnameTrouble }: HostView): string =>
  cnames.length === 0
    ? `${cnameTrouble}`
    : `CNAME ${cnames[0]?.data}; ${cnameTrouble}: a recursive --resolver tells where it leads`

const judgeCname = (scene: Scene, host: HostScene): Said => {
  const { dns } = host
  const { platformHost } = scene.facts.asked
  if (dns.isApex) return inapplicable('an apex')
  if (dns.cnameTrouble) return untested('blocked', untoldWay(dns))
  const leads = dns.cnames.some(({ data }) => data === platformHost)
  if (leads || (!dns.loops && dns.chain.includes(platformHost))) {
    return pass(`CNAME ${list(dns.cnames.map(({ data }) => data))}`)
  }
  const said = breach(`CNAME ${platformHost}`, cnameActual(scene, host))
  return unlessExplained(scene, host, said)
}

const judgeDirect = (scene: Scene, { dns }: HostScene): Said => {
  const { platformHost } = scene.facts.asked
  if (dns.isApex) return inapplicable('an apex')
  if (dns.cnameTrouble) return untested('blocked', dns.cnameTrouble)
  if (dns.cnames.some(({ data }) => data === platformHost)) return pass('it names it')
  if (!dns.chain.includes(platformHost)) return untested('blocked', 'no CNAME leads there')
  return breach(`CNAME ${platformHost}`, `by way of ${dns.chain[0]}`)
}

/** Its host may not tell them all at once. */
const more = '--platform-address adds to them'

const judgeApex = (scene: Scene, host: HostScene): Said => {
  const { dns } = host
  const { platform, platformTrouble } = scene
  if (!dns.isApex) return inapplicable('a subdomain')
  const trouble = dns.cnameTrouble ?? dns.addressTrouble ?? platformTrouble
  if (trouble) return untested('blocked', trouble)
  const expected = `addresses of the platform host (${list(platform)}; ${more}), and no CNAME`
  const own = dns.own.map(({ data }) => data)
  if (dns.cnames.length > 0) {
    const said = breach(expected, `a CNAME at an apex: ${dns.cnames[0]?.data}`)
    return unlessExplained(scene, host, said)
  }
  if (own.length === 0) return unlessExplained(scene, host, breach(expected, 'no address'))
  if (own.some((address) => platform.includes(address))) return pass(`addresses ${list(own)}`)
  const said = breach(expected, `addresses ${list(own)}`)
  return unlessExplained(scene, host, said)
}

const conflictOf = (scene: Scene, { dns }: HostScene): string | null => {
  const own = dns.own.map(({ type, data }) => `${type} ${data}`)
  if (dns.cnames.length > 1) {
    return `${dns.cnames.length} CNAMEs: ${list(dns.cnames.map(({ data }) => data))}`
  }
  if (dns.cnames.length > 0 && own.length > 0) return `${list(own)} beside the CNAME`
  const [other] = dns.others
  if (other) return `${other.type} beside the CNAME`
  const foreign = foreignIn(scene, dns)
  const isWhole = dns.isApex && foreign.length === dns.own.length
  return foreign.length > 0 && !isWhole
    ? `the address ${list(foreign)}, not the platform's (${more})`
    : null
}

const judgeConflict = (scene: Scene, host: HostScene): Said => {
  const { dns } = host
  const trouble = dns.cnameTrouble ?? dns.addressTrouble ?? scene.platformTrouble
  const conflict = conflictOf(scene, host)
  // Two CNAMEs, or an address beside one, contradict it whatever else is not told.
  if (trouble && (dns.cnames.length === 0 || conflict === null)) return untested('blocked', trouble)
  if (conflict === null) return pass('nothing stands beside it')
  const said = breach('the record that the dashboard shows, alone', conflict)
  return unlessExplained(scene, host, said)
}

const judgeTtl = (_scene: Scene, { dns }: HostScene): Said => {
  const [record] = dns.isApex ? dns.own : dns.cnames
  if (!record) return untested('blocked', 'no record')
  return observed(
    dns.authoritative
      ? `${record.ttl} s; 3600 is suggested`
      : `${record.ttl} s left, as a resolver counts down; 3600 is suggested`,
  )
}

/** Whether the record itself is right, whatever stands beside it. */
const judgeRecord = (scene: Scene, host: HostScene): Said =>
  (host.dns.isApex ? judgeApex : judgeCname)(scene, host)

/** Whether the DNS of a domain verifies: null where that cannot be told. */
export const verifies = (scene: Scene, host: HostScene): boolean | null => {
  const said = [judgeRecord(scene, host), judgeConflict(scene, host)]
  if (said.some(({ kind }) => kind === 'breach')) return false
  return said.every(({ kind }) => kind === 'pass') ? true : null
}

const judgePropagation = (scene: Scene, host: HostScene): Said => {
  const { dns, elsewhere } = host
  const { since } = scene.facts.asked
  const trouble = [dns, ...elsewhere].find(({ cnameTrouble }) => cnameTrouble)?.cnameTrouble
  if (trouble) return untested('blocked', trouble)
  const isAgreed = elsewhere.every((view) => sameView(view, dns))
  if (!isAgreed) {
    const others = elsewhere.map(({ chain }) => list(chain)).join(' and ')
    const actual = `${list(dns.chain)} at one, ${others} at another`
    return since === null
      ? untested('ambiguous', `${actual}: --since tells for how long`)
      : unlessYoung(scene, breach('the same records at every resolver', actual))
  }
  if (judgeRecord(scene, host).kind === 'pass' && (elsewhere.length > 0 || since !== null)) {
    return pass(elsewhere.length > 0 ? 'every resolver agrees' : 'it is seen')
  }
  return untested('ambiguous', 'a second --resolver, or --since, would tell')
}

const asked =
  (...types: readonly DnsType[]): HostCheck[2] =>
  (_scene, { host }) =>
    types.map((type) => ({ name: host, type }))

const all = asked('CNAME', 'AAAA', 'A')

export const dnsChecks: readonly HostCheck[] = [
  ['domain-cname', judgeCname, asked('CNAME')],
  ['domain-cname-direct', judgeDirect, asked('CNAME')],
  ['domain-apex', judgeApex, all],
  ['domain-conflict', judgeConflict, all],
  ['domain-ttl', judgeTtl, asked('CNAME')],
]

export const propagationChecks: readonly HostCheck[] = [
  [
    'domain-propagation',
    judgePropagation,
    (scene, host) => asked(host.dns.isApex ? 'A' : 'CNAME')(scene, host),
  ],
]
