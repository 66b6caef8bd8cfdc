// In real time, without a test clock: a small day that was agreed for an enterprise key is spent by
// the command, and is counted exactly.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startReference } from '../../reference/start.ts'
import type { RunFile } from '../../suites/kit/run-file.ts'
import { emptyFolder, petvet, readRunFile } from '../e2e/petvet.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const quota = { perMinute: 20, perDay: 50 }
const key = 'petvet-prove-day-key-2b90'

/** A midnight in the middle leaves it open, as it should. */
const untilFarFromMidnight = async () => {
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs < 10 * minuteMs) await sleep(leftMs + 1_000)
}

test('a day of 50 calls, 20 a minute', { timeout: 15 * minuteMs }, async () => {
  await untilFarFromMidnight()
  const server = await startReference({
    keys: [{ plan: 'enterprise', key, ...quota }],
    store: 'memory',
    port: 0,
    onFault: (fault) => {
      throw fault
    },
  })
  const folder = emptyFolder()
  const config = { target: server.url, keys: [{ plan: 'enterprise', key, ...quota }] }
  writeFileSync(join(folder, 'petvet.config.json'), JSON.stringify(config))

  const flags = ['--allow', 'exhaust,day', '--only', 'day-*', '--quiet', '--out', 'run']

  try {
    const { code, stderr } = await petvet(['check', ...flags], { folder })
    expect(code, stderr).toBe(0)
    const run: RunFile = readRunFile(join(folder, 'run'))
    const outcomes = run.checks
      .filter(({ id }) => id.includes('enterprise'))
      .map(({ id, outcome, detail }) => [id, outcome, detail] as const)
    expect(outcomes.map(([id, outcome]) => [id, outcome])).toEqual([
      ['day-quota-enterprise-not-more', 'pass'],
      ['day-quota-enterprise-not-fewer', 'pass'],
      ['day-refusal-enterprise-own-window', 'untested'],
    ])
    expect(outcomes[2]?.[2]).toContain('give the test clock')

    const lines = readFileSync(join(folder, 'run', 'exchanges.ndjson'), 'utf8').trimEnd()
    const statuses = lines.split('\n').map((line) => JSON.parse(line).response?.status)
    expect(statuses).toEqual([...Array(quota.perDay).fill(200), 429])
  } finally {
    await server.close()
  }
})
