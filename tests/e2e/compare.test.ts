// Two finished runs compared by the command: what it prints, and its exit code.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import sample from '../../reports/samples/run.json' with { type: 'json' }
import { emptyFolder, petvet } from './petvet.ts'

/** A folder with the sample run as `old`, and as `new` with every pass turned into a fail. */
const runs = (): string => {
  const folder = emptyFolder()
  const broken = sample.checks.map((check) =>
    check.outcome === 'pass' ? { ...check, outcome: 'fail' } : check,
  )
  const write = (name: string, run: object) => {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'run.json'), JSON.stringify(run))
  }
  write('old', { ...sample, fromAnotherVersion: true })
  write('new', { ...sample, checks: broken })
  return folder
}

test('what got worse is reported, with exit code 1', async () => {
  const { code, stdout, stderr } = await petvet(['compare', 'old', 'new'], { folder: runs() })
  expect(stdout).toContain('Newly failing')
  expect(stdout).toMatch(/petvet: worse\n$/)
  expect([code, stderr]).toEqual([1, ''])
})

test('what got better, or is the same, is exit code 0', async () => {
  const folder = runs()
  const better = await petvet(['compare', 'new', 'old/run.json', '--json'], { folder })
  expect(better.code).toBe(0)
  expect(JSON.parse(better.stdout)).toMatchObject({ worse: false, changes: { newlyFailing: [] } })
  const same = await petvet(['compare', 'old', 'old', '--quiet'], { folder })
  expect(same).toEqual({ code: 0, stdout: '', stderr: 'petvet: the same\n' })
})

test('an interrupted run is worse than a complete one, and reported as interrupted', async () => {
  const folder = runs()
  const checks = sample.checks.map((check) =>
    check.outcome === 'pass' ? { ...check, outcome: 'untested', because: 'interrupted' } : check,
  )
  mkdirSync(join(folder, 'cut'))
  const cut = JSON.stringify({ ...sample, checks, interrupted: true })
  writeFileSync(join(folder, 'cut/run.json'), cut)
  const { code, stdout } = await petvet(['compare', 'old', 'cut'], { folder })
  expect(stdout).toMatch(/^Verdict .+ → interrupted, so far not-conformant$/m)
  expect(stdout).toMatch(/^No longer tested .+\n.+ {2}pass → untested \(interrupted\), must: /m)
  expect([code, stdout.split('\n').at(-2)]).toEqual([1, 'petvet: worse'])
})

test.for([
  ['what is no run', ['compare', 'old', 'strange.json'], /strange.json/],
  ['a later form', ['compare', 'old', 'later.json'], /not a run that this version can read/],
  ['two forms', ['compare', 'old', 'new', '--json', '--as', 'text'], /exclude each other/],
] as const)('%s is a mistake of one line', async ([, args, said]) => {
  const folder = runs()
  writeFileSync(join(folder, 'strange.json'), 'strange')
  writeFileSync(join(folder, 'later.json'), JSON.stringify({ ...sample, schema: 2 }))
  const { code, stdout, stderr } = await petvet(args, { folder })
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(said)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})
