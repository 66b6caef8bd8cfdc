// Asks DNS servers all that the checks will look at: the given resolvers, and the authoritative
// servers of each domain, which are found by the delegation in the zone above its own.
import { isIPv6 } from 'node:net'
import { registrableDomain } from '../../rules/host-name.ts'
import { dataAt, type Look, lookIn, recordsAt, viewDns, viewDomain } from '../dns-view.ts'
import { type DnsTable, listHosts, questionKey } from '../facts.ts'
import { type DnsOptions, type DnsSession, startSession } from './dns-session.ts'

const maxParents = 2
/** Of a zone. */
const maxNames = 8
const dnsPort = 53

/** The zone that a name is in: the nearest one above it that has an SOA record. */
const zoneOf = (look: Look, name: string): string | null => {
  const labels = name.split('.')
  for (const from of labels.keys()) {
    const zone = labels.slice(from).join('.')
    // One after the other: what is missing is asked first, and silence is not asked on.
    const reply = look(zone, 'SOA')
    if (!reply || 'failed' in reply) return null
    if (recordsAt(look, zone, 'SOA').length > 0) return zone
  }
  return null
}

/** Its own; that of others, such as a top level, says that it is not known. */
const ownZoneOf = (look: Look, host: string): string | null => {
  const zone = zoneOf(look, host)
  return zone && zone.length >= registrableDomain(host).length ? zone : null
}

const addressTypes = ['A', 'AAAA'] as const

/** A table for the first address of each family of each name. */
const tablesOf = (look: Look, names: readonly string[], port = dnsPort): DnsTable[] =>
  names.slice(0, maxNames).flatMap((nameServer) =>
    addressTypes
      .flatMap((type) => dataAt(look, nameServer, type).slice(0, 1))
      .map((address) => {
        const resolver = `${isIPv6(address) ? `[${address}]` : address}:${port}`
        return { resolver, nameServer, replies: {} }
      }),
  )

const isUnreachable = ({ replies }: DnsTable): boolean =>
  Object.values(replies).every((reply) => 'failed' in reply && reply.failed === 'unreachable')

/** Asks each server of each zone, and none else; the tables are of those within reach. */
const askNameServers = async (
  session: DnsSession,
  resolvers: readonly DnsTable[],
  hosts: readonly string[],
  port: number | undefined,
): Promise<DnsTable[]> => {
  const zones = await session.complete(resolvers, (look) =>
    [...Map.groupBy(hosts, (host) => ownZoneOf(look, host))].flatMap(([zone, own]) => {
      if (zone === null) return []
      const above = zoneOf(look, zone.slice(zone.indexOf('.') + 1))
      const servers = above === null ? [] : dataAt(look, above, 'NS').slice(0, maxParents)
      return [{ zone, own, parents: tablesOf(look, servers, port) }]
    }),
  )
  await session.ask(
    zones.flatMap(({ zone, parents }) =>
      parents.map((table) => ({ table, name: zone, type: 'NS' as const })),
    ),
  )
  const found = await session.complete(resolvers, (look) =>
    zones.flatMap(({ zone, parents, own }) => {
      const key = questionKey(zone, 'NS')
      const delegation = parents.flatMap(({ replies }) => dataAt(() => replies[key], zone, 'NS'))
      const names = new Set(delegation.length > 0 ? delegation : dataAt(look, zone, 'NS'))
      const all = tablesOf(look, [...names], port).map((table) => [table.resolver, table] as const)
      return [...new Map(all).values()].map((table) => ({ table, own }))
    }),
  )
  const types = ['CNAME', ...addressTypes] as const
  await session.ask(
    found.flatMap(({ table, own }) =>
      own.flatMap((name) => types.map((type) => ({ table, name, type }))),
    ),
  )
  const tables = [...zones.flatMap(({ parents }) => parents), ...found.map(({ table }) => table)]
  return tables.filter((table) => !isUnreachable(table))
}

/** How often the platform host is asked more: a pool may return other addresses each time. */
const times = [1, 2, 3]

export const acquireTables = async (options: DnsOptions): Promise<DnsTable[]> => {
  const { settings, config, resolvers } = options
  const { platformHost: name, site } = settings
  const hosts = listHosts(config)
  const session = startSession(options)
  const tables: DnsTable[] = resolvers.map((resolver) => ({ resolver, replies: {} }))
  await session.complete(tables, (look) => {
    for (const host of [name, site]) if (host) viewDns(look, host)
    for (const host of hosts) viewDomain(look, host)
  })
  const knowing = tables.filter((one) => viewDns(lookIn([one]), name).addresses.length > 0)
  const again = times.flatMap((nth) =>
    knowing.flatMap((table) =>
      addressTypes.map((type) => ({ table, name, type, key: `${questionKey(name, type)} ${nth}` })),
    ),
  )
  const known = hosts.filter((host) => viewDns(lookIn(tables), host).recordTrouble === null)
  const servers = askNameServers(session, tables, known, options.nameServerPort)
  await session.ask(again)
  return [...tables, ...(await servers)]
}
