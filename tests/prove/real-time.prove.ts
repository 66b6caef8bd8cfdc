// Runs without a test clock, in real minutes, over every design of limiter: the contract without a
// 429, and the rate limit without a false alarm.
import { expect, test } from 'vitest'
import { usualBan, withBans } from '../../reference/bans.ts'
import type { Variant } from '../../reference/compose.ts'
import { clockWindow, createLimiter, type MakeMeter } from '../../reference/limiter.ts'
import { legalMeters } from '../../reference/limiters.ts'
import { told, vetReference } from '../vet-reference.ts'
import { limitQuestions } from '../virtual/limit-questions.ts'

const designs = { clockWindow, ...legalMeters }

const limitedBy = (design: MakeMeter): Variant => ({
  parts: () => ({ limiter: withBans(createLimiter(design), usualBan) }),
})

const each = test.concurrent.each(Object.entries(designs))

each('the rate limit over the design %s', async (_name, design) => {
  const own = { clockUrl: null, allow: ['write', 'exhaust'] } as const
  const { run } = await vetReference({ variant: limitedBy(design) }, own, limitQuestions)
  expect(told(run, 'fail', 'warn', 'error')).toEqual([])
  expect(run.verdict).toBe('conformant')
})

each('the contract over the design %s', async (_name, design) => {
  const own = { clockUrl: null, allow: ['write'] } as const
  const { run, lines } = await vetReference({ variant: limitedBy(design) }, own)
  expect(lines.filter((line) => JSON.parse(line).response?.status === 429)).toEqual([])
  expect(told(run, 'fail', 'warn', 'error')).toEqual([])
  expect(run.verdict).toBe('conformant')
})
