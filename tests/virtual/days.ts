// Runs that spend a key's day in virtual time without a test clock, one after another, with the
// notebook between them.
import type { Variant } from '../../reference/compose.ts'
import { catalogue } from '../../suites/index.ts'
import { openNotebook } from '../../suites/kit/notebook/notebook.ts'
import { runSuites } from '../../suites/kit/run.ts'
import type { RunFile } from '../../suites/kit/run-file.ts'
import type { WireRequest } from '../../suites/kit/wire/wire-request.ts'
import type { Wires } from '../../suites/kit/wire/wires.ts'
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
  /** Calls with the key before the first run, which no notebook knows. */
  readonly callsBefore: number
  /** What is done in turn. */
  readonly runs: readonly OneRun[]
}

export interface OneRun {
  /** So long nothing happens before it. */
  readonly pauseMs: number
  /** The call in the midst of which it is killed. */
  readonly killedAt?: number
  /** Whether it has the notebook of the runs before it. */
  readonly forgets?: boolean
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

/** A kill leaves what was written before the call, and nothing of what came after it. */
const killing = (wires: Wires, at: number, kill: () => void): Wires => {
  let calls = 0
  const send = async (request: WireRequest) => {
    calls += 1
    if (calls === at) kill()
    return wires.client.send(request)
  }
  return { ...wires, client: { ...wires.client, send } }
}

export const vetDays = async (
  variant: Variant,
  { startMs, skewMs, foreign, callsBefore, runs }: Course,
): Promise<{ readonly runs: readonly DayRun[]; readonly text: string }> => {
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
  let text: string | null = null
  const done: DayRun[] = []
  for (const { pauseMs, killedAt = 0, forgets = false } of runs) {
    await time.sleep(pauseMs)
    const wallMs = () => target.now() + skewMs
    const ending = new AbortController()
    let isKilled = false
    const kill = () => {
      isKilled = true
      ending.abort()
    }
    const usual = createVirtualWires(target, time, { latencyMs, skewMs, hasClock: false })
    const wires = killing({ ...usual, wallMs }, killedAt, kill)
    const notebook = openNotebook(forgets ? null : text, wallMs(), (written) => {
      if (!isKilled) text = written
    })
    const statuses: number[] = []
    const run = await runSuites(
      questions,
      testOptions('http://127.0.0.1/v1', {
        keys: [dayKey],
        allow: ['exhaust', 'day'],
        signal: ending.signal,
        notebook,
      }),
      {
        exchange: (line) => {
          const { key, response } = JSON.parse(line)
          if (key !== null) statuses.push(response?.status)
        },
        event: () => {},
      },
      wires,
    )
    const refused = statuses.filter((status) => status === 429).length
    done.push({ run, calls: statuses.length, refused })
  }
  time.stop()
  return { runs: done, text: text ?? '' }
}
