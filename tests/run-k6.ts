// k6 for the proofs: instances of one script at once, by execution segment, and what they wrote.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'vitest'
import type { KeyOption } from '../engine/check/spendable-keys.ts'
import { labelKeys, variableOfKey } from '../engine/run/run-options.ts'
import { judgeK6 } from '../load/k6/judge-samples.ts'
import { k6Export } from '../load/k6/k6-plan.ts'
import { scenarios } from '../load/scenarios.ts'
import { readThresholds } from '../load/thresholds.ts'
import { silent } from './vet-reference.ts'

/** The path of k6; skips the test if it is not installed. */
export const placeOfK6 = (context: TestContext): string => {
  const places = (process.env.PATH ?? '').split(delimiter).map((place) => join(place, 'k6'))
  return places.find((place) => existsSync(place)) ?? context.skip('k6 is not on the PATH')
}

export interface K6Trial {
  readonly k6: string
  /** The address that each instance sends to. */
  readonly urls: readonly string[]
  readonly keys: readonly KeyOption[]
  readonly scenario: string
  readonly connections?: number
  readonly durationMs?: number
  readonly thresholds?: string
  readonly divide?: 'keys'
}

/** @returns the exit code */
const start = async (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => {
  const [code] = await once(spawn(file, args, { env, stdio: 'ignore' }), 'exit')
  return code as number | null
}

/** Time for all instances to read the script. */
const leadMs = 5_000

/** Seconds in which no window that begins with the minute ends within a burst. */
const safeStart = (): string => {
  const atMs = Math.ceil((Date.now() + leadMs) / 1_000) * 1_000
  const second = (atMs / 1_000) % 60
  const waitMs = second > 40 ? (61 - second) * 1_000 : 0
  return new Date(atMs + waitMs).toISOString().replace(/\.\d+/, '')
}

/** @returns the exit code of each instance, and the run that petvet judged */
export const runK6 = async (trial: K6Trial) => {
  const { k6, urls, keys, scenario, connections = 48, durationMs = null, thresholds } = trial
  const folder = mkdtempSync(join(tmpdir(), 'petvet-k6-'))
  const script = join(folder, 'load.k6.js')
  const chosen = scenarios.filter(({ id }) => id === scenario)
  const { files, missing } = k6Export({
    target: { baseUrl: urls[0] ?? '', keys, allow: ['exhaust', 'ban'], shared: false },
    headers: [],
    scenarios: chosen,
    settings: { connections: [connections], durationMs },
    thresholds: thresholds === undefined ? [] : readThresholds(thresholds),
  })
  const [first] = files
  if (!first) throw new Error(missing[0]?.why)
  writeFileSync(script, first.text)
  const variables = labelKeys(keys).map(({ label, key }) => [variableOfKey(label), key])
  const environment = { ...process.env, ...Object.fromEntries(variables) }
  const PETVET_START = safeStart()
  const count = urls.length
  const paths = urls.map((_url, at) => join(folder, `${at}.json${at % 2 === 0 ? '' : '.gz'}`))
  try {
    const codes = await Promise.all(
      urls.map((url, at) => {
        const segment =
          count === 1 ? [] : ['--execution-segment', `${at}/${count}:${at + 1}/${count}`]
        const quiet = ['-q', '--no-usage-report', '--address', '']
        const args = ['run', ...quiet, ...segment, '--out', `json=${paths[at]}`, script]
        const own = { PETVET_START, PETVET_TARGET: url, PETVET_DIVIDE: trial.divide }
        return start(k6, args, { ...environment, ...own })
      }),
    )
    const run = await judgeK6(
      { paths, scenarios: chosen, thresholds: null, options: { strict: false } },
      silent,
    )
    return { run, codes }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
