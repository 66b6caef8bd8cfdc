// Safety: a refused key rests until the stated time, at every design; only the ban probe knocks on.
import { describe, expect, test } from 'vitest'
import { retryAfterMs } from '../../suites/kit/rate-headers.ts'
import { limitQuestions } from './limit-questions.ts'
import { type Act, trafficOf } from './traffic.ts'
import { banned, type Passed, vetVirtually } from './vet.ts'
import { plainWorlds } from './worlds.ts'

/** How long the answer of a request told its sender to wait, if it did. */
const statedMs = ({ answer }: Passed): number | undefined =>
  answer.response?.status === 429
    ? retryAfterMs({ ...answer, at: '' } as Parameters<typeof retryAfterMs>[0])
    : undefined

/** Requests that left after a refusal was received, and before its time was over. */
const impatient = (passed: readonly Passed[]): string[] =>
  passed.flatMap((refusal) => {
    const waitMs = statedMs(refusal)
    if (waitMs === undefined || refusal.key === banned) return []
    const freeAtMs = refusal.receivedMs + waitMs
    const early = passed.filter(
      ({ key, sentMs }) => key === refusal.key && sentMs >= refusal.receivedMs && sentMs < freeAtMs,
    )
    return early.map(({ sentMs }) => `${refusal.key} ${Math.round(freeAtMs - sentMs)} ms early`)
  })

/** Ordinary work that runs into the quota again and again. */
const busy: readonly Act[] = Array.from({ length: 12 }, () => ({
  kind: 'calls',
  of: Array.from({ length: 20 }, (_, place) => (place % 4 === 3 ? 'create' : 'list')),
}))

describe.each(plainWorlds)('%s', (_, world) => {
  test.for([true, false])('with a test clock: %s', async (hasClock) => {
    const questions = [...trafficOf(busy), ...limitQuestions]
    const { run, passed } = await vetVirtually({ ...world, hasClock }, questions)
    expect(run.impossible).toBeNull()
    expect(impatient(passed)).toEqual([])
  })

  test('beside another client, which draws the refusals', async () => {
    const foreign = { pauseMs: 300, even: false, crowd: 7, obeys: true, seed: 3 }
    const { passed } = await vetVirtually({ ...world, foreign }, trafficOf(busy))
    expect(passed.filter((each) => statedMs(each) !== undefined)).not.toEqual([])
    expect(impatient(passed)).toEqual([])
  })
})

test('a request that is sent too early is found', () => {
  const headers = [['Retry-After', '5']] as const
  const response = { status: 429, headers, bytes: new Uint8Array(), cut: false }
  const answer = { response, noAnswer: null, sentMs: 0, receivedMs: 1 }
  const pass = (sentMs: number) => ({ key: 'one', sentMs, receivedMs: sentMs + 1, answer })
  expect(impatient([pass(0), pass(2_000)])).toHaveLength(1)
  expect(impatient([pass(0), pass(5_001)])).toEqual([])
})
