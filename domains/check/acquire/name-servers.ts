// The authoritative servers of each domain: found by the delegation in the zone above its own, and
// asked which record the domain has there.
import { isIPv6 } from 'node:net'
import { registrableDomain } from '../../rules/host-name.ts'
import { dataAt, type Look, recordsAt } from '../dns-view.ts'
import { type DnsTable, questionKey } from '../facts.ts'
import { type DnsSession, type OpenTable, openTable, orderOf } from './dns-session.ts'

const maxParents = 2
/** Of a zone. */
const maxNames = 8
const dnsPort = 53

/** The zone that a name is in: the nearest one above it that has an SOA record. */
const zoneOf = (look: Look, name: string): string | null => {
  const labels = name.split('.')
  const zones = labels.map((_, index) => labels.slice(index).join('.'))
  for (const zone of zones) {
    // One after the other: what is missing is asked first, and silence is not asked on.
    const reply = look(zone, 'SOA')
    if (!reply || 'failed' in reply) return null
    if (recordsAt(look, zone, 'SOA').length > 0) return zone
  }
  return null
}

const aboveOf = (zone: string): string => zone.slice(zone.indexOf('.') + 1)

/** The first address of each family of each name. */
const addressesOf = (look: Look, names: readonly string[]) =>
  names
    .slice(0, maxNames)
    .flatMap((name) =>
      (['A', 'AAAA'] as const)
        .flatMap((type) => dataAt(look, name, type).slice(0, 1))
        .map((address) => ({ name, address })),
    )

const isUnreachable = ({ replies }: DnsTable): boolean =>
  Object.values(replies).every((reply) => 'failed' in reply && reply.failed === 'unreachable')

/**
 * Asks each server of each zone, and none else.
 * @param resolvers what the given ones replied, which are asked for the names of the servers
 * @returns a table for each server that this machine can reach
 */
export const askNameServers = async (
  session: DnsSession,
  resolvers: readonly OpenTable[],
  hosts: readonly string[],
  port = dnsPort,
): Promise<DnsTable[]> => {
  const at = (address: string) => `${isIPv6(address) ? `[${address}]` : address}:${port}`
  const zones = await session.complete(resolvers, (look) => {
    const own = hosts.flatMap((host) => {
      const zone = zoneOf(look, host)
      // A zone of others, such as a top level, says that the own one is not known.
      return zone && zone.length >= registrableDomain(host).length ? [{ host, zone }] : []
    })
    return [...Map.groupBy(own, ({ zone }) => zone)].map(([zone, all]) => {
      const parent = zoneOf(look, aboveOf(zone))
      const servers = parent === null ? [] : dataAt(look, parent, 'NS').slice(0, maxParents)
      const parents = addressesOf(look, servers).map(({ name, address }) =>
        openTable(at(address), name),
      )
      return { zone, parents, hosts: all.map(({ host }) => host) }
    })
  })
  await session.ask(
    zones.flatMap(({ zone, parents }) => parents.map((one) => orderOf(one, zone, 'NS'))),
  )
  const found = await session.complete(resolvers, (look) =>
    zones.flatMap(({ zone, parents, hosts: own }) => {
      const key = questionKey(zone, 'NS')
      const delegation = parents.flatMap(({ replies }) => dataAt(() => replies[key], zone, 'NS'))
      const names = delegation.length > 0 ? delegation : dataAt(look, zone, 'NS')
      const all = addressesOf(look, [...new Set(names)])
      const tables = new Map(
        all.map(({ name, address }) => [address, openTable(at(address), name)]),
      )
      return [...tables.values()].map((table) => ({ table, own }))
    }),
  )
  await session.ask(
    found.flatMap(({ table, own }) =>
      own.flatMap((host) =>
        (['CNAME', 'A', 'AAAA'] as const).map((type) => orderOf(table, host, type)),
      ),
    ),
  )
  const tables = [...zones.flatMap(({ parents }) => parents), ...found.map(({ table }) => table)]
  return tables.filter((table) => !isUnreachable(table))
}
