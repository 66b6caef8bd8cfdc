// The end of a run: its verdict, and all the files that were requested.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { RunFile } from '../../engine/check/run-file.ts'
import { readRun } from '../../reports/read-run.ts'
import { captureOutput, emptyFolder, folderWith } from '../../tests/e2e/petvet.ts'
import type { OutputFlags } from '../flags.ts'
import { finishRun, readOutput } from './finish.ts'

const sample = readRun(join(import.meta.dirname, '../../reports/samples'))

/** What is printed about a finished run, and the folder it is in. */
const finish = (run: RunFile, flags: OutputFlags) => {
  const folder = emptyFolder()
  const { printed, release } = captureOutput()
  const code = finishRun(run, readOutput({ ...flags, out: folder, resume: '' }))
  release()
  return { ...printed, code, folder }
}

test('the verdict is one line, and each report is written', () => {
  const { code, stderr, stdout, folder } = finish(sample, {
    report: ['html', 'junit'],
    quiet: true,
  })
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^petvet: http\S+: not conformant, .+\n$/)
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('auth.key-invalid')
  expect(existsSync(join(folder, 'junit.xml'))).toBe(true)
})

test('--json prints the run', () => {
  expect(JSON.parse(finish(sample, { json: true }).stdout)).toEqual(sample)
})

test('a summary is appended where markdown is requested', () => {
  const summary = join(folderWith({ 'summary.md': 'before\n' }), 'summary.md')
  vi.stubEnv('GITHUB_STEP_SUMMARY', summary)
  finish(sample, { report: ['junit'] })
  expect(readFileSync(summary, 'utf8')).toBe('before\n')
  finish(sample, { report: ['markdown'] })
  expect(readFileSync(summary, 'utf8')).toMatch(/^before\n## petvet: not conformant/)
})

test('annotations are printed in GitHub Actions only', () => {
  vi.stubEnv('GITHUB_ACTIONS', '')
  expect(finish(sample, { report: ['github'] }).stderr).not.toContain('::error')
  vi.stubEnv('GITHUB_ACTIONS', 'true')
  const { stderr } = finish(sample, { report: ['github'] })
  expect(stderr).toContain('::error title=auth-key-changed-401')
})
