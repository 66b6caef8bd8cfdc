// Asks DNS servers all that the checks will look at, within limits: the given resolvers, and the
// authoritative servers of each domain, which are found by the delegation in the zone above it.
import { isIPv6 } from 'node:net'
import type { DnsQuestion } from '../../rules/dns-records.ts'
import { registrableDomain } from '../../rules/host-name.ts'
import { dataAt, type Look, lookIn, recordsAt, replyIn, viewDns, viewDomain } from '../dns-view.ts'
import { type DnsTable, type Facts, listHosts, questionKey } from '../facts.ts'
import { queryDns } from './dns-client.ts'
import { eachOf, Reach } from './pace.ts'

export interface DnsOptions extends Pick<Facts, 'settings' | 'config'> {
  /** Each as address and port. */
  readonly resolvers: readonly string[]
  /** The port of the authoritative servers that are found, if it is not the usual one. */
  readonly nameServerPort?: number
  readonly dnsTimeoutMs: number
  readonly signal: AbortSignal
}

interface DnsOrder extends DnsQuestion {
  readonly table: DnsTable
  /** Under which the reply is kept; by default that of the question. */
  readonly key?: string
}

/** Each round sends the questions that the last responses led to; a hostile zone has no end. */
const maxRounds = 32
const maxQuestionsPerHost = 60
const maxConcurrent = 100

const startSession = ({ dnsTimeoutMs, signal, config }: DnsOptions) => {
  const reach = new Reach()
  const maxQuestions = maxQuestionsPerHost * (listHosts(config).length + 1)

  /** A server that does not respond is asked no more: the rest has failed likewise. */
  const ask = (orders: readonly DnsOrder[]): Promise<void> =>
    eachOf(orders, maxConcurrent, signal, async ({ table, name, type, key }) => {
      const { resolver, replies } = table
      const at = key ?? questionKey(name, type)
      const given = Object.values(replies)
      if (reach.isGivenUp(resolver)) replies[at] = given.at(-1) ?? { failed: 'timeout' }
      else if (given.length >= maxQuestions) replies[at] = { failed: 'too many questions' }
      else {
        const startMs = performance.now()
        const reply = await queryDns(resolver, { name, type }, dnsTimeoutMs, signal)
        reach.note(resolver, 'failed' in reply, startMs)
        replies[at] = { ...reply, ms: Math.round(performance.now() - startMs) }
      }
    })

  /** Asks all of the servers for what a look at their replies misses, until nothing is missing. */
  const complete = async <T>(tables: readonly DnsTable[], view: (look: Look) => T): Promise<T> => {
    for (let round = 0; ; round++) {
      const missing = new Map<string, DnsQuestion>()
      const seen = view((name, type) => {
        const reply = replyIn(tables, name, type)
        if (!reply) missing.set(questionKey(name, type), { name, type })
        return reply
      })
      const isOver = round === maxRounds || signal.aborted
      if (missing.size === 0 || isOver) return seen
      const questions = [...missing.values()]
      await ask(tables.flatMap((table) => questions.map((one) => ({ table, ...one }))))
    }
  }

  return { ask, complete }
}

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
  session: ReturnType<typeof startSession>,
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
