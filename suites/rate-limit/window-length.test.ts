// The length of a window: what a check of it costs at an honest server, and at one in a hurry.
import { expect, test } from 'vitest'
import { usualBan, withBans } from '../../reference/bans.ts'
import type { Variant } from '../../reference/compose.ts'
import { clockWindow, createLimiter } from '../../reference/limiter.ts'
import { legalMeters } from '../../reference/limiters.ts'
import { twoFree as keys, vetReference } from '../../tests/vet-reference.ts'
import { windowLength } from './window-length.ts'

const id = 'window-not-shorter'

const minutesOf = (windowMs: number): Variant => ({
  parts: () => ({
    limiter: withBans(
      createLimiter((limit, ms) => clockWindow(limit, ms === 60_000 ? windowMs : ms)),
      usualBan,
    ),
  }),
})

/** What the check came to by itself, and how much it asked beyond a burst and its retry. */
const vet = async (variant: Variant) => {
  const { run, lines } = await vetReference({ keys, variant }, { keys }, windowLength)
  const found = run.checks.find((each) => each.id === id)
  const asked = lines.map((line) => JSON.parse(line) as { check: string; response: object })
  const status = (line: { response: object }) => (line.response as { status: number }).status
  const refusedAt = asked.findLastIndex((line) => line.check === id && status(line) === 429)
  return { outcome: found?.outcome, detail: found?.detail, after: asked.length - refusedAt - 1 }
}

test('a window of a minute costs no call but the one after the wait', async () => {
  for (const variant of [minutesOf(60_000), {}]) {
    expect(await vet(variant)).toMatchObject({ outcome: 'pass', after: 1 })
  }
})

test('nor does one that begins with its first call, or a bucket', async () => {
  for (const name of ['window-from-first-call', 'bucket-reset-full'] as const) {
    const limiter = () => withBans(createLimiter(legalMeters[name]), usualBan)
    const found = await vet({ parts: () => ({ limiter: limiter() }) })
    expect(found).toMatchObject({ outcome: 'pass', after: 1 })
  }
})

test.for([10_000, 30_000])('one of %i ms is spent once more, and fails', async (windowMs) => {
  const { outcome, detail, after } = await vet(minutesOf(windowMs))
  expect(outcome).toBe('fail')
  expect(detail).toContain('all came back twice')
  expect(after).toBe(1 + 59 + 1)
})
