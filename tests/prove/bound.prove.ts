// In real time, with one Free key and no test clock: the whole run, contract and limits, takes
// about as long as `petvet plan` estimates, and draws no refusal but its own.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { pricesOf } from '../../cli/commands/plan/prices.ts'
import { plans } from '../../spec/plans.ts'
import { catalogue } from '../../suites/index.ts'
import { outcomesOf, vetReference } from '../vet-reference.ts'

const minuteMs = 60_000
const overMs = 90_000

const keys = [{ plan: 'free', key: 'petvet-prove-key', quota: plans.free }] as const
const allow = ['write', 'exhaust'] as const

/** From early in a minute, out of its middle, and from its end, where the time is shortest. */
test.concurrent.each([3, 27, 57])('from second %i of a minute', async (second) => {
  const intoMs = Date.now() % minuteMs
  await sleep((second * 1_000 - intoMs + minuteMs) % minuteMs)
  const options = { keys, allow, clockUrl: null, descriptionUrl: 'its own' }
  const { estimateMs } = pricesOf(catalogue, options).all
  const vetted = await vetReference({ keys }, { keys, allow, clockUrl: null })
  const { run } = vetted
  const refused = vetted.lines.filter((line) => JSON.parse(line).response.status === 429)

  expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
  expect(run.verdict).toBe('conformant')
  // The one that the burst needs; none other is drawn.
  expect(refused).toHaveLength(1)

  expect(Math.abs(run.durationMs - (estimateMs ?? 0))).toBeLessThanOrEqual(overMs)
  console.log(`from second ${second}: ${run.durationMs} ms, estimated ${estimateMs} ms`)
})
