// A run that spends a key's day in virtual time without a test clock.
import type { Variant } from '../../reference/compose.ts'
import { catalogue } from '../../suites/index.ts'
import { runSuites } from '../../suites/kit/run.ts'
import type { RunFile } from '../../suites/kit/run-file.ts'
import { testOptions } from '../vet-reference.ts'
import { chances } from './chance.ts'
import { beForeign, type Foreign } from './foreign.ts'
import { createTarget } from './target.ts'
import { createTime } from './time.ts'
import { createVirtualWires, toRequest } from './wires.ts'

export const dayKey = {
  plan: 'enterprise',
  key: 'virtual-day-key',
  quota: { perMinute: 40, perDay: 200 },
} as const

export interface Course {
  readonly startMs: number
  readonly skewMs: number
  readonly foreign: Foreign | null
  /** Calls with the key before the run, of which it knows nothing. */
  readonly callsBefore: number
  /** How long nothing happens between these and the run. */
  readonly pauseMs: number
}

export interface DayRun {
  readonly run: RunFile
  /** With the key of the day, and how many of them were answered 429. */
  readonly calls: number
  readonly refused: number
}

const questions = catalogue.filter(
  (question) => question.kind === 'invariant' || question.needs.looksAt?.includes('day'),
)

export const vetDay = async (
  variant: Variant,
  { startMs, skewMs, foreign, callsBefore, pauseMs }: Course,
): Promise<DayRun> => {
  const time = createTime()
  const issued = [{ plan: dayKey.plan, key: dayKey.key, ...dayKey.quota }]
  const target = createTarget(variant, issued, startMs, time)
  const chance = chances(11)
  const latencyMs = () => 1 + 4 * chance()
  const authorization = [['Authorization', `Bearer ${dayKey.key}`]] as const
  for (let calls = 0; calls < callsBefore; calls += 1) {
    await target.handle(toRequest('GET', '/v1/pets', authorization, null, {}))
  }
  if (foreign) void beForeign(foreign, dayKey.key, target, time)
  await time.sleep(pauseMs)
  const usual = createVirtualWires(target, time, { latencyMs, skewMs, hasClock: false })
  const wires = { ...usual, wallMs: () => target.now() + skewMs }
  const statuses: number[] = []
  const options = testOptions('http://127.0.0.1/v1', { keys: [dayKey], allow: ['exhaust', 'day'] })
  const sink = {
    exchange: (line: string) => {
      const { key, response } = JSON.parse(line)
      if (key !== null) statuses.push(response?.status)
    },
    event: () => {},
  }
  const run = await runSuites(questions, options, sink, wires)
  time.stop()
  const refused = statuses.filter((status) => status === 429).length
  return { run, calls: statuses.length, refused }
}
