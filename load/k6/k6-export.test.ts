// The files for k6: a module that holds no key, what it sends, and a manifest for k6-operator.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Permission } from '../../engine/check/context.ts'
import { plans } from '../../spec/plans.ts'
import { compileSchema } from '../../spec/schemas.ts'
import { parseYaml } from '../../spec/yaml.ts'
import { folderWith } from '../../tests/e2e/petvet.ts'
import schema from '../../tests/k6-operator/testrun.schema.json' with { type: 'json' }
import { scenarios } from '../scenarios.ts'
import { readThresholds } from '../thresholds.ts'
import { type K6Plan, k6Export } from './k6-plan.ts'

const keys = (['free', 'free', 'pro'] as const).map((plan, at) => ({
  ...{ plan, key: `a-secret-key-${at}`, quota: plans[plan] },
}))

const exported = (allow: readonly Permission[]) =>
  k6Export({
    target: { baseUrl: 'https://staging.example.com/v1/', keys, allow, shared: false },
    headers: [
      { name: 'X-Team', value: 'a "quoted" one', variable: null },
      { name: 'X-Token', value: '', variable: 'STAGING_TOKEN' },
    ],
    scenarios,
    settings: { connections: [1, 8], durationMs: 20_000 },
    thresholds: readThresholds(`
      steady: { p99: "< 3x baseline", p50: "< 20 ms", errors: "< 0.1 %", perSecond: "> 1 /s" }
      fleet: { refused: "< 50 %" }
    `),
  })

const { files, missing } = exported(['exhaust', 'ban'])
const textOf = (name: string): string => files.find(({ file }) => file === name)?.text ?? ''
const plan = JSON.parse(textOf('plan.json')) as K6Plan

test('no key is in any file, and all of them come from the environment', () => {
  expect(files.map(({ text }) => text).join()).not.toContain('a-secret-key')
  expect(plan.keys.map(({ variable }) => variable)).toEqual([
    'PETVET_KEY_FREE_1',
    'PETVET_KEY_FREE_2',
    'PETVET_KEY_PRO_1',
  ])
})

/** What k6 gives a script, as far as this one uses it. */
const stubs: Readonly<Record<string, string>> = {
  'node_modules/k6/package.json':
    '{ "type": "module", "exports": { ".": "./k6.js", "./*": "./*.js" } }',
  'node_modules/k6/k6.js': 'export const sleep = (seconds) => globalThis.k6.sleep(seconds)',
  'node_modules/k6/http.js': 'export default globalThis.k6.http',
  'node_modules/k6/execution.js': 'export default globalThis.k6.exec',
  'node_modules/k6/metrics.js': ['Counter', 'Gauge', 'Rate']
    .map((name) => `export class ${name} { add() {} }`)
    .join('\n'),
}

interface Script {
  readonly default: () => void
  readonly options: { readonly scenarios: Readonly<Record<string, { executor: string }>> }
}

/** The script in this process; all its requests get this status. */
const loaded = async (text: string, status: number) => {
  const file = join(folderWith({ ...stubs, 'load.mjs': text }), 'load.mjs')
  const keysSent: string[] = []
  const scenario = { name: '', iterationInInstance: 0, startTime: Date.now() }
  const get = (_url: string, { headers }: { headers: Record<string, string> }) => {
    keysSent.push(headers.Authorization ?? '')
    return { status, headers: {}, body: '[]', timings: { duration: 1 }, error_code: 0 }
  }
  const variables = plan.keys.map(({ variable }) => [variable, `key of ${variable}`])
  Object.assign(globalThis, {
    __ENV: { ...Object.fromEntries(variables), STAGING_TOKEN: 'a token' },
    k6: {
      sleep: (seconds: number) => vi.setSystemTime(Date.now() + Math.ceil(seconds * 1000)),
      http: { get, expectedStatuses: () => null },
      exec: { test: { options: {} }, vu: { metrics: { metadata: {} } }, scenario },
    },
  })
  const program: Script = await import(pathToFileURL(file).href)
  return { program, scenario, keysSent }
}

test.for([
  ['all of their requests, where all are served', 200],
  ['no more after a refusal, where no ban is permitted', 429],
] as const)('the connections of a burst send %s', async ([, status]) => {
  const { files } = exported(['exhaust'])
  const [script = '', planned = ''] = ['load.k6.js', 'plan.json'].map(
    (name) => files.find(({ file }) => file === name)?.text,
  )
  const { phases }: K6Plan = JSON.parse(planned)

  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 20) })
  onTestFinished(() => void vi.useRealTimers())
  const { program, scenario, keysSent } = await loaded(script, status)
  expect(Object.keys(program.options.scenarios)).toEqual(phases.map(({ name }) => name))
  const bursts = phases.filter(({ kind }) => kind === 'burst')
  expect(bursts.length).toBeGreaterThan(0)
  for (const { name, vus, work = [] } of bursts) {
    keysSent.length = 0
    scenario.name = name
    for (let nth = 0; nth < vus; nth += 1) {
      Object.assign(scenario, { iterationInInstance: nth, startTime: Date.now() })
      program.default()
    }
    const all = work.reduce((sum, { amount, last }) => sum + amount + last, 0)
    const probes = 2 * work.length
    if (status === 200) expect(keysSent.length, name).toBe(all + probes)
    else expect(keysSent.length, name).toBeLessThan(all)
    expect(new Set(keysSent).size).toBe(work.length)
  }
})

test('phases of one key are two minutes apart, and begin at the same second', () => {
  for (const [at, phase] of plan.phases.entries()) {
    const next = plan.phases[at + 1]
    if (!next || phase.follows) continue
    expect(next.startSeconds - phase.startSeconds - phase.seconds).toBeGreaterThanOrEqual(120)
    expect(next.startSeconds % 60).toBe(0)
  }
  expect(plan.phases.map(({ name, startSeconds }) => `${name} ${startSeconds}`)).toMatchSnapshot()
})

test('thresholds become those of k6 where it has the figure', () => {
  expect(plan.limits['http_req_duration{load:steady}']).toEqual(['p(50)<20'])
  expect(plan.limits['http_req_failed{load:steady}']).toEqual(['rate<0.001'])
  expect(plan.limits['petvet_refused{load:fleet}']).toEqual(['rate<0.5'])
  expect(plan.thresholds.steady?.p99).toBe('< 3x baseline')
})

test('what is not permitted, and what k6 does not send, is left out', () => {
  expect(missing.map(({ scenario }) => scenario.id)).toEqual(['soak'])
  const reads = exported([])
  const names = JSON.parse(reads.files[3]?.text ?? '').phases.map(
    ({ name }: { name: string }) => name,
  )
  expect(names).toEqual(['steady_1'])
  expect(reads.missing.map(({ why }) => why)).toContain('it cannot be sent by k6')
})

test('the manifest is valid by the schema of k6-operator', () => {
  expect(compileSchema(schema)(parseYaml(textOf('testrun.yaml')))).toBeUndefined()
})

test('the README has ten lines', () => {
  expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(10)
})
