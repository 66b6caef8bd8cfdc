// Four workers of Locust, again and again: what they send is exact, and what is missing is said.
// How it is judged needs no Locust: tests/e2e/locust.test.ts.
import { readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { plans } from '../../spec/plans.ts'
import { emptyFolder, execPetvet, petvet, runShell, writeCommands } from '../e2e/petvet.ts'
import { filesOf, judge, loadWithLocust, locust, startLocust } from '../locust-run.ts'
import { serveReference } from '../serve-reference.ts'
import { outcomesOf } from '../vet-reference.ts'

const free = ['free=a-free-key-of-locust-1']
const fleet = [...free, 'pro=a-pro-key-of-locust-2', 'business=a-business-key-of-locust-3']

/** All of them in real time: Locust moves no clock. */
const serve = (keys: readonly string[]) =>
  serveReference({
    keys: keys.map((text) => {
      const [plan, key = ''] = text.split('=') as ['free' | 'pro' | 'business', string]
      return { plan, key, quota: plans[plan] }
    }),
  })

const flagsOf = (scenario: string, ...more: string[]) => [
  ...['--scenario', scenario, '--connections', '40'],
  ...more,
]

const runs = Number(process.env.PETVET_LOCUST_RUNS ?? 10)
const times = Array.from({ length: runs }, (_, at) => at + 1)

describe.skipIf(locust === null)('with four workers', () => {
  test.for(times)('a fleet of three keys is served the quota of each, run %i', async () => {
    const server = await serve(fleet)
    const { code, run } = await loadWithLocust(server.url, fleet, flagsOf('fleet'))
    const { countsByKey = {} } = run.load?.[0]?.columns.target ?? {}
    const served = Object.entries(countsByKey).map(([label, counts]) => [label, counts.served])
    const wanted = { 'free-1': 60, 'pro-1': 300, 'business-1': 1_000 }
    expect(Object.fromEntries(served)).toEqual(wanted)
    expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
    expect([code, server.received?.()]).toEqual([0, run.requests])
  })
})

/** Resolves when the workers have written so many files. */
const begun = async (running: Awaited<ReturnType<typeof startLocust>>, files: number) => {
  while (filesOf(running).length < files) await new Promise((resolve) => setTimeout(resolve, 100))
}
const steady = flagsOf('steady', '--duration', '40')
const untilMiddle = async (running: Awaited<ReturnType<typeof startLocust>>, url: () => number) => {
  await begun(running, 4)
  while (url() < 30) await new Promise((resolve) => setTimeout(resolve, 100))
}

describe.skipIf(locust === null)('a run that does not end as planned', () => {
  test('is undecided where a worker was killed', async () => {
    const key = ['pro=a-pro-key-of-locust-2']
    const server = await serve(key)
    const running = await startLocust(server.url, key, steady)
    await untilMiddle(running, () => server.received?.() ?? 0)
    running.workers[1]?.kill('SIGKILL')
    await running.ended
    const { code, stdout } = await judge(running)
    expect([code, stdout]).toEqual([4, expect.stringMatching(/is cut after \d+ requests/)])
    // One more is sent without a key, and no user that is started again sends anything.
    expect(server.received?.()).toBeLessThanOrEqual(161)
  })

  test('is judged as far as it came after SIGINT at the master', async () => {
    const key = ['pro=a-pro-key-of-locust-2']
    const server = await serve(key)
    const running = await startLocust(server.url, key, steady)
    await untilMiddle(running, () => server.received?.() ?? 0)
    running.master.kill('SIGINT')
    await running.ended
    const { code, run } = await judge(running)
    const { sent, neverSent } = run.load?.[0]?.columns.target ?? {}
    expect([code, run.interrupted]).toEqual([130, true])
    expect(run.requests).toBe(server.received?.())
    expect((sent ?? 0) + (neverSent ?? 0)).toBe(160)
    expect(outcomesOf(run, 'observed').join()).toContain('load-steady-latency')
  })
})

/** The commands of the block that begins with the installation, without what is said of them. */
const commandsIn = (text: string): string[] => {
  const [, block = ''] = /```(?:sh)?\n(python3 -m venv[^`]+)```/.exec(text) ?? []
  const lines = block.trim().split('\n')
  return lines.map((line) => line.replace(/ +#.*$/, ''))
}

test.skipIf(locust === null)('the commands of its README run as written', async () => {
  const server = await serve(free)
  const folder = emptyFolder()
  const env = { FREE_KEY: 'a-free-key-of-locust-1' }
  const to = ['--to', 'locust', '--out', 'plan', ...flagsOf('steady', '--duration', '10')]
  const planned = ['load', server.url, '--no-config', '--key', 'free=$FREE_KEY', ...to]
  expect((await petvet(planned, { folder, env })).code).toBe(0)
  const plan = join(folder, 'plan')
  const page = readFileSync(join(import.meta.dirname, '../../docs/load.md'), 'utf8')
  const commands = commandsIn(readFileSync(join(plan, 'README.md'), 'utf8'))
  const [, alone = '', master = '', worker = '', from = ''] = commands
  expect(commandsIn(page)).toEqual(commands.slice(0, -1))
  // What the first command installs is there.
  symlinkSync(join(locust ?? '', '../..'), join(plan, 'venv'))
  writeCommands(plan, { petvet: execPetvet })
  const judged = async (workers: number) => {
    expect(filesOf({ folder })).toHaveLength(workers)
    const { code, stdout } = await runShell(from, plan)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/: 9 requests in /)])
    for (const name of filesOf({ folder })) rmSync(join(plan, name))
  }
  expect((await runShell(alone, plan, env)).code).toBe(0)
  await judged(4)
  const here = worker.replace('ADDRESS-OF-THE-MASTER', '127.0.0.1')
  const all = [master, ...Array.from({ length: 8 }, () => here)]
  const ended = await Promise.all(all.map((command) => runShell(command, plan, env)))
  expect(ended.map(({ code }) => code)).toEqual(all.map(() => 0))
  await judged(8)
})
