// A run of which nothing is left to do: one line, and all the files that were asked for.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { RunFile } from '../engine/run-file.ts'
import { readRun } from '../reports/read-run.ts'
import { readOutputAnywhere } from './output-settings.ts'
import type { OutputFlags } from './run-flags.ts'
import { tellOver } from './tell-run.ts'

const sample = readRun(join(import.meta.dirname, '../reports/samples'))
const sound: RunFile = {
  ...sample,
  verdict: 'conformant',
  checks: sample.checks.filter(({ outcome }) => outcome !== 'fail' && outcome !== 'error'),
}

/** What is told of a run that is over, and the folder it lies in. */
const overWith = (run: RunFile, flags: Partial<OutputFlags>) => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += text
      return true
    })
  }
  const none = Object.fromEntries([]) as unknown as OutputFlags
  const code = tellOver(run, readOutputAnywhere({ ...none, ...flags, out: folder }, folder))
  vi.restoreAllMocks()
  return { ...said, code, folder }
}

test('one line tells it, and each report is written from the run file', () => {
  const { code, stdout, stderr, folder } = overWith(sample, { report: ['ctrf', 'junit'] })
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^petvet: nothing is left to do: not conformant, .+\n$/)
  expect(readFileSync(join(folder, 'ctrf.json'), 'utf8')).toContain('auth.key-invalid')
  expect(existsSync(join(folder, 'junit.xml'))).toBe(true)
})

test('--json prints it, and --update-known brings the file up to date', () => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const known = join(folder, 'known.txt')
  writeFileSync(known, '')
  const { stdout } = overWith(sample, { json: true, known, 'update-known': true })
  expect(JSON.parse(stdout)).toEqual(sample)
  expect(readFileSync(known, 'utf8')).toContain('auth-key-changed-401')
})

test('asked more strictly than it was, its line and its code agree', () => {
  const lacking = sound.checks.map((check) =>
    check.outcome === 'untested' ? { ...check, because: 'key' as const } : check,
  )
  const run = { ...sound, checks: lacking }
  const usual = overWith(run, {})
  expect([usual.code, usual.stderr]).toEqual([0, expect.stringContaining('do: conformant')])
  const strict = overWith(run, { strict: true })
  expect([strict.code, strict.stderr]).toEqual([4, expect.stringContaining('do: undecided')])
})
