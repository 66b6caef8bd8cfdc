// Resting an address that asked too often without a valid key, which a target may limit.
import type { Exchange } from '../exchange.ts'
import { statusOf } from '../exchange.ts'
import type { Pace } from './pace.ts'
import { rateHeaders, retryAfterMs } from './rate-headers.ts'

/** No longer than this is waited, and no more often: a target may refuse for ever. */
const restMostMs = 150_000
const restsMost = 4

/** Waits as a refusal says. @returns whether it was one that could be waited for */
export type RestAddress = (refusal: Exchange) => Promise<boolean>

export const createRestAddress = (
  pace: Pace,
  waiting: (ms: number, why: string) => void,
): RestAddress => {
  let rests = 0
  return async (refusal) => {
    if (refusal.key !== null || statusOf(refusal) !== 429 || rests >= restsMost) return false
    const statedMs = retryAfterMs(refusal) ?? rateHeaders(refusal)?.resetInMs ?? 60_000
    if (statedMs > restMostMs) return false
    rests += 1
    waiting(statedMs, 'this address asked too often without a key')
    await pace.pass(statedMs + 1_000)
    return true
  }
}
