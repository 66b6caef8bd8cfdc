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
import { allText, emptyFolder, folderWith, petvet } from './petvet.ts'

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
    const written = `${allText(join(folder, 'plan'))}${stderr}`
    for (const key of keys) {
      const forms = [key, encodeURIComponent(key), Buffer.from(key).toString('base64')]
      expect(forms.filter((form) => written.includes(form.replace(/=+$/, '')))).toEqual([])
    }
    expect(stderr).toContain('the workers need FREE_KEY, FREE_KEY_2, PETVET_KEY;')
    for (const part of ['venv/bin/locust --headless --master --expect-workers', 'locust==2.47.0']) {
      expect(written).toContain(part)
    }
    expect((await to(folder, '--out', 'plan')).stderr).toMatch(/: plan already contains a plan\n$/)
  })

  test('bound what is sent: whole requests at given times, each key within its quota', async () => {
    const plan = await planFor('*', '--connections', '10,20')
    expect(plan).toEqual(await planFor('*', '--connections', '20'))
    const ids = new Set(plan.phases.map(({ scenario }) => scenario))
    expect([...ids].sort().join()).toBe('ban,burst,capacity,control,fleet,replicas,steady')
    expect(plan.requests).toBe(plan.phases.reduce((sum, { requests }) => sum + requests, 0))
    const lastMs = Math.max(...plan.phases.map(({ atMs, forMs }) => atMs + forMs))
    expect(plan.seconds).toBeGreaterThan(lastMs / 1_000)
    expect(plan.phases.filter(({ first, users }) => first + users > plan.users)).toEqual([])
    const fleet = plan.phases.filter(({ scenario }) => scenario === 'fleet')
    const byKey = Map.groupBy(fleet, ({ key }) => key)
    for (const [key, own] of byKey) expect(sumOf(own)).toBe(limitOf(plan, key) + 1)
  })

  test.for<[string, string | RegExp]>([
    ['--scenario edge', /^petvet: no scenario: edge is left out: it sends single requests/],
    [
      '--scenario burst --max-requests 10',
      /^petvet: \d+ requests are more than --max-requests 10\n$/,
    ],
    ['--scenario burst --insecure', 'of TLS options --to locust has only --ca'],
    ['--scenario soak --duration 604800 --allow none', 'no scenario: soak is left out'],
  ])('%s is refused', async ([args, message]) => {
    const { code, stderr } = await to(emptyFolder(), '--out', 'plan', ...args.split(' '))
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
  })

  test('need a folder', async () => {
    expect((await to(emptyFolder())).stderr).toContain('--to locust needs a base URL, and a folder')
  })
})

type Files = ReturnType<typeof fakeWorkers>

const contentOf = (lines: readonly string[]) =>
  `${lines.join('\n')}${lines.at(-1)?.endsWith('}') ? '\n' : ''}`

const from = async (files: Files, ...args: string[]) => {
  const folder = emptyFolder()
  for (const [name, lines] of files) {
    const text = contentOf(lines)
    writeFileSync(join(folder, name), name.endsWith('.gz') ? gzipSync(text) : text)
  }
  const ended = await petvet(['load', '--from', '.', '--out', 'run', ...args], { folder })
  const run = ended.code === 2 ? null : readRun(join(folder, 'run'))
  const failed = run ? outcomesOf(run, 'fail').map((line) => line.split(/[ :]/)[1]) : []
  return { ...ended, folder, run, failed }
}

const plans = new Map<string, Promise<LocustPlan>>()

/** A plan of bursts, made once: with as many requests as may ban a key, or one too many alone. */
const burstPlan = (...allow: string[]): Promise<LocustPlan> => {
  const name = allow.join()
  const plan = plans.get(name) ?? planFor('burst', '--connections', '20', ...allow)
  plans.set(name, plan)
  return plan
}
const sparingPlan = () => burstPlan('--allow', 'exhaust')

test.for(['fleet', 'replicas', 'capacity', 'steady', '*'])(
  'what workers sent is judged as one history: of a server that counts well, %s is conformant',
  { timeout: 30_000 },
  async (scenario) => {
    const plan = await planFor(scenario, '--connections', '20', '--duration', '10')
    const { code, run, stdout, folder } = await from(fakeWorkers(plan), '--report', 'html')
    expect(run && outcomesOf(run, 'fail', 'error')).toEqual([])
    expect([run?.verdict, code, run?.requests]).toEqual(['conformant', 0, plan.requests])
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

const perWorker = (plan: LocustPlan): Serve => {
  const used = new Map<string, number>()
  return ({ phase, worker }) => {
    const name = `${phase.key} ${worker}`
    used.set(name, (used.get(name) ?? 0) + 1)
    return { status: 200, remaining: limitOf(plan, phase.key) - (used.get(name) ?? 0) }
  }
}

test.for<[string, (plan: LocustPlan) => Serve, string]>([
  ['a race', (plan) => counting(plan, 10), 'load-burst-not-more'],
  ['a count per connection', perWorker, 'load-burst-one-count'],
  ['a refusal too early', (plan) => counting(plan, -7), 'load-burst-not-fewer'],
])('%s is found', async ([, serve, verdict]) => {
  const plan = await sparingPlan()
  const { code, failed } = await from(fakeWorkers(plan, { serve: serve(plan) }))
  expect([code, failed]).toEqual([1, expect.arrayContaining([verdict])])
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

test('compressed files are read too, and a threshold is exit 1', async () => {
  const limits = join(folderWith({ 'limits.yaml': 'burst:\n  p90: < 1 ms\n' }), 'limits.yaml')
  const files = [...fakeWorkers(await sparingPlan())].map(
    ([name, lines]) => [`${name}.gz`, lines] as const,
  )
  const { code, stdout } = await from(new Map(files), '--thresholds', limits)
  expect([code, stdout]).toEqual([1, expect.stringContaining('1 threshold violated')])
})

const ahead = (worker: number, seconds: string) =>
  new RegExp(`^the clock of worker ${worker} is about ${seconds} s ahead of that of worker 0`)

test.for([
  [
    'clocks that differ',
    { aheadMs: [0, 0, 7_000, -9_000] },
    0,
    [ahead(2, '[67]\\.\\d'), ahead(3, '-[89]\\.\\d')],
  ],
  ['a worker that began late', { lateMs: [0, 0, 400, 20] }, 0, []],
  [
    'one that began far too late',
    { lateMs: [0, 0, 5_000, 20] },
    4,
    [/^the start of worker 2 was at another time than that/],
  ],
] as const)('of %s, nothing fails', async ([, faked, exit, notes]) => {
  const { code, run, failed } = await from(fakeWorkers(await burstPlan(), faked))
  expect([code, failed]).toEqual([exit, []])
  expect(run?.notes).toEqual(notes.map((note) => expect.stringMatching(note)))
})

describe('files that are not whole', () => {
  const first = 'samples-aaaa-1.ndjson'
  type Change = (lines: string[], files: Files, same: LocustPlan, other: LocustPlan) => void

  const cutBy = async (change: Change, ...args: string[]) => {
    const plan = await burstPlan()
    const files = fakeWorkers(plan)
    change(files.get(first) ?? [], files, plan, await sparingPlan())
    return from(files, ...args)
  }

  test.for<[string, Change, string]>([
    ['a missing one', (_, files) => files.delete(first), '1 file is missing of 4 workers'],
    ['one without its last line', (lines) => lines.pop(), 'aaaa-1.ndjson is cut after'],
    [
      'a torn line',
      (lines) => lines.splice(-8, 8, '{"phase":0,"num'),
      'aaaa-1.ndjson is cut after',
    ],
  ])('%s leaves the run undecided', async ([, cut, says]) => {
    const { code, stdout } = await cutBy(cut)
    expect([code, stdout]).toEqual([4, expect.stringContaining(says)])
  })

  test('a run that was stopped is judged as far as it came', async () => {
    const { code, run } = await cutBy((lines) =>
      lines.splice(-20, 20, JSON.stringify({ end: true, early: true })),
    )
    expect([code, run?.interrupted]).toEqual([130, true])
    expect(run?.load?.[0]?.columns.target?.neverSent).toBe(19)
    expect(run && outcomesOf(run, 'pass').join()).toContain('load-burst-not-more')
  })

  const replaced = (lines: string[], at: number, text: string | RegExp, by: string) =>
    lines.splice(at, 1, (lines[at] ?? '').replace(text, by))

  const addTo = (files: Files, plan: LocustPlan) => {
    for (const [name, lines] of fakeWorkers(plan, { run: 'bbbb' })) files.set(name, lines)
  }

  test.for<[string, Change, RegExp]>([
    ['no plan', (lines) => lines.splice(0, 1, '{"petvet":1}'), /line 1 has no plan of this/],
    [
      'a changed plan',
      (lines) => replaced(lines, 0, '"users":20', '"users":19'),
      /line 1 has no plan/,
    ],
    ['no JSON', (lines) => lines.splice(5, 1, 'hello'), /line 6 is not one of a/],
    ['no time', (lines) => replaced(lines, 5, /"sentMs":[\d.]+/, '"sentMs":"1"'), /line 6 is/],
    ['a long line', (lines) => lines.splice(5, 1, ' '.repeat(80_000)), /line 6 is not one of a/],
    ['lines after its end', (lines) => lines.push(lines[3] ?? ''), /line \d+ is not one of/],
    ['itself again', (lines, files) => files.set(`${first}.gz`, lines), /a worker is given twice/],
    ['another run', (_, files, same) => addTo(files, same), /are of two runs: give/],
    ['another plan', (_, files, _same, other) => addTo(files, other), /are of two runs: give/],
  ])('a file with %s is exit 2', async ([, change, message]) => {
    const { code, stderr } = await cutBy(change)
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  test('a plan comes from the files alone', async () => {
    const { code, stderr } = await cutBy(() => {}, '--scenario', 'burst')
    expect([code, stderr]).toEqual([2, expect.stringContaining('exclude each other')])
    const none = await from(new Map())
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('give 1 to 1000 samples')])
  })
})
