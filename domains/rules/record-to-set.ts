// The record that a domain needs, as the dashboard has to show it (rules 2 and 3).
import { registrableDomain } from './public-suffix.ts'

const suggestedTtl = 3600

export interface RecordToSet {
  readonly host: string
  /** The zone that it stands in, as far as the public suffixes tell. */
  readonly zone: string
  readonly type: 'CNAME' | 'ALIAS or ANAME'
  readonly name: string
  readonly value: string
  readonly ttl: number
}

export const recordToSet = (host: string, platformHost: string): RecordToSet => {
  const zone = registrableDomain(host)
  const base = { host, zone, value: platformHost, ttl: suggestedTtl }
  if (host === zone) return { ...base, type: 'ALIAS or ANAME', name: '@' }
  return { ...base, type: 'CNAME', name: host.slice(0, -zone.length - 1) }
}
