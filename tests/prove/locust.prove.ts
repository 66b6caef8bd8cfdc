// Four workers of Locust, again and again: what they send is exact and is judged as that of one
// machine. Faults of counting are found, legal limiters are not, and what is missing is said.
import { readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadMutants } from '../../reference/mutants/concurrency/in-flight.ts'
import { legalVariants, mutants } from '../../reference/mutants.ts'
import type { Variant } from '../../reference/variant.ts'
import { plans } from '../../spec/plans.ts'
import { emptyFolder, execPetvet, petvet, runShell, writeCommands } from '../e2e/petvet.ts'
import { filesOf, judge, loadWithLocust, locust, startLocust } from '../locust-run.ts'
import { serveReference } from '../serve-reference.ts'
import { outcomesOf } from '../vet-reference.ts'

const free = ['free=a-free-key-of-locust-1']
const fleet = [...free, 'pro=a-pro-key-of-locust-2', 'business=a-business-key-of-locust-3']

/** All of them in real time: Locust moves no clock. */
const serve = (keys: readonly string[], variant: Variant = {}) =>
  serveReference({
    variant,
    keys: keys.map((text) => {
      const [plan, key = ''] = text.split('=') as [keyof typeof quotas, string]
      return { plan, key, quota: quotas[plan] }
    }),
  })

const { free: ofFree, pro, business } = plans
const quotas = { free: ofFree, pro, business } as const

const flagsOf = (scenario: string, ...more: string[]) => [
  ...['--scenario', scenario, '--connections', '40'],
  ...more,
]

const runs = Number(process.env.PETVET_LOCUST_RUNS ?? 10)
const times = Array.from({ length: runs }, (_, at) => at + 1)
const sample = Number(process.env.PETVET_LOCUST_LEGAL ?? 12)

const failedIn = (run: Parameters<typeof outcomesOf>[0]): string[] =>
  outcomesOf(run, 'fail', 'warn').map((line) => line.split(/[ :]/)[1] ?? '')

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

  test.for(times)('30 s at 80 % of a Pro minute have no error, run %i', async () => {
    const server = await serve(['pro=a-pro-key-of-locust-2'])
    const { code, run } = await loadWithLocust(
      server.url,
      ['pro=a-pro-key-of-locust-2'],
      flagsOf('steady', '--duration', '30'),
    )
    const { counts, sent, neverSent } = run.load?.[0]?.columns.target ?? {}
    expect([sent, counts?.served, neverSent]).toEqual([120, 120, 0])
    expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
    expect(code).toBe(0)
  })
})

describe.skipIf(locust === null)('of servers with another limiter', () => {
  const found = [
    ['race-between-look-and-count', 'burst', 'load-burst-not-more'],
    ['free-one-call-more', 'burst', 'load-burst-not-more'],
    ['count-per-connection', 'burst', 'load-burst-one-count'],
    ['count-per-replica', 'replicas', 'load-replicas-one-count'],
  ] as const

  test.for(found)('%s is found by %s', async ([id, scenario, verdict]) => {
    const variant = [...loadMutants, ...mutants].find((mutant) => mutant.id === id)
    if (!variant) throw new Error(`unknown mutant ${id}`)
    const server = await serve(free, variant)
    const { code, run } = await loadWithLocust(server.url, free, flagsOf(scenario))
    expect([code, failedIn(run)]).toEqual([1, expect.arrayContaining([verdict])])
  })

  test('a ban is seen, leaves the other key alone, and ends', async () => {
    const keys = [...free, 'free=a-free-key-of-locust-4']
    const server = await serve(keys)
    const { run } = await loadWithLocust(server.url, keys, flagsOf('ban'))
    expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
    expect(outcomesOf(run, 'pass').join()).toContain('load-ban-own-key')
  })

  const both = legalVariants.filter(({ suite }) => suite === 'both')
  const every = Math.max(1, Math.floor(both.length / sample))
  const legal = both.filter((_variant, at) => sample > 0 && at % every === 0)

  test.for(legal)('nothing fails with $id', async (variant) => {
    const server = await serve(fleet.slice(0, 2), variant)
    const { run } = await loadWithLocust(server.url, fleet.slice(0, 2), flagsOf('burst'))
    expect(outcomesOf(run, 'fail', 'error')).toEqual([])
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
