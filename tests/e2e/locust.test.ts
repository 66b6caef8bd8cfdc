// A load for several machines: the files that `--to locust` writes, and what `--from` makes of the
// files of workers, which are made up here.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type LocustPlan, sumOf } from '../../load/locust/plan.ts'
import { readRun } from '../../reports/read-run.ts'
import { counting, epochMs, fakeWorkers, limitOf, type Serve } from '../fakes/fake-workers.ts'
import { outcomesOf } from '../vet-reference.ts'
import { allText, emptyFolder, petvet } from './petvet.ts'

/** With signs that addresses spell otherwise. */
const keys = ['a-key+of/a=test-1', 'a-key+of/a=test-2', 'a-key+of/a=test-3']
const env = { FREE_KEY: keys[0] ?? '', FREE_KEY_2: keys[1] ?? '', PRO_KEY: keys[2] ?? '' }
const url = 'http://127.0.0.1:9/v1'
const given = ['--key', 'free=$FREE_KEY', '--key', 'free=$FREE_KEY_2', '--key', `pro=${keys[2]}`]

const to = (folder: string, ...args: string[]) =>
  petvet(['load', url, '--no-config', ...given, '--to', 'locust', ...args], { folder, env })

const planFor = async (scenario: string, ...args: string[]): Promise<LocustPlan> => {
  const folder = emptyFolder()
  const { code, stderr } = await to(folder, '--scenario', scenario, '--out', 'plan', ...args)
  expect([code, stderr]).toEqual([0, expect.any(String)])
  return JSON.parse(readFileSync(join(folder, 'plan', 'plan.json'), 'utf8'))
}

describe('the files for Locust', () => {
  test('are a program, its plan and how to run it; no key is in any of them', async () => {
    const folder = emptyFolder()
    const { code, stderr } = await to(folder, '--out', 'plan', '--connections', '8')
    expect(code).toBe(0)
    expect(stderr).toMatch(/edge is left out: it sends single requests, which one machine does/)
    expect(stderr).toMatch(/backoff is left out: it sends single requests/)
    const written = `${allText(join(folder, 'plan'))}${stderr}`
    for (const key of keys) {
      const forms = [key, encodeURIComponent(key), Buffer.from(key).toString('base64')]
      expect(forms.filter((form) => written.includes(form.replace(/=+$/, '')))).toEqual([])
    }
    expect(stderr).toContain('the workers need FREE_KEY, FREE_KEY_2, PETVET_KEY;')
    expect(written).toContain('venv/bin/locust --headless --master --expect-workers')
    expect(written).toContain('locust==2.47.0')
    expect(written).toContain('class PlannedUser(FastHttpUser)')
    expect((await to(folder, '--out', 'plan')).stderr).toMatch(/: plan already contains a plan\n$/)
  })

  test('bound what is sent: whole requests at given times, each key within its quota', async () => {
    const plan = await planFor('*', '--connections', '10,20')
    expect(plan).toEqual(await planFor('*', '--connections', '20'))
    const ids = new Set(plan.phases.map(({ scenario }) => scenario))
    expect([...ids].sort()).toEqual([
      ...['ban', 'burst', 'capacity', 'control', 'fleet', 'replicas', 'steady'],
    ])
    expect(plan.requests).toBe(plan.phases.reduce((sum, { requests }) => sum + requests, 0))
    const lastMs = Math.max(...plan.phases.map(({ atMs, forMs }) => atMs + forMs))
    expect(plan.seconds).toBeGreaterThan(lastMs / 1_000)
    for (const { first, users } of plan.phases) {
      expect(first + users).toBeLessThanOrEqual(plan.users)
    }
    const fleet = plan.phases.filter(({ scenario }) => scenario === 'fleet')
    const byKey = Map.groupBy(fleet, ({ key }) => key)
    for (const [key, own] of byKey) expect(sumOf(own)).toBe(limitOf(plan, key) + 1)
  })

  test.for<[string[], string | RegExp]>([
    [['--scenario', 'edge'], /^petvet: no scenario: edge is left out: it sends single requests/],
    [
      ['--scenario', 'burst', '--max-requests', '10'],
      /^petvet: \d+ requests are more than --max-requests 10\n$/,
    ],
    [['--scenario', 'burst', '--insecure'], 'of TLS options --to locust has only --ca'],
    [
      ['--scenario', 'soak', '--duration', '604800', '--allow', 'none'],
      'no scenario: soak is left out',
    ],
  ])('%j is refused', async ([args, message]) => {
    const { code, stderr } = await to(emptyFolder(), '--out', 'plan', ...args)
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
  })

  test('need a folder', async () => {
    expect((await to(emptyFolder())).stderr).toContain('--to locust needs a base URL, and a folder')
  })
})

type Files = ReturnType<typeof fakeWorkers>

const from = async (files: Files, ...args: string[]) => {
  const folder = emptyFolder()
  for (const [name, lines] of files) {
    const isWhole = lines.at(-1)?.endsWith('}')
    const text = `${lines.join('\n')}${isWhole ? '\n' : ''}`
    writeFileSync(join(folder, name), name.endsWith('.gz') ? gzipSync(text) : text)
  }
  const ended = await petvet(['load', '--from', '.', '--out', 'run', ...args], { folder })
  const run = ended.code === 2 ? null : readRun(join(folder, 'run'))
  return { ...ended, folder, run, failed: run ? outcomesOf(run, 'fail', 'error') : [] }
}

const burstPlan = (...args: string[]) => planFor('burst', '--connections', '20', ...args)

test.for(['burst', 'fleet', 'replicas', 'capacity', 'steady', '*'])(
  'what workers sent to a server that counts well is one history: %s is conformant',
  { timeout: 30_000 },
  async (scenario) => {
    const plan = await planFor(scenario, '--connections', '20', '--duration', '10')
    const { code, run, failed, stdout, folder } = await from(fakeWorkers(plan), '--report', 'html')
    expect([run?.verdict, code, failed]).toEqual(['conformant', 0, []])
    expect(run?.requests).toBe(plan.requests)
    expect(stdout).toMatch(/ worker 3 \.+: \d+ sent: /)
    expect(readFileSync(join(folder, 'run', 'report.html'), 'utf8')).toContain('worker 3')
    const { target, ...workers } = run?.load?.[0]?.columns ?? {}
    const steps = run?.load?.flatMap(({ columns }) => columns.target?.steps ?? [])
    const planned = plan.phases.filter(({ part }) => part === 'step')
    expect(steps?.map((step) => step.connections)).toEqual(planned.map(({ users }) => users))
    const sum = Object.values(workers).reduce((all, own) => all + own.sent, 0)
    expect([Object.keys(workers).length, sum]).toEqual([4, target?.sent])
  },
)

/** Each worker has a count of its own. */
const apart = (plan: LocustPlan): Serve => {
  const used = new Map<string, number>()
  return ({ phase, worker }) => {
    const name = `${phase.key} ${worker}`
    used.set(name, (used.get(name) ?? 0) + 1)
    return { status: 200, remaining: limitOf(plan, phase.key) - (used.get(name) ?? 0) }
  }
}

// Without the permission to ban a key one more than the quota is sent.
test.for<[string, (plan: LocustPlan) => Serve, string]>([
  ['a race and one more', (plan) => counting(plan, 10), 'load-burst-not-more'],
  ['a refusal too early', (plan) => counting(plan, -7), 'load-burst-not-fewer'],
  ['a count per connection', apart, 'load-burst-one-count'],
])('%s is found', async ([, serve, verdict]) => {
  const plan = await burstPlan('--allow', 'exhaust')
  const { code, failed } = await from(fakeWorkers(plan, { serve: serve(plan) }))
  expect([code, failed.join('\n')]).toEqual([1, expect.stringContaining(`fail ${verdict}: `)])
})

test('lost requests are counted, and decide nothing', async () => {
  const plan = await burstPlan()
  const count = counting(plan)
  let sent = 0
  const serve: Serve = (one) => {
    sent += 1
    return sent % 50 === 49 ? null : count(one)
  }
  const { run, failed } = await from(fakeWorkers(plan, { serve }))
  const { counts } = run?.load?.[0]?.columns.target ?? {}
  expect([counts?.reset, failed]).toEqual([Math.floor((plan.requests + 1) / 50), []])
})

const limits = () => {
  const file = join(emptyFolder(), 'limits.yaml')
  writeFileSync(file, 'burst:\n  p90: < 1 ms\n')
  return ['--thresholds', file]
}

test('a compressed file is read too, and a threshold is exit 1', async () => {
  const files = fakeWorkers(await burstPlan('--allow', 'exhaust'))
  const zipped = new Map([...files].map(([name, lines]) => [`${name}.gz`, lines]))
  expect((await from(zipped)).code).toBe(0)
  const { code, stdout } = await from(files, ...limits())
  expect([code, stdout]).toEqual([1, expect.stringContaining('1 threshold violated')])
})

const late = /^the start of worker 2 was at another time than that/
const ahead = [
  /^the clock of worker 2 is about [67]\.\d s ahead of that of worker 0/,
  /^the clock of worker 3 is about -[89]\.\d s ahead of that of worker 0/,
]

test.for([
  ['whose clocks differ', { aheadMs: [0, 0, 7_000, -9_000] }, 0, ahead],
  ['of which one began 80 ms later', { lateMs: [0, 0, 80, 20] }, 0, []],
  ['of which one began 400 ms later', { lateMs: [0, 0, 400, 20] }, 0, []],
  ['of which one began 5 s later', { lateMs: [0, 0, 5_000, 20] }, 4, [late]],
] as const)('of workers %s nothing fails', async ([, given, exit, notes]) => {
  const { code, run, failed } = await from(fakeWorkers(await burstPlan(), given))
  const noted = notes.map((note) => expect.stringMatching(note))
  expect([failed, code, run?.notes]).toEqual([[], exit, noted])
})

test('clocks that hide how late a worker began fail no bucket that fills meanwhile', async () => {
  const plan = await burstPlan('--allow', 'exhaust,ban')
  const buckets = new Map<string, { left: number; atMs: number }>()
  const serve: Serve = ({ phase: { key }, atMs }) => {
    if (key === '') return { status: 401, remaining: 0 }
    const limit = limitOf(plan, key)
    const before = buckets.get(key) ?? { left: limit, atMs }
    const left = Math.min(limit, before.left + ((atMs - before.atMs) * limit) / 60_000)
    const isServed = left >= 1
    buckets.set(key, { left: isServed ? left - 1 : left, atMs })
    // It states a minute from now as its end, whatever it has.
    const resetMs = epochMs + atMs + 60_000
    return { status: isServed ? 200 : 429, remaining: Math.max(0, Math.floor(left - 1)), resetMs }
  }
  const late = { lateMs: [20, 0, 250, 250], aheadMs: [-20, 0, -250, -250] }
  const { run, failed } = await from(fakeWorkers(plan, { serve, ...late }))
  expect([failed, run && outcomesOf(run, 'pass').join()]).toEqual([
    [],
    expect.stringContaining('load-burst-not-more'),
  ])
})

const second = 'samples-aaaa-1.ndjson'
const replacing = (at: number, change: (line: string) => string) => (lines: string[]) =>
  void lines.splice(at, 1, change(lines[at] ?? ''))

describe('files that are not whole', () => {
  /** What `--from` makes of the files of four workers, of which one is changed. */
  const fromChanged = async (
    change: (lines: string[], files: Files) => void,
    ...args: string[]
  ) => {
    const files = fakeWorkers(await burstPlan())
    change(files.get(second) ?? [], files)
    return from(files, ...args)
  }

  test.for<[string, (lines: string[], files: Files) => void, RegExp]>([
    ['a missing one', (_, files) => files.delete(second), /1 file is missing of 4 workers/],
    ['one without its last line', (lines) => void lines.pop(), /aaaa-1\.ndjson is cut after/],
    [
      'one that is cut in a line',
      (lines) => void lines.splice(-8, 8, '{"phase":0,"num'),
      /aaaa-1\.ndjson is cut after/,
    ],
  ])('%s leaves the run undecided, and its thresholds', async ([, change, message]) => {
    const { code, stdout } = await fromChanged(change)
    expect([code, stdout]).toEqual([4, expect.stringMatching(message)])
    expect((await fromChanged(change, ...limits())).code).toBe(4)
  })

  test('a run that was stopped is judged as far as it came', async () => {
    const { code, run } = await fromChanged((lines) => {
      lines.splice(-20, 20, JSON.stringify({ end: true, early: true }))
    })
    expect([code, run?.interrupted]).toEqual([130, true])
    expect(run?.load?.[0]?.columns.target?.neverSent).toBe(19)
    expect(run && outcomesOf(run, 'pass').join()).toContain('load-burst-not-more')
  })

  test('files of two runs are exit 2, of one plan or of two', async () => {
    const plan = await burstPlan()
    for (const other of [plan, await planFor('burst', '--connections', '21')]) {
      const files = new Map([...fakeWorkers(plan), ...fakeWorkers(other, { run: 'bbbb' })])
      const { code, stderr } = await from(files)
      expect([code, stderr]).toEqual([2, expect.stringMatching(/are of two runs: give .+\n$/)])
    }
  })

  test.for<[string, (lines: string[], files: Files) => void, RegExp]>([
    ['no plan', replacing(0, () => '{"petvet":1}'), /line 1 has no plan of this/],
    [
      'a plan that was changed',
      replacing(0, (line) => line.replace('"users":20', '"users":19')),
      /line 1 has no plan of this version/,
    ],
    ['no JSON', replacing(5, () => 'hello'), /line 6 is not one of a/],
    [
      'a time that is none',
      replacing(5, (line) => line.replace(/"sentMs":[\d.]+/, '"sentMs":"1"')),
      /line 6 is/,
    ],
    ['a long line', replacing(5, () => ' '.repeat(80_000)), /line 6 is not one of a/],
    ['lines after its end', (lines) => void lines.push(lines[3] ?? ''), /line \d+ is not one of/],
    [
      'a second form',
      (lines, files) => files.set(`${second}.gz`, lines),
      /^petvet: the file of a worker is given twice$/,
    ],
    ['no other', (_, files) => files.clear(), /give 1 to 1000 samples/],
  ])('a file with %s is exit 2', async ([, change, message]) => {
    const { code, stderr } = await fromChanged(change)
    expect([code, stderr.trim()]).toEqual([2, expect.stringMatching(message)])
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  test('a plan comes from the files alone', async () => {
    const { code, stderr } = await fromChanged(() => {}, '--scenario', 'burst')
    expect([code, stderr]).toEqual([2, expect.stringContaining('exclude each other')])
  })
})
