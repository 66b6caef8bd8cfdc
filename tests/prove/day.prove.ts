// In real time, without a test clock: a small day that was agreed for an enterprise key is spent by
// two runs of the command, the first of which is killed in its midst, and is counted exactly.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startReference } from '../../reference/start.ts'
import type { RunFile } from '../../suites/kit/run-file.ts'
import { emptyFolder, start } from '../e2e/petvet.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const quota = { perMinute: 20, perDay: 50 }
const key = 'petvet-prove-day-key-2b90'
const killedAfter = 27

const servedIn = (notebook: string): number => {
  try {
    const { pages } = JSON.parse(readFileSync(notebook, 'utf8'))
    const stretches: readonly { served: number }[] = pages[0]?.stretches ?? []
    return stretches.reduce((sum, { served }) => sum + served, 0)
  } catch {
    return 0
  }
}

/** A midnight in the middle leaves it open, as it should. */
const untilFarFromMidnight = async () => {
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs < 10 * minuteMs) await sleep(leftMs + 1_000)
}

test('a day of 50 calls, 20 a minute, over a kill', { timeout: 15 * minuteMs }, async () => {
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
  const notebook = join(folder, 'notebook.json')
  const config = { target: server.url, keys: [{ plan: 'enterprise', key, ...quota }] }
  writeFileSync(join(folder, 'petvet.config.json'), JSON.stringify(config))

  const flags = ['--allow', 'exhaust,day', '--notebook', notebook, '--only', 'day-*', '--quiet']
  const check = (name: string) => start(['check', ...flags, '--out', name], { folder })

  try {
    const first = check('first')
    while (servedIn(notebook) < killedAfter) await sleep(20)
    first.interrupt('SIGKILL')
    await first.ended

    const { code, stderr } = await check('second').ended
    expect(code, stderr).toBe(0)
    const run: RunFile = JSON.parse(readFileSync(join(folder, 'second', 'run.json'), 'utf8'))
    const outcomes = run.checks
      .filter(({ id }) => id.includes('enterprise'))
      .map(({ id, outcome, detail }) => [id, outcome, detail] as const)
    expect(outcomes.map(([id, outcome]) => [id, outcome])).toEqual([
      ['day-quota-enterprise-not-more', 'pass'],
      ['day-quota-enterprise-not-fewer', 'pass'],
      ['day-refusal-enterprise-own-window', 'untested'],
    ])
    expect(outcomes[2]?.[2]).toContain('run again after')

    const lines = ['first', 'second'].map((name) =>
      readFileSync(join(folder, name, 'exchanges.ndjson'), 'utf8')
        .trimEnd()
        .split('\n'),
    )
    const statuses = lines.map((own) => own.map((line) => JSON.parse(line).response?.status))
    const all = statuses.flat()
    // The call in which the first run was killed may have been answered and not written down.
    const served = all.filter((status) => status === 200).length
    expect([quota.perDay - 1, quota.perDay]).toContain(served)
    expect(all.filter((status) => status === 429)).toHaveLength(1)
    expect(all.at(-1)).toBe(429)
    expect(readFileSync(notebook, 'utf8')).not.toContain(key)
    console.log(`${statuses.map(({ length }) => length).join(' and ')} calls, ${served} served`)
  } finally {
    await server.close()
  }
})
