// Which DNS questions the judgement of a project needs, and the asking of them, round by round.
import type { DnsQuestion, DnsType } from '../../rules/dns-packet.ts'
import { type Asked, type DnsReply, type DnsTable, questionKey } from '../facts.ts'
import { caaViewOf, doubledName, type Look, viewOf } from '../walk.ts'
import { askDns, type Resolver, resolverName } from './dns-client.ts'

/** Aliases and parents lead from round to round; a hostile zone leads nowhere beyond this. */
const roundsMost = 24
const questionsMost = 2_000

/** Walks as the judgement will, so that it finds every answer there. */
const walkAll = (look: Look, asked: Asked, hosts: readonly string[]): void => {
  const named = [asked.platformHost, ...(asked.site === null ? [] : [asked.site]), ...hosts]
  for (const host of named) viewOf(look, host)
  for (const host of hosts) {
    look(host, 'SOA')
    look(doubledName(host), 'CNAME')
    caaViewOf(look, host)
  }
}

interface DnsOrder {
  readonly asked: Asked
  readonly hosts: readonly string[]
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export const acquireDns = async (
  resolver: Resolver,
  { asked, hosts, timeoutMs, signal }: DnsOrder,
): Promise<DnsTable> => {
  const replies: Record<string, DnsReply> = {}
  for (let round = 0; round < roundsMost; round++) {
    const missing = new Map<string, DnsQuestion>()
    const look = (name: string, type: DnsType) => {
      const key = questionKey(name, type)
      if (!Object.hasOwn(replies, key)) missing.set(key, { name, type })
      return replies[key]
    }
    walkAll(look, asked, hosts)
    if (missing.size === 0 || signal.aborted) break
    const room = questionsMost - Object.keys(replies).length
    const answers = await Promise.all(
      [...missing].map(
        async ([key, question], index): Promise<[string, DnsReply]> => [
          key,
          index < room
            ? await askDns(resolver, question, timeoutMs)
            : { failed: 'too many questions' },
        ],
      ),
    )
    for (const [key, reply] of answers) replies[key] = reply
  }
  return { resolver: resolverName(resolver), replies }
}
