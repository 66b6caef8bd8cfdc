// A run against a small server that acts as a test defines.

import type { AnyCheck, Stage } from '../engine/check/declare.ts'
import type { RunFile } from '../engine/check/run-file.ts'
import { runSuites } from '../engine/run/run.ts'
import type { RunEvent, RunOptions } from '../engine/run/run-options.ts'
import { get, unauthorized } from '../history/exchange.ts'
import { serveClock } from './clock-server.ts'
import { check, expectStatus } from './plain-checks.ts'
import { type Act, opened, type RawAnswer, type ReceivedRequest, serveActs } from './raw-server.ts'
import { testOptions } from './vet-reference.ts'

export const json = (status: number, body: string): RawAnswer => ({
  status,
  headers: [['Content-Type', 'application/json']],
  body,
})

export const error = (status: number): RawAnswer =>
  json(status, JSON.stringify({ code: 'made-up', message: 'Made up.', status }))

/** 200 and an empty list for any key; 401 without one. */
export const respondValidly = ({ key, path }: ReceivedRequest): RawAnswer => {
  if (key === null) return error(401)
  return path.startsWith('/v1/pets/') ? error(404) : json(200, '[]')
}

/** A check that wants 200 from a path, with a valid key. */
export const wants200 = (id: string, path: string, stage: Stage = 'reads') =>
  check(id, 'list.success', { stage }, async ({ call }) => {
    expectStatus(await call(get(path)), 200)
  })

/** Distinguishes a valid target from one that gives a single status to everything. */
export const probesSecondStatus = check(
  'apart',
  'list.unauthorized',
  { stage: 'creations' },
  async ({ call }) => {
    expectStatus(await call(get('/pets')), 200)
    expectStatus(await call(unauthorized(get('/pets'))), 401)
  },
)

export interface Vetted {
  readonly run: RunFile
  readonly lines: readonly string[]
  readonly events: readonly RunEvent[]
  readonly heard: readonly ReceivedRequest[]
}

export const vetOrigin = async (
  origin: string,
  checks: readonly AnyCheck[],
  differing: Partial<RunOptions> = {},
): Promise<Omit<Vetted, 'heard'>> => {
  const lines: string[] = []
  const events: RunEvent[] = []
  const run = await runSuites(checks, testOptions(`${origin}/v1`, differing), {
    exchange: (line) => lines.push(line),
    event: (event) => events.push(event),
  })
  return { run, lines, events }
}

/** The target has a test clock, so that no wait costs time; it is set to a day of 2026. */
export const vetActs = async (
  act: (heard: ReceivedRequest, before: number) => Act,
  checks: readonly AnyCheck[],
  differing: Partial<RunOptions> = {},
): Promise<Vetted> => {
  const target = await opened(serveActs(act))
  const clock = await serveClock((_method, respond) => respond())
  const options = { clockUrl: clock.url, ...differing }
  return { ...(await vetOrigin(target.origin, checks, options)), heard: target.heard }
}

/** The outcome of a check, and what an `untested` lacked. */
export const outcomeOf = (run: RunFile, id: string): string => {
  const result = run.checks.find((each) => each.id === id)
  if (!result) return 'no result'
  return result.because === null ? result.outcome : `${result.outcome} (${result.because})`
}

export const detailOf = (run: RunFile, id: string): string =>
  run.checks.find((each) => each.id === id)?.detail ?? ''
