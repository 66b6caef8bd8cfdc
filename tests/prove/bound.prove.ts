// In real time, with one Free key and no test clock: the whole run, contract and limits, takes
// about as long as `petvet plan` estimates, and sends nothing with a refused key.
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

/** A line of exchanges.ndjson, as far as it is looked at here. */
interface Line {
  readonly at: string
  readonly ms: number
  readonly key: string | null
  readonly response: { readonly status: number; readonly headers: readonly [string, string][] }
}

const sentMs = ({ at }: Line): number => Date.parse(at)
const answeredMs = (line: Line): number => sentMs(line) + line.ms

const waitMsOf = ({ response }: Line): number => {
  const seconds = response.headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1]
  return Number(seconds) * 1_000
}

/** Requests that left after a refusal had come, and before the time that it stated. */
const impatient = (lines: readonly Line[]): Line[] =>
  lines
    .filter(({ response }) => response.status === 429)
    .flatMap((refusal) =>
      lines.filter(
        (line) =>
          line.key === refusal.key &&
          sentMs(line) > answeredMs(refusal) &&
          sentMs(line) < answeredMs(refusal) + waitMsOf(refusal) - 1,
      ),
    )

/** From early in a minute, out of its middle, and from its end, where the time is shortest. */
test.concurrent.each([3, 27, 57])('from second %i of a minute', async (second) => {
  const intoMs = Date.now() % minuteMs
  await sleep((second * 1_000 - intoMs + minuteMs) % minuteMs)
  const options = { keys, allow, clockUrl: null, descriptionUrl: 'its own' }
  const { estimateMs } = pricesOf(catalogue, options).all
  const vetted = await vetReference({ keys }, { keys, allow, clockUrl: null })
  const { run } = vetted
  const lines = vetted.lines.map((line): Line => JSON.parse(line))

  expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
  expect(run.verdict).toBe('conformant')
  // The one that the burst needs; none other is drawn.
  expect(lines.filter(({ response }) => response.status === 429)).toHaveLength(1)
  expect(impatient(lines)).toEqual([])

  expect(Math.abs(run.durationMs - (estimateMs ?? 0))).toBeLessThanOrEqual(overMs)
  console.log(`from second ${second}: ${run.durationMs} ms, estimated ${estimateMs} ms`)
})
