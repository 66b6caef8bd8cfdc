// The target's test clock over HTTP (rulings, "The test clock"). It never gets a key.

import { isObject, parseJson } from '../json.ts'
import type { Client } from './client.ts'

/** The target's test clock (rulings, "The test clock"). */
export interface TargetClock {
  /** Unix milliseconds at the target. */
  now(): Promise<number>
  advance(ms: number): Promise<number>
  /** @param iso an instant ahead of the target's now */
  set(iso: string): Promise<number>
}

export class ClockError extends Error {
  constructor(message: string) {
    super(`the test clock: ${message}`)
    this.name = 'ClockError'
  }
}

const nowIn = (text: string): number => {
  const value = parseJson(text)
  const now = isObject(value) && typeof value.now === 'string' ? Date.parse(value.now) : Number.NaN
  if (Number.isNaN(now)) throw new ClockError(`no {"now": ...} in its answer: ${text.slice(0, 80)}`)
  return now
}

/**
 * @param moved told by how many milliseconds a move put the target ahead
 * @throws ClockError from each method, where the clock does not answer as it must
 */
export const createTargetClock = (
  client: Client,
  path: string,
  moved: (ms: number) => void,
): TargetClock => {
  const ask = async (body: string | null): Promise<number> => {
    const { response, noAnswer } = await client.send({
      method: body === null ? 'GET' : 'POST',
      path,
      headers: body === null ? [] : [['Content-Type', 'application/json']],
      body,
      connection: 'one',
    })
    if (!response) throw new ClockError(`no answer (${noAnswer})`)
    const text = Buffer.from(response.bytes).toString()
    if (response.status !== 200) {
      throw new ClockError(`answered ${response.status} to ${body ?? 'GET'}: ${text.slice(0, 80)}`)
    }
    try {
      return nowIn(text)
    } catch (error) {
      if (error instanceof ClockError) throw error
      throw new ClockError(`its answer is no JSON: ${text.slice(0, 80)}`)
    }
  }

  const now = () => ask(null)
  return {
    now,
    advance: async (ms) => {
      const after = await ask(JSON.stringify({ advanceMs: ms }))
      moved(ms)
      return after
    },
    set: async (iso) => {
      const before = await now()
      const after = await ask(JSON.stringify({ set: iso }))
      moved(after - before)
      return after
    },
  }
}
