// The target's test clock over HTTP (rulings, "The test clock"). It never gets a key.

import type { TargetClock } from '../context.ts'
import { isObject, parseJson } from '../json.ts'
import { quote } from '../record/text.ts'
import type { Client, WireAnswer } from './client.ts'

/** The test clock does not do what it has to: the run cannot go on. */
export class ClockError extends Error {
  constructor(at: string, message: string) {
    super(`the test clock ${at} ${message}`)
    this.name = 'ClockError'
  }
}

/** What a clock told, and when it was asked and answered, in monotonic milliseconds. */
interface Told {
  readonly nowMs: number
  readonly sentMs: number
  readonly receivedMs: number
}

type Fail = (message: string) => never

/** Room for a time that is told in whole seconds, and for a clock that runs a little off. */
const graceMs = 2_000

/** Of a quotation in a message, in characters. */
const quotedMost = 80

const instant = (ms: number): string => new Date(ms).toISOString()

/** Between moves it runs at real speed, and a move takes it on by so much. */
const judgeMove = (before: Told, after: Told, ms: number, fail: Fail): void => {
  const least = before.nowMs + ms
  const most = least + after.receivedMs - before.sentMs
  if (after.nowMs >= least - graceMs && after.nowMs <= most + graceMs) return
  const unasked = after.nowMs < before.nowMs ? 'went back' : 'went on though nobody moved it'
  const fault = ms === 0 ? unasked : `did not move by ${ms} ms as asked`
  fail(`${fault}: it was at ${instant(before.nowMs)}, then at ${instant(after.nowMs)}`)
}

const nowIn = (text: string, fail: Fail): number => {
  try {
    const value = parseJson(text)
    const now = isObject(value) && typeof value.now === 'string' ? Date.parse(value.now) : null
    if (now !== null && !Number.isNaN(now)) return now
  } catch {
    return fail(`answered what is no JSON: ${quote(text, quotedMost)}`)
  }
  return fail(`answered without {"now": ...}: ${quote(text, quotedMost)}`)
}

const readAnswer = ({ response, noAnswer }: WireAnswer, asked: string, fail: Fail): number => {
  if (!response) return fail(`gave no answer to ${asked} (${noAnswer})`)
  const text = Buffer.from(response.bytes).toString()
  if (response.status === 200) return nowIn(text, fail)
  return fail(`answered ${response.status} to ${asked}: ${quote(text, quotedMost)}`)
}

/** One piece of work after the other: where two moves cross, no answer tells of one of them. */
const createTurns = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
}

/**
 * @param moved told by how many milliseconds a move put the target ahead
 * @throws ClockError from each method, where the clock does not answer or move as it must
 */
export const createTargetClock = (
  client: Client,
  address: URL,
  moved: (ms: number) => void,
): TargetClock => {
  const fail: Fail = (message) => {
    // What follows in an address may be a secret.
    throw new ClockError(`${address.origin}${address.pathname}`, message)
  }
  const inTurn = createTurns()
  let last: Told | undefined

  const send = (body: string | null, isFresh: boolean): Promise<WireAnswer> =>
    client.send({
      method: body === null ? 'GET' : 'POST',
      path: `${address.pathname}${address.search}`,
      headers: body === null ? [] : [['Content-Type', 'application/json']],
      body,
      connection: 'one',
      ...(isFresh && { fresh: true }),
    })

  /** Whether a clock that shows this has moved since, by more than half of what was asked. */
  const hasMoved = (answer: WireAnswer, ms: number): boolean => {
    if (!last) return false
    const nowMs = readAnswer(answer, 'GET', fail)
    return nowMs - last.nowMs - (answer.receivedMs - last.receivedMs) > ms / 2
  }

  /** Without a response the clock is asked on a new connection whether it has moved. */
  const sendSurely = async (body: string | null, ms: number): Promise<WireAnswer> => {
    const answer = await send(body, false)
    if (answer.response) return answer
    const now = await send(null, true)
    if (body === null || !now.response || hasMoved(now, ms)) return now
    return send(body, true)
  }

  const ask = async (body: string | null, ms: number): Promise<number> => {
    const answer = await sendSurely(body, ms)
    const { sentMs, receivedMs } = answer
    const told = { nowMs: readAnswer(answer, body ?? 'GET', fail), sentMs, receivedMs }
    if (last) judgeMove(last, told, ms, fail)
    last = told
    return told.nowMs
  }

  const askNow = () => ask(null, 0)
  return {
    now: () => inTurn(askNow),
    advance: (ms) =>
      inTurn(async () => {
        if (!last) await askNow()
        const after = await ask(JSON.stringify({ advanceMs: ms }), ms)
        moved(ms)
        return after
      }),
    set: (iso) =>
      inTurn(async () => {
        const before = await askNow()
        const after = await ask(JSON.stringify({ set: iso }), Date.parse(iso) - before)
        moved(after - before)
        return after
      }),
  }
}
