// Asks DNS servers all that the checks will look at: the given resolvers, and those of each domain.
import { viewDns, viewDomain } from '../dns-view.ts'
import { type DnsTable, listHosts, repeatKey } from '../facts.ts'
import { type DnsOptions, DnsSession, openTable, orderOf } from './dns-session.ts'
import { askNameServers } from './name-servers.ts'

/** How often the platform host is asked: a pool may return other addresses each time. */
const maxTimes = 4

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
  for (let nth = 2; nth <= maxTimes; nth++) {
    const again = tables.flatMap((table) =>
      (['A', 'AAAA'] as const).map((type) =>
        orderOf(table, platformHost, type, repeatKey(platformHost, type, nth)),
      ),
    )
    await session.ask(again)
  }
  return [...tables, ...(await askNameServers(session, tables, hosts, options.nameServerPort))]
}
