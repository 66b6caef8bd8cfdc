// The record that a domain needs, as the dashboard has to show it (rules 2 and 3).
import { registrableDomain } from './public-suffix.ts'

const suggestedTtl = 3600

export interface RecordToSet {
  readonly type: 'CNAME' | 'ALIAS or ANAME'
  readonly name: string
  readonly value: string
  readonly ttl: number
}

export const recordToSet = (host: string, value: string): RecordToSet => {
  const zone = registrableDomain(host)
  return host === zone
    ? { type: 'ALIAS or ANAME', name: '@', value, ttl: suggestedTtl }
    : { type: 'CNAME', name: host.slice(0, -zone.length - 1), value, ttl: suggestedTtl }
}
