// A run over the reference in virtual time, begun at some instant of a minute.

import type { AnyCheck } from '../../engine/declare.ts'
import type { PlanOptions } from '../../engine/run-options.ts'
import { memoryStore, type PetStatus, type Store } from '../../reference/store.ts'
import { type Passed, type VirtualRun, vetVariant } from './vet.ts'

const stock = 120

/** A store in which a run that may only read finds enough of every status. */
const stocked = (): Store => {
  const store = memoryStore()
  const statuses: readonly PetStatus[] = ['available', 'pending', 'sold']
  for (let at = 0; at < stock; at += 1) {
    const status = statuses[at % statuses.length] ?? 'sold'
    store.add({ name: `animal ${at}`, categoryId: 1n, status })
  }
  return store
}

/** @param intoMinuteMs how far the minute has gone when the run starts */
export const vetFrom = (
  intoMinuteMs: number,
  checks: readonly AnyCheck[],
  { keys, allow, clockUrl }: PlanOptions,
): Promise<VirtualRun> =>
  vetVariant(
    allow.includes('write') ? {} : { parts: () => ({ store: stocked() }) },
    keys,
    {
      latency: { minMs: 0.5, maxMs: 1.5, seed: 5 },
      skewMs: 0,
      hasClock: clockUrl !== null,
      startMs: Date.UTC(2026, 10, 20, 12) + intoMinuteMs,
      foreign: null,
      shared: false,
      allow,
      maxRequests: 10_000,
    },
    checks,
  )

/** From the first request to the last response. */
export const lengthMs = (passed: readonly Passed[]): number =>
  Math.max(...passed.map(({ receivedMs }) => receivedMs)) -
  Math.min(...passed.map(({ sentMs }) => sentMs))
