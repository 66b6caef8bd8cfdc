// A load for several machines: the files that `--to locust` writes, and what `--from` makes of the
// files of workers, which are made up here.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type LocustPlan, sumOf } from '../../load/locust/plan.ts'
import { readRun } from '../../reports/read-run.ts'
import { counting, fakeWorkers, limitOf, type Serve } from '../fake-workers.ts'
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
    const text = `${lines.join('\n')}\n`
    writeFileSync(join(folder, name), name.endsWith('.gz') ? gzipSync(text) : text)
  }
  const ended = await petvet(['load', '--from', '.', '--out', 'run', ...args], { folder })
  return { ...ended, folder, run: ended.code === 2 ? null : readRun(join(folder, 'run')) }
}

const failed = async (files: Files) => {
  const { code, run } = await from(files)
  return { code, failed: run ? outcomesOf(run, 'fail').map((line) => line.split(/[ :]/)[1]) : [] }
}

describe('what workers sent is judged as one history', () => {
  test.for(['burst', 'fleet', 'replicas', 'capacity', 'steady', '*'])(
    'of a server that counts well, %s is conformant',
    { timeout: 30_000 },
    async (scenario) => {
      const plan = await planFor(scenario, '--connections', '20', '--duration', '10')
      const { code, run, stdout, folder } = await from(fakeWorkers(plan), '--report', 'html')
      expect(run && outcomesOf(run, 'fail', 'error')).toEqual([])
      expect([run?.verdict, code]).toEqual(['conformant', 0])
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

  const burstPlan = () => planFor('burst', '--connections', '20', '--allow', 'exhaust')

  test('a race and one more are found', async () => {
    const race = await burstPlan()
    // Without the permission to ban a key one more than the quota is sent.
    expect(await failed(fakeWorkers(race, { serve: counting(race, 10) }))).toEqual({
      code: 1,
      failed: expect.arrayContaining(['load-burst-not-more']),
    })
  })

  test('a count per connection is found', async () => {
    const plan = await burstPlan()
    const used = new Map<string, number>()
    const apart: Serve = ({ phase, worker }) => {
      const name = `${phase.key} ${worker}`
      used.set(name, (used.get(name) ?? 0) + 1)
      return { status: 200, remaining: limitOf(plan, phase.key) - (used.get(name) ?? 0) }
    }
    const { code, failed: found } = await failed(fakeWorkers(plan, { serve: apart }))
    expect([code, found]).toEqual([1, expect.arrayContaining(['load-burst-one-count'])])
  })

  test('a refusal too early is found', async () => {
    const plan = await burstPlan()
    const { code, failed: found } = await failed(fakeWorkers(plan, { serve: counting(plan, -7) }))
    expect([code, found]).toEqual([1, expect.arrayContaining(['load-burst-not-fewer'])])
  })

  test('lost requests are counted, and decide nothing', async () => {
    const plan = await planFor('burst', '--connections', '20')
    const count = counting(plan)
    let sent = 0
    const serve: Serve = (one) => {
      sent += 1
      return sent % 50 === 49 ? null : count(one)
    }
    const { run } = await from(fakeWorkers(plan, { serve }))
    const { counts } = run?.load?.[0]?.columns.target ?? {}
    expect(counts?.reset).toBe(Math.floor((plan.requests + 1) / 50))
    expect(run && outcomesOf(run, 'fail')).toEqual([])
  })

  test('a compressed file is read too, and a threshold is exit 1', async () => {
    const plan = await burstPlan()
    const files = fakeWorkers(plan)
    const zipped = new Map([...files].map(([name, lines]) => [`${name}.gz`, lines]))
    expect((await from(zipped)).code).toBe(0)
    const limits = join(emptyFolder(), 'limits.yaml')
    writeFileSync(limits, 'burst:\n  p90: < 1 ms\n')
    const { code, stdout } = await from(files, '--thresholds', limits)
    expect([code, stdout]).toEqual([1, expect.stringContaining('1 threshold violated')])
  })
})

describe('clocks of workers', () => {
  test('that differ are seen by the Date of the target, and change nothing', async () => {
    const plan = await planFor('burst', '--connections', '20')
    const { code, run } = await from(fakeWorkers(plan, { aheadMs: [0, 0, 7_000, -9_000] }))
    expect(run?.notes).toEqual([
      expect.stringMatching(/^the clock of worker 2 is about [67]\.\d s ahead of that of worker 0/),
      expect.stringMatching(
        /^the clock of worker 3 is about -[89]\.\d s ahead of that of worker 0/,
      ),
    ])
    expect(code).toBe(0)
  })
})

test.for([
  [80, 0, []],
  [400, 0, []],
  [5_000, 4, [expect.stringMatching(/^the start of worker 2 was at another time than that/)]],
] as const)('of workers of which one began %i ms later: exit %i', async ([late, exit, notes]) => {
  const plan = await planFor('burst', '--connections', '20')
  const { code, run } = await from(fakeWorkers(plan, { lateMs: [0, 0, late, 20] }))
  expect(run && outcomesOf(run, 'fail', 'error')).toEqual([])
  expect([code, run?.notes]).toEqual([exit, notes])
})

describe('files that are not whole', () => {
  const cutBy = async (change: (files: Files) => void) => {
    const plan = await planFor('burst', '--connections', '20')
    const files = fakeWorkers(plan)
    change(files)
    return from(files)
  }
  const linesOf = (files: Files, worker: number) => files.get(`samples-aaaa-${worker}.ndjson`) ?? []

  test('a missing one leaves the run undecided', async () => {
    const { code, stdout } = await cutBy((files) => files.delete('samples-aaaa-2.ndjson'))
    expect([code, stdout]).toEqual([4, expect.stringContaining('1 file is missing of 4 workers')])
  })

  test.for<[string, (lines: string[]) => void]>([
    ['without its last line', (lines) => void lines.pop()],
    ['in the middle of a line', (lines) => void lines.splice(-8, 8, '{"phase":0,"num')],
  ])('one that is cut %s does too', async ([, cut]) => {
    const plan = await planFor('burst', '--connections', '20')
    const files = fakeWorkers(plan)
    cut(linesOf(files, 1))
    const folder = emptyFolder()
    for (const [name, lines] of files) {
      const isWhole = lines.at(-1)?.endsWith('}')
      writeFileSync(join(folder, name), `${lines.join('\n')}${isWhole ? '\n' : ''}`)
    }
    const { code, stdout } = await petvet(['load', '--from', '.', '--out', 'run'], { folder })
    expect([code, stdout]).toEqual([4, expect.stringContaining('aaaa-1.ndjson is cut after')])
    const limits = join(folder, 'limits.yaml')
    writeFileSync(limits, 'burst:\n  p90: < 1 ms\n')
    const args = ['load', '--from', '.', '--out', 'two', '--thresholds', limits]
    expect((await petvet(args, { folder })).code).toBe(4)
  })

  test('a run that was stopped is judged as far as it came', async () => {
    const { code, run } = await cutBy((files) => {
      const lines = linesOf(files, 1)
      lines.splice(-20, 20, JSON.stringify({ end: true, early: true }))
    })
    expect([code, run?.interrupted]).toEqual([130, true])
    expect(run?.load?.[0]?.columns.target?.neverSent).toBe(19)
    expect(run && outcomesOf(run, 'pass').join()).toContain('load-burst-not-more')
  })

  test('a file twice, as it is and compressed, is exit 2', async () => {
    const { code, stderr } = await cutBy((files) =>
      files.set('samples-aaaa-1.ndjson.gz', linesOf(files, 1)),
    )
    expect([code, stderr]).toEqual([2, 'petvet: the file of a worker is given twice\n'])
  })

  test('files of two runs are exit 2, of one plan or of two', async () => {
    const plan = await planFor('burst', '--connections', '20')
    const other = await planFor('burst', '--connections', '21')
    for (const second of [plan, other]) {
      const files = new Map([...fakeWorkers(plan), ...fakeWorkers(second, { run: 'bbbb' })])
      const { code, stderr } = await from(files)
      expect([code, stderr]).toEqual([2, expect.stringMatching(/are of two runs: give .+\n$/)])
    }
  })

  test.for<[string, (lines: string[]) => void, RegExp]>([
    ['no plan', (lines) => void lines.splice(0, 1, '{"petvet":1}'), /line 1 has no plan of this/],
    [
      'a plan that was changed',
      (lines) => void lines.splice(0, 1, (lines[0] ?? '').replace('"users":20', '"users":19')),
      /line 1 has no plan of this version/,
    ],
    ['no JSON', (lines) => void lines.splice(5, 1, 'hello'), /line 6 is not one of a/],
    [
      'a time that is none',
      (lines) =>
        void lines.splice(5, 1, (lines[5] ?? '').replace(/"sentMs":[\d.]+/, '"sentMs":"1"')),
      /line 6 is/,
    ],
    [
      'a long line',
      (lines) => void lines.splice(5, 1, ' '.repeat(80_000)),
      /line 6 is not one of a/,
    ],
    ['lines after its end', (lines) => void lines.push(lines[3] ?? ''), /line \d+ is not one of/],
  ])('a file with %s is exit 2', async ([, change, message]) => {
    const { code, stderr } = await cutBy((files) => change(linesOf(files, 1)))
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  test('a plan comes from the files alone', async () => {
    const plan = await planFor('burst', '--connections', '20')
    const { code, stderr } = await from(fakeWorkers(plan), '--scenario', 'burst')
    expect([code, stderr]).toEqual([2, expect.stringContaining('exclude each other')])
    const none = await from(new Map())
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('give 1 to 1000 samples')])
  })
})
