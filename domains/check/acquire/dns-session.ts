// The questions of one check to DNS servers: all that are known at a time together, within limits.
import type { DnsQuestion } from '../../rules/dns-records.ts'
import { type Look, replyIn } from '../dns-view.ts'
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

export type DnsSession = ReturnType<typeof startSession>

export const startSession = ({ dnsTimeoutMs, signal, config }: DnsOptions) => {
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
