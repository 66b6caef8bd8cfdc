// Asks DNS servers all that the checks will look at: the given resolvers, and those of each domain.
import { lookIn, viewDns, viewDomain } from '../dns-view.ts'
import { type DnsTable, listHosts, repeatKey } from '../facts.ts'
import { type DnsOptions, DnsSession, openTable, orderOf } from './dns-session.ts'
import { askNameServers } from './name-servers.ts'

/** How often the platform host is asked more: a pool may return other addresses each time. */
const times = [1, 2, 3]

export const acquireTables = async (options: DnsOptions): Promise<DnsTable[]> => {
  const { settings, config, resolvers } = options
  const { platformHost, site } = settings
  const hosts = listHosts(config)
  const session = new DnsSession(options)
  const tables = resolvers.map((resolver) => openTable(resolver))
  await session.complete(tables, (look) => {
    for (const host of [platformHost, site]) if (host) viewDns(look, host)
    for (const host of hosts) viewDomain(look, host)
  })
  const knowing = tables.filter((one) => viewDns(lookIn([one]), platformHost).addresses.length > 0)
  const again = times.flatMap((nth) =>
    knowing.flatMap((table) =>
      (['A', 'AAAA'] as const).map((type) =>
        orderOf(table, platformHost, type, repeatKey(platformHost, type, nth)),
      ),
    ),
  )
  const known = hosts.filter((host) => viewDns(lookIn(tables), host).recordTrouble === null)
  const servers = askNameServers(session, tables, known, options.nameServerPort)
  await session.ask(again)
  return [...tables, ...(await servers)]
}
