// Runs without a test clock, in real minutes, over every design of limiter: never a 429.
import { expect, test } from 'vitest'
import { usualBan, withBans } from '../../reference/bans.ts'
import type { Variant } from '../../reference/compose.ts'
import { clockWindow, createLimiter } from '../../reference/limiter.ts'
import { legalMeters } from '../../reference/limiters.ts'
import { told, vetReference } from '../vet-reference.ts'

const designs = { clockWindow, ...legalMeters }

test.concurrent.each(Object.entries(designs))('over the design %s', async (_name, design) => {
  const variant: Variant = {
    parts: () => ({ limiter: withBans(createLimiter(design), usualBan) }),
  }
  const { run, lines } = await vetReference({ variant }, { clockUrl: null })
  expect(lines.filter((line) => JSON.parse(line).response?.status === 429)).toEqual([])
  expect(told(run, 'fail', 'warn', 'error')).toEqual([])
  expect(run.verdict).toBe('conformant')
})
