// Runs without a test clock, in real minutes: the rate limit over every design of limiter without a
// false alarm, and a small day.
import { expect, test } from 'vitest'
import { legalMeters } from '../../reference/legal-meters.ts'
import { clockWindow } from '../../reference/limiter.ts'
import { meteredBy } from '../../reference/wrappers/rate-limiting.ts'
import { catalogue } from '../../suites/index.ts'
import { limitChecks, outcomesOf, vetReference } from '../vet-reference.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const dayQuestions = catalogue.filter(({ id }) => id.startsWith('day-'))

const designs = { clockWindow, ...legalMeters }

test.concurrent.each(Object.entries(designs))(
  'the rate limit over the design %s',
  async (_name, design) => {
    const own = { clockUrl: null, allow: ['write', 'exhaust'] } as const
    const { run } = await vetReference({ variant: meteredBy(design) }, own, limitChecks)
    expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
    expect(run.verdict).toBe('conformant')
  },
)

test('a day of 50 calls, 20 a minute, is counted exactly', async ({ skip }) => {
  // A midnight in the middle leaves it open, as it should.
  if (dayMs - (Date.now() % dayMs) < 10 * minuteMs) skip('a day of UTC is about to end')
  const quota = { perMinute: 20, perDay: 50 }
  const key = { plan: 'enterprise', key: 'petvet-prove-day-key-2b90' } as const
  const own = { clockUrl: null, keys: [{ ...key, quota }], allow: ['exhaust', 'day'] } as const
  const { run, lines } = await vetReference({ keys: [{ ...key, quota }] }, own, dayQuestions)
  expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
  expect(outcomesOf(run, 'pass').join()).toMatch(/day-quota-enterprise/)
  const statuses = lines.map((line) => JSON.parse(line).response?.status)
  expect(statuses).toEqual([...Array(quota.perDay).fill(200), 429])
})
