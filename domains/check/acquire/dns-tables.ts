// Asks each DNS server all that the checks will look at: what is missing when they look, is asked.
import type { DnsQuestion, DnsType } from '../../rules/dns-records.ts'
import { viewDns, viewDomain } from '../dns-view.ts'
import { type DnsReply, type DnsTable, type Facts, listHosts, questionKey } from '../facts.ts'
import { queryDns } from './dns-client.ts'

export interface DnsOptions extends Pick<Facts, 'settings' | 'config'> {
  /** Each as address and port. */
  readonly resolvers: readonly string[]
  readonly dnsTimeoutMs: number
  readonly signal: AbortSignal
}

/** Each round sends the questions that the last responses led to; a hostile zone has no end. */
const maxRounds = 24
const maxQuestions = 2_000

const acquireTable = async (resolver: string, options: DnsOptions): Promise<DnsTable> => {
  const { settings, config } = options
  const replies: Record<string, DnsReply> = {}
  for (let round = 0; round < maxRounds; round++) {
    const missing = new Map<string, DnsQuestion>()
    const look = (name: string, type: DnsType) => {
      const key = questionKey(name, type)
      if (!replies[key]) missing.set(key, { name, type })
      return replies[key]
    }
    for (const host of [settings.platformHost, settings.site]) if (host) viewDns(look, host)
    for (const host of listHosts(config)) viewDomain(look, host)
    if (missing.size === 0 || options.signal.aborted) break
    const room = maxQuestions - Object.keys(replies).length
    const sent = [...missing].map(async ([key, question], index) => {
      const reply: DnsReply =
        index < room
          ? await queryDns(resolver, question, options.dnsTimeoutMs)
          : { failed: 'too many questions' }
      return [key, reply] as const
    })
    Object.assign(replies, Object.fromEntries(await Promise.all(sent)))
  }
  return { resolver, replies }
}

export const acquireTables = (options: DnsOptions): Promise<DnsTable[]> =>
  Promise.all(options.resolvers.map((resolver) => acquireTable(resolver, options)))
