// Counters in Redis or Valkey, which several replicas share: one round trip for each request. The
// door of its client.
//
// A mark in the store says since when it counts. It is made when the store is first used, and made
// anew when the store turns out to have lost what it held: it is empty, or it no longer knows our
// script, which no server keeps over its own end (it may have come back with the counts of an
// earlier hour). A replica that began under another mark then cannot know what was counted before.
// It refuses until the day under way has ended, because any key may have used up its day already,
// and the minute is part of the day. Whoever starts a service on an empty store begins to count
// there.
import { createHash } from 'node:crypto'
import { createClient } from 'redis'
import type { Quota } from '../spec/plans.ts'
import type { BanRule } from './bans.ts'
import { chargeScript, markScript } from './counters-script.ts'
import { type Decision, minuteMs, type SharedCounters } from './limiter.ts'

// The braces keep all keys in one slot of a cluster.
const prefix = 'petvet:{counters}:'
const markKey = `${prefix}since`
const chargeSha = createHash('sha1').update(chargeScript).digest('hex')

const answerMs = 1_000
const connectMs = 1_000
const silentMs = 5_000
const mostUnderWay = 10_000
const mostRetryMs = 500

const open = (url: string, staysOpen: boolean) => {
  const client = createClient({
    url,
    // A call that waits for a store to come back would be served late, or never.
    disableOfflineQueue: true,
    commandsQueueMaxLength: mostUnderWay,
    pingInterval: silentMs / 2,
    socket: {
      connectTimeout: connectMs,
      socketTimeout: silentMs,
      reconnectStrategy: (tries) =>
        staysOpen && Math.min(20 * 2 ** Math.min(tries, 10), mostRetryMs),
    },
  })
  // Each call that it concerns is refused by itself.
  client.on('error', () => {})
  return client
}

type Client = ReturnType<typeof open>

/** The mark under which the store counts from here on. */
const begin = async (client: Client, nowMs: number): Promise<number> => {
  const [isKnown] = await client.scriptExists(chargeSha)
  const mark = { keys: [markKey], arguments: [String(nowMs), isKnown ? '0' : '1'] }
  const since = Number(await client.eval(markScript, mark))
  // Only now, so that nobody counts under the earlier mark.
  if (!isKnown) await client.scriptLoad(chargeScript)
  return since
}

/**
 * Begins to count in the store at this address.
 * @returns its mark, which every replica is to be given
 */
export const beginCounting = async (url: string, nowMs: number): Promise<number> => {
  const client = open(url, false)
  try {
    await client.connect()
    const memory = await client.info('memory')
    if (/^maxmemory_policy:(?!noeviction)/m.test(memory)) {
      throw new Error('it may evict counts: set its maxmemory-policy to noeviction')
    }
    return await begin(client, nowMs)
  } catch (fault) {
    const told = fault instanceof Error ? fault.message || String(fault) : String(fault)
    const message = `the counters at ${new URL(url).host} cannot be used: ${told}`
    throw Object.assign(new Error(message, { cause: fault }), { code: 'ERR_COUNTERS' })
  } finally {
    if (client.isOpen) client.destroy()
  }
}

export interface CountersOptions {
  url: string
  /** The mark, as `beginCounting` told it. */
  sinceMs: number
  ban: BanRule
}

export const redisCounters = async (options: CountersOptions): Promise<SharedCounters> => {
  const { url, sinceMs, ban } = options
  const client = open(url, true)
  // A store that is not there yet is refused for like one that went away.
  await within(client.connect(), connectMs).catch(() => {})
  let isRenewing = false
  const renew = async (nowMs: number) => {
    if (isRenewing) return
    isRenewing = true
    await begin(client, nowMs).catch(() => {})
    isRenewing = false
  }
  const nameOf = createNames()
  const charge = (key: string, { perMinute, perDay }: Quota, nowMs: number) => {
    const numbers = [nowMs, sinceMs, perMinute, perDay, ban.afterRefusals, ban.lastsMs]
    return client.evalSha(chargeSha, {
      keys: [markKey, nameOf(key)],
      arguments: numbers.map(String),
    })
  }
  return {
    take: async (key, quota, nowMs) => {
      try {
        return readAnswer(await within(charge(key, quota, nowMs), answerMs))
      } catch (fault) {
        if (String(fault).includes('NOSCRIPT')) renew(nowMs)
        return unreachable(quota, nowMs)
      }
    },
    close: () => {
      if (client.isOpen) client.destroy()
    },
  }
}

/** The name of a key's counters, which does not give the key away. */
const createNames = (): ((key: string) => string) => {
  const names = new Map<string, string>()
  return (key) => {
    const name = names.get(key) ?? prefix + createHash('sha256').update(key).digest('hex')
    names.set(key, name)
    return name
  }
}

/** What became of a call, as the script says it; 2 is a refusal like any other. */
const states = { granted: 1, banned: 3, lost: 4 } as const

const readAnswer = (answer: unknown): Decision => {
  const numbers: unknown[] = Array.isArray(answer) ? answer : []
  const [state, limit, remaining, resetAtMs, retryAfterMs] = numbers.map(Number)
  if (retryAfterMs === undefined) throw new Error('The counters gave an answer that is none.')
  return {
    granted: state === states.granted,
    limit: limit ?? 0,
    remaining: remaining ?? 0,
    resetAtMs: resetAtMs ?? 0,
    ...(state !== states.granted && { retryAfterMs }),
    ...(state === states.banned && { banned: true }),
    ...(state === states.lost && { uncounted: true }),
  }
}

/** Nothing is known of the window, so nothing is announced as left of it. */
const unreachable = ({ perMinute }: Quota, nowMs: number): Decision => ({
  granted: false,
  limit: perMinute,
  remaining: 0,
  resetAtMs: (Math.floor(nowMs / minuteMs) + 1) * minuteMs,
  retryAfterMs: answerMs,
  uncounted: true,
})

const within = <T>(answer: Promise<T>, waitMs: number): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The counters are too slow.')), waitMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
