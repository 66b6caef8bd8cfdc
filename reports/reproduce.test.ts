// The command that runs a check again: of each kind of run, quoted for a shell, without a key.
import { expect, test } from 'vitest'
import {
  type CheckResult,
  type Finding,
  isDomainsRun,
  type RunFile,
} from '../engine/check/run-file.ts'
import { text } from '../history/text.ts'
import type { Kind } from '../history/wrong.ts'
import { failing as found, sample } from '../tests/print.ts'
import { beforePasting, reproduceCheck, reproduceRun } from './reproduce.ts'

const failing: CheckResult = { ...found, durationMs: 1 }
const { durationMs: _, ...clause } = failing

const heldBy = (name: string, ...words: string[][]): RunFile => ({
  ...sample,
  command: { name, arguments: words },
})

const causedBy = (...checks: string[]): CheckResult => ({
  ...failing,
  evidence: checks.flatMap((check) =>
    failing.evidence.slice(0, 1).map((one) => ({ ...one, check })),
  ),
})

const url = ['http://127.0.0.1:8080/v1']
const key = ['--key', 'free=$FREE_KEY']
const at = 'petvet check http://127.0.0.1:8080/v1'
const plain = heldBy('check', url)
const chosen = heldBy('check', url, ['--only', 'auth'], ['--skip', 'list*'])
const flags = [url, key, ['--clock', 'http://127.0.0.1:1/clock'], ['--allow', 'write,ban']]

const finding = {
  ...{ operations: ['GET /pets'], conditions: [], aspect: 'count', kind: 'too many' as Kind },
  ...{ status: 200, times: 1, judged: 1, exchanges: [9] },
  ...{ expected: text('1 pet'), actual: text('2 pets') },
} satisfies Finding
const late = {
  ...failing,
  id: 'list-limit-most',
  findings: [{ ...finding, dependsOnHistory: true as const }],
}
const with2 = (other: Finding): RunFile => ({
  ...plain,
  checks: [late, { ...failing, id: 'walk-statuses', findings: [other] }],
})

const figures = { says: 'So it is.', connections: 2, columns: {} }
const words = [url, ['--scenario', '*'], ['--connections', '5'], ['--no-mock']]
const load = {
  ...heldBy('load', ...words),
  load: ['burst', 'edge'].map((id) => ({ id, ...figures })),
}
const burst =
  'petvet load http://127.0.0.1:8080/v1 --connections 5 --no-mock --scenario burst --seed 7'

test.for<[string, RunFile, CheckResult, string]>([
  [
    'a check runs alone, with its seed and the flags of its run',
    heldBy('check', ...flags, ['--only', 'auth'], ['--skip', 'list*']),
    failing,
    `${at} --key 'free=$FREE_KEY' --clock http://127.0.0.1:1/clock --allow write,ban ` +
      '--only auth-key-changed-401 --seed 7',
  ],
  ['a clause is judged again in the whole run', chosen, clause, reproduceRun(chosen)],
  [
    'alone where another check found the same before',
    with2(finding),
    late,
    `${at} --only list-limit-most --seed 7`,
  ],
  ['not where it found another', with2({ ...finding, kind: 'too few' }), late, `${at} --seed 7`],
  ['two are not', plain, causedBy('list-valid-200', failing.id), `${at} --seed 7`],
  [
    'the smoke call is selected alone',
    plain,
    { ...found, id: 'smoke-list-200', requirement: 'list.success' },
    `${at} --only smoke-list-200 --seed 7`,
  ],
  ['a verdict of a load', load, { ...failing, id: 'load-burst-not-more' }, burst],
  ['a threshold', load, { ...failing, id: 'load-threshold-burst-p99' }, burst],
  ['a clause in a scenario', load, { ...causedBy('burst'), id: 'answer-no-5xx' }, burst],
  [
    'a check of domains repeats the whole command, without a seed',
    heldBy('domains watch', ['--domains', "it's.yaml"]),
    failing,
    "petvet domains watch --domains 'it'\\''s.yaml'",
  ],
])('%s', ([, run, check, command]) => {
  expect(reproduceCheck(run, check)).toBe(command)
})

test('the whole run keeps its selection, and one of domains is known as that', () => {
  expect(reproduceRun(chosen)).toBe(`${at} --only auth --skip 'list*' --seed 7`)
  const run = heldBy('domains watch', ['--domains', "it's.yaml"])
  expect(reproduceRun(run)).toBe(reproduceCheck(run, failing))
  expect([isDomainsRun(run), isDomainsRun(sample), beforePasting(run)]).toEqual([true, false, ''])
})

const exported = (name: string, plan: string) => `\`export ${name}='your key of the plan ${plan}'\``

test.for([
  ['variables', [url, key, ['--key', 'pro=$PRO_KEY']], ''],
  ['a text', [url, ['--key', 'pro=$PETVET_KEY']], exported('PETVET_KEY', 'pro')],
  [
    'a variable and a text',
    [url, key, ['--key', 'free=$PETVET_KEY_FREE_2']],
    exported('PETVET_KEY_FREE_2', 'free'),
  ],
  ['none, as the built-in reference does', [], ''],
] as const)('variables to set are named for keys given by %s', ([, given, expected]) => {
  const run = heldBy('check', ...given.map((each) => [...each]))
  const says = expected && `Before you paste a line: ${expected}`
  expect(beforePasting({ ...run, checks: [] })).toBe(says)
})

test('the variables of the requests which are shown are named', () => {
  const sentWith = (...keys: (readonly [label: string, variable: string])[]): RunFile => ({
    ...heldBy('check', ['--config', 'petvet.config.yaml']),
    checks: keys.map(([label, variable]) => ({
      ...failing,
      evidence: failing.evidence.map((each) => ({ ...each, key: label, curl: `"$${variable}"` })),
    })),
  })
  expect(beforePasting(sentWith(['pro-1', 'PRO_KEY']))).toBe('')
  expect(beforePasting(sentWith(['free-1', 'PETVET_KEY'], ['pro-1', 'PETVET_KEY_PRO_1']))).toBe(
    `Before you paste a line: ${exported('PETVET_KEY', 'free')} and ` +
      exported('PETVET_KEY_PRO_1', 'pro'),
  )
})

test('a run that moved the clock past the removal date cannot be repeated at once', () => {
  const run = heldBy('check', url, key)
  const removed = { ...failing, outcome: 'pass', requirement: 'get.removed', requests: 1 } as const
  const moved = { ...run, target: { ...run.target, clock: true }, checks: [removed] }
  expect(beforePasting(moved)).toMatch(
    /^Before you repeat the run: restart the server, as its clock/,
  )
})
