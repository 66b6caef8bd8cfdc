// Another client that spends a key of the run meanwhile, in virtual time.

import { chances, type VirtualTarget, type VirtualTime } from '../../proof/virtual.ts'
import type { ApiRequest } from '../../reference/message.ts'

export interface Foreign {
  /** The pause between its calls, on average. */
  readonly pauseMs: number
  /** Even pauses, or random ones. */
  readonly even: boolean
  /** How many calls it sends at once. */
  readonly crowd: number
  /** Whether it obeys Retry-After. */
  readonly obeys: boolean
  readonly seed: number
}

const maxCalls = 2_000

/** A request for the pets, as the reference takes it from its socket. */
export const listRequest = (key: string): ApiRequest => ({
  method: 'GET',
  target: '/v1/pets',
  header: (name) => (name === 'authorization' ? `Bearer ${key}` : undefined),
  body: Buffer.alloc(0),
  connection: {},
})

/** Calls until virtual time is stopped. */
export const beForeign = async (
  { pauseMs, even, crowd, obeys, seed }: Foreign,
  key: string,
  target: VirtualTarget,
  time: VirtualTime,
): Promise<void> => {
  const chance = chances(seed)
  const request = listRequest(key)
  for (let calls = 0; calls < maxCalls; calls += crowd) {
    await time.sleep(even ? pauseMs : -Math.log(1 - chance()) * pauseMs)
    const responses = await Promise.all(
      Array.from({ length: crowd }, async () => target.handle(request)),
    )
    const refused = responses.find(({ status }) => status !== 200)
    const waitMs = Number(refused?.headers['Retry-After'] ?? 0) * 1000
    if (obeys && waitMs > 0) await time.sleep(waitMs)
  }
}
