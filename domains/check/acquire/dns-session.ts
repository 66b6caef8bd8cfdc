// The questions of one check to DNS servers: all that are known at a time together, within limits.
import type { DnsQuestion, DnsType } from '../../rules/dns-records.ts'
import { type Look, replyIn } from '../dns-view.ts'
import { type DnsReply, type DnsTable, type Facts, listHosts, questionKey } from '../facts.ts'
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

/** The replies of a server, as far as it was asked. */
export interface OpenTable extends DnsTable {
  readonly replies: Record<string, DnsReply>
}

export const openTable = (resolver: string, nameServer?: string): OpenTable => ({
  ...{ resolver, replies: {} },
  ...(nameServer !== undefined && { nameServer }),
})

/** @param key under which the reply is kept */
export const orderOf = (
  table: OpenTable,
  name: string,
  type: DnsType,
  key = questionKey(name, type),
) => ({ table, key, question: { name, type } })

type DnsOrder = ReturnType<typeof orderOf>

/** Each round sends the questions that the last responses led to; a hostile zone has no end. */
const maxRounds = 32
const maxQuestionsPerHost = 60
const maxConcurrent = 100

export class DnsSession {
  readonly #options: DnsOptions
  readonly #reach = new Reach()

  constructor(options: DnsOptions) {
    this.#options = options
  }

  /** A server that does not respond is asked no more: the rest has failed likewise. */
  async ask(orders: readonly DnsOrder[]): Promise<void> {
    const { dnsTimeoutMs, signal, config } = this.#options
    const maxQuestions = maxQuestionsPerHost * (listHosts(config).length + 1)
    await eachOf(orders, maxConcurrent, signal, async ({ table, key, question }) => {
      const { resolver, replies } = table
      const given = Object.values(replies)
      if (this.#reach.isGivenUp(resolver)) replies[key] = given.at(-1) ?? { failed: 'timeout' }
      else if (given.length >= maxQuestions) replies[key] = { failed: 'too many questions' }
      else {
        const startMs = performance.now()
        const reply = await queryDns(resolver, question, dnsTimeoutMs, signal)
        this.#reach.note(resolver, 'failed' in reply, startMs)
        replies[key] = { ...reply, ms: Math.round(performance.now() - startMs) }
      }
    })
  }

  /** Asks all of the servers for what a look at their replies misses, until nothing is missing. */
  async complete<T>(tables: readonly OpenTable[], view: (look: Look) => T): Promise<T> {
    for (let round = 0; ; round++) {
      const missing = new Map<string, DnsQuestion>()
      const seen = view((name, type) => {
        const reply = replyIn(tables, name, type)
        if (!reply) missing.set(questionKey(name, type), { name, type })
        return reply
      })
      const isOver = round === maxRounds || this.#options.signal.aborted
      if (missing.size === 0 || isOver) return seen
      const questions = [...missing.values()]
      await this.ask(
        tables.flatMap((table) => questions.map(({ name, type }) => orderOf(table, name, type))),
      )
    }
  }
}
