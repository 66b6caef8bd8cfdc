// The files for k6: a module that holds no key, what it sends, and a manifest for k6-operator.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Permission } from '../../engine/check/context.ts'
import { plans } from '../../spec/plans.ts'
import { compileSchema } from '../../spec/schemas.ts'
import { parseYaml } from '../../spec/yaml.ts'
import schema from '../../tests/k6-operator/testrun.schema.json' with { type: 'json' }
import { scenarios } from '../scenarios.ts'
import { readThresholds } from '../thresholds.ts'
import { type K6Plan, k6Export } from './plan.ts'

const keys = (['free', 'free', 'pro'] as const).map((plan, at) => ({
  ...{ plan, key: `a-secret-key-${at}`, quota: plans[plan] },
}))

const exported = (allow: readonly Permission[], chosen = scenarios) =>
  k6Export({
    target: { baseUrl: 'https://staging.example.com/v1/', keys, allow, shared: false },
    headers: [
      { name: 'X-Team', value: 'a "quoted" one', variable: null },
      { name: 'X-Token', value: '', variable: 'STAGING_TOKEN' },
    ],
    scenarios: chosen,
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

test('the script is a module', () => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-k6-'))
  const file = join(folder, 'load.mjs')
  writeFileSync(file, textOf('load.k6.js'))
  execFileSync(process.execPath, ['--check', file])
  rmSync(folder, { recursive: true })
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
