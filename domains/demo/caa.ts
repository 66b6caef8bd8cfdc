// Whether CAA records let the platform's authority issue, read from the zones (RFC 8659, 3).
import type { CaaRecord } from '../rules/dns-packet.ts'
import { recordsAt, type Zones } from './zones.ts'

const aliasMost = 8

/** The set at a name, or at what it is an alias of; the parents of an alias target do not count. */
const setAt = (zones: Zones, name: string, hops: number): readonly CaaRecord[] => {
  const own = recordsAt(zones, name, 'CAA').filter((each) => each.type === 'CAA')
  const [alias] = recordsAt(zones, name, 'CNAME')
  if (own.length > 0 || alias?.type !== 'CNAME' || hops >= aliasMost) return own
  return setAt(zones, alias.data, hops + 1)
}

const knownTags = ['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc', 'contactemail']
const criticalBit = 128

export const caaAllows = (zones: Zones, host: string, authority: string): boolean => {
  const labels = host.split('.')
  const sets = labels.map((_, from) => setAt(zones, labels.slice(from).join('.'), 0))
  const set = sets.find((each) => each.length > 0) ?? []
  const tagged = set.map(({ tag, ...rest }) => ({ tag: tag.toLowerCase(), ...rest }))
  if (tagged.some(({ tag, flags }) => flags & criticalBit && !knownTags.includes(tag))) return false
  const issue = tagged.filter(({ tag }) => tag === 'issue')
  if (issue.length === 0) return true
  return issue.some(({ value }) => value.split(';')[0]?.trim().toLowerCase() === authority)
}
