// What connects a run to its target: the client, and time there, which is real or that of its test
// clock over HTTP, which never gets a key.

import { setTimeout as sleep } from 'node:timers/promises'
import { parseObject } from '../../history/json.ts'
import { EndOfRun, interrupted } from '../../history/outcome.ts'
import { quote } from '../../history/quote.ts'
import type { Pace, TargetClock } from '../check/context.ts'
import { type Client, type ClientResult, createClient, createQueue, steadyMs } from './client.ts'
import { chooseReach, type Target } from './connection-options.ts'

/** The test clock does not work as it must: the run ends. */
export class ClockError extends EndOfRun {
  /** It shows less time than has passed, as it does where the target was restarted. */
  readonly isBehind: boolean

  constructor(at: string, message: string, isBehind: boolean) {
    super(`the test clock ${at} ${message}`)
    this.isBehind = isBehind
  }
}

type Reading = Pick<ClientResult, 'sentMs' | 'receivedMs'> & { readonly nowMs: number }

type Fail = (message: string, isBehind?: boolean) => never

/** Tolerance for a time in whole seconds, and for a clock that drifts a little. */
const graceMs = 2_000

const maxQuotedCharacters = 80

const instant = (ms: number): string => new Date(ms).toISOString()

/** Between moves the clock runs at real speed; a move adds `ms`. */
const judgeMove = (before: Reading, after: Reading, ms: number, fail: Fail): void => {
  const minMs = before.nowMs + ms
  const maxMs = minMs + after.receivedMs - before.sentMs
  if (after.nowMs >= minMs - graceMs && after.nowMs <= maxMs + graceMs) return
  const other = after.nowMs > maxMs ? ', as if another run moved it too' : ''
  const byItself = after.nowMs < before.nowMs ? 'went back' : 'moved ahead without a request'
  const fault = ms === 0 ? byItself : `did not move by ${ms} ms as requested`
  const times = `it was at ${instant(before.nowMs)}, then at ${instant(after.nowMs)}`
  fail(`${fault}${other}: ${times}`, after.nowMs < minMs)
}

const readTime = ({ response, noResponse }: ClientResult, request: string, fail: Fail): number => {
  if (!response) return fail(`gave no answer to ${request} (${noResponse})`)
  const text = Buffer.from(response.bytes).toString()
  const shown = quote(text, maxQuotedCharacters)
  if (response.status !== 200) return fail(`answered ${response.status} to ${request}: ${shown}`)
  const now = parseObject(text)?.now
  const nowMs = typeof now === 'string' ? Date.parse(now) : Number.NaN
  return Number.isNaN(nowMs) ? fail(`answered without {"now": ...}: ${shown}`) : nowMs
}

/**
 * One request at a time: of two moves in parallel no response would show either.
 * @throws ClockError from each method, where the clock does not respond or move as it must
 */
const createTargetClock = (
  client: Client,
  address: URL,
  moved: (ms: number) => void,
): TargetClock => {
  const fail: Fail = (message, isBehind = false) => {
    // The query of the address may hold a secret.
    throw new ClockError(`${address.origin}${address.pathname}`, message, isBehind)
  }
  const inTurn = createQueue(1)
  let last: Reading | undefined

  const request = async (body: string | null, ms: number): Promise<number> => {
    const result = await client.send({
      method: body === null ? 'GET' : 'POST',
      path: `${address.pathname}${address.search}`,
      headers: body === null ? [] : [['Content-Type', 'application/json']],
      body,
      // A kept connection may close just when the next request is sent on it.
      connection: 'fresh',
    })
    const { sentMs, receivedMs } = result
    const reading = { nowMs: readTime(result, body ?? 'GET', fail), sentMs, receivedMs }
    if (last) judgeMove(last, reading, ms, fail)
    last = reading
    return reading.nowMs
  }

  const readNow = () => request(null, 0)
  const advance = (given: number) =>
    inTurn(async () => {
      const ms = Math.ceil(given)
      // A clock only moves forward: a time that has passed already is not waited for.
      if (ms <= 0) return readNow()
      if (!last) await readNow()
      const after = await request(JSON.stringify({ advanceMs: ms }), ms)
      moved(ms)
      return after
    })
  return { now: () => inTurn(readNow), advance }
}

const createPace = (clock: TargetClock | null, signal: AbortSignal): Pace => {
  let movedMs = 0
  const wait = async (ms: number) => {
    try {
      await sleep(Math.max(0, ms), undefined, { signal })
    } catch {
      throw interrupted()
    }
  }
  return {
    now: () => steadyMs() + movedMs,
    pass: async (ms) => {
      if (clock) await clock.advance(ms)
      else await wait(ms)
    },
    sleep: wait,
    instant: clock !== null,
    moved: (ms) => {
      movedMs += ms
    },
    movedMs: () => movedMs,
  }
}

export interface Wires {
  readonly client: Client
  readonly clock: TargetClock | null
  readonly pace: Pace
  /** The wall clock of this machine, in Unix milliseconds. */
  readonly wallMs: () => number
  readonly close: () => Promise<void>
}

/** A shorter timeout applies to the target alone: without its clock there is no run. */
const minClockTimeoutMs = 5_000

/** Sockets and real time. */
export const openWires = (options: Target): Wires => {
  const { reach, responseTimeoutMs: timeoutMs, signal } = options
  const target = new URL(options.baseUrl)
  const client = createClient({ origin: target, timeoutMs, reach, signal })
  const url = options.clockUrl === null ? null : new URL(options.clockUrl)
  const toClock = url && {
    origin: url,
    timeoutMs: Math.max(timeoutMs, minClockTimeoutMs),
    // The clock is the implementer's own; a proxy is for the target.
    reach: { ...chooseReach(reach, target, url), proxyOf: () => null },
    signal,
  }
  const clockClient = toClock && createClient(toClock)
  const clock =
    clockClient && createTargetClock(clockClient, toClock.origin, (ms) => pace.moved(ms))
  const pace: Pace = createPace(clock, signal)
  const close = async () => {
    await Promise.all([client.close(), clockClient?.close()])
  }
  return { client, clock, pace, wallMs: Date.now, close }
}
