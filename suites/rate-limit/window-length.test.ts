// The cost of the check of a window's length at a correct server, and at one that is too fast.
import { expect, test } from 'vitest'
import { legalMeters } from '../../reference/legal-meters.ts'
import { createLimiter, type MakeMeter, usualBan, withBans } from '../../reference/limiter.ts'
import type { Variant } from '../../reference/variant.ts'
import { twoFree as keys, vetReference } from '../../tests/vet-reference.ts'
import { windowLength } from './window-length.ts'

const id = 'window-not-shorter'

/** The result of the check alone, and how much it sent beyond a burst and its retry. */
const vet = async (variant: Variant) => {
  const { run, lines } = await vetReference({ keys, variant }, { keys }, [windowLength])
  const found = run.checks.find((each) => each.id === id)
  const sent = lines.map((line) => JSON.parse(line) as { check: string; response: object })
  const status = (line: { response: object }) => (line.response as { status: number }).status
  const refusedAt = sent.findLastIndex((line) => line.check === id && status(line) === 429)
  return { outcome: found?.outcome, detail: found?.detail, after: sent.length - refusedAt - 1 }
}

test.for([
  ['window-from-first-call', 1],
  // A design that does not give all back at once gets one more call, once a log would have.
  ['log-reset-oldest', 2],
  ['log-reset-newest', 2],
  ['bucket-reset-full', 2],
  ['bucket-reset-next-one', 2],
  ['sliding-counter', 2],
] as const)('%s: %i calls after the wait', async ([name, after]) => {
  const limiter = () => withBans(createLimiter(legalMeters[name]), usualBan)
  const found = await vet({ parts: () => ({ limiter: limiter() }) })
  expect(found).toMatchObject({ outcome: 'pass', after })
})

test.for(['log-reset-oldest', 'log-reset-newest'] as const)('a %s of 30 s fails', async (name) => {
  const meter: MakeMeter = (limit, ms) => legalMeters[name](limit, ms === 60_000 ? 30_000 : ms)
  const limiter = () => withBans(createLimiter(meter), usualBan)
  const { outcome, detail } = await vet({ parts: () => ({ limiter: limiter() }) })
  expect(outcome).toBe('fail')
  expect(detail).toMatch(/two full refills 3\d s apart/)
})
