// The change of DNS records that puts a domain right, in the words of the dashboards of DNS hosts.
import { isIPv6 } from 'node:net'
import type { DnsType } from '../../rules/dns-records.ts'
import { recordToSet } from '../../rules/host-name.ts'
import type { HostScene } from '../scene.ts'

/** What one DNS server has. */
export type View = HostScene['dns']

/** The addresses at the name that are not known as the platform's. */
export const unknownIn = ({ platform }: HostScene, { own }: View): string[] =>
  own.filter((address) => !platform.includes(address))

/** Of these, the ones that are none of its pool either; an ALIAS may return any of the pool. */
export const foreignIn = (host: HostScene, dns = host.dns): string[] => {
  const unknown = unknownIn(host, dns)
  return dns.isApex && host.mayBeOfPool(unknown) ? [] : unknown
}

/** The records that have to go, the CNAMEs first. */
export const wrongRecords = (scene: HostScene, view: View) => {
  const { isApex, cnames, own, beside } = view
  const aliases = cnames.filter((target) => isApex || target !== scene.settings.platformHost)
  const addresses = isApex ? foreignIn(scene, view) : own
  return [
    ...aliases.map((target) => ['CNAME', target] as const),
    ...addresses.map((address) => [isIPv6(address) ? 'AAAA' : 'A', address] as const),
    ...(own.length > 0 ? [] : beside.map((type) => [type as DnsType, ''] as const)),
  ]
}

/** As `remove A 203.0.113.9 of www; add CNAME www sites.platform.example (seen at 192.0.2.53)`. */
export const recordChange = (scene: HostScene, view: View): string | null => {
  const { host, isDoubled, settings } = scene
  const { platformHost } = settings
  const isSet = view.isApex
    ? view.own.length > foreignIn(scene, view).length
    : view.cnames.includes(platformHost)
  const name = view.isApex ? '@' : recordToSet(host, platformHost).name
  const wrong = wrongRecords(scene, view).map((record) => record.join(' ').trim())
  // A dashboard adds the zone to a name or value that does not end in a dot.
  const lacksDot = view.cnames.some((target) => target.startsWith(`${platformHost}.`))
  const value = lacksDot ? `${platformHost}. (with its final dot)` : platformHost
  const steps = [
    ...(wrong.length > 0 ? [`remove ${wrong.join(', ')} of ${name}`] : []),
    ...(isDoubled && !isSet ? [`remove the CNAME whose name is ${host}`] : []),
    ...(isSet ? [] : [`add ${view.isApex ? 'ALIAS or ANAME' : 'CNAME'} ${name} ${value}`]),
  ]
  return steps.length === 0 ? null : `${steps.join('; ')} (seen at ${view.server})`
}
