// The publishing model: the dashboard of one project. DNS comes from outside, and is read anew.
import { recordToSet, registrableDomain } from '../rules/host-name.ts'
import { caaAllows, dataAt, resolveAddresses, type Zones } from './zones.ts'

export const buttons = ['add', 'verify', 're-verify', 'remove'] as const
export type Button = (typeof buttons)[number]

export type Reply =
  | { readonly ok: true; readonly record?: ReturnType<typeof recordToSet> }
  | { readonly ok: false; readonly reason: string }

const done: Reply = { ok: true }
const refused = (reason: string): Reply => ({ ok: false, reason })

/** ALIAS and ANAME of an apex count as the addresses that they resolve to. */
const dnsFault = (zones: Zones, host: string, platformHost: string): string | null => {
  const cnames = dataAt(zones, host, 'CNAME')
  const addresses = dataAt(zones, host, 'A', 'AAAA')
  const isApex = registrableDomain(host) === host
  if (isApex && cnames.length > 0) return 'an apex cannot have a CNAME'
  if (isApex && addresses.length === 0) return 'no ALIAS or ANAME record'
  const own = isApex ? resolveAddresses(zones, platformHost) : []
  const foreign = addresses.find((address) => !own.includes(address))
  if (foreign !== undefined) return `a conflicting record points to ${foreign}`
  if (cnames.length > 1) return 'several CNAME records conflict'
  const [target] = cnames
  if (!isApex && target === undefined) return 'no CNAME record'
  return isApex || target === platformHost ? null : `the CNAME points to ${target}`
}

/**
 * @param platformHost where customers point their domains
 * @param authority how CAA records name the authority that issues its certificates
 */
export const createModel = (platformHost: string, authority: string, zones: Zones) => {
  /** The domains that are attached, and whether each has a certificate. */
  const certified = new Map<string, boolean>()
  return {
    hasCertificate: (host: string): boolean => certified.get(host) ?? false,
    /** What is refused changes nothing. */
    press: (button: Button, host: string): Reply => {
      const has = certified.get(host)
      if (button === 'add') {
        if (has !== undefined) return refused('it is taken')
        certified.set(host, false)
        return { ok: true, record: recordToSet(host, platformHost) }
      }
      if (has === undefined) return refused('it is not attached')
      if (button === 'remove') {
        certified.delete(host)
        return done
      }
      // Re-verify does the same: it requests a certificate once more.
      const fault = dnsFault(zones, host, platformHost)
      if (fault !== null) return refused(fault)
      certified.set(host, has || caaAllows(zones, host, authority))
      return done
    },
  }
}
